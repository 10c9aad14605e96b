//! Neutral JSON: the exact text form of a value tree, for any schema.
//!
//! Unlike ProtoJSON it loses nothing and has one form for each value, so that a value can be
//! stored, compared and shown without a library's opinion on it.
//!
//! | type | form |
//! |---|---|
//! | bool | `true`, `false` |
//! | integers up to 32 bits, date (days since 1970) | number |
//! | 64 bit integers | string of digits; a number is taken too |
//! | floats | string: the fewest digits that name the value as a double (`"1.5"`, `"-0.0"`, `"1e+16"`), `"Infinity"`, `"-Infinity"`, `"NaN"`; another NaN with its bits, `"NaN(7fc00001)"` |
//! | string | string |
//! | bytes | string of hexadecimal digits |
//! | enum | name; a number that has none as it is |
//! | timestamp, duration | `{"seconds": string, "nanos": number in [0, 1e9)}` |
//! | decimal | `{"unscaled": string, "scale": number}` |
//! | list, set, dense array | list |
//! | map | list of `[key, value]` in order |
//! | union | `{"case": name, "value": ...}` |
//! | any | `{"type": name, "value": ...}` |
//! | message | object of all fields in declaration order; `null` for an absent one that differs from its default; `@unknown` holds protobuf fields that the schema lacks |
//! | tracked reference | index into the list `nodes`, which stands first in the root object |
//!
//! A reader takes fields in any order, and none for an absent one. It refuses fields that the
//! schema lacks, anything given twice, and every number out of its type's range.
//!
//! ```
//! use interop_codec::neutral;
//! use interop_wire::Limits;
//! let schema = interop_schema::fdl::compile_text(
//!     "p.fdl",
//!     "package p; message M { int64 a = 1; optional float32 b = 2; }",
//! )
//! .unwrap();
//! let id = schema.message_by_name("p.M").unwrap();
//! let text = r#"{"a":"-5","b":"1.5"}"#;
//! let value = neutral::parse(&schema, id, text.as_bytes(), Limits::DEFAULT).unwrap();
//! assert_eq!(neutral::print(&schema, id, &value).unwrap(), text);
//! ```

mod any;
mod float;
mod parse;
mod print;
mod references;
mod tree;
mod unknown;

pub use parse::parse;
pub use print::print;

use interop_schema::{Field, Presence, Type};

/// The key of the fields that the schema lacks; no field can have this name.
const UNKNOWN: &str = "@unknown";

/// The key of a field: its name, or `[full.name]` for an extension.
fn key_of(field: &Field) -> &str {
    match field.extension {
        Some(_) => &field.json_name,
        None => &field.name,
    }
}

/// True when the field's absence stands for a value that has a text. A message that must be
/// there and is not has none: it is null, and not the empty message.
fn has_default(field: &Field) -> bool {
    field.presence == Presence::Implicit
        && !field.fory.reference
        && !matches!(field.ty, Type::Message(_) | Type::Union(_) | Type::Any)
}
