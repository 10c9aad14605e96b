//! ProtoJSON text to values: scalars, enums and map keys.

use interop_schema::{EnumId, ProtoKind, Type};

use super::decode::Parser;
use super::lexer::{Kind, is_number};
use super::number::{Misfit, float32, float64, integer};
use super::syntax::Name;
use super::{NULL_VALUE, bytes, time};
use crate::{Cursor, Error, Part, Value};

impl Parser<'_, '_> {
    /// A value of a type that is no collection; none when an unknown enum name is to be ignored.
    pub(super) fn value(
        &mut self,
        cursor: &mut Cursor<'_>,
        ty: &Type,
        kind: Option<ProtoKind>,
    ) -> Result<Option<Value>, Error> {
        self.space(cursor);
        match ty {
            Type::Message(id) => self.sub_message(cursor, *id).map(Some),
            _ => self.scalar(cursor, ty, kind),
        }
    }

    /// Apart from [`Parser::value`], which recurses, so that its frame is not on the stack there.
    fn scalar(
        &mut self,
        cursor: &mut Cursor<'_>,
        ty: &Type,
        kind: Option<ProtoKind>,
    ) -> Result<Option<Value>, Error> {
        let start = self.lexer.offset();
        let value = match ty {
            Type::Bool => {
                let found = self.kind(cursor)?;
                let (word, value) = match found {
                    Kind::True => ("true", true),
                    Kind::False => ("false", false),
                    _ => {
                        let text = format!("expected true or false, found {}", found.name());
                        return Err(cursor.mismatch(start, text));
                    }
                };
                let read = self.lexer.literal(word);
                read.map_err(|error| cursor.wire(error))?;
                Value::Bool(value)
            }
            Type::Int { bits, signed, .. } => {
                let text = self.number_text(cursor, ty)?;
                self.integer(cursor, start, &text, (*bits, *signed), kind)?
            }
            Type::Float32 => match self.number_text(cursor, ty)?.as_str() {
                "NaN" => Value::Float32(f32::NAN),
                "Infinity" => Value::Float32(f32::INFINITY),
                "-Infinity" => Value::Float32(f32::NEG_INFINITY),
                text => Value::Float32(
                    float32(text).map_err(|misfit| misplaced(cursor, start, text, misfit, ty))?,
                ),
            },
            Type::Float64 => match self.number_text(cursor, ty)?.as_str() {
                "NaN" => Value::Float64(f64::NAN),
                "Infinity" => Value::Float64(f64::INFINITY),
                "-Infinity" => Value::Float64(f64::NEG_INFINITY),
                text => Value::Float64(
                    float64(text).map_err(|misfit| misplaced(cursor, start, text, misfit, ty))?,
                ),
            },
            Type::String => Value::String(self.text(cursor, "a string field")?),
            Type::Bytes => {
                let text = self.text(cursor, "a bytes field")?;
                let read = bytes::parse(&text);
                Value::Bytes(read.map_err(|error| cursor.mismatch(start, error))?)
            }
            Type::Enum(id) => match self.enumeration(cursor, *id)? {
                Some(number) => Value::Enum(number),
                None => {
                    let end = self.lexer.offset();
                    cursor.span(start, end, Part::Payload, "ignored enum name", String::new);
                    return Ok(None);
                }
            },
            Type::Timestamp => {
                let text = self.text(cursor, "a timestamp")?;
                let read = time::parse_timestamp(&text);
                let (seconds, nanos) = read.map_err(|error| cursor.mismatch(start, error))?;
                Value::Timestamp {
                    seconds,
                    nanos: nanos as u32,
                }
            }
            Type::Duration => {
                let text = self.text(cursor, "a duration")?;
                let read = time::parse_duration(&text);
                let (seconds, nanos) = read.map_err(|error| cursor.mismatch(start, error))?;
                Value::Duration {
                    seconds: if nanos < 0 { seconds - 1 } else { seconds },
                    nanos: nanos.rem_euclid(1_000_000_000) as u32,
                }
            }
            _ => {
                let text = format!("ProtoJSON has no form for {}", describe(ty));
                return Err(cursor.mismatch(start, text));
            }
        };
        let end = self.lexer.offset();
        let lexer = &self.lexer;
        cursor.span(start, end, Part::Payload, &describe(ty), || {
            String::from_utf8_lossy(lexer.slice(start, end)).into_owned()
        });
        Ok(Some(value))
    }

    /// A string's text.
    pub(super) fn text(&mut self, cursor: &mut Cursor<'_>, what: &str) -> Result<String, Error> {
        self.require(cursor, Kind::String, what)?;
        let token = self.lexer.string().map_err(|error| cursor.wire(error))?;
        Ok(token.text.into_owned())
    }

    /// A number's text, be it in quotes or not. For a float also the three words.
    fn number_text(&mut self, cursor: &mut Cursor<'_>, ty: &Type) -> Result<String, Error> {
        let start = self.lexer.offset();
        match self.kind(cursor)? {
            Kind::Number => {
                let token = self.lexer.number().map_err(|error| cursor.wire(error))?;
                Ok(token.text.to_owned())
            }
            Kind::String => {
                let token = self.lexer.string().map_err(|error| cursor.wire(error))?;
                let float = matches!(ty, Type::Float32 | Type::Float64);
                let word = matches!(&*token.text, "NaN" | "Infinity" | "-Infinity");
                if is_number(&token.text) || (float && word) {
                    return Ok(token.text.into_owned());
                }
                let text = format!("{:?} is no {}", token.text, describe(ty));
                Err(cursor.mismatch(start, text))
            }
            other => {
                let text = format!("expected {}, found {}", describe(ty), other.name());
                Err(cursor.mismatch(start, text))
            }
        }
    }

