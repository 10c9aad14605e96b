//! Where tracked references lie in a type.

use std::collections::HashSet;

use interop_schema::{Message, MessageId, Schema, Type, UnionId};

/// True when a value of message `root` can hold a tracked reference, at any depth.
pub(super) fn tracks(schema: &Schema, root: MessageId) -> bool {
    let mut messages = HashSet::from([root]);
    let mut unions: HashSet<UnionId> = HashSet::new();
    let mut left = vec![root];
    while let Some(id) = left.pop() {
        for field in &schema.message(id).fields {
            if field.fory.reference {
                return true;
            }
            let mut types = vec![&field.ty];
            while let Some(ty) = types.pop() {
                match ty {
                    Type::Message(inner) if messages.insert(*inner) => left.push(*inner),
                    Type::Union(id) if unions.insert(*id) => {
                        types.extend(schema.union(*id).cases.iter().map(|case| &case.ty));
                    }
                    Type::List(element) | Type::Set(element) => {
                        if element.reference {
                            return true;
                        }
                        types.push(&element.ty);
                    }
                    Type::Map(key, value) => {
                        if key.reference || value.reference {
                            return true;
                        }
                        types.extend([&key.ty, &value.ty]);
                    }
                    _ => {}
                }
            }
        }
    }
    false
}

/// The key of the list of referenced objects: `nodes`, with underscores behind it as long as a
/// field of the root has that name.
pub(super) fn nodes_key(message: &Message) -> String {
    let mut key = "nodes".to_owned();
    while message
        .fields
        .iter()
        .any(|field| super::key_of(field) == key)
    {
        key.push('_');
    }
    key
}
