//! Values: what a message holds, independent of format.

use std::collections::HashMap;

use interop_schema::{Field, MessageId, Presence, Scalar, Schema, Type};
use num_bigint::BigInt;

/// A value of any [`Type`].
///
/// Equality is what the check means by "equal value": floats by their bits, so that -0.0 is not
/// 0.0 and a NaN equals itself; maps and sets without regard to order.
#[derive(Clone, Debug)]
pub enum Value {
    /// No value, in a nullable position inside a collection.
    Null,
    /// Boolean.
    Bool(bool),
    /// A signed integer of any width.
    Int(i64),
    /// An unsigned integer of any width.
    UInt(u64),
    /// The bits of a binary16.
    Float16(u16),
    /// The bits of a bfloat16.
    BFloat16(u16),
    /// Single precision.
    Float32(f32),
    /// Double precision.
    Float64(f64),
    /// Text.
    String(String),
    /// Bytes. Also a protobuf string that is not UTF-8, where the schema does not want strings
    /// checked (proto2).
    Bytes(Vec<u8>),
    /// An enum's number, listed in the schema or not.
    Enum(i32),
    /// A message.
    Message(Box<DynamicMessage>),
    /// A union: case id and its value.
    Union(u32, Box<Value>),
    /// A point in time; `nanos` in [0, 10^9).
    Timestamp {
        /// Seconds since 1970 UTC.
        seconds: i64,
        /// Nanoseconds on top.
        nanos: u32,
    },
    /// A length of time; `nanos` in [0, 10^9).
    Duration {
        /// Seconds, rounded down.
        seconds: i64,
        /// Nanoseconds on top.
        nanos: u32,
    },
    /// Days since 1970-01-01.
    Date(i64),
    /// `unscaled` x 10^-`scale`.
    Decimal {
        /// All digits.
        unscaled: BigInt,
        /// Digits behind the point.
        scale: i32,
    },
    /// A list, set or dense array.
    List(Vec<Value>),
    /// A map's entries in the order in which they were read or given; keys are unique.
    Map(Vec<(Value, Value)>),
    /// A tracked reference: index into [`Document::nodes`].
    Reference(usize),
}

/// A root value and the objects that it refers to by [`Value::Reference`].
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The root; a [`Value::Message`] in every format with a schema.
    pub root: Value,
    /// Referenced objects, numbered in the order in which the root reaches them first.
    pub nodes: Vec<Value>,
}

/// A message: a value or none for each field of its schema, in schema order.
///
/// A field of implicit presence whose value is the default is always none, so that two equal
/// messages have equal slots; [`DynamicMessage::set`] sees to it.
#[derive(Clone, Debug)]
pub struct DynamicMessage {
    /// The schema's message.
    pub id: MessageId,
    fields: Vec<Option<Value>>,
    /// Protobuf fields that the schema lacks, in the order read.
    pub unknown: Vec<UnknownField>,
}

/// A protobuf field that the schema lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownField {
    /// Field number.
    pub number: u32,
    /// What it held.
    pub value: UnknownValue,
}

/// The value of an unknown field, by wire type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownValue {
    /// Wire type 0.
    Varint(u64),
    /// Wire type 1.
    Fixed64(u64),
    /// Wire type 2.
    Bytes(Vec<u8>),
    /// Wire types 3 and 4.
    Group(Vec<UnknownField>),
    /// Wire type 5.
    Fixed32(u32),
}

impl Document {
    /// A message that refers to nothing.
    pub fn of(message: DynamicMessage) -> Self {
        Self {
            root: Value::Message(Box::new(message)),
            nodes: Vec::new(),
        }
    }

    /// The root message, if the root is one.
    pub fn message(&self) -> Option<&DynamicMessage> {
        match &self.root {
            Value::Message(message) => Some(message),
            _ => None,
        }
    }
}

impl Value {
    /// The value that an absent field of this type stands for: zero, empty, or the enum's
    /// first value; for a message the empty message, for a union null.
    pub fn default_of(schema: &Schema, ty: &Type) -> Self {
        match ty {
            Type::Bool => Self::Bool(false),
            Type::Int { signed: true, .. } => Self::Int(0),
            Type::Int { signed: false, .. } => Self::UInt(0),
            Type::Float16 => Self::Float16(0),
            Type::BFloat16 => Self::BFloat16(0),
            Type::Float32 => Self::Float32(0.0),
            Type::Float64 => Self::Float64(0.0),
            Type::String => Self::String(String::new()),
            Type::Bytes => Self::Bytes(Vec::new()),
            Type::Enum(id) => Self::Enum(schema.enumeration(*id).default_number()),
            Type::Message(id) => Self::Message(Box::new(DynamicMessage::new(schema, *id))),
            Type::Union(_) | Type::Any => Self::Null,
            Type::Timestamp => Self::Timestamp {
                seconds: 0,
                nanos: 0,
            },
            Type::Duration => Self::Duration {
                seconds: 0,
                nanos: 0,
            },
            Type::Date => Self::Date(0),
            Type::Decimal => Self::Decimal {
                unscaled: BigInt::ZERO,
                scale: 0,
            },
            Type::List(_) | Type::Set(_) | Type::Array(_) => Self::List(Vec::new()),
            Type::Map(..) => Self::Map(Vec::new()),
        }
    }

