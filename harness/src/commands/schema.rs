use std::io::Write;

use crate::cli::{SchemaArgs, SchemaLanguage};
use crate::exit::{COMPATIBLE, Failure, Result};
use crate::subject::{EMBEDDED, is_descriptor_set, proto_schema};
use crate::values::write_output;

pub(super) fn run(args: &SchemaArgs, out: &mut dyn Write) -> Result<u8> {
    let text = match args.to {
        SchemaLanguage::Descriptor => descriptor(args)?,
        SchemaLanguage::Fdl | SchemaLanguage::Fbs => {
            return Err(Failure::harness("emit not here yet"));
        }
    };
    write_output(args.out.as_deref(), &text, out)?;
    Ok(COMPATIBLE)
}

fn descriptor(args: &SchemaArgs) -> Result<Vec<u8>> {
    match &args.proto {
        Some(file) if is_descriptor_set(file) => std::fs::read(file)
            .map_err(|error| Failure::usage(format!("{}: {error}", file.display()))),
        Some(file) => interop_schema::proto::descriptor_set(&[file.clone()], &args.includes)
            .map_err(|error| Failure::usage(format!("{}: {error}", file.display()))),
        None => Err(Failure::harness("not yet")),
    }
}
