//! Which message of which schema: a built-in model, a message of a user's schema, or a model of
//! the golden corpus.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use interop_schema::{Message, MessageId, Schema};

use crate::cli::{JsonForm, SubjectArgs};
use crate::exit::{Failure, Result};
use crate::golden::{Model, Store};

/// Schemas that the program carries with it, so that models work in any directory.
pub const EMBEDDED: [(&str, &str); 3] = [
    ("bench.proto", include_str!("../../proto/bench.proto")),
    ("suite.proto", include_str!("../../proto/suite.proto")),
    (
        "evolution/v2/bench.proto",
        include_str!("../../proto/evolution/v2/bench.proto"),
    ),
];

/// Messages that are models: packages whose messages `--model` finds.
const MODEL_SOURCES: [&str; 2] = ["bench.proto", "suite.proto"];

/// A message and the schema around it.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The schema.
    pub schema: Arc<Schema>,
    /// The message.
    pub id: MessageId,
    /// The JSON form of its values where nothing else is asked for.
    pub form: JsonForm,
}

impl Subject {
    /// The message's full name.
    pub fn name(&self) -> &str {
        &self.schema.message(self.id).full_name
    }

    /// The subject that the arguments name.
    ///
    /// # Errors
    /// Exit 2 with the names that are known.
    pub fn from_args(args: &SubjectArgs) -> Result<Self> {
        let mut subject = match (&args.model, &args.proto, &args.fdl) {
            (Some(model), None, None) => Self::built_in(model)?,
            (None, Some(file), None) => {
                let schema = proto_schema(file, &args.includes)?;
                Self::of_message(schema, args.message.as_deref(), JsonForm::Proto)?
            }
            (None, None, Some(file)) => {
                let schema = fdl_schema(file, &args.includes)?;
                Self::of_message(schema, args.message.as_deref(), JsonForm::Neutral)?
            }
            (None, None, None) => {
                return Err(Failure::usage("which message? neither --model nor a schema is given")
                    .hint("--model NumericStruct, or --proto FILE --message pkg.M, or --fdl FILE --message M"));
            }
            _ => {
                return Err(Failure::usage(
                    "--model, --proto and --fdl exclude one another",
                ));
            }
        };
        if args.field_names {
            let mut schema = (*subject.schema).clone();
            identify_fields_by_name(&mut schema);
            subject.schema = Arc::new(schema);
        }
        Ok(subject)
    }

    fn of_message(schema: Schema, message: Option<&str>, form: JsonForm) -> Result<Self> {
        let name = message.unwrap_or_default();
        let id = find_message(&schema, name)?;
        Ok(Self {
            schema: Arc::new(schema),
            id,
            form,
        })
    }

    /// The built-in model called `name`, without regard to case; the Fory benchmarks' `struct`
    /// and `structlist` are the numeric ones.
    ///
    /// # Errors
    /// Exit 2 with the names that are known.
    pub fn built_in(name: &str) -> Result<Self> {
        let wanted = canonical_model(name);
        let mut known = Vec::new();
        for source in MODEL_SOURCES {
            let schema = embedded_schema(source)?;
            let found = schema.messages.iter().position(|message| {
                message.name().eq_ignore_ascii_case(&wanted)
                    || message.full_name.eq_ignore_ascii_case(&wanted)
            });
            if let Some(index) = found {
                return Ok(Self {
                    schema: Arc::new(schema),
                    id: MessageId(index as u32),
                    form: JsonForm::Proto,
                });
            }
            known.extend(own_messages(&schema).map(|message| message.name().to_owned()));
        }
        Err(Failure::usage(format!("no model named {name}"))
            .hint(format!("known models: {}", known.join(", "))))
    }
}

/// A model name as in file names, from any of its spellings on a command line.
pub fn canonical_model(name: &str) -> String {
    match name.to_ascii_lowercase().as_str() {
        "struct" => "NumericStruct".to_owned(),
        "structlist" => "NumericStructList".to_owned(),
        "ecommerce" => "ECommerceData".to_owned(),
        "system" => "SystemData".to_owned(),
        _ => name.to_owned(),
    }
}

/// Finds a message by its full name, or by its name alone where only one package has it.
///
/// # Errors
/// Exit 2 with the names that are known.
pub fn find_message(schema: &Schema, name: &str) -> Result<MessageId> {
    if let Ok(id) = schema.message_by_name(name) {
        return Ok(id);
    }
    let short: Vec<_> = schema
        .messages
        .iter()
        .enumerate()
        .filter(|(_, message)| message.name() == name)
        .collect();
    match short[..] {
        [(index, _)] => Ok(MessageId(index as u32)),
        [] => {
            let known: Vec<_> = own_messages(schema)
                .map(|message| message.full_name.as_str())
                .collect();
            Err(Failure::usage(format!("no message named {name}"))
                .hint(format!("known messages: {}", known.join(", "))))
        }
        _ => {
            let names: Vec<_> = short.iter().map(|(_, m)| m.full_name.as_str()).collect();
            Err(Failure::usage(format!("{name} is ambiguous"))
                .hint(format!("say one of {}", names.join(", "))))
        }
    }
}

