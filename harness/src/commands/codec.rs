//! `encode`, `decode`, `transcode`.

use std::io::Write;

use interop_codec::{DecodeOptions, Dialect, Document, Format};
use interop_wire::Limits;

use crate::cli::{DecodeArgs, EncodeArgs, TranscodeArgs};
use crate::exit::{COMPATIBLE, Failure, Result};
use crate::subject::Subject;
use crate::values::{parse_json, print_json, read_input, write_output};

pub(super) fn encode(args: &EncodeArgs, out: &mut dyn Write) -> Result<u8> {
    let subject = Subject::from_args(&args.subject)?;
    let dialect = dialect(args.format, args.dialect.as_deref())?;
    let limits = args.limits.limits();
    let text = read_input(&args.values, limits.message_bytes)?;
    let form = args.json.unwrap_or(subject.form);
    let document = parse_json(&subject, form, &text, limits)
        .map_err(|error| Failure::refused(format!("{}: {error}", args.values.display())))?;
    let bytes = encode_document(&subject, &document, args.format, &dialect)?;
    write_output(args.out.as_deref(), &bytes, out)?;
    Ok(COMPATIBLE)
}

pub(super) fn decode(args: &DecodeArgs, out: &mut dyn Write) -> Result<u8> {
    let subject = Subject::from_args(&args.subject)?;
    let limits = args.limits.limits();
    let bytes = read_input(&args.file, limits.message_bytes)?;
    let place = args.file.display().to_string();
    let document = decode_document(&subject, args.format, &bytes, limits, &place)?;
    let form = args.json.unwrap_or(subject.form);
    let line = print_json(&subject, form, &document)
        .map_err(|error| Failure::refused(format!("printing as JSON: {error}")))?;
    writeln!(out, "{line}")?;
    Ok(COMPATIBLE)
}

pub(super) fn transcode(args: &TranscodeArgs, out: &mut dyn Write) -> Result<u8> {
    let subject = Subject::from_args(&args.subject)?;
    let dialect = dialect(args.to, args.dialect.as_deref())?;
    let limits = args.limits.limits();
    let bytes = read_input(&args.file, limits.message_bytes)?;
    let place = args.file.display().to_string();
    let document = decode_document(&subject, args.from, &bytes, limits, &place)?;
    let bytes = encode_document(&subject, &document, args.to, &dialect)?;
    write_output(args.out.as_deref(), &bytes, out)?;
    Ok(COMPATIBLE)
}

fn dialect(format: Format, name: Option<&str>) -> Result<Dialect> {
    match name {
        None | Some(crate::golden::OWN_WRITER) => Ok(Dialect::default_of(format)),
        Some(name) => interop_codec::preset(format, name)
            .map(|preset| preset.dialect)
            .map_err(|error| {
                Failure::usage(error).hint("see them with: interop-check list --dialects")
            }),
    }
}

fn encode_document(
    subject: &Subject,
    document: &Document,
    format: Format,
    dialect: &Dialect,
) -> Result<Vec<u8>> {
    interop_codec::encode(&subject.schema, document, format, dialect)
        .map_err(|error| Failure::refused(format!("encoding as {format}: {error}")))
}

fn decode_document(
    subject: &Subject,
    format: Format,
    bytes: &[u8],
    limits: Limits,
    place: &str,
) -> Result<Document> {
    let options = DecodeOptions { limits, sink: None };
    interop_codec::decode(&subject.schema, subject.id, format, bytes, options).map_err(|error| {
        Failure::refused(format!(
            "{place}: not a {} in {format}: {error}",
            subject.name()
        ))
        .hint("interop-check explain shows the bytes up to there")
    })
}
