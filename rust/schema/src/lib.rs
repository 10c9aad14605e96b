//! The schema model: one description of messages, enums and unions that every format lowers
//! from, whether it was written in `.proto` (proto2, proto3, edition 2023) or in Fory's `.fdl`.
//!
//! ```
//! let schema = interop_schema::proto::compile_text(
//!     "syntax = \"proto3\"; package p; message M { int32 a = 1; }",
//! ).unwrap();
//! let m = schema.message_by_name("p.M").unwrap();
//! assert_eq!(schema.message(m).fields[0].name, "a");
//! ```

mod descriptor;
pub mod emit;
mod error;
mod escape;
pub mod fbs;
pub mod fdl;
mod features;
mod field_number;
mod fory_type;
pub mod fory;
mod lower;
mod model;
pub mod proto;
mod registration;
mod scalar;
mod well_known;

pub use error::{Error, Location};
pub use model::*;
pub use registration::auto_type_id;
pub use well_known::WellKnown;
