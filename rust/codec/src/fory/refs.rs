//! References: numbering the nodes of a document, and the cost of copying values.

use crate::{Cursor, Document, Error, Value};

/// Numbers the nodes in the order in which the root reaches them first, fields taken in the
/// order of their declaration, and drops those that it does not reach. A root that nothing
/// refers to stands for itself.
pub(super) fn normalise(document: Document) -> Result<Document, &'static str> {
    let Document {
        mut root,
        mut nodes,
    } = document;
    let mut order = Vec::new();
    let mut number = vec![None; nodes.len()];
    let mut pending = vec![&root];
    let root_node = match root {
        Value::Reference(node) => Some(node),
        _ => None,
    };
    let mut root_seen = 0;
    while let Some(value) = pending.pop() {
        if let Value::Reference(node) = value {
            root_seen += usize::from(Some(*node) == root_node);
            if number[*node].is_none() {
                number[*node] = Some(order.len());
                order.push(*node);
                pending.push(&nodes[*node]);
            }
            continue;
        }
        push_children(value, &mut pending);
    }
    if let Some(node) = root_node.filter(|_| root_seen == 1) {
        // Only the stream's own root flag names it.
        let place = number[node].take().unwrap_or(0);
        order.remove(place);
        for later in &order[place..] {
            if let Some(number) = &mut number[*later] {
                *number -= 1;
            }
        }
        root = std::mem::replace(&mut nodes[node], Value::Null);
    }
    let renumber = |node: usize| number.get(node).copied().flatten();
    rewrite(&mut root, &renumber);
    let mut ordered = Vec::with_capacity(order.len());
    for node in order {
        let mut value = std::mem::replace(&mut nodes[node], Value::Null);
        if matches!(value, Value::Reference(_)) {
            return Err("an object that is itself a reference");
        }
        rewrite(&mut value, &renumber);
        ordered.push(value);
    }
    Ok(Document {
        root,
        nodes: ordered,
    })
}

/// Pushes the values directly inside `value`, the first last, so that it is popped first.
fn push_children<'v>(value: &'v Value, pending: &mut Vec<&'v Value>) {
    let start = pending.len();
    match value {
        Value::Message(message) => pending.extend(message.iter().map(|(_, value)| value)),
        Value::List(values) => pending.extend(values),
        Value::Map(entries) => pending.extend(entries.iter().flat_map(|(k, v)| [k, v])),
        Value::Union(_, value) => pending.push(value),
        _ => {}
    }
    pending[start..].reverse();
}

fn rewrite(value: &mut Value, renumber: &dyn Fn(usize) -> Option<usize>) {
    match value {
        Value::Reference(node) => {
            if let Some(number) = renumber(*node) {
                *node = number;
            }
        }
        Value::Message(message) => {
            let set: Vec<_> = message.iter().map(|(index, _)| index).collect();
            for index in set {
                if let Some(value) = message.slot(index) {
                    rewrite(value, renumber);
                }
            }
        }
        Value::List(values) => values.iter_mut().for_each(|value| rewrite(value, renumber)),
        Value::Map(entries) => {
            for (key, value) in entries {
                rewrite(key, renumber);
                rewrite(value, renumber);
            }
        }
        Value::Union(_, value) => rewrite(value, renumber),
        _ => {}
    }
}

/// Charges the memory of a copy of `value`.
pub(super) fn charge(cursor: &mut Cursor<'_>, at: usize, value: &Value) -> Result<(), Error> {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        cursor.charge_values(at, 1)?;
        match value {
            Value::String(text) => cursor.charge(at, text.len(), 1)?,
            Value::Bytes(bytes) => cursor.charge(at, bytes.len(), 1)?,
            _ => {}
        }
        push_children(value, &mut pending);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(values: &[Value]) -> Value {
        Value::List(values.to_vec())
    }

    #[test]
    fn nodes_are_numbered_as_the_root_reaches_them() {
        use Value::{Int, Reference};
        let document = Document {
            root: list(&[Reference(2), Reference(0), Reference(2)]),
            nodes: vec![Int(10), Int(11), list(&[Reference(3)]), Int(13)],
        };
        let normal = normalise(document).unwrap();
        assert_eq!(
            normal.root,
            list(&[Reference(0), Reference(2), Reference(0)])
        );
        assert_eq!(normal.nodes, [list(&[Reference(1)]), Int(13), Int(10)]);
    }

    #[test]
    fn a_root_is_a_node_only_when_something_refers_to_it() {
        use Value::{Int, Reference};
        let alone = Document {
            root: Reference(0),
            nodes: vec![list(&[Reference(1)]), Int(1)],
        };
        let normal = normalise(alone).unwrap();
        assert_eq!(normal.root, list(&[Reference(0)]));
        assert_eq!(normal.nodes, [Int(1)]);
        let cycle = Document {
            root: Reference(0),
            nodes: vec![list(&[Reference(0)])],
        };
        assert_eq!(normalise(cycle.clone()).unwrap(), cycle);
    }
}
