//! Structs whose serde form is ProtoJSON: 64-bit integers as strings, enums by name, times as
//! RFC 3339, defaults left out, names as in the schema.

// Enum values are called as in the schema.
#![allow(missing_docs, non_camel_case_types, dead_code)]

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::neutral::{Kind, Slot, time, time_of};

include!(concat!(env!("OUT_DIR"), "/json_types.rs"));

/// Fields of implicit presence leave out their default; -0.0 is not it.
pub trait Absent {
    fn is_absent(&self) -> bool;
}

macro_rules! absent {
    ($($ty:ty => |$value:ident| $absent:expr),* $(,)?) => {
        $(impl Absent for $ty {
            fn is_absent(&self) -> bool {
                let $value = self;
                $absent
            }
        })*
    };
}

absent! {
    bool => |value| !value,
    i32 => |value| *value == 0,
    u32 => |value| *value == 0,
    String => |value| value.is_empty(),
    Text64<i64> => |value| value.0 == 0,
    Text64<u64> => |value| value.0 == 0,
    Real<f32> => |value| value.0.to_bits() == 0,
    Real<f64> => |value| value.0.to_bits() == 0,
}

impl<T> Absent for Vec<T> {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

impl<K, V> Absent for std::collections::BTreeMap<K, V> {
    fn is_absent(&self) -> bool {
        self.is_empty()
    }
}

/// A 64-bit integer: a string when written, a string or a number when read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Text64<T>(pub T);

impl<T: fmt::Display> Serialize for Text64<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

struct Text64Visitor<T>(PhantomData<T>);

impl<T: FromStr + TryFrom<i64> + TryFrom<u64>> Visitor<'_> for Text64Visitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a 64-bit integer, as a string or a number")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        let value = text.parse();
        value.map_err(|_| E::invalid_value(de::Unexpected::Str(text), &self))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<T, E> {
        T::try_from(value).map_err(|_| E::invalid_value(de::Unexpected::Signed(value), &self))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<T, E> {
        T::try_from(value).map_err(|_| E::invalid_value(de::Unexpected::Unsigned(value), &self))
    }
}

impl<'de, T: FromStr + TryFrom<i64> + TryFrom<u64>> Deserialize<'de> for Text64<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let visitor = Text64Visitor(PhantomData);
        deserializer.deserialize_any(visitor).map(Self)
    }
}

/// A float: a number, but that JSON has none for what is not finite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Real<T>(pub T);

macro_rules! real {
    ($ty:ident, $visitor:ident, $serialize:ident) => {
        impl Serialize for Real<$ty> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self.0 {
                    value if value.is_finite() => serializer.$serialize(value),
                    value if value.is_nan() => serializer.serialize_str("NaN"),
                    value if value > 0.0 => serializer.serialize_str("Infinity"),
                    _ => serializer.serialize_str("-Infinity"),
                }
            }
        }

        struct $visitor;

        impl Visitor<'_> for $visitor {
            type Value = $ty;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or the name of one that is not finite")
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<$ty, E> {
                let narrow = value as $ty;
                if narrow.is_infinite() && value.is_finite() {
                    return Err(E::invalid_value(de::Unexpected::Float(value), &self));
                }
                Ok(narrow)
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<$ty, E> {
                Ok(value as $ty)
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<$ty, E> {
                Ok(value as $ty)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<$ty, E> {
                match text {
                    "NaN" => Ok($ty::NAN),
                    "Infinity" => Ok($ty::INFINITY),
                    "-Infinity" => Ok($ty::NEG_INFINITY),
                    _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
                }
            }
        }

        impl<'de> Deserialize<'de> for Real<$ty> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any($visitor).map(Self)
            }
        }
    };
}

real!(f32, SingleVisitor, serialize_f32);
real!(f64, DoubleVisitor, serialize_f64);

macro_rules! through {
    ($($ty:ty),*) => {
        $(impl Slot for $ty {
            fn load(kind: &Kind) -> Result<Self, String> {
                Slot::load(kind).map(Self)
            }

            fn save(&self) -> Result<Option<Kind>, String> {
                self.0.save()
            }
        })*
    };
}

through!(Text64<i64>, Text64<u64>, Real<f32>, Real<f64>);

/// A point in time: RFC 3339 in UTC with 0, 3, 6 or 9 digits of a second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timestamp(pub jiff::Timestamp);

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let nanos = self.0.subsec_nanosecond();
        let digits = match nanos {
            0 => 0,
            _ if nanos % 1_000_000 == 0 => 3,
            _ if nanos % 1_000 == 0 => 6,
            _ => 9,
        };
        serializer.collect_str(&format_args!("{:.digits$}", self.0))
    }
}

struct TimestampVisitor;

impl Visitor<'_> for TimestampVisitor {
    type Value = Timestamp;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a time as RFC 3339 has it")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Timestamp, E> {
        text.parse().map(Timestamp).map_err(E::custom)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TimestampVisitor)
    }
}

impl Slot for Timestamp {
    fn load(kind: &Kind) -> Result<Self, String> {
        let (seconds, nanos) = time_of(kind)?;
        let time = jiff::Timestamp::new(seconds, nanos);
        time.map(Self).map_err(|error| error.to_string())
    }

    fn save(&self) -> Result<Option<Kind>, String> {
        // A time before the epoch counts its nanoseconds backwards there, forwards here.
        let (seconds, nanos) = (self.0.as_second(), self.0.subsec_nanosecond());
        Ok(Some(if nanos < 0 {
            time(seconds - 1, nanos + 1_000_000_000)
        } else {
            time(seconds, nanos)
        }))
    }
}
