//! Libraries whose objects are structs with public fields.

use std::collections::HashSet;
use std::error::Error;
use std::fmt::Write as _;

use heck::ToUpperCamelCase as _;
use interop_schema::{Enum, Message, Presence, Registration, Schema, Type};

use crate::models;
use crate::neutral::{Impl, check, dispatch, enum_name, enums, ident, module};

struct Family {
    name: &'static str,
    /// Path of a message's type; none where the type is written by hand.
    message: fn(&Message) -> Option<String>,
    enumeration: fn(&Enum) -> Option<EnumShape>,
    unknown: Option<(&'static str, &'static str)>,
    serves: fn(&Message) -> bool,
    /// False where a value that is not set can't be told from its default.
    presence: bool,
}

enum EnumShape {
    /// A newtype of any number, with this path.
    Open(String),
    /// A Rust enum: its path, and what each number is called.
    Closed(String, Vec<(i32, String)>),
}

const FAMILIES: [Family; 6] = [
    Family {
        name: "plain",
        message: |m| Some(format!("crate::plain::{}::{}", module(&m.package), m.name())),
        enumeration: |_| None,
        unknown: None,
        serves: |_| true,
        presence: true,
    },
    Family {
        name: "json",
        message: |m| {
            let path = format!("crate::json_types::{}::{}", module(&m.package), m.name());
            m.well_known.is_none().then_some(path)
        },
        enumeration: |e| {
            let named = |name: &str| name.to_owned();
            Some(closed(e, "crate::json_types", named))
        },
        unknown: None,
        serves: |_| true,
        presence: true,
    },
    Family {
        name: "prost",
        message: |m| {
            Some(match m.well_known {
                Some(_) => format!("::prost_types::{}", m.name()),
                None => format!(
                    "crate::prost_models::{}::{}",
                    module(&m.package),
                    m.name().to_upper_camel_case()
                ),
            })
        },
        enumeration: |_| None,
        unknown: None,
        serves: |_| true,
        presence: true,
    },
    Family {
        name: "buffa",
        message: |m| {
            Some(match m.well_known {
                Some(_) => format!("::buffa_types::google::protobuf::{}", m.name()),
                None => format!("crate::buffa_models::{}::{}", module(&m.package), m.name()),
            })
        },
        enumeration: |_| None,
        unknown: Some((
            "unknown_bytes(&message.__buffa_unknown_fields)",
            "message.__buffa_unknown_fields = unknown_of(&tree.unknown)?;",
        )),
        serves: |_| true,
        presence: true,
    },
    Family {
        name: "quick",
        message: |m| Some(format!("crate::quick_models::{}::{}", module(&m.package), m.name())),
        enumeration: |e| {
            let named = |name: &str| name.to_owned();
            Some(closed(e, "crate::quick_models", named))
        },
        unknown: None,
        serves: |_| true,
        presence: false,
    },
    Family {
        name: "ours",
        message: |m| Some(format!("::interop_models::{}::{}", module(&m.package), m.name())),
        enumeration: |e| {
            Some(EnumShape::Open(format!(
                "::interop_models::{}::{}",
                module(&e.package),
                enum_name(e)
            )))
        },
        unknown: Some((
            "message.unknown_fields.as_bytes().to_vec()",
            "no_unknown(&tree.unknown)?;",
        )),
        serves: |_| true,
        presence: true,
    },
];

const FORY: Family = Family {
    name: "fory",
    message: |m| {
        let path = format!("crate::fory_models::{}::{}", module(&m.package), m.name());
        m.well_known.is_none().then_some(path)
    },
    enumeration: |e| {
        let prefix = enum_name(e).to_upper_camel_case();
        let named = |name: &str| {
            let camel = name.to_upper_camel_case();
            camel.strip_prefix(&prefix).unwrap_or(&camel).to_owned()
        };
        let path = format!("crate::fory_models::{}::{}", module(&e.package), enum_name(e));
        let values = e.values.iter().map(|v| (v.number, named(&v.name)));
        Some(EnumShape::Closed(path, values.collect()))
    },
    unknown: None,
    serves: has_an_id,
    presence: true,
};

/// Fory serves what the schema gives an id.
fn has_an_id(message: &Message) -> bool {
    // Ids that Fory's compiler would derive from names are hashes, far above those of a schema.
    matches!(message.fory.registration, Registration::Id(id) if id < 1 << 16)
}

fn closed(e: &Enum, root: &str, named: impl Fn(&str) -> String) -> EnumShape {
    let path = format!("{root}::{}::{}", module(&e.package), enum_name(e));
    EnumShape::Closed(path, e.values.iter().map(|v| (v.number, named(&v.name))).collect())
}

/// The conversions and the dispatch of all these families.
pub fn neutral(schema: &Schema, cases: &HashSet<String>) -> Result<String, Box<dyn Error>> {
    check(schema)?;
    let mut out = String::new();
    for family in FAMILIES.iter().chain([&FORY]) {
        for enumeration in enums(schema) {
            if let Some(shape) = (family.enumeration)(enumeration) {
                out.push_str(&enum_impl(&shape, &enumeration.full_name));
            }
        }
        for message in models(schema) {
            if let Some(path) = (family.message)(message)
                && (family.serves)(message)
            {
                out.push_str(&message_impl(family, path, message));
            }
        }
        out.push_str(&dispatch(
            schema,
            cases,
            family.name,
            family.serves,
            |message| (family.message)(message).unwrap_or_default(),
        ));
    }
    Ok(out)
}

fn message_impl(family: &Family, path: String, message: &Message) -> String {
    let mut loads = Vec::new();
    let mut saves = Vec::new();
    for field in &message.fields {
        let name = ident(&field.name);
        let suffix = if matches!(field.ty, Type::Enum(_)) {
            "_enum"
        } else {
            ""
        };
        let blind = !family.presence
            && field.presence == Presence::Explicit
            && !matches!(field.ty, Type::Message(_));
        let put = if blind { "_set" } else { suffix };
        loads.push((
            field.number,
            field.name.clone(),
            format!("set{suffix}(&mut message.{name}, kind)"),
        ));
        saves.push(format!(
            "put{put}(&mut fields, {}, &message.{name})?",
            field.number
        ));
    }
    Impl {
        path,
        default: "Default::default()".to_owned(),
        message: message.full_name.clone(),
        loads,
        saves,
        unknown: family
            .unknown
            .map(|(get, set)| (get.to_owned(), set.to_owned())),
    }
    .print()
}

fn enum_impl(shape: &EnumShape, full_name: &str) -> String {
    match shape {
        EnumShape::Open(path) => format!(
            "impl EnumSlot for {path} {{\n    fn from_number(number: i32) -> Result<Self, String> \
             {{ Ok(Self(number)) }}\n    fn number(&self) -> i32 {{ self.0 }}\n}}\n"
        ),
        EnumShape::Closed(path, values) => {
            let mut out = format!(
                "impl EnumSlot for {path} {{\n    fn from_number(number: i32) -> Result<Self, String> \
                 {{\n        Ok(match number {{\n"
            );
            for (number, name) in values {
                let _ = writeln!(out, "            {number} => Self::{name},");
            }
            let _ = write!(
                out,
                "            _ => return Err(no_number({full_name:?}, number)),\n        }})\n    }}\n    \
                 fn number(&self) -> i32 {{\n        match self {{\n"
            );
            for (number, name) in values {
                let _ = writeln!(out, "            Self::{name} => {number},");
            }
            out.push_str("        }\n    }\n}\n");
            out
        }
    }
}
