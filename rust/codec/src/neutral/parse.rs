//! Text to values.

use std::collections::HashSet;

use interop_schema::{MessageId, Schema, Slot, Type};
use interop_wire::Limits;
use num_bigint::BigInt;

use super::print::name_of;
use super::tree::{self, Json};
use super::unknown::unhex;
use super::{UNKNOWN, any, float, has_default, key_of, references, unknown};
use crate::{Cursor, DecodeOptions, Document, DynamicMessage, Error, Segment, Value};

/// Converting decimal digits takes time that grows with their square.
const MAX_DECIMAL_DIGITS: usize = 20_000;

const NANOS_PER_SECOND: u32 = 1_000_000_000;

/// The document that `bytes`, the neutral JSON of a message of type `id`, stands for.
///
/// # Errors
/// With byte offset for what is no JSON, with field path for what does not fit the schema.
pub fn parse(
    schema: &Schema,
    id: MessageId,
    bytes: &[u8],
    limits: Limits,
) -> Result<Document, Error> {
    let json = tree::read(bytes, limits)?;
    let options = DecodeOptions { limits, sink: None };
    let cursor = &mut Cursor::new(options, bytes.len())?;
    let mut parser = Parser {
        schema,
        node_types: Vec::new(),
        queue: Vec::new(),
    };
    let root_type = Type::Message(id);
    let Json::Object(mut members) = json else {
        return Err(mismatch(cursor, &root_type, &json));
    };
    let mut node_texts = Vec::new();
    let key = references::nodes_key(schema.message(id));
    if references::tracks(schema, id)
        && let Some(at) = members.iter().position(|(name, _)| *name == key)
    {
        node_texts = match members.remove(at).1 {
            Json::List(list) => list,
            other => {
                let text = format!("expected a list of objects, found {}", other.kind());
                return cursor.at(|| Segment::Field(key), |cursor| Err(error(cursor, text)));
            }
        };
    }
    charge(cursor, node_texts.len(), 2 * size_of::<Option<Value>>())?;
    parser.node_types = vec![None; node_texts.len()];
    let root = parser.value(cursor, &root_type, Json::Object(members))?;
    let mut nodes = vec![None; node_texts.len()];
    while let Some(index) = parser.queue.pop() {
        let Some(ty) = parser.node_types[index].clone() else {
            continue;
        };
        let text = std::mem::replace(&mut node_texts[index], Json::Null);
        let field = || Segment::Field(key.clone());
        nodes[index] = Some(cursor.at(field, |cursor| {
            let element = || Segment::Index(index);
            cursor.at(element, |cursor| parser.value(cursor, &ty, text))
        })?);
    }
    if let Some(index) = nodes.iter().position(Option::is_none) {
        let text = format!("nothing refers to node {index}");
        return cursor.at(|| Segment::Field(key), |cursor| Err(error(cursor, text)));
    }
    Ok(Document {
        root,
        nodes: nodes.into_iter().flatten().collect(),
    })
}

/// Values have lost their place in the text; their path tells it.
fn placeless(error: Error) -> Error {
    Error {
        offset: None,
        ..error
    }
}

fn error(cursor: &Cursor<'_>, text: impl Into<String>) -> Error {
    placeless(cursor.mismatch(0, text))
}

fn charge(cursor: &mut Cursor<'_>, count: usize, size: usize) -> Result<(), Error> {
    cursor.charge(0, count, size).map_err(placeless)
}

fn mismatch(cursor: &Cursor<'_>, ty: &Type, found: &Json) -> Error {
    let form = match ty {
        Type::Bool => "true or false",
        Type::Int { bits: 64, .. } => "an integer, as a string",
        Type::Int { .. } | Type::Date => "an integer, as a number",
        Type::Float16 | Type::BFloat16 | Type::Float32 | Type::Float64 => "a number, as a string",
        Type::String => "a string",
        Type::Bytes => "hexadecimal digits, as a string",
        Type::Enum(_) => "a name",
        Type::Message(_) => "an object",
        Type::Union(_) => "{\"case\": ..., \"value\": ...}",
        Type::Timestamp | Type::Duration => "{\"seconds\": ..., \"nanos\": ...}",
        Type::Decimal => "{\"unscaled\": ..., \"scale\": ...}",
        Type::Any => "{\"type\": ..., \"value\": ...}",
        Type::List(_) | Type::Set(_) | Type::Array(_) => "a list",
        Type::Map(..) => "a list of [key, value]",
    };
    let found = found.kind();
    error(
        cursor,
        format!("{} takes {form}, found {found}", name_of(ty)),
    )
}

