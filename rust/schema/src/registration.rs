//! Fory registration numbers that schemas leave out.

use interop_wire::murmur3;

/// The number that Fory's schema compiler gives to a type without an `id`: MurmurHash3 x86_32,
/// seed 0, of the full name.
pub fn auto_type_id(full_name: &str) -> u32 {
    murmur3::x86_32(full_name.as_bytes(), 0)
}
