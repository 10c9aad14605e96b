//! Pieces of generated code that all families share.

use std::collections::HashSet;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use interop_schema::{Message, Schema, Type};

use crate::{is_model, models};

/// A field's name as a Rust identifier.
pub fn ident(name: &str) -> String {
    const KEYWORDS: [&str; 12] = [
        "type", "match", "ref", "mod", "use", "move", "loop", "impl", "fn", "enum", "struct", "box",
    ];
    if KEYWORDS.contains(&name) {
        format!("r#{name}")
    } else {
        name.to_owned()
    }
}

/// The package as a module path.
pub fn module(package: &str) -> String {
    package.replace('.', "::")
}

/// `impl Slot for path`: `load` sets fields of `message`, `save` puts them on `fields`. Both are
/// never timed, and cold keeps the compiler from spending its time on them.
pub struct Impl {
    pub path: String,
    pub default: String,
    pub message: String,
    /// Number, name and statement.
    pub loads: Vec<(u32, String, String)>,
    pub saves: Vec<String>,
    /// Expressions for the bytes of unknown fields, and to set them.
    pub unknown: Option<(String, String)>,
}

impl Impl {
    pub fn print(&self) -> String {
        let mut out = String::new();
        let _ = write!(
            out,
            "impl Slot for {} {{\n    #[cold]\n    #[inline(never)]\n    fn load(kind: &Kind) -> Result<Self, String> {{\n        \
             let tree = tree_of(kind)?;\n        let mut message: Self = {};\n        \
             for field in &tree.fields {{\n            let kind = kind_of(field)?;\n            \
             match field.number {{\n",
            self.path, self.default
        );
        for (number, name, statement) in &self.loads {
            let _ = writeln!(
                out,
                "                {number} => named({name:?}, {statement})?,"
            );
        }
        let _ = write!(
            out,
            "                other => return Err(no_field({:?}, other)),\n            }}\n        }}\n",
            self.message
        );
        match &self.unknown {
            Some((_, set)) => {
                let _ = writeln!(out, "        {set}");
            }
            None => {
                let _ = writeln!(out, "        no_unknown(&tree.unknown)?;");
            }
        }
        let bytes = self.unknown.as_ref().map_or("Vec::new()", |(get, _)| get);
        let _ = write!(
            out,
            "        Ok(message)\n    }}\n    #[cold]\n    #[inline(never)]\n    fn save(&self) -> Result<Option<Kind>, String> {{\n        \
             let message = self;\n        let mut fields = Vec::new();\n"
        );
        for save in &self.saves {
            let _ = writeln!(out, "        {save};");
        }
        let _ = write!(
            out,
            "        Ok(Some(Kind::Message(Tree {{ fields, unknown: {bytes} }})))\n    }}\n}}\n"
        );
        out
    }
}

/// Full names of the messages that golden files hold: the cases are made of these alone, and each
/// costs the build its share in every library.
pub fn with_cases(root: &Path) -> Result<HashSet<String>, Box<dyn Error>> {
    let path = root.join("golden/MANIFEST");
    println!("cargo::rerun-if-changed={}", path.display());
    let manifest: serde_json::Value = serde_json::from_slice(&std::fs::read(&path)?)?;
    let models = manifest["models"].as_array().ok_or("a manifest of models")?;
    let names = models.iter().filter(|model| model["proto"].is_string());
    let names = names.filter_map(|model| Some(model["message"].as_str()?.to_owned()));
    Ok(names.collect())
}

/// A macro `name!(model, make)` that calls `make!(Type)` for the type of the model named, and the
/// list of models.
pub fn dispatch(
    schema: &Schema,
    cases: &HashSet<String>,
    name: &str,
    serves: impl Fn(&Message) -> bool,
    path: impl Fn(&Message) -> String,
) -> String {
    let served: Vec<&Message> = models(schema)
        .filter(|message| cases.contains(&message.full_name) && serves(message))
        .collect();
    let mut out = format!(
        "macro_rules! {name}_models {{\n    ($model:expr, $make:ident) => {{\n        match $model {{\n"
    );
    for message in &served {
        let _ = writeln!(
            out,
            "            {:?} => Some($make!({})),",
            message.full_name,
            path(message)
        );
    }
    let names: Vec<String> = served.iter().map(|m| format!("{:?}", m.full_name)).collect();
    let _ = write!(
        out,
        "            _ => None,\n        }}\n    }};\n}}\npub(crate) use {name}_models;\n\
         pub(crate) const {}_MODELS: &[&str] = &[{}];\n",
        name.to_uppercase(),
        names.join(", ")
    );
    out
}

/// The enums of the models.
pub fn enums(schema: &Schema) -> impl Iterator<Item = &interop_schema::Enum> {
    schema.enums.iter().filter(|e| is_model(&e.package))
}

/// The enum's own name.
pub fn enum_name(enumeration: &interop_schema::Enum) -> &str {
    enumeration.full_name.rsplit('.').next().unwrap_or_default()
}

/// Refuses what no generator here maps, rather than mapping it wrong.
pub fn check(schema: &Schema) -> Result<(), String> {
    for message in models(schema) {
        for field in &message.fields {
            let inner: Vec<&Type> = match &field.ty {
                Type::Map(key, value) => vec![&key.ty, &value.ty],
                ty => ty.element().into_iter().collect(),
            };
            let nested_enum = inner.iter().any(|ty| matches!(ty, Type::Enum(_)));
            let no_mapping = |ty: &&Type| {
                !matches!(
                    ty,
                    Type::Bool
                        | Type::Int { .. }
                        | Type::Float32
                        | Type::Float64
                        | Type::String
                        | Type::Enum(_)
                        | Type::Message(_)
                )
            };
            let whole = if inner.is_empty() { vec![&field.ty] } else { inner };
            if nested_enum || field.oneof.is_some() || whole.iter().any(no_mapping) {
                return Err(format!(
                    "{}.{}: the Rust peer maps no such field yet",
                    message.full_name, field.name
                ));
            }
        }
    }
    Ok(())
}
