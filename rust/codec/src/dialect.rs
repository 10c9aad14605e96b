//! Dialects: the legal choices that each real writer makes where its format leaves room.

use interop_schema::{MessageId, Schema};

use crate::{DecodeOptions, Document, Error, Format, flatbuffers, fory, json, msgpack, protobuf};

/// A named dialect of one format: the choices of one implementation.
#[derive(Clone, Debug)]
pub struct Preset<D> {
    /// The writer name used in the golden tree and by `--dialect`.
    pub name: &'static str,
    /// Library and the versions seen to write so.
    pub implementation: &'static str,
    /// The choices.
    pub dialect: D,
}

/// A choice by name, as `list --dialects` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What is chosen.
    pub name: &'static str,
    /// What it is set to.
    pub value: String,
}

/// A dialect of any format.
#[derive(Clone, Debug)]
pub enum Dialect {
    /// Of protobuf.
    Protobuf(protobuf::Dialect),
    /// Of Fory, either mode.
    Fory(fory::Dialect),
    /// Of FlatBuffers.
    Flatbuffers(flatbuffers::Dialect),
    /// Of MessagePack.
    Msgpack(msgpack::Dialect),
    /// Of JSON.
    Json(json::Dialect),
}

impl Dialect {
    /// Our own choices for `format`.
    pub fn default_of(format: Format) -> Self {
        match format {
            Format::Protobuf => Self::Protobuf(protobuf::Dialect::default()),
            Format::Fory | Format::ForyConsistent => Self::Fory(fory::Dialect::default()),
            Format::Flatbuffers => Self::Flatbuffers(flatbuffers::Dialect::default()),
            Format::Msgpack => Self::Msgpack(msgpack::Dialect::default()),
            Format::Json => Self::Json(json::Dialect::default()),
        }
    }

    /// The named choices.
    pub fn choices(&self) -> Vec<Choice> {
        match self {
            Self::Protobuf(dialect) => dialect.choices(),
            Self::Fory(dialect) => dialect.choices(),
            Self::Flatbuffers(dialect) => dialect.choices(),
            Self::Msgpack(dialect) => dialect.choices(),
            Self::Json(dialect) => dialect.choices(),
        }
    }
}

/// All presets of `format`, in the order of the golden manifest.
pub fn presets(format: Format) -> Vec<Preset<Dialect>> {
    fn wrap<D>(presets: Vec<Preset<D>>, wrap: fn(D) -> Dialect) -> Vec<Preset<Dialect>> {
        let wrapped = presets.into_iter().map(|preset| Preset {
            name: preset.name,
            implementation: preset.implementation,
            dialect: wrap(preset.dialect),
        });
        wrapped.collect()
    }
    match format {
        Format::Protobuf => wrap(protobuf::presets(), Dialect::Protobuf),
        Format::Fory => wrap(fory::presets(fory::Mode::Compatible), Dialect::Fory),
        Format::ForyConsistent => wrap(fory::presets(fory::Mode::Consistent), Dialect::Fory),
        Format::Flatbuffers => wrap(flatbuffers::presets(), Dialect::Flatbuffers),
        Format::Msgpack => wrap(msgpack::presets(), Dialect::Msgpack),
        Format::Json => wrap(json::presets(), Dialect::Json),
    }
}

/// The preset of `format` called `name`.
///
/// # Errors
/// A sentence that lists the known names.
pub fn preset(format: Format, name: &str) -> Result<Preset<Dialect>, String> {
    let all = presets(format);
    let names: Vec<_> = all.iter().map(|preset| preset.name).collect();
    let message = format!(
        "{format} has no dialect {name}; known: {}",
        names.join(", ")
    );
    all.into_iter()
        .find(|preset| preset.name == name)
        .ok_or(message)
}

/// Encodes `document` in `format`, in the dialect given.
///
/// # Errors
/// When a value has no form in the format, or the dialect belongs to another format.
pub fn encode(
    schema: &Schema,
    document: &Document,
    format: Format,
    dialect: &Dialect,
) -> Result<Vec<u8>, Error> {
    let message = || {
        let missing = || Error::value(&crate::Path::default(), "the root is not a message");
        document.message().ok_or_else(missing)
    };
    match (format, dialect) {
        (Format::Protobuf, Dialect::Protobuf(d)) => protobuf::encode(schema, message()?, d),
        (Format::Fory, Dialect::Fory(d)) => {
            fory::encode(schema, document, fory::Mode::Compatible, d)
        }
        (Format::ForyConsistent, Dialect::Fory(d)) => {
            fory::encode(schema, document, fory::Mode::Consistent, d)
        }
        (Format::Flatbuffers, Dialect::Flatbuffers(d)) => {
            flatbuffers::encode(schema, message()?, d)
        }
        (Format::Msgpack, Dialect::Msgpack(d)) => msgpack::encode(schema, message()?, d),
        (Format::Json, Dialect::Json(d)) => json::encode(schema, message()?, d),
        _ => Err(Error::value(
            &crate::Path::default(),
            format!("the dialect is not one of {format}"),
        )),
    }
}

/// Decodes a root message of type `id` from `bytes` in `format`. Readers take every dialect.
///
/// # Errors
/// With byte offset and field path.
pub fn decode(
    schema: &Schema,
    id: MessageId,
    format: Format,
    bytes: &[u8],
    options: DecodeOptions<'_>,
) -> Result<Document, Error> {
    match format {
        Format::Protobuf => protobuf::decode(schema, id, bytes, options).map(Document::of),
        Format::Fory => fory::decode(schema, id, fory::Mode::Compatible, bytes, options),
        Format::ForyConsistent => fory::decode(schema, id, fory::Mode::Consistent, bytes, options),
        Format::Flatbuffers => flatbuffers::decode(schema, id, bytes, options).map(Document::of),
        Format::Msgpack => msgpack::decode(schema, id, bytes, options).map(Document::of),
        Format::Json => json::decode(schema, id, bytes, options).map(Document::of),
    }
}
