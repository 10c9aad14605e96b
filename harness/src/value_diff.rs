//! Where two values differ first, by field path.

use interop_codec::{Document, DynamicMessage, Path, Segment, Value};
use interop_schema::Schema;

/// The first difference of two values.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Where.
    pub path: Path,
    /// What was expected there, as text.
    pub expected: String,
    /// What is there.
    pub found: String,
}

/// The first difference between two documents of the same message; `None` when they are equal,
/// floats by their bits and maps without regard to order.
pub fn first_difference(
    schema: &Schema,
    expected: &Document,
    found: &Document,
) -> Option<Difference> {
    if expected == found {
        return None;
    }
    let mut walk = Walk {
        schema,
        path: Path::default(),
    };
    let nodes = || {
        if expected.nodes.len() != found.nodes.len() {
            return Some(Difference {
                path: Path::default(),
                expected: format!("{} referenced objects", expected.nodes.len()),
                found: format!("{} referenced objects", found.nodes.len()),
            });
        }
        None
    };
    walk.value(&expected.root, &found.root)
        .or_else(nodes)
        .or_else(|| {
            let pairs = expected.nodes.iter().zip(&found.nodes);
            pairs.enumerate().find_map(|(index, (a, b))| {
                walk.path.segments =
                    vec![Segment::Field("nodes".to_owned()), Segment::Index(index)];
                walk.value(a, b)
            })
        })
}

/// The value at `path`, if the document has one there. A field of implicit presence that is
/// absent has none, nor has a field that the schema lacks.
pub fn value_at<'d>(schema: &Schema, document: &'d Document, path: &Path) -> Option<&'d Value> {
    let mut value = &document.root;
    for segment in &path.segments {
        // Unions and references are steps without a segment of their own.
        loop {
            match value {
                Value::Union(_, inner) => value = inner,
                Value::Reference(index) => value = document.nodes.get(*index)?,
                _ => break,
            }
        }
        value = match (value, segment) {
            (Value::Message(message), Segment::Field(name)) => {
                let index = schema.message(message.id).field_by_name(name)?;
                message.get(index)?
            }
            (Value::List(values), Segment::Index(index)) => values.get(*index)?,
            (Value::Map(entries), Segment::Key(key)) => {
                let found = entries.iter().find(|(other, _)| show_key(other) == *key);
                &found?.1
            }
            _ => return None,
        };
    }
    Some(value)
}

struct Walk<'s> {
    schema: &'s Schema,
    path: Path,
}

impl Walk<'_> {
    fn here(&self, expected: String, found: String) -> Option<Difference> {
        Some(Difference {
            path: self.path.clone(),
            expected,
            found,
        })
    }

    fn at(&mut self, segment: Segment, a: &Value, b: &Value) -> Option<Difference> {
        self.path.segments.push(segment);
        let difference = self.value(a, b);
        self.path.segments.pop();
        difference
    }

    fn value(&mut self, a: &Value, b: &Value) -> Option<Difference> {
        if a == b {
            return None;
        }
        match (a, b) {
            (Value::Message(a), Value::Message(b)) if a.id == b.id => self.message(a, b),
            (Value::Union(case_a, a), Value::Union(case_b, b)) if case_a == case_b => {
                self.value(a, b)
            }
            (Value::List(list_a), Value::List(list_b)) => {
                let pairs = list_a.iter().zip(list_b).enumerate();
                for (index, (a, b)) in pairs {
                    let difference = self.at(Segment::Index(index), a, b);
                    if difference.is_some() {
                        return difference;
                    }
                }
                self.here(elements(list_a.len()), elements(list_b.len()))
            }
            (Value::Map(map_a), Value::Map(map_b)) => self.map(map_a, map_b),
            _ => self.here(show(self.schema, a), show(self.schema, b)),
        }
    }

    fn message(&mut self, a: &DynamicMessage, b: &DynamicMessage) -> Option<Difference> {
        let schema = self.schema;
        for (index, field) in schema.message(a.id).fields.iter().enumerate() {
            let segment = Segment::Field(field.name.clone());
            let difference = match (a.get(index), b.get(index)) {
                (None, None) => None,
                (Some(a), Some(b)) => self.at(segment, a, b),
                (a_value, b_value) => {
                    self.path.segments.push(segment);
                    let show_slot = |slot: Option<&Value>| match slot {
                        Some(value) => show(schema, value),
                        // Absence of an explicit field is a state; of an implicit one the default.
                        None if field.presence == interop_schema::Presence::Implicit => {
                            let default = a.get_or_default(schema, index);
                            if a_value.is_none() {
                                show(schema, &default)
                            } else {
                                show(schema, &b.get_or_default(schema, index))
                            }
                        }
                        None => "absent".to_owned(),
                    };
                    let difference = self.here(show_slot(a_value), show_slot(b_value));
                    self.path.segments.pop();
                    difference
                }
            };
            if difference.is_some() {
                return difference;
            }
        }
        if a.unknown != b.unknown {
            return self.here(
                format!("{} unknown fields", a.unknown.len()),
                format!("{} unknown fields", b.unknown.len()),
            );
        }
        None
    }

    fn map(&mut self, a: &[(Value, Value)], b: &[(Value, Value)]) -> Option<Difference> {
        for (key, value) in a {
            let segment = Segment::Key(show_key(key));
            match b.iter().find(|(other, _)| other == key) {
                None => {
                    self.path.segments.push(segment);
                    let expected = show(self.schema, value);
                    let difference = self.here(expected, "no such key".to_owned());
                    self.path.segments.pop();
                    return difference;
                }
                Some((_, other)) => {
                    let difference = self.at(segment, value, other);
                    if difference.is_some() {
                        return difference;
                    }
                }
            }
        }
        self.here(entries(a.len()), entries(b.len()))
    }
}

