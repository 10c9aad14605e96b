//! Values to text.

use std::fmt::Write as _;

use interop_schema::{Message, MessageId, Schema, Slot, Type};

use super::unknown::hex;
use super::{UNKNOWN, any, float, has_default, key_of, references, unknown};
use crate::{Document, DynamicMessage, Error, Path, Segment, Value};

/// The neutral JSON of `document`, whose root is a message of type `id`, on one line.
///
/// # Errors
/// With the field path, when a value is not of its field's type or refers to no node.
pub fn print(schema: &Schema, id: MessageId, document: &Document) -> Result<String, Error> {
    let mut printer = Printer {
        schema,
        path: Path::default(),
        node_types: vec![None; document.nodes.len()],
        queue: Vec::new(),
    };
    let root = match document.message() {
        Some(root) if root.id == id => root,
        _ => return Err(printer.error("the root is not a message of the type asked for")),
    };
    let mut fields = String::new();
    printer.members(root, &mut fields)?;
    if !references::tracks(schema, id) {
        if !document.nodes.is_empty() {
            return Err(printer.error("the type has no references, the document has nodes"));
        }
        return Ok(format!("{{{fields}}}"));
    }
    let key = references::nodes_key(schema.message(id));
    let mut nodes = vec![String::new(); document.nodes.len()];
    while let Some(index) = printer.queue.pop() {
        let Some(ty) = printer.node_types[index].clone() else {
            continue;
        };
        printer
            .path
            .segments
            .extend([Segment::Field(key.clone()), Segment::Index(index)]);
        printer.value(&ty, &document.nodes[index], &mut nodes[index])?;
        printer.path.segments.clear();
    }
    if let Some(index) = printer.node_types.iter().position(Option::is_none) {
        return Err(printer.error(format!("nothing refers to node {index}")));
    }
    let comma = if fields.is_empty() { "" } else { "," };
    Ok(format!(
        "{{\"{key}\":[{}]{comma}{fields}}}",
        nodes.join(",")
    ))
}

struct Printer<'s> {
    schema: &'s Schema,
    path: Path,
    /// Type of each node that a reference was seen to.
    node_types: Vec<Option<Type>>,
    /// Nodes seen and not yet printed.
    queue: Vec<usize>,
}