struct Parser<'s> {
    schema: &'s Schema,
    /// Type of each node, as the first reference to it says.
    node_types: Vec<Option<Type>>,
    /// Nodes referred to and not yet read.
    queue: Vec<usize>,
}

impl Parser<'_> {
    fn value(&mut self, cursor: &mut Cursor<'_>, ty: &Type, json: Json) -> Result<Value, Error> {
        Ok(match (ty, json) {
            (Type::Bool, Json::Bool(value)) => Value::Bool(value),
            (Type::Int { bits, signed, .. }, json) => {
                return integer(cursor, ty, *bits, *signed, &json);
            }
            (Type::Float16 | Type::BFloat16 | Type::Float32 | Type::Float64, Json::Text(text)) => {
                float::parse(ty, &text).map_err(|text| error(cursor, text))?
            }
            (Type::String, Json::Text(text)) => Value::String(text),
            (Type::Bytes, Json::Text(text)) => {
                let bytes = unhex(&text);
                let wrong = || error(cursor, "bytes are pairs of hexadecimal digits");
                Value::Bytes(bytes.ok_or_else(wrong)?)
            }
            (Type::Enum(id), Json::Text(name)) => {
                let definition = self.schema.enumeration(*id);
                let number = definition.number_of(&name).ok_or_else(|| {
                    let text = format!("enum {} has no value {name:?}", definition.full_name);
                    error(cursor, text)
                })?;
                Value::Enum(number)
            }
            (Type::Enum(_), Json::Int(number)) => {
                let wrong = |_| error(cursor, format!("{number} is out of an enum's 32 bits"));
                Value::Enum(i32::try_from(number).map_err(wrong)?)
            }
            (Type::Message(id), Json::Object(members)) => {
                let message = cursor
                    .nested(0, |cursor| self.message(cursor, *id, members))
                    .map_err(placeless)?;
                Value::Message(Box::new(message))
            }
            (Type::Union(_) | Type::Any, Json::Object(members)) => {
                return cursor
                    .nested(0, |cursor| self.tagged(cursor, ty, members))
                    .map_err(placeless);
            }
            (Type::Timestamp | Type::Duration, Json::Object(members)) => {
                let [seconds, nanos] = pair(cursor, ty, members, ["seconds", "nanos"])?;
                let int64 = Type::int(64, true, interop_schema::IntEncoding::Varint);
                let seconds = match integer(cursor, &int64, 64, true, &seconds)? {
                    Value::Int(seconds) => seconds,
                    _ => return Err(mismatch(cursor, ty, &seconds)),
                };
                let nanos = match nanos {
                    Json::Int(nanos) => u32::try_from(nanos).ok(),
                    _ => None,
                };
                let nanos = nanos.filter(|nanos| *nanos < NANOS_PER_SECOND);
                let wrong = || error(cursor, "nanos is a number in 0..1000000000");
                let nanos = nanos.ok_or_else(wrong)?;
                if *ty == Type::Timestamp {
                    Value::Timestamp { seconds, nanos }
                } else {
                    Value::Duration { seconds, nanos }
                }
            }
            (Type::Date, Json::Int(days)) => Value::Date(days),
            (Type::Decimal, Json::Object(members)) => decimal(cursor, members)?,
            (Type::List(slot), Json::List(values)) => Value::List(self.list(cursor, slot, values)?),
            (Type::Array(element), Json::List(values)) => {
                let slot = Slot::plain((**element).clone());
                Value::List(self.list(cursor, &slot, values)?)
            }
            (Type::Set(slot), Json::List(values)) => {
                let values = self.list(cursor, slot, values)?;
                let mut seen = HashSet::new();
                if let Some(index) = values.iter().position(|value| !seen.insert(value.key())) {
                    let text = "the set has this element already";
                    return cursor.at(|| Segment::Index(index), |c| Err(error(c, text)));
                }
                Value::List(values)
            }
            (Type::Map(key, value), Json::List(entries)) => {
                self.map(cursor, ty, key, value, entries)?
            }
            (_, json) => return Err(mismatch(cursor, ty, &json)),
        })
    }

    fn message(
        &mut self,
        cursor: &mut Cursor<'_>,
        id: MessageId,
        members: Vec<(String, Json)>,
    ) -> Result<DynamicMessage, Error> {
        let schema = self.schema;
        charge(cursor, 1, DynamicMessage::size_in_memory(schema, id))?;
        let definition = schema.message(id);
        let mut message = DynamicMessage::new(schema, id);
        for (name, json) in members {
            if name == UNKNOWN {
                let fields = unknown::parse(&json);
                message.unknown =
                    fields.map_err(|text| error(cursor, format!("{UNKNOWN}: {text}")))?;
                continue;
            }
            let index = definition.field_by_name(&name);
            let index = index.filter(|index| key_of(&definition.fields[*index]) == name);
            let index = index.ok_or_else(|| {
                let text = format!("message {} has no field {name:?}", definition.full_name);
                error(cursor, text)
            })?;
            let field = &definition.fields[index];
            let value = cursor.at(
                || Segment::Field(name),
                |cursor| {
                    if json != Json::Null {
                        let reference = field.fory.reference;
                        return self.tracked(cursor, &field.ty, reference, json).map(Some);
                    }
                    if !has_default(field) {
                        Ok(None)
                    } else {
                        Err(error(cursor, "null, but the field is not nullable"))
                    }
                },
            )?;
            let Some(value) = value else {
                continue;
            };
            if let Some(oneof) = field.oneof {
                let oneof = &definition.oneofs[oneof];
                if let Some(other) = oneof.fields.iter().find(|i| message.get(**i).is_some()) {
                    let other = &definition.fields[*other].name;
                    let text = format!(
                        "{} and {other} are both members of oneof {}",
                        field.name, oneof.name
                    );
                    return Err(error(cursor, text));
                }
            }
            message.set(schema, index, value);
        }
        Ok(message)
    }

    /// A value where the schema may track references: then a number is the index of a node.
    fn tracked(
        &mut self,
        cursor: &mut Cursor<'_>,
        ty: &Type,
        reference: bool,
        json: Json,
    ) -> Result<Value, Error> {
        let index = match json {
            Json::Int(index) if reference => index,
            json => return self.value(cursor, ty, json),
        };
        let count = self.node_types.len();
        let index = usize::try_from(index).ok().filter(|index| *index < count);
        let wrong = || error(cursor, format!("no such node: there are {count}"));
        let index = index.ok_or_else(wrong)?;
        match &self.node_types[index] {
            Some(known) if known == ty => {}
            Some(_) => {
                let text = format!("node {index} is referred to as two types");
                return Err(error(cursor, text));
            }
            None => {
                self.node_types[index] = Some(ty.clone());
                self.queue.push(index);
            }
        }
        Ok(Value::Reference(index))
    }

    fn slot(&mut self, cursor: &mut Cursor<'_>, slot: &Slot, json: Json) -> Result<Value, Error> {
        if json == Json::Null {
            return if slot.nullable || slot.reference {
                Ok(Value::Null)
            } else {
                Err(error(cursor, "null, but elements are not nullable"))
            };
        }
        self.tracked(cursor, &slot.ty, slot.reference, json)
    }

    fn list(
        &mut self,
        cursor: &mut Cursor<'_>,
        slot: &Slot,
        values: Vec<Json>,
    ) -> Result<Vec<Value>, Error> {
        charge(cursor, values.len(), size_of::<Value>())?;
        let list = cursor.nested(0, |cursor| {
            let mut list = Vec::with_capacity(values.len());
            for (index, json) in values.into_iter().enumerate() {
                let segment = || Segment::Index(index);
                list.push(cursor.at(segment, |cursor| self.slot(cursor, slot, json))?);
            }
            Ok(list)
        });
        list.map_err(placeless)
    }

    fn map(
        &mut self,
        cursor: &mut Cursor<'_>,
        ty: &Type,
        key: &Slot,
        value: &Slot,
        entries: Vec<Json>,
    ) -> Result<Value, Error> {
        charge(cursor, entries.len(), 2 * size_of::<Value>())?;
        let map = cursor.nested(0, |cursor| {
            let mut seen = HashSet::new();
            let mut map = Vec::with_capacity(entries.len());
            for (index, json) in entries.into_iter().enumerate() {
                let entry = cursor.at(
                    || Segment::Index(index),
                    |cursor| {
                        let parts = match json {
                            Json::List(parts) => <[Json; 2]>::try_from(parts).ok(),
                            _ => None,
                        };
                        let wrong = || {
                            error(
                                cursor,
                                format!("an entry of a {} is [key, value]", name_of(ty)),
                            )
                        };
                        let [k, v] = parts.ok_or_else(wrong)?;
                        let k = self.slot(cursor, key, k)?;
                        if !seen.insert(k.key()) {
                            return Err(error(cursor, "the map has this key already"));
                        }
                        Ok((k, self.slot(cursor, value, v)?))
                    },
                )?;
                map.push(entry);
            }
            Ok(Value::Map(map))
        });
        map.map_err(placeless)
    }

    /// A union or an `any`: what it holds, and the value.
    fn tagged(
        &mut self,
        cursor: &mut Cursor<'_>,
        ty: &Type,
        members: Vec<(String, Json)>,
    ) -> Result<Value, Error> {
        let Type::Union(id) = ty else {
            let [name, value] = pair(cursor, ty, members, ["type", "value"])?;
            let Json::Text(name) = name else {
                return Err(mismatch(cursor, ty, &name));
            };
            let held = any::of_name(self.schema, &name);
            let held = held.ok_or_else(|| error(cursor, format!("there is no type {name:?}")))?;
            return self.value(cursor, &held, value);
        };
        let union = self.schema.union(*id);
        let [case, value] = pair(cursor, ty, members, ["case", "value"])?;
        let Json::Text(name) = case else {
            return Err(mismatch(cursor, ty, &case));
        };
        let case = union.cases.iter().find(|case| case.name == name);
        let case = case.ok_or_else(|| {
            let text = format!("union {} has no case {name:?}", union.full_name);
            error(cursor, text)
        })?;
        charge(cursor, 1, size_of::<Value>())?;
        let segment = || Segment::Field(name);
        let value = cursor.at(segment, |cursor| self.value(cursor, &case.ty, value))?;
        Ok(Value::Union(case.number, Box::new(value)))
    }
}