fn elements(count: usize) -> String {
    format!("{count} elements")
}

fn entries(count: usize) -> String {
    format!("{count} entries")
}

fn show_key(key: &Value) -> String {
    match key {
        Value::String(text) => text.clone(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) | Value::Date(value) => value.to_string(),
        Value::UInt(value) => value.to_string(),
        Value::Enum(value) => value.to_string(),
        other => format!("{other:?}"),
    }
}

/// A value as short text for messages.
pub fn show(schema: &Schema, value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::UInt(value) => value.to_string(),
        Value::Float16(bits) => format!("float16 bits {bits:#06x}"),
        Value::BFloat16(bits) => format!("bfloat16 bits {bits:#06x}"),
        Value::Float32(value) if value.is_nan() => format!("NaN ({:#010x})", value.to_bits()),
        Value::Float32(value) => format!("{value:?}"),
        Value::Float64(value) if value.is_nan() => format!("NaN ({:#018x})", value.to_bits()),
        Value::Float64(value) => format!("{value:?}"),
        Value::String(text) => shorten(&format!("{text:?}")),
        Value::Bytes(bytes) => shorten(&hex(bytes)),
        Value::Enum(number) => format!("enum {number}"),
        Value::Message(message) => {
            let fields = message.iter().count();
            let name = schema.message(message.id).name();
            format!("{name} with {fields} fields set")
        }
        Value::Union(case, value) => format!("case {case}: {}", show(schema, value)),
        Value::Timestamp { seconds, nanos } | Value::Duration { seconds, nanos } => {
            format!("{seconds} s {nanos} ns")
        }
        Value::Date(days) => format!("day {days}"),
        Value::Decimal { unscaled, scale } => format!("{unscaled}e-{scale}"),
        Value::List(values) => elements(values.len()),
        Value::Map(values) => entries(values.len()),
        Value::Reference(index) => format!("reference to object {index}"),
    }
}

/// Bytes as lower-case hex without separators.
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a String does not fail.
        let _ = write!(out, "{byte:02x}");
    }
    out
}

/// At most some 60 characters of `text`.
pub fn shorten(text: &str) -> String {
    const MAX_CHARS: usize = 60;
    match text.char_indices().nth(MAX_CHARS) {
        None => text.to_owned(),
        Some((end, _)) => {
            let more = text[end..].chars().count();
            format!("{}... ({more} more)", &text[..end])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use interop_schema::proto::compile_text;

    #[test]
    fn names_the_innermost_field() {
        let schema = compile_text(
            "syntax = \"proto3\"; message I { double d = 1; } \
             message M { repeated I list = 1; map<string, I> map = 2; }",
        )
        .unwrap();
        let (inner, outer) = (
            schema.message_by_name("I").unwrap(),
            schema.message_by_name("M").unwrap(),
        );
        let build = |in_list: f64, in_map: f64| {
            let message = |d| {
                let mut message = DynamicMessage::new(&schema, inner);
                message.set(&schema, 0, Value::Float64(d));
                Value::Message(Box::new(message))
            };
            let mut root = DynamicMessage::new(&schema, outer);
            root.set(&schema, 0, Value::List(vec![message(in_list)]));
            let key = Value::String("k".to_owned());
            root.set(&schema, 1, Value::Map(vec![(key, message(in_map))]));
            Document::of(root)
        };
        let difference = first_difference(&schema, &build(-0.0, 1.0), &build(0.0, 1.0)).unwrap();
        assert_eq!(difference.path.to_string(), "list[0].d");
        assert_eq!((&*difference.expected, &*difference.found), ("-0.0", "0.0"));
        let difference = first_difference(&schema, &build(1.0, 1.0), &build(1.0, 2.0)).unwrap();
        assert_eq!(difference.path.to_string(), "map[\"k\"].d");
        let there = build(1.0, 2.0);
        let found = value_at(&schema, &there, &difference.path);
        assert_eq!(found, Some(&Value::Float64(2.0)));
        assert_eq!(
            first_difference(&schema, &build(1.0, 1.0), &build(1.0, 1.0)),
            None
        );
    }
}
