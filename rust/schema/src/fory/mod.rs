//! What Apache Fory's xlang format says about a schema: type ids, field order, the schema hash of
//! consistent mode and the TypeDefs of compatible mode.
//!
//! Everything here is a function of the schema alone; values are the codec's matter. The rules are
//! those of Fory's "Xlang Serialization Format", sections "Type ID", "Field order", "Same-schema
//! mode", "TypeDef" and "Meta String".

mod fingerprint;
mod layout;
pub mod meta_string;
mod type_def;
pub mod type_id;

pub use fingerprint::{OptionalHash, fingerprint, schema_hash};
pub use layout::{
    FieldKey, LayoutField, StructLayout, WireType, layout, snake_case, tracks_references,
};
pub use type_def::{ElementNullable, ElementReference, TypeDefStyle, header_of, type_def};