    /// True for the value that an absent implicit field stands for: zero (not -0.0), false,
    /// empty; never for messages, unions and references.
    pub fn is_zero(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Bool(value) => !value,
            Self::Int(value) | Self::Date(value) => *value == 0,
            Self::UInt(value) => *value == 0,
            Self::Float16(bits) | Self::BFloat16(bits) => *bits == 0,
            Self::Float32(value) => value.to_bits() == 0,
            Self::Float64(value) => value.to_bits() == 0,
            Self::String(value) => value.is_empty(),
            Self::Bytes(value) => value.is_empty(),
            Self::Enum(value) => *value == 0,
            Self::Timestamp { seconds, nanos } | Self::Duration { seconds, nanos } => {
                *seconds == 0 && *nanos == 0
            }
            Self::Decimal { unscaled, scale } => *scale == 0 && *unscaled == BigInt::ZERO,
            Self::List(values) => values.is_empty(),
            Self::Map(entries) => entries.is_empty(),
            Self::Message(_) | Self::Union(..) | Self::Reference(_) => false,
        }
    }

    /// The value of a schema constant.
    pub fn from_scalar(scalar: &Scalar) -> Self {
        match scalar {
            Scalar::Bool(value) => Self::Bool(*value),
            Scalar::Int(value) => Self::Int(*value),
            Scalar::UInt(value) => Self::UInt(*value),
            Scalar::Float32(value) => Self::Float32(*value),
            Scalar::Float64(value) => Self::Float64(*value),
            Scalar::String(value) => Self::String(value.clone()),
            Scalar::Bytes(value) => Self::Bytes(value.clone()),
            Scalar::Enum(value) => Self::Enum(*value),
        }
    }

    /// Short name of the variant for error messages.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "bool",
            Self::Int(_) => "signed integer",
            Self::UInt(_) => "unsigned integer",
            Self::Float16(_) => "float16",
            Self::BFloat16(_) => "bfloat16",
            Self::Float32(_) => "float32",
            Self::Float64(_) => "float64",
            Self::String(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::Enum(_) => "enum",
            Self::Message(_) => "message",
            Self::Union(..) => "union",
            Self::Timestamp { .. } => "timestamp",
            Self::Duration { .. } => "duration",
            Self::Date(_) => "date",
            Self::Decimal { .. } => "decimal",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Reference(_) => "reference",
        }
    }

    /// A scalar as a key that hashes and orders: for maps, sets and deterministic output.
    pub fn key(&self) -> Key {
        match self {
            Self::Bool(value) => Key::Bool(*value),
            Self::Int(value) | Self::Date(value) => Key::Int(*value),
            Self::Enum(value) => Key::Int(i64::from(*value)),
            Self::UInt(value) => Key::UInt(*value),
            Self::String(value) => Key::Text(value.clone()),
            Self::Bytes(value) => Key::Bytes(value.clone()),
            other => Key::Other(format!("{other:?}")),
        }
    }
}

/// A map key that hashes and orders; strings order by their UTF-8 bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Key {
    Bool(bool),
    Int(i64),
    UInt(u64),
    Text(String),
    Bytes(Vec<u8>),
    Other(String),
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) | (Self::Date(a), Self::Date(b)) => a == b,
            (Self::UInt(a), Self::UInt(b)) => a == b,
            (Self::Float16(a), Self::Float16(b)) | (Self::BFloat16(a), Self::BFloat16(b)) => a == b,
            (Self::Float32(a), Self::Float32(b)) => a.to_bits() == b.to_bits(),
            (Self::Float64(a), Self::Float64(b)) => a.to_bits() == b.to_bits(),
            (Self::String(a), Self::String(b)) => a == b,
            (Self::Bytes(a), Self::Bytes(b)) => a == b,
            (Self::Enum(a), Self::Enum(b)) => a == b,
            (Self::Message(a), Self::Message(b)) => a == b,
            (Self::Union(a, x), Self::Union(b, y)) => a == b && x == y,
            (
                Self::Timestamp { seconds, nanos },
                Self::Timestamp {
                    seconds: seconds_b,
                    nanos: nanos_b,
                },
            )
            | (
                Self::Duration { seconds, nanos },
                Self::Duration {
                    seconds: seconds_b,
                    nanos: nanos_b,
                },
            ) => seconds == seconds_b && nanos == nanos_b,
            (
                Self::Decimal { unscaled, scale },
                Self::Decimal {
                    unscaled: unscaled_b,
                    scale: scale_b,
                },
            ) => unscaled == unscaled_b && scale == scale_b,
            (Self::List(a), Self::List(b)) => a == b,
            (Self::Map(a), Self::Map(b)) => maps_equal(a, b),
            (Self::Reference(a), Self::Reference(b)) => a == b,
            _ => false,
        }
    }
}

