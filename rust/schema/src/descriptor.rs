//! The parts of `google/protobuf/descriptor.proto` that a codec needs, read straight from the
//! bytes. A reader of our own, because the Fory options are extensions and the editions'
//! feature sets are newer than the descriptor types of the usual crates.

use interop_wire::Reader;

use crate::Error;
use crate::features::FeatureSet;

#[derive(Debug, Default)]
pub(crate) struct FileProto {
    pub name: String,
    pub package: String,
    pub messages: Vec<MessageProto>,
    pub enums: Vec<EnumProto>,
    pub extensions: Vec<FieldProto>,
    pub syntax: String,
    pub edition: i32,
    pub features: FeatureSet,
    pub fory: ForyOptions,
}

#[derive(Debug, Default)]
pub(crate) struct MessageProto {
    pub name: String,
    pub fields: Vec<FieldProto>,
    pub nested: Vec<MessageProto>,
    pub enums: Vec<EnumProto>,
    pub extension_ranges: Vec<(u32, u32)>,
    pub extensions: Vec<FieldProto>,
    pub oneofs: Vec<OneofProto>,
    pub map_entry: bool,
    pub message_set: bool,
    pub features: FeatureSet,
    pub fory: ForyOptions,
}

#[derive(Debug, Default)]
pub(crate) struct OneofProto {
    pub name: String,
    pub features: FeatureSet,
}

#[derive(Debug, Default)]
pub(crate) struct FieldProto {
    pub name: String,
    pub extendee: String,
    pub number: u32,
    pub label: i32,
    pub kind: i32,
    pub type_name: String,
    pub default: Option<String>,
    pub json_name: String,
    pub oneof: Option<usize>,
    pub proto3_optional: bool,
    pub packed: Option<bool>,
    pub features: FeatureSet,
    pub fory: ForyOptions,
}

#[derive(Debug, Default)]
pub(crate) struct EnumProto {
    pub name: String,
    pub values: Vec<(String, i32)>,
    pub features: FeatureSet,
    pub fory: ForyOptions,
}

/// The union of the four Fory option messages; which fields may be set follows from the owner.
#[derive(Clone, Debug, Default)]
pub(crate) struct ForyOptions {
    pub id: Option<u32>,
    pub evolving: Option<bool>,
    pub auto_type_id: Option<bool>,
    pub namespace: Option<String>,
    pub reference: Option<bool>,
    pub nullable: Option<bool>,
    pub ty: Option<String>,
}

/// A field of a message on the wire.
enum Raw<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

impl Raw<'_> {
    fn number(&self) -> u64 {
        match self {
            Raw::Number(value) => *value,
            Raw::Bytes(_) => 0,
        }
    }

    fn int(&self) -> i32 {
        self.number() as i32
    }

    fn boolean(&self) -> bool {
        self.number() != 0
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Raw::Number(_) => &[],
            Raw::Bytes(bytes) => bytes,
        }
    }

    fn text(&self) -> Result<String, Error> {
        let text = std::str::from_utf8(self.bytes());
        text.map(str::to_owned)
            .map_err(|_| Error::Descriptor("a name is not UTF-8".to_owned()))
    }
}

