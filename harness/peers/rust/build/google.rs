//! Google's protobuf crate: messages behind setters and views.

use std::collections::HashSet;
use std::error::Error;
use std::path::Path;
use std::process::Command;

use interop_schema::{Field, Message, Presence, Schema, Type};

use crate::models;
use crate::neutral::{Impl, dispatch, enum_name, ident};

/// Runs protoc on the files in `protos`.
pub fn generate(
    protoc: &Path,
    protos: &Path,
    files: &[String],
    out: &Path,
) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(out)?;
    let status = Command::new(protoc)
        .arg("-I")
        .arg(protos)
        .arg(format!("--rust_out={}", out.display()))
        .arg("--rust_opt=experimental-codegen=enabled,kernel=upb")
        .args(files)
        .status()?;
    if !status.success() {
        return Err("protoc failed".into());
    }
    Ok(())
}

/// Conversions by setters and getters.
pub fn neutral(schema: &Schema, cases: &HashSet<String>) -> Result<String, Box<dyn Error>> {
    let mut out = String::new();
    for message in models(schema) {
        out.push_str(&message_impl(schema, message)?);
    }
    out.push_str(&dispatch(schema, cases, "google", |_| true, path));
    Ok(out)
}

fn path(message: &Message) -> String {
    format!("crate::google_models::{}", message.name())
}

fn message_impl(schema: &Schema, message: &Message) -> Result<String, Box<dyn Error>> {
    let mut loads = Vec::new();
    let mut saves = Vec::new();
    for field in &message.fields {
        let accessor = accessor(message, field);
        let load = load(schema, field, &accessor);
        loads.push((field.number, field.name.clone(), load));
        saves.push(save(field, &accessor));
    }
    let own = Impl {
        path: path(message),
        default: "Self::new()".to_owned(),
        message: message.full_name.clone(),
        loads,
        saves: Vec::new(),
        unknown: None,
    }
    .print();
    // A view gives its fields; the message is seen through its view.
    let head = own.find("    #[cold]\n    #[inline(never)]\n    fn save").ok_or("an impl that saves")?;
    let view = format!(
        "impl SaveView for {}View<'_> {{\n    #[cold]\n    #[inline(never)]\n    fn save_view(&self) -> Result<Kind, String> {{\n        \
         let message = self;\n        let mut fields = Vec::new();\n        {};\n        \
         Ok(Kind::Message(Tree {{ fields, unknown: Vec::new() }}))\n    }}\n}}\n",
        path(message),
        saves.join(";\n        ")
    );
    Ok(format!(
        "{}    fn save(&self) -> Result<Option<Kind>, String> {{\n        \
         ::protobuf::AsView::as_view(self).save_view().map(Some)\n    }}\n}}\n{view}",
        &own[..head]
    ))
}

fn rust_type(schema: &Schema, ty: &Type) -> String {
    match ty {
        Type::Bool => "bool".to_owned(),
        Type::Int { bits, signed, .. } => format!("{}{bits}", if *signed { "i" } else { "u" }),
        Type::Float32 => "f32".to_owned(),
        Type::Float64 => "f64".to_owned(),
        Type::Enum(id) => format!("crate::google_models::{}", enum_name(schema.enumeration(*id))),
        Type::Message(id) => path(schema.message(*id)),
        _ => "String".to_owned(),
    }
}

/// The protobuf wire's own signedness is that of the setter.
fn wire_type(schema: &Schema, field: &Field) -> String {
    use interop_schema::{ProtoKind, ProtoShape};
    match field.proto.map(|proto| proto.shape) {
        Some(ProtoShape::Singular(ProtoKind::Fixed32 | ProtoKind::UInt32)) => "u32".to_owned(),
        Some(ProtoShape::Singular(ProtoKind::Fixed64 | ProtoKind::UInt64)) => "u64".to_owned(),
        _ => rust_type(schema, &field.ty),
    }
}

/// The name in accessors: one that would be another field's accessor gets its number.
fn accessor(message: &Message, field: &Field) -> String {
    let name = &field.name;
    let prefixes = ["has_", "set_", "clear_"].map(|prefix| name.strip_prefix(prefix));
    let suffixes = ["_mut", "_opt"].map(|suffix| name.strip_suffix(suffix));
    let taken = prefixes.iter().chain(&suffixes).flatten();
    let mut others = taken.filter(|other| message.field_by_name(other).is_some());
    match others.next() {
        Some(_) => format!("{name}_{}", field.number),
        None => name.clone(),
    }
}

fn load(schema: &Schema, field: &Field, name: &str) -> String {
    match &field.ty {
        Type::Map(key, value) => format!(
            "each_entry::<{}, {}>(kind, |key, value| {{ message.{name}_mut().insert({}, value); }})",
            rust_type(schema, &key.ty),
            rust_type(schema, &value.ty),
            if key.ty == Type::String { "key.as_str()" } else { "key" }
        ),
        Type::Enum(_) => format!(
            "enum_number(kind).map(|number| message.set_{name}(number.into()))"
        ),
        ty => match ty.element() {
            Some(element) => format!(
                "each_element::<{}>(kind, |value| message.{name}_mut().push(value))",
                rust_type(schema, element)
            ),
            None => format!(
                "<{} as Slot>::load(kind).map(|value| message.set_{name}(value))",
                wire_type(schema, field)
            ),
        },
    }
}

fn save(field: &Field, accessor: &str) -> String {
    let name = ident(accessor);
    let number = field.number;
    let set = match field.presence {
        Presence::Explicit => format!("if message.has_{accessor}() {{ "),
        _ => "{ ".to_owned(),
    };
    let value = match &field.ty {
        Type::Map(..) => {
            return format!(
                "put_map(&mut fields, {number}, message.{name}().iter().map(|(key, value)| \
                 Ok((key.save_view()?, value.save_view()?))))?"
            );
        }
        Type::Enum(_) => format!("Ok::<_, String>(Kind::Enumeration(i32::from(message.{name}())))"),
        ty => match ty.element() {
            Some(_) => {
                return format!(
                    "put_list(&mut fields, {number}, message.{name}().iter().map(|value| value.save_view()))?"
                );
            }
            None => format!("message.{name}().save_view()"),
        },
    };
    format!("{set}put_kind(&mut fields, {number}, {value}?) }}")
}

