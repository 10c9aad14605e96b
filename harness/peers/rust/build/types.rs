//! Structs for the libraries that derive their code from them: plain ones, and such whose serde
//! form is ProtoJSON.

use std::error::Error;
use std::fmt::Write as _;

use interop_schema::{Enum, Message, Presence, Schema, Type};

use crate::models;
use crate::neutral::{enum_name, enums, ident};

const PLAIN_DERIVES: &str = "#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, \
    serde::Deserialize, bitcode::Encode, bitcode::Decode, rkyv::Archive, rkyv::Serialize, \
    rkyv::Deserialize, wincode::SchemaWrite, wincode::SchemaRead)]\n#[serde(default)]\n";
const JSON_DERIVES: &str =
    "#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]\n#[serde(default)]\n";

/// Structs as one would write them by hand; enums are numbers.
pub fn plain(schema: &Schema) -> Result<String, Box<dyn Error>> {
    print(schema, |message, out| {
        let _ = write!(out, "{PLAIN_DERIVES}pub struct {} {{\n", message.name());
        for field in &message.fields {
            let ty = plain_type(schema, &field.ty);
            let ty = optional(field.presence, ty);
            let _ = writeln!(out, "    pub {}: {ty},", ident(&field.name));
        }
        out.push_str("}\n");
    })
}

/// Structs that serde writes as ProtoJSON.
pub fn json(schema: &Schema) -> Result<String, Box<dyn Error>> {
    let mut seen = Vec::new();
    print(schema, |message, out| {
        for enumeration in enums(schema).filter(|e| e.package == message.package) {
            if !seen.contains(&enumeration.full_name) {
                seen.push(enumeration.full_name.clone());
                out.push_str(&json_enum(enumeration));
            }
        }
        if message.well_known.is_some() {
            return;
        }
        let _ = write!(out, "{JSON_DERIVES}pub struct {} {{\n", message.name());
        for field in &message.fields {
            let ty = json_type(schema, &field.ty);
            let ty = optional(field.presence, ty);
            let alias = if field.json_name == field.name {
                String::new()
            } else {
                format!(", alias = {:?}", field.json_name)
            };
            let absent = if field.presence == Presence::Explicit {
                "Option::is_none"
            } else {
                "crate::json_types::Absent::is_absent"
            };
            let _ = write!(
                out,
                "    #[serde(skip_serializing_if = {absent:?}{alias})]\n    pub {}: {ty},\n",
                ident(&field.name)
            );
        }
        out.push_str("}\n");
    })
}

fn json_enum(enumeration: &Enum) -> String {
    let name = enum_name(enumeration);
    let mut body = format!(
        "#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]\n\
         pub enum {name} {{\n"
    );
    for value in &enumeration.values {
        if value.number == enumeration.default_number() {
            body.push_str("    #[default]\n");
        }
        let _ = writeln!(body, "    {},", value.name);
    }
    let _ = write!(
        body,
        "}}\nimpl crate::json_types::Absent for {name} {{\n    fn is_absent(&self) -> bool {{ \
         *self == Self::default() }}\n}}\n"
    );
    body
}

/// Prints every message in a module a package.
fn print(
    schema: &Schema,
    mut one: impl FnMut(&Message, &mut String),
) -> Result<String, Box<dyn Error>> {
    let mut packages: Vec<&str> = models(schema).map(|m| m.package.as_str()).collect();
    packages.sort_unstable();
    packages.dedup();
    let mut out = String::new();
    for package in packages {
        let parts: Vec<&str> = package.split('.').collect();
        for part in &parts {
            let _ = write!(out, "pub mod {part} {{\n");
        }
        for message in models(schema).filter(|m| m.package == package) {
            one(message, &mut out);
        }
        for _ in &parts {
            out.push_str("}\n");
        }
    }
    Ok(out)
}

fn optional(presence: Presence, ty: String) -> String {
    if presence == Presence::Explicit {
        format!("Option<{ty}>")
    } else {
        ty
    }
}

fn integer(bits: u8, signed: bool) -> String {
    format!("{}{bits}", if signed { "i" } else { "u" })
}

fn plain_type(schema: &Schema, ty: &Type) -> String {
    match ty {
        Type::Bool => "bool".to_owned(),
        Type::Int { bits, signed, .. } => integer(*bits, *signed),
        Type::Float32 => "f32".to_owned(),
        Type::Float64 => "f64".to_owned(),
        Type::String => "String".to_owned(),
        Type::Enum(_) => "i32".to_owned(),
        Type::Message(id) => {
            let message = schema.message(*id);
            format!(
                "crate::plain::{}::{}",
                message.package.replace('.', "::"),
                message.name()
            )
        }
        Type::Map(key, value) => format!(
            "std::collections::BTreeMap<{}, {}>",
            plain_type(schema, &key.ty),
            plain_type(schema, &value.ty)
        ),
        ty => match ty.element() {
            Some(element) => format!("Vec<{}>", plain_type(schema, element)),
            None => "()".to_owned(),
        },
    }
}

fn json_type(schema: &Schema, ty: &Type) -> String {
    match ty {
        Type::Int { bits: 64, signed, .. } => {
            format!("crate::json_types::Text64<{}>", integer(64, *signed))
        }
        Type::Float32 => "crate::json_types::Real<f32>".to_owned(),
        Type::Float64 => "crate::json_types::Real<f64>".to_owned(),
        Type::Enum(id) => {
            let enumeration = schema.enumeration(*id);
            format!(
                "crate::json_types::{}::{}",
                enumeration.package.replace('.', "::"),
                enum_name(enumeration)
            )
        }
        Type::Message(id) => {
            let message = schema.message(*id);
            match message.well_known {
                Some(_) => format!("crate::json_types::{}", message.name()),
                None => format!(
                    "crate::json_types::{}::{}",
                    message.package.replace('.', "::"),
                    message.name()
                ),
            }
        }
        Type::Map(key, value) => format!(
            "std::collections::BTreeMap<{}, {}>",
            plain_type(schema, &key.ty),
            json_type(schema, &value.ty)
        ),
        ty => match ty.element() {
            Some(element) => format!("Vec<{}>", json_type(schema, element)),
            None => plain_type(schema, ty),
        },
    }
}