fn fields(
    bytes: &[u8],
    mut each: impl FnMut(u32, Raw<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut reader = Reader::new(bytes);
    while !reader.is_empty() {
        let tag = reader.varint()?;
        let raw = match tag & 7 {
            0 => Raw::Number(reader.varint()?),
            1 => Raw::Number(reader.u64()?),
            2 => {
                let len = reader.varint()?;
                Raw::Bytes(reader.take(len)?)
            }
            5 => Raw::Number(u64::from(reader.u32()?)),
            other => {
                return Err(Error::Descriptor(format!("unexpected wire type {other}")));
            }
        };
        each((tag >> 3) as u32, raw)?;
    }
    Ok(())
}

const FORY: u32 = 50001;

pub(crate) fn parse_set(bytes: &[u8]) -> Result<Vec<FileProto>, Error> {
    let mut files = Vec::new();
    fields(bytes, |number, raw| {
        if number == 1 {
            files.push(parse_file(raw.bytes())?);
        }
        Ok(())
    })?;
    Ok(files)
}

fn parse_file(bytes: &[u8]) -> Result<FileProto, Error> {
    let mut file = FileProto::default();
    fields(bytes, |number, raw| {
        match number {
            1 => file.name = raw.text()?,
            2 => file.package = raw.text()?,
            4 => file.messages.push(parse_message(raw.bytes(), 0)?),
            5 => file.enums.push(parse_enum(raw.bytes())?),
            7 => file.extensions.push(parse_field(raw.bytes())?),
            8 => fields(raw.bytes(), |number, raw| {
                match number {
                    50 => file.features.merge_from(raw.bytes())?,
                    FORY => fields(raw.bytes(), |number, raw| {
                        match number {
                            3 => file.fory.auto_type_id = Some(raw.boolean()),
                            4 => file.fory.evolving = Some(raw.boolean()),
                            _ => {}
                        }
                        Ok(())
                    })?,
                    _ => {}
                }
                Ok(())
            })?,
            12 => file.syntax = raw.text()?,
            14 => file.edition = raw.int(),
            _ => {}
        }
        Ok(())
    })?;
    Ok(file)
}

fn parse_message(bytes: &[u8], depth: u32) -> Result<MessageProto, Error> {
    if depth > 64 {
        return Err(Error::Descriptor("messages nest too deeply".to_owned()));
    }
    let mut message = MessageProto::default();
    fields(bytes, |number, raw| {
        match number {
            1 => message.name = raw.text()?,
            2 => message.fields.push(parse_field(raw.bytes())?),
            3 => message.nested.push(parse_message(raw.bytes(), depth + 1)?),
            4 => message.enums.push(parse_enum(raw.bytes())?),
            5 => {
                let (mut start, mut end) = (0, 0);
                fields(raw.bytes(), |number, raw| {
                    match number {
                        1 => start = raw.int(),
                        2 => end = raw.int(),
                        _ => {}
                    }
                    Ok(())
                })?;
                message.extension_ranges.push((start as u32, end as u32));
            }
            6 => message.extensions.push(parse_field(raw.bytes())?),
            7 => fields(raw.bytes(), |number, raw| {
                match number {
                    1 => message.message_set = raw.boolean(),
                    7 => message.map_entry = raw.boolean(),
                    12 => message.features.merge_from(raw.bytes())?,
                    FORY => fields(raw.bytes(), |number, raw| {
                        match number {
                            1 => message.fory.id = Some(raw.int() as u32),
                            2 => message.fory.evolving = Some(raw.boolean()),
                            5 => message.fory.namespace = Some(raw.text()?),
                            _ => {}
                        }
                        Ok(())
                    })?,
                    _ => {}
                }
                Ok(())
            })?,
            8 => {
                let mut oneof = OneofProto::default();
                fields(raw.bytes(), |number, raw| {
                    match number {
                        1 => oneof.name = raw.text()?,
                        2 => fields(raw.bytes(), |number, raw| {
                            if number == 1 {
                                oneof.features.merge_from(raw.bytes())?;
                            }
                            Ok(())
                        })?,
                        _ => {}
                    }
                    Ok(())
                })?;
                message.oneofs.push(oneof);
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(message)
}

fn parse_field(bytes: &[u8]) -> Result<FieldProto, Error> {
    let mut field = FieldProto::default();
    fields(bytes, |number, raw| {
        match number {
            1 => field.name = raw.text()?,
            2 => field.extendee = raw.text()?,
            3 => field.number = raw.int() as u32,
            4 => field.label = raw.int(),
            5 => field.kind = raw.int(),
            6 => field.type_name = raw.text()?,
            7 => field.default = Some(raw.text()?),
            8 => fields(raw.bytes(), |number, raw| {
                match number {
                    2 => field.packed = Some(raw.boolean()),
                    21 => field.features.merge_from(raw.bytes())?,
                    FORY => fields(raw.bytes(), |number, raw| {
                        match number {
                            1 => field.fory.reference = Some(raw.boolean()),
                            2 => field.fory.nullable = Some(raw.boolean()),
                            100 => field.fory.ty = Some(raw.text()?),
                            _ => {}
                        }
                        Ok(())
                    })?,
                    _ => {}
                }
                Ok(())
            })?,
            9 => field.oneof = Some(raw.number() as usize),
            10 => field.json_name = raw.text()?,
            17 => field.proto3_optional = raw.boolean(),
            _ => {}
        }
        Ok(())
    })?;
    Ok(field)
}

fn parse_enum(bytes: &[u8]) -> Result<EnumProto, Error> {
    let mut enumeration = EnumProto::default();
    fields(bytes, |number, raw| {
        match number {
            1 => enumeration.name = raw.text()?,
            2 => {
                let (mut name, mut value) = (String::new(), 0);
                fields(raw.bytes(), |number, raw| {
                    match number {
                        1 => name = raw.text()?,
                        2 => value = raw.int(),
                        _ => {}
                    }
                    Ok(())
                })?;
                enumeration.values.push((name, value));
            }
            3 => fields(raw.bytes(), |number, raw| {
                match number {
                    7 => enumeration.features.merge_from(raw.bytes())?,
                    FORY => fields(raw.bytes(), |number, raw| {
                        if number == 1 {
                            enumeration.fory.id = Some(raw.int() as u32);
                        }
                        Ok(())
                    })?,
                    _ => {}
                }
                Ok(())
            })?,
            _ => {}
        }
        Ok(())
    })?;
    Ok(enumeration)
}
