//! Edition features: the defaults of each syntax and edition, and the overrides that options
//! lay over them (protobuf's "Feature Settings for Editions").

use interop_wire::Reader;

use crate::Error;

/// A set of features as it stands in an options message; zero means "not set here". Numbers
/// are those of `google.protobuf.FeatureSet`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FeatureSet {
    /// 1 explicit, 2 implicit, 3 required
    pub field_presence: u8,
    /// 1 open, 2 closed
    pub enum_type: u8,
    /// 1 packed, 2 expanded
    pub repeated_field_encoding: u8,
    /// 2 verify, 3 none
    pub utf8_validation: u8,
    /// 1 length-prefixed, 2 delimited
    pub message_encoding: u8,
}

const EDITION_2023: i32 = 1000;
const EDITION_2024: i32 = 1001;

impl FeatureSet {
    /// The defaults of a file's syntax or edition.
    pub fn defaults(syntax: &str, edition: i32) -> Result<Self, Error> {
        let set = |presence, enums, repeated, utf8| Self {
            field_presence: presence,
            enum_type: enums,
            repeated_field_encoding: repeated,
            utf8_validation: utf8,
            message_encoding: 1,
        };
        match syntax {
            "" | "proto2" => Ok(set(1, 2, 2, 3)),
            "proto3" => Ok(set(2, 1, 1, 2)),
            "editions" if (EDITION_2023..=EDITION_2024).contains(&edition) => Ok(set(1, 1, 1, 2)),
            "editions" => Err(Error::Descriptor(format!(
                "edition {edition} is not supported (2023 and 2024 are)"
            ))),
            other => Err(Error::Descriptor(format!("unknown syntax \"{other}\""))),
        }
    }

    /// Merges a serialized FeatureSet into this one.
    pub fn merge_from(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let mut reader = Reader::new(bytes);
        while !reader.is_empty() {
            let tag = reader.varint()?;
            match tag & 7 {
                0 => {
                    let value = reader.varint()? as u8;
                    match tag >> 3 {
                        1 => self.field_presence = value,
                        2 => self.enum_type = value,
                        3 => self.repeated_field_encoding = value,
                        4 => self.utf8_validation = value,
                        5 => self.message_encoding = value,
                        _ => {}
                    }
                }
                2 => {
                    let len = reader.varint()?;
                    reader.take(len)?;
                }
                other => {
                    return Err(Error::Descriptor(format!("unexpected wire type {other}")));
                }
            }
        }
        Ok(())
    }

    /// This set with `inner`'s settings laid over it.
    #[must_use]
    pub fn with(self, inner: Self) -> Self {
        let pick = |outer, inner| if inner == 0 { outer } else { inner };
        Self {
            field_presence: pick(self.field_presence, inner.field_presence),
            enum_type: pick(self.enum_type, inner.enum_type),
            repeated_field_encoding: pick(
                self.repeated_field_encoding,
                inner.repeated_field_encoding,
            ),
            utf8_validation: pick(self.utf8_validation, inner.utf8_validation),
            message_encoding: pick(self.message_encoding, inner.message_encoding),
        }
    }
}