    fn integer(
        &self,
        cursor: &Cursor<'_>,
        start: usize,
        text: &str,
        (bits, signed): (u8, bool),
        kind: Option<ProtoKind>,
    ) -> Result<Value, Error> {
        let ty = Type::int(bits, signed, interop_schema::IntEncoding::Varint);
        let misfit = |misfit| misplaced(cursor, start, text, misfit, &ty);
        let value = integer(text).map_err(misfit)?;
        if !signed {
            let in_range = (0..1i128 << bits).contains(&value);
            return match u64::try_from(value) {
                Ok(value) if in_range => Ok(Value::UInt(value)),
                _ => Err(misfit(Misfit::Range)),
            };
        }
        let half = 1i128 << (bits - 1);
        // A fixed32 or fixed64 whose values the schema declares signed: writers that know only
        // the protobuf type spell the same bits without a sign.
        let unsigned_spelling = matches!(
            (kind, bits),
            (Some(ProtoKind::Fixed32), 32) | (Some(ProtoKind::Fixed64), 64)
        );
        let value = if unsigned_spelling && (half..2 * half).contains(&value) {
            value - 2 * half
        } else {
            value
        };
        match i64::try_from(value) {
            Ok(value) if (-half..half).contains(&i128::from(value)) => Ok(Value::Int(value)),
            _ => Err(misfit(Misfit::Range)),
        }
    }

    /// An enum's number, from a name or a number.
    fn enumeration(&mut self, cursor: &mut Cursor<'_>, id: EnumId) -> Result<Option<i32>, Error> {
        let enumeration = self.schema.enumeration(id);
        let start = self.lexer.offset();
        let (number, shown) = match self.kind(cursor)? {
            Kind::Null if enumeration.full_name == NULL_VALUE => {
                let read = self.lexer.literal("null");
                read.map_err(|error| cursor.wire(error))?;
                return Ok(Some(0));
            }
            Kind::String => {
                let token = self.lexer.string().map_err(|error| cursor.wire(error))?;
                (
                    enumeration.number_of(&token.text),
                    format!("{:?}", token.text),
                )
            }
            Kind::Number => {
                let token = self.lexer.number().map_err(|error| cursor.wire(error))?;
                let int32 = Type::int(32, true, interop_schema::IntEncoding::Varint);
                let misfit = |misfit| misplaced(cursor, start, token.text, misfit, &int32);
                let number = integer(token.text).map_err(misfit)?;
                let number = i32::try_from(number).map_err(|_| misfit(Misfit::Range))?;
                // A closed enum has no value for a number that it does not list.
                let listed = !enumeration.closed || enumeration.name_of(number).is_some();
                (listed.then_some(number), token.text.to_owned())
            }
            other => {
                let text = format!(
                    "expected a name or number of {}, found {}",
                    enumeration.full_name,
                    other.name()
                );
                return Err(cursor.mismatch(start, text));
            }
        };
        if number.is_none() && !self.parse.ignore_unknown {
            let text = format!("{} has no value {shown}", enumeration.full_name);
            return Err(cursor.mismatch(start, text));
        }
        Ok(number)
    }

    /// A map key from the name that spells it: digits without point or exponent for integers.
    pub(super) fn map_key(
        &self,
        cursor: &Cursor<'_>,
        ty: &Type,
        kind: Option<ProtoKind>,
        name: &Name<'_>,
    ) -> Result<Value, Error> {
        let text = &*name.text;
        match ty {
            Type::String => return Ok(Value::String(text.to_owned())),
            Type::Bool if text == "true" => return Ok(Value::Bool(true)),
            Type::Bool if text == "false" => return Ok(Value::Bool(false)),
            Type::Int { bits, signed, .. }
                if is_number(text) && !text.contains(['.', 'e', 'E']) =>
            {
                return self.integer(cursor, name.start, text, (*bits, *signed), kind);
            }
            _ => {}
        }
        let text = format!("{text:?} is no map key of type {}", describe(ty));
        Err(cursor.mismatch(name.start, text))
    }
}

fn misplaced(cursor: &Cursor<'_>, offset: usize, text: &str, misfit: Misfit, ty: &Type) -> Error {
    const SHOWN: usize = 40;
    let shown = match text.get(..SHOWN) {
        Some(start) => format!("{start}..."),
        None => text.to_owned(),
    };
    let ty = describe(ty);
    let text = match misfit {
        Misfit::Fraction => format!("{shown} is no integer, as {ty} asks for"),
        Misfit::Range => format!("{shown} is out of range of {ty}"),
    };
    cursor.mismatch(offset, text)
}

/// A type's name for messages and spans.
pub(super) fn describe(ty: &Type) -> String {
    match ty {
        Type::Int { bits, signed, .. } => {
            format!("{}int{bits}", if *signed { "" } else { "u" })
        }
        Type::Bool => "bool".to_owned(),
        Type::Float16 => "float16".to_owned(),
        Type::BFloat16 => "bfloat16".to_owned(),
        Type::Float32 => "float".to_owned(),
        Type::Float64 => "double".to_owned(),
        Type::String => "string".to_owned(),
        Type::Bytes => "base64".to_owned(),
        Type::Enum(_) => "enum".to_owned(),
        Type::Message(_) => "message".to_owned(),
        Type::Union(_) => "a union".to_owned(),
        Type::Timestamp => "timestamp".to_owned(),
        Type::Duration => "duration".to_owned(),
        Type::Date => "a date".to_owned(),
        Type::Decimal => "a decimal".to_owned(),
        Type::Any => "an untyped value".to_owned(),
        Type::List(_) | Type::Set(_) | Type::Array(_) => "list".to_owned(),
        Type::Map(..) => "map".to_owned(),
    }
}