fn maps_equal(a: &[(Value, Value)], b: &[(Value, Value)]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    // Most maps come in the same order; only those that don't pay for an index.
    if a.iter().zip(b).all(|(x, y)| x.0 == y.0) {
        return a.iter().zip(b).all(|(x, y)| x.1 == y.1);
    }
    let index: HashMap<_, _> = b.iter().map(|(k, v)| (k.key(), v)).collect();
    a.iter().all(|(k, v)| index.get(&k.key()) == Some(&v))
}

impl PartialEq for DynamicMessage {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && self.fields == other.fields && self.unknown == other.unknown
    }
}

impl DynamicMessage {
    /// An empty message.
    pub fn new(schema: &Schema, id: MessageId) -> Self {
        Self {
            id,
            fields: vec![None; schema.message(id).fields.len()],
            unknown: Vec::new(),
        }
    }

    /// Memory that an empty message of this type takes, in bytes, for the decoders' budget.
    pub fn size_in_memory(schema: &Schema, id: MessageId) -> usize {
        size_of::<Self>() + schema.message(id).fields.len() * size_of::<Option<Value>>()
    }

    /// The value of the field at `index` of the schema's list, if it is set.
    pub fn get(&self, index: usize) -> Option<&Value> {
        self.fields[index].as_ref()
    }

    /// The slot of the field at `index`, to merge into. Whoever puts a default value of
    /// implicit presence there must take it out again; [`DynamicMessage::set`] does.
    pub fn slot(&mut self, index: usize) -> &mut Option<Value> {
        &mut self.fields[index]
    }

    /// Sets a field. A default value of implicit presence is stored as none; setting a member
    /// of a oneof clears the others.
    pub fn set(&mut self, schema: &Schema, index: usize, value: Value) {
        let message = schema.message(self.id);
        let field = &message.fields[index];
        if let Some(oneof) = field.oneof {
            for &member in &message.oneofs[oneof].fields {
                self.fields[member] = None;
            }
        }
        let absent = field.presence == Presence::Implicit && is_default(schema, field, &value);
        self.fields[index] = if absent { None } else { Some(value) };
    }

    /// Clears a field.
    pub fn clear(&mut self, index: usize) {
        self.fields[index] = None;
    }

    /// The value of the field at `index`, or what its absence stands for.
    pub fn get_or_default(&self, schema: &Schema, index: usize) -> Value {
        if let Some(value) = self.get(index) {
            return value.clone();
        }
        let field = &schema.message(self.id).fields[index];
        match &field.default {
            Some(default) => Value::from_scalar(default),
            None => Value::default_of(schema, &field.ty),
        }
    }

    /// Set fields in schema order: index and value.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Value)> {
        let set = self.fields.iter().enumerate();
        set.filter_map(|(index, value)| Some((index, value.as_ref()?)))
    }
}

fn is_default(schema: &Schema, field: &Field, value: &Value) -> bool {
    match (&field.ty, value) {
        // An enum's default is its first value, which Fory enums may number other than 0.
        (Type::Enum(id), Value::Enum(number)) => {
            *number == schema.enumeration(*id).default_number()
        }
        _ => value.is_zero(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use interop_schema::proto::compile_text;

    #[test]
    fn floats_compare_by_bits() {
        assert_ne!(Value::Float64(0.0), Value::Float64(-0.0));
        assert_eq!(Value::Float32(f32::NAN), Value::Float32(f32::NAN));
    }

    #[test]
    fn maps_compare_without_order() {
        let entry = |k: i64, v: &str| (Value::Int(k), Value::String(v.to_owned()));
        let a = Value::Map(vec![entry(1, "a"), entry(2, "b")]);
        let b = Value::Map(vec![entry(2, "b"), entry(1, "a")]);
        assert_eq!(a, b);
        assert_ne!(a, Value::Map(vec![entry(2, "a"), entry(1, "b")]));
    }

    #[test]
    fn defaults_of_implicit_presence_are_absent_and_oneofs_exclusive() {
        let schema = compile_text(
            "syntax = \"proto3\"; message M { double d = 1; oneof o { int32 a = 2; int32 b = 3; } }",
        )
        .unwrap();
        let mut m = DynamicMessage::new(&schema, MessageId(0));
        m.set(&schema, 0, Value::Float64(0.0));
        assert_eq!(m.get(0), None);
        m.set(&schema, 0, Value::Float64(-0.0));
        assert!(m.get(0).is_some());
        m.set(&schema, 1, Value::Int(0));
        m.set(&schema, 2, Value::Int(5));
        assert_eq!((m.get(1), m.get(2)), (None, Some(&Value::Int(5))));
    }
}