impl Printer<'_> {
    fn error(&self, text: impl Into<String>) -> Error {
        Error::value(&self.path, text)
    }

    fn at(
        &mut self,
        segment: Segment,
        inner: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.path.segments.push(segment);
        inner(self)?;
        self.path.segments.pop();
        Ok(())
    }

    /// The members of a message's object, without the braces.
    fn members(&mut self, message: &DynamicMessage, out: &mut String) -> Result<(), Error> {
        let schema = self.schema;
        let definition: &Message = schema.message(message.id);
        for (index, field) in definition.fields.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            text(key_of(field), out);
            out.push(':');
            let segment = Segment::Field(key_of(field).to_owned());
            self.at(segment, |printer| match message.get(index) {
                Some(value) => printer.tracked(&field.ty, field.fory.reference, value, out),
                None if has_default(field) => {
                    printer.value(&field.ty, &Value::default_of(schema, &field.ty), out)
                }
                None => {
                    out.push_str("null");
                    Ok(())
                }
            })?;
        }
        if !message.unknown.is_empty() {
            if !definition.fields.is_empty() {
                out.push(',');
            }
            let _ = write!(out, "\"{UNKNOWN}\":");
            unknown::print(&message.unknown, out);
        }
        Ok(())
    }

    fn tracked(
        &mut self,
        ty: &Type,
        reference: bool,
        value: &Value,
        out: &mut String,
    ) -> Result<(), Error> {
        let Value::Reference(index) = value else {
            return self.value(ty, value, out);
        };
        if !reference {
            return Err(self.error("a reference where the schema tracks none"));
        }
        match self.node_types.get_mut(*index) {
            None => return Err(self.error(format!("there is no node {index}"))),
            Some(Some(known)) if known == ty => {}
            Some(Some(_)) => {
                return Err(self.error(format!("node {index} is referred to as two types")));
            }
            Some(unseen) => {
                *unseen = Some(ty.clone());
                self.queue.push(*index);
            }
        }
        let _ = write!(out, "{index}");
        Ok(())
    }

    fn slot(&mut self, slot: &Slot, value: &Value, out: &mut String) -> Result<(), Error> {
        if *value == Value::Null && (slot.nullable || slot.reference) {
            out.push_str("null");
            return Ok(());
        }
        self.tracked(&slot.ty, slot.reference, value, out)
    }

    fn value(&mut self, ty: &Type, value: &Value, out: &mut String) -> Result<(), Error> {
        let schema = self.schema;
        let _ = match (ty, value) {
            (Type::Bool, Value::Bool(value)) => write!(out, "{value}"),
            (
                Type::Int {
                    bits: 64,
                    signed: true,
                    ..
                },
                Value::Int(value),
            ) => {
                write!(out, "\"{value}\"")
            }
            (
                Type::Int {
                    bits: 64,
                    signed: false,
                    ..
                },
                Value::UInt(value),
            ) => {
                write!(out, "\"{value}\"")
            }
            (
                Type::Int {
                    bits, signed: true, ..
                },
                Value::Int(value),
            ) => {
                if signed_bits(*value) > u32::from(*bits) {
                    return Err(self.error(format!("{value} does not fit {bits} bits")));
                }
                write!(out, "{value}")
            }
            (
                Type::Int {
                    bits,
                    signed: false,
                    ..
                },
                Value::UInt(value),
            ) => {
                if 64 - value.leading_zeros() > u32::from(*bits) {
                    return Err(self.error(format!("{value} does not fit {bits} bits")));
                }
                write!(out, "{value}")
            }
            (Type::Float16, Value::Float16(_))
            | (Type::BFloat16, Value::BFloat16(_))
            | (Type::Float32, Value::Float32(_))
            | (Type::Float64, Value::Float64(_)) => {
                write!(out, "\"{}\"", float::print(value).unwrap_or_default())
            }
            (Type::String, Value::String(value)) => {
                text(value, out);
                Ok(())
            }
            (Type::Bytes, Value::Bytes(bytes)) => write!(out, "\"{}\"", hex(bytes)),
            (Type::Enum(id), Value::Enum(number)) => {
                match schema.enumeration(*id).name_of(*number) {
                    Some(name) => text(name, out),
                    None => {
                        let _ = write!(out, "{number}");
                    }
                }
                Ok(())
            }
            (Type::Message(id), Value::Message(message)) if message.id == *id => {
                out.push('{');
                self.members(message, out)?;
                out.push('}');
                Ok(())
            }
            (Type::Union(id), Value::Union(number, value)) => {
                let union = schema.union(*id);
                let case = union.case(*number).ok_or_else(|| {
                    self.error(format!("union {} has no case {number}", union.full_name))
                })?;
                out.push_str("{\"case\":");
                text(&case.name, out);
                out.push_str(",\"value\":");
                let segment = Segment::Field(case.name.clone());
                self.at(segment, |printer| printer.value(&case.ty, value, out))?;
                out.push('}');
                Ok(())
            }
            (Type::Timestamp, Value::Timestamp { seconds, nanos })
            | (Type::Duration, Value::Duration { seconds, nanos }) => {
                write!(out, "{{\"seconds\":\"{seconds}\",\"nanos\":{nanos}}}")
            }
            (Type::Date, Value::Date(days)) => write!(out, "{days}"),
            (Type::Decimal, Value::Decimal { unscaled, scale }) => {
                write!(out, "{{\"unscaled\":\"{unscaled}\",\"scale\":{scale}}}")
            }
            (Type::Any, value) => {
                let (name, ty) = any::of_value(schema, value).ok_or_else(|| {
                    self.error(format!("{} does not tell its own type", value.kind()))
                })?;
                out.push_str("{\"type\":");
                text(&name, out);
                out.push_str(",\"value\":");
                self.value(&ty, value, out)?;
                out.push('}');
                Ok(())
            }
            (Type::List(slot) | Type::Set(slot), Value::List(values)) => {
                self.list(slot, values, out)?;
                Ok(())
            }
            (Type::Array(element), Value::List(values)) => {
                self.list(&Slot::plain((**element).clone()), values, out)?;
                Ok(())
            }
            (Type::Map(key, slot), Value::Map(entries)) => {
                out.push('[');
                for (i, (k, v)) in entries.iter().enumerate() {
                    out.push_str(if i == 0 { "[" } else { ",[" });
                    self.at(Segment::Index(i), |printer| {
                        printer.slot(key, k, out)?;
                        out.push(',');
                        printer.slot(slot, v, out)
                    })?;
                    out.push(']');
                }
                out.push(']');
                Ok(())
            }
            _ => {
                let text = format!("{} is no value of type {}", value.kind(), name_of(ty));
                return Err(self.error(text));
            }
        };
        Ok(())
    }

    fn list(&mut self, slot: &Slot, values: &[Value], out: &mut String) -> Result<(), Error> {
        out.push('[');
        for (i, value) in values.iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            self.at(Segment::Index(i), |printer| printer.slot(slot, value, out))?;
        }
        out.push(']');
        Ok(())
    }
}

/// Bits of the shortest two's complement form.
fn signed_bits(value: i64) -> u32 {
    let magnitude = if value < 0 { !value } else { value };
    65 - magnitude.leading_zeros()
}

/// The kind of a type, for error messages.
pub(super) fn name_of(ty: &Type) -> String {
    match ty {
        Type::Int { bits, signed, .. } => format!("{}int{bits}", if *signed { "" } else { "u" }),
        Type::Enum(_) => "enum".to_owned(),
        Type::Message(_) => "message".to_owned(),
        Type::Union(_) => "union".to_owned(),
        Type::List(_) => "list".to_owned(),
        Type::Set(_) => "set".to_owned(),
        Type::Array(_) => "array".to_owned(),
        Type::Map(..) => "map".to_owned(),
        scalar => format!("{scalar:?}").to_lowercase(),
    }
}

fn text(value: &str, out: &mut String) {
    // Serializing a string into a string can't fail.
    out.push_str(&serde_json::to_string(value).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::signed_bits;

    #[test]
    fn widths_of_signed_numbers() {
        for (value, bits) in [(0, 1), (-1, 1), (127, 8), (-128, 8), (128, 9), (-129, 9)] {
            assert_eq!(signed_bits(value), bits, "{value}");
        }
        assert_eq!(signed_bits(i64::MIN), 64);
    }
}