/// The values of an object that has exactly the members `names`.
fn pair(
    cursor: &Cursor<'_>,
    ty: &Type,
    members: Vec<(String, Json)>,
    names: [&str; 2],
) -> Result<[Json; 2], Error> {
    let mut found = [None, None];
    for (name, json) in members {
        match names.iter().position(|wanted| *wanted == name) {
            Some(index) => found[index] = Some(json),
            None => {
                let text = format!("a {} has no member {name:?}", name_of(ty));
                return Err(error(cursor, text));
            }
        }
    }
    match found {
        [Some(first), Some(second)] => Ok([first, second]),
        _ => {
            let [first, second] = names;
            let text = format!("a {} has members {first} and {second}", name_of(ty));
            Err(error(cursor, text))
        }
    }
}

fn integer(
    cursor: &Cursor<'_>,
    ty: &Type,
    bits: u8,
    signed: bool,
    json: &Json,
) -> Result<Value, Error> {
    // Wide enough for both signs of 64 bits.
    let number = match json {
        Json::Int(value) => i128::from(*value),
        Json::UInt(value) => i128::from(*value),
        Json::Text(text) if bits == 64 => {
            let number = is_integer(text).then(|| text.parse::<i128>().ok());
            let wrong = || error(cursor, format!("{text:?} is no 64 bit integer"));
            number.flatten().ok_or_else(wrong)?
        }
        json => return Err(mismatch(cursor, ty, json)),
    };
    let (low, high) = if signed {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    };
    if !(low..=high).contains(&number) {
        let text = format!("{number} is out of the range of {}", name_of(ty));
        return Err(error(cursor, text));
    }
    Ok(if signed {
        Value::Int(number as i64)
    } else {
        Value::UInt(number as u64)
    })
}

/// An optional minus and digits, without a leading zero or a negative one.
fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    plain && (text == "0" || !digits.starts_with('0'))
}

fn decimal(cursor: &Cursor<'_>, members: Vec<(String, Json)>) -> Result<Value, Error> {
    let ty = Type::Decimal;
    let [unscaled, scale] = pair(cursor, &ty, members, ["unscaled", "scale"])?;
    let unscaled = match &unscaled {
        Json::Text(text) if text.len() > MAX_DECIMAL_DIGITS => {
            let text = format!("a decimal may have {MAX_DECIMAL_DIGITS} digits here");
            return Err(error(cursor, text));
        }
        Json::Text(text) if is_integer(text) => text.parse::<BigInt>().ok(),
        _ => None,
    };
    let unscaled = unscaled.ok_or_else(|| error(cursor, "unscaled is an integer, as a string"))?;
    let scale = match scale {
        Json::Int(scale) => i32::try_from(scale).ok(),
        _ => None,
    };
    let scale = scale.ok_or_else(|| error(cursor, "scale is a number of 32 bits"))?;
    Ok(Value::Decimal { unscaled, scale })
}