/// The messages that a schema's author wrote, without those of the imports that are built in.
fn own_messages(schema: &Schema) -> impl Iterator<Item = &Message> {
    let built_in = |package: &str| package == "fory" || package.starts_with("google.protobuf");
    schema
        .messages
        .iter()
        .filter(move |message| !built_in(&message.package))
}

/// Makes Fory identify every field by its name, whatever number the schema gives it.
pub fn identify_fields_by_name(schema: &mut Schema) {
    for message in &mut schema.messages {
        for field in &mut message.fields {
            field.fory.id = None;
        }
    }
}

/// Compiles a schema that the program carries.
///
/// # Errors
/// Exit 2 with the known names; exit 3 if it does not compile.
pub fn embedded_schema(name: &str) -> Result<Schema> {
    let found = EMBEDDED.iter().find(|(known, _)| *known == name);
    let Some((name, text)) = found else {
        let known: Vec<_> = EMBEDDED.iter().map(|(name, _)| *name).collect();
        return Err(Failure::usage(format!("no built-in schema {name}"))
            .hint(format!("known: {}", known.join(", "))));
    };
    interop_schema::proto::compile_sources(&[(name, text)])
        .map_err(|error| Failure::harness(format!("built-in {name}: {error}")))
}

/// The built-in schema that defines a model's message.
pub fn embedded_source_of(message: &str) -> Option<&'static str> {
    MODEL_SOURCES.into_iter().find(|source| {
        let schema = embedded_schema(source);
        schema.is_ok_and(|schema| schema.message_by_name(message).is_ok())
    })
}

/// A schema from a `.proto` file, or from a serialized FileDescriptorSet.
///
/// # Errors
/// Exit 2 with what the schema compiler says.
pub fn proto_schema(file: &Path, includes: &[PathBuf]) -> Result<Schema> {
    let fail =
        |error: interop_schema::Error| Failure::usage(format!("{}: {error}", file.display()));
    if is_descriptor_set(file) {
        return interop_schema::proto::from_descriptor_set(&read_schema(file)?).map_err(fail);
    }
    if !file.is_file() {
        return Err(Failure::usage(format!("{}: no such file", file.display())));
    }
    interop_schema::proto::compile_files(&[file.to_owned()], includes).map_err(fail)
}

/// True for the file names that are customary for serialized FileDescriptorSets.
pub fn is_descriptor_set(file: &Path) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str());
    matches!(
        extension,
        Some("binpb" | "desc" | "pb" | "pbbin" | "protoset")
    )
}

fn read_schema(file: &Path) -> Result<Vec<u8>> {
    std::fs::read(file).map_err(|error| Failure::usage(format!("{}: {error}", file.display())))
}

fn fdl_schema(file: &Path, includes: &[PathBuf]) -> Result<Schema> {
    if !file.is_file() {
        return Err(Failure::usage(format!("{}: no such file", file.display())));
    }
    interop_schema::fdl::compile_files(&[file.to_owned()], includes)
        .map_err(|error| Failure::usage(error.to_string()))
}

/// The subjects of a golden store's models; each schema file is compiled once.
#[derive(Default)]
pub struct Catalog {
    schemas: HashMap<(String, bool), Arc<Schema>>,
}

impl Catalog {
    /// The subject of `model`.
    ///
    /// # Errors
    /// Exit 2 when its schema does not compile or lacks the message.
    pub fn subject(&mut self, store: &Store, model: &Model) -> Result<Subject> {
        let (source, form) = match (&model.proto, &model.fdl) {
            (Some(proto), None) => (proto, JsonForm::Proto),
            (None, Some(fdl)) => (fdl, JsonForm::Neutral),
            _ => {
                return Err(Failure::usage(format!(
                    "MANIFEST: model {} needs either proto or fdl",
                    model.model
                )));
            }
        };
        let key = (source.clone(), model.field_ids);
        let schema = match self.schemas.get(&key) {
            Some(schema) => Arc::clone(schema),
            None => {
                let mut schema = match form {
                    JsonForm::Proto if EMBEDDED.iter().any(|(name, _)| name == source) => {
                        embedded_schema(source)?
                    }
                    JsonForm::Proto => proto_schema(&store.path(source), &[])?,
                    JsonForm::Neutral => fdl_schema(&store.path(source), &[])?,
                };
                if !model.field_ids {
                    identify_fields_by_name(&mut schema);
                }
                let schema = Arc::new(schema);
                self.schemas.insert(key, Arc::clone(&schema));
                schema
            }
        };
        let id = find_message(&schema, &model.message)?;
        Ok(Subject { schema, id, form })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_found_by_every_spelling() {
        for (spelling, full) in [
            ("NumericStruct", "protobuf.NumericStruct"),
            ("struct", "protobuf.NumericStruct"),
            ("structlist", "protobuf.NumericStructList"),
            ("mediacontent", "protobuf.MediaContent"),
            ("suite.Person", "suite.Person"),
        ] {
            assert_eq!(Subject::built_in(spelling).unwrap().name(), full);
        }
        let failure = Subject::built_in("Nothing").unwrap_err();
        assert_eq!(failure.code, crate::exit::USAGE);
        assert!(failure.hint.unwrap().contains("SystemData"));
    }

    #[test]
    fn every_embedded_schema_compiles() {
        for (name, _) in EMBEDDED {
            embedded_schema(name).unwrap();
        }
    }
}
