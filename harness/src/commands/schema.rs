//! `schema`: a schema in another schema language.

use std::io::Write;

use interop_schema::{MessageId, Schema};

use crate::cli::{SchemaArgs, SchemaLanguage};
use crate::exit::{COMPATIBLE, Failure, Result};
use crate::subject::{
    EMBEDDED, embedded_descriptor_set, find_message, is_descriptor_set, own_messages, proto_schema,
};
use crate::values::write_output;

/// The built-in schemas by the names that `--model-set` takes.
const MODEL_SETS: [(&str, &str); 3] = [
    ("bench", "bench.proto"),
    ("suite", "suite.proto"),
    ("v2", "evolution/v2/bench.proto"),
];

pub(super) fn run(args: &SchemaArgs, out: &mut dyn Write) -> Result<u8> {
    let built_in = match (&args.proto, &args.model_set) {
        (Some(_), _) => None,
        (None, Some(name)) => Some(source_of(name)?),
        (None, None) => Some(MODEL_SETS[0].1),
    };
    if args.to == SchemaLanguage::Descriptor {
        let set = descriptor_set(args, built_in)?;
        write_output(args.out.as_deref(), &set, out)?;
        return Ok(COMPATIBLE);
    }
    let schema = match (&args.proto, built_in) {
        (Some(file), _) => proto_schema(file, &args.includes)?,
        (None, source) => crate::subject::embedded_schema(source.unwrap_or(EMBEDDED[0].0))?,
    };
    let root = root_of(&schema, args.message.as_deref())?;
    let text = match args.to {
        SchemaLanguage::Fbs => interop_schema::fbs::schema_text(&schema, root),
        SchemaLanguage::Fdl | SchemaLanguage::Descriptor => {
            interop_schema::emit::fdl::emit(&schema, &schema.message(root).package)
                .map_err(|error| Failure::usage(error.to_string()))?
        }
    };
    write_output(args.out.as_deref(), text.as_bytes(), out)?;
    Ok(COMPATIBLE)
}

fn source_of(name: &str) -> Result<&'static str> {
    let found = MODEL_SETS.iter().find(|(known, _)| *known == name);
    found.map(|(_, source)| *source).ok_or_else(|| {
        let known: Vec<_> = MODEL_SETS.iter().map(|(name, _)| *name).collect();
        Failure::usage(format!("no model set named {name}"))
            .hint(format!("known: {}", known.join(", ")))
    })
}

/// The message asked for, else the last one written: it is the one that uses the others.
fn root_of(schema: &Schema, name: Option<&str>) -> Result<MessageId> {
    if let Some(name) = name {
        return find_message(schema, name);
    }
    let last = own_messages(schema).last();
    let last = last.ok_or_else(|| Failure::usage("the schema has no messages"))?;
    find_message(schema, &last.full_name)
}

fn descriptor_set(args: &SchemaArgs, built_in: Option<&str>) -> Result<Vec<u8>> {
    match (&args.proto, built_in) {
        (Some(file), _) if is_descriptor_set(file) => std::fs::read(file)
            .map_err(|error| Failure::usage(format!("{}: {error}", file.display()))),
        (Some(file), _) => {
            interop_schema::proto::descriptor_set(std::slice::from_ref(file), &args.includes)
                .map_err(|error| Failure::usage(format!("{}: {error}", file.display())))
        }
        (None, source) => embedded_descriptor_set(source.unwrap_or(EMBEDDED[0].0)),
    }
}
