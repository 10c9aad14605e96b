//! Schema model to Rust source: plain structs, and straight-line encode and decode for them.
//!
//! What is generated depends on `interop-runtime` alone. Files are named after packages, so
//! that a module tree of the same shape holds them: package `a.b` becomes `a/b.rs`, and paths
//! between types lead through `super`. [`with_modules`] adds the `mod` declarations.
//!
//! Members of a oneof are optional fields of their own; reading one clears the others, as the
//! last one on the wire wins. Writers write all that are set.
//!
//! ```
//! let schema = interop_schema::proto::compile_text(
//!     "syntax = \"proto3\"; package shop; message Item { string name = 1; }",
//! )
//! .unwrap();
//! let files = interop_codegen::generate(&schema, &Default::default()).unwrap();
//! assert_eq!(files[0].0, "shop.rs");
//! assert!(files[0].1.contains("pub struct Item"));
//! ```

mod emit;
mod error;
mod flatbuffers;
mod fory;
mod json;
mod msgpack;
mod names;
mod plan;
mod protobuf;
mod tree;
mod type_def;
mod types;
mod view;

use interop_schema::Schema;

pub use error::Error;
pub use tree::with_modules;

/// File of the messages without a package.
const ROOT: &str = "root.rs";

/// What to generate.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Packages whose messages are wanted, with all that these refer to. Empty: all packages
    /// but `google.protobuf` and `fory`.
    pub packages: Vec<String>,
}

/// Rust source for the messages of `schema`: path below the module root, and text.
///
/// # Errors
/// When a schema uses what generated code can't express, with the field's full name: proto2
/// groups, required fields, extensions, closed enums, and types that only Fory has.
pub fn generate(schema: &Schema, options: &Options) -> Result<Vec<(String, String)>, Error> {
    let plan = plan::Plan::new(schema, options)?;
    Ok(emit::files(&plan))
}
