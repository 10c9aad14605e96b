//! The schema as `.proto` text without custom options, for generators that know none.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use interop_schema::{Field, Presence, ProtoKind, ProtoShape, Schema, Type};

use crate::{is_model, models};

/// Writes a file a package below `dir`; gives their names.
pub fn write(schema: &Schema, dir: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let mut packages: Vec<&str> = models(schema).map(|m| m.package.as_str()).collect();
    packages.sort_unstable();
    packages.dedup();
    let mut names = Vec::new();
    for package in packages {
        let name = file_of(package);
        let path = dir.join(&name);
        std::fs::create_dir_all(path.parent().ok_or("a file in a folder")?)?;
        std::fs::write(path, text(schema, package)?)?;
        names.push(name);
    }
    // protoc puts the root of what it generates beside the first.
    names.sort_by_key(|name| name.matches('/').count());
    Ok(names)
}

fn file_of(package: &str) -> String {
    format!("{}.proto", package.replace('.', "/"))
}

fn text(schema: &Schema, package: &str) -> Result<String, Box<dyn Error>> {
    let mut out = format!("syntax = \"proto3\";\npackage {package};\n");
    let mut imports: Vec<String> = Vec::new();
    let mut body = String::new();
    for enumeration in schema.enums.iter().filter(|e| is_model(&e.package) && e.package == package) {
        let name = enumeration.full_name.rsplit('.').next().unwrap_or_default();
        writeln!(body, "enum {name} {{")?;
        for value in &enumeration.values {
            writeln!(body, "  {} = {};", value.name, value.number)?;
        }
        body.push_str("}\n");
    }
    for message in models(schema).filter(|m| m.package == package) {
        writeln!(body, "message {} {{", message.name())?;
        for field in &message.fields {
            let mut refer = |to: &str| {
                if to != package {
                    imports.push(file_of(to));
                }
            };
            let ty = declared(schema, field, &mut refer)?;
            let label = match (field.presence, &field.ty) {
                (Presence::Explicit, Type::Message(_)) | (Presence::Implicit, _) => "",
                _ => "optional ",
            };
            writeln!(body, "  {label}{ty} {} = {};", field.name, field.number)?;
        }
        body.push_str("}\n");
    }
    imports.sort();
    imports.dedup();
    for import in imports {
        writeln!(out, "import \"{import}\";")?;
    }
    out.push_str(&body);
    Ok(out)
}

fn declared(
    schema: &Schema,
    field: &Field,
    refer: &mut impl FnMut(&str),
) -> Result<String, Box<dyn Error>> {
    let shape = field.proto.ok_or("a field without a protobuf form")?.shape;
    Ok(match (shape, &field.ty) {
        (ProtoShape::Singular(kind), ty) => named(schema, kind, ty, refer)?,
        (ProtoShape::Repeated { kind, .. }, ty) => {
            let element = ty.element().ok_or("a list without elements")?;
            format!("repeated {}", named(schema, kind, element, refer)?)
        }
        (ProtoShape::Map { key, value }, Type::Map(key_slot, value_slot)) => format!(
            "map<{}, {}>",
            named(schema, key, &key_slot.ty, refer)?,
            named(schema, value, &value_slot.ty, refer)?
        ),
        _ => return Err("a map that is none".into()),
    })
}

fn named(
    schema: &Schema,
    kind: ProtoKind,
    ty: &Type,
    refer: &mut impl FnMut(&str),
) -> Result<String, Box<dyn Error>> {
    Ok(match (kind, ty) {
        (_, Type::Message(id)) => {
            let message = schema.message(*id);
            refer(&message.package);
            message.full_name.clone()
        }
        (_, Type::Enum(id)) => {
            let enumeration = schema.enumeration(*id);
            refer(&enumeration.package);
            enumeration.full_name.clone()
        }
        (kind, _) => format!("{kind:?}").to_lowercase(),
    })
}
