//! Vectors that name a type instead of a schema.

use super::Vector;

/// Runs a vector of a bare type.
pub(super) fn answer(vector: &Vector) -> std::result::Result<(), String> {
    Err(format!("type {:?}", vector.body.ty))
}
