//! Compatible mode: which local field a remote one goes to, and how (sections "List and Array
//! Semantics" and "Shared Type Meta").

use interop_schema::fory::{StructLayout, WireType, type_id as id};
use interop_schema::{MessageId, Schema, Slot, Type, WellKnown};

use super::convert;
use super::type_info::{RemoteDef, describe, describe_wire};
use crate::Value;

/// What becomes of a remote field; the index is that of the local field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// No local field has its identifier.
    Skip,
    /// Read as it is.
    Direct(usize),
    /// A scalar of another type, converted without loss.
    Scalar(usize),
    /// A list read into a dense array.
    ListToArray(usize),
    /// A dense array read into a list.
    ArrayToList(usize),
    /// Bytes read into an array of uint8, or the other way round.
    Bytes(usize),
}

impl Action {
    /// The local field, if there is one.
    pub(super) fn index(self) -> Option<usize> {
        match self {
            Self::Skip => None,
            Self::Direct(index)
            | Self::Scalar(index)
            | Self::ListToArray(index)
            | Self::ArrayToList(index)
            | Self::Bytes(index) => Some(index),
        }
    }
}

/// An action for each field of `def`.
///
/// # Errors
/// A sentence, when a field matches a local one of a type that it can't be read into, or the
/// TypeDef is of another type.
pub(super) fn plan(
    schema: &Schema,
    message: MessageId,
    layout: &StructLayout,
    def: &RemoteDef,
) -> Result<Vec<Action>, String> {
    let local = schema.message(message);
    if local.fory.registration != def.registration {
        let (found, expected) = (&def.registration, &local.fory.registration);
        return Err(format!(
            "TypeDef is of type {}, expected {} ({})",
            describe(found),
            local.full_name,
            describe(expected)
        ));
    }
    let find = |remote: &super::type_info::RemoteField| {
        layout.fields.iter().find(|field| field.key == remote.key)
    };
    let classify = |remote: &super::type_info::RemoteField| {
        let Some(field) = find(remote) else {
            return Ok(Action::Skip);
        };
        let ty = &local.fields[field.index].ty;
        let action = pair(schema, &remote.wire, &field.wire, ty, field.index);
        action.ok_or_else(|| {
            format!(
                "field {} of {} is {} in the stream and {} here, which can't be converted",
                local.fields[field.index].name,
                local.full_name,
                describe_wire(&remote.wire),
                describe_wire(&field.wire)
            )
        })
    };
    def.fields.iter().map(classify).collect()
}

fn pair(
    schema: &Schema,
    remote: &WireType,
    local: &WireType,
    ty: &Type,
    index: usize,
) -> Option<Action> {
    let untracked = !remote.reference && !local.reference;
    if remote.id == local.id && convert::is_scalar(remote.id) {
        return (remote.reference == local.reference).then_some(Action::Direct(index));
    }
    if convert::is_scalar(remote.id) && convert::is_scalar(local.id) {
        return untracked.then_some(Action::Scalar(index));
    }
    if fits(schema, remote, ty) {
        return Some(Action::Direct(index));
    }
    let same_elements = |list: &WireType, array: u8| {
        let element = list.children.first();
        element.is_some_and(|element| {
            !element.reference && id::array_element(array) == Some(id::domain(element.id))
        })
    };
    if !untracked {
        return None;
    }
    match (remote.id, local.id) {
        (id::LIST, array) if same_elements(remote, array) => Some(Action::ListToArray(index)),
        (array, id::LIST) if same_elements(local, array) => Some(Action::ArrayToList(index)),
        (id::BINARY, id::UINT8_ARRAY) | (id::UINT8_ARRAY, id::BINARY) => Some(Action::Bytes(index)),
        _ => None,
    }
}

/// True when values of the remote type can be read as `ty` as they are: integers in any encoding
/// of their width, structs of any kind.
pub(super) fn fits(schema: &Schema, remote: &WireType, ty: &Type) -> bool {
    let child = |at: usize, slot: &Slot| {
        let child = remote.children.get(at);
        child.is_some_and(|child| fits(schema, child, &slot.ty))
    };
    match ty {
        Type::Any => remote.id == id::UNKNOWN,
        Type::Enum(_) => id::is_enum(remote.id),
        Type::Union(_) => id::is_union(remote.id) || remote.id == id::UNKNOWN,
        Type::Message(message) => match schema.message(*message).well_known {
            Some(WellKnown::Timestamp) => remote.id == id::TIMESTAMP,
            Some(WellKnown::Duration) => remote.id == id::DURATION,
            _ => id::is_struct(remote.id) || remote.id == id::UNKNOWN,
        },
        Type::List(slot) => remote.id == id::LIST && child(0, slot),
        Type::Set(slot) => remote.id == id::SET && child(0, slot),
        Type::Map(key, value) => remote.id == id::MAP && child(0, key) && child(1, value),
        _ => id::domain(remote.id) == id::domain(id::of_type(ty)),
    }
}

/// The list type whose elements are those of the array type `ty`.
pub(super) fn list_of_elements(ty: &Type) -> Type {
    let element = ty.element().cloned().unwrap_or(Type::Any);
    Type::List(Box::new(Slot::plain(element)))
}

/// Converts a value that was read as the remote type `remote` into one of `ty`.
///
/// # Errors
/// A sentence, when `ty` can't hold it without loss.
pub(super) fn convert(value: Value, remote: u8, ty: &Type) -> Result<Value, String> {
    match (value, ty) {
        (Value::Null, _) => Ok(Value::Null),
        (Value::Bytes(bytes), Type::Array(_)) => {
            let values = bytes.into_iter().map(|byte| Value::UInt(u64::from(byte)));
            Ok(Value::List(values.collect()))
        }
        (Value::List(values), Type::Bytes) => {
            let bytes = values.iter().map(|value| match value {
                Value::UInt(byte) => u8::try_from(*byte).ok(),
                _ => None,
            });
            let bytes: Option<Vec<_>> = bytes.collect();
            bytes
                .map(Value::Bytes)
                .ok_or_else(|| "not an array of uint8".to_owned())
        }
        (value @ Value::List(_), _) => Ok(value),
        (value, ty) => convert::convert(value, remote, id::of_type(ty)),
    }
}
