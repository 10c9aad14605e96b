//! FlatBuffers: flatc's code, its object API to and from the neutral tree, and a walk over every
//! field of a table.

use std::collections::HashSet;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use interop_schema::{Message, Presence, Schema, Slot, Type};

use crate::neutral::{Impl, dispatch, enum_name, enums, ident, module};
use crate::{is_model, models};

/// Derives an .fbs file for each package of models and runs flatc on it.
pub fn generate(flatc: &Path, schema: &Schema, out: &Path) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(out)?;
    let mut includes = String::new();
    for package in packages(schema) {
        let last = models(schema).filter(|m| m.package == package).last();
        let root = schema.message_by_name(&last.ok_or("a package of messages")?.full_name)?;
        let file = out.join(format!("{package}.fbs"));
        std::fs::write(&file, interop_schema::fbs::schema_text(schema, root))?;
        let status = Command::new(flatc)
            .args(["--rust", "--gen-object-api", "-o"])
            .arg(out)
            .arg(&file)
            .status()?;
        if !status.success() {
            return Err("flatc failed".into());
        }
        let _ = writeln!(
            includes,
            "pub mod in_{package} {{\n    include!(\"{}\");\n}}\npub use in_{package}::{package};",
            out.join(format!("{package}_generated.rs")).display()
        );
    }
    std::fs::write(out.join("mod.rs"), includes)?;
    Ok(())
}

fn packages(schema: &Schema) -> Vec<String> {
    let mut packages: Vec<String> = models(schema)
        .filter(|m| is_model(&m.package))
        .map(|m| m.package.clone())
        .collect();
    packages.dedup();
    packages
}

/// A well-known type is generated once in every package that refers to it.
fn root_of(message: &Message, from: &str) -> String {
    let package = if is_model(&message.package) {
        &message.package
    } else {
        from
    };
    format!(
        "crate::flatbuffers_models::in_{package}::{}::{}",
        module(&message.package),
        message.name()
    )
}

/// Conversions of the object API's types, the walks, and the dispatch.
pub fn neutral(schema: &Schema, cases: &HashSet<String>) -> Result<String, Box<dyn Error>> {
    let mut out = String::new();
    for enumeration in enums(schema) {
        let path = format!(
            "crate::flatbuffers_models::in_{0}::{0}::{1}",
            enumeration.package,
            enum_name(enumeration)
        );
        let _ = write!(
            out,
            "impl EnumSlot for {path} {{\n    fn from_number(number: i32) -> Result<Self, String> {{\n        \
             let number = number.try_into().map_err(|_| no_number({:?}, number))?;\n        \
             Ok(Self(number))\n    }}\n    fn number(&self) -> i32 {{ self.0.into() }}\n}}\n\
             impl Walk for {path} {{\n    fn walk(&self) -> u64 {{ self.0 as u64 }}\n}}\n",
            enumeration.full_name
        );
    }
    for package in packages(schema) {
        for message in models(schema) {
            if message.package == package
                || (!is_model(&message.package) && refers(schema, &package))
            {
                out.push_str(&table(message, &package));
            }
        }
    }
    out.push_str(&dispatch(schema, cases, "flatbuffers", |_| true, |message| {
        format!("{}T", root_of(message, &message.package))
    }));
    Ok(out)
}

fn refers(schema: &Schema, package: &str) -> bool {
    let own = models(schema).filter(|m| m.package == package);
    own.flat_map(|m| &m.fields)
        .any(|f| matches!(&f.ty, Type::Message(id) if !is_model(&schema.message(*id).package)))
}

fn table(message: &Message, package: &str) -> String {
    let root = root_of(message, package);
    let mut loads = Vec::new();
    let mut saves = Vec::new();
    let mut present = String::new();
    let mut walk = String::new();
    let mut out = String::new();
    for field in &message.fields {
        let name = ident(&field.name);
        let suffix = match &field.ty {
            Type::Enum(_) => "_enum",
            Type::Map(..) => "_entries",
            _ => "",
        };
        loads.push((
            field.number,
            field.name.clone(),
            format!("set{suffix}(&mut message.{name}, kind)"),
        ));
        saves.push(format!("put{suffix}(&mut fields, {}, &message.{name})?", field.number));
        let vector = field.ty.element().is_some() || matches!(field.ty, Type::Map(..));
        if field.presence == Presence::Implicit && (vector || field.ty == Type::String) {
            let _ = write!(present, " message.{name} = Some(Default::default());");
        }
        let _ = writeln!(walk, "        seen = seen.wrapping_add(self.{name}().walk());");
        if let Type::Map(_, value) = &field.ty {
            let entry = format!("{root}_{}_Entry", field.name);
            out.push_str(&entry_impls(value, &entry));
        }
    }
    // Strings and vectors of implicit presence are always written.
    let default = if present.is_empty() {
        "Default::default()".to_owned()
    } else {
        format!("{{ let mut message = <{root}T>::default();{present} message }}")
    };
    out.push_str(
        &Impl {
            path: format!("{root}T"),
            default,
            message: message.full_name.clone(),
            loads,
            saves,
            unknown: None,
        }
        .print(),
    );
    let _ = write!(
        out,
        "impl Walk for {root}<'_> {{\n    fn walk(&self) -> u64 {{\n        let mut seen = 0u64;\n{walk}        \
         seen\n    }}\n}}\n\
         impl crate::libraries::flatbuffers::Table for {root}T {{\n    type View<'a> = {root}<'a>;\n    \
         fn pack_into<'b>(&self, builder: &mut ::flatbuffers::FlatBufferBuilder<'b>) -> \
         ::flatbuffers::WIPOffset<Self::View<'b>> {{ self.pack(builder) }}\n    \
         fn unpack_from(view: Self::View<'_>) -> Self {{ view.unpack() }}\n    \
         fn walk_view(view: Self::View<'_>) -> u64 {{ view.walk() }}\n}}\n"
    );
    out
}

fn entry_impls(value: &Slot, entry: &str) -> String {
    let (get, put) = match value.ty {
        Type::String => (
            "Some(Slot::load(value)?)",
            "Some(self.value.clone().unwrap_or_default().save()?)",
        ),
        Type::Message(_) => (
            "Some(Box::new(Slot::load(value)?))",
            "Some(self.value.clone().unwrap_or_default().save()?)",
        ),
        _ => ("Slot::load(value)?", "Some(self.value.save()?)"),
    };
    format!(
        "impl MapEntry for {entry}T {{\n    fn load_entry(key: &Kind, value: &Kind) -> Result<Self, String> {{\n        \
         Ok(Self {{ key: Slot::load(key)?, value: {get} }})\n    }}\n    \
         fn save_entry(&self) -> Result<Option<(Kind, Kind)>, String> {{\n        \
         Ok(self.key.save()?.zip({put}.flatten()))\n    }}\n}}\n\
         impl Walk for {entry}<'_> {{\n    fn walk(&self) -> u64 {{\n        \
         self.key().walk().wrapping_add(self.value().walk())\n    }}\n}}\n"
    )
}

