//! Protobuf: bound, length, write, merge.

use interop_schema::{ProtoKind, Type};

use crate::emit::Source;
use crate::plan::{FieldPlan, Kind, MessagePlan, Plan, Shape};

pub fn message(source: &mut Source, plan: &Plan<'_>, message: &MessagePlan<'_>) {
    let mut fields: Vec<_> = message.fields.iter().collect();
    fields.sort_by_key(|field| field.field.number);
    source.line("// SAFETY: `bound` counts, for each field that `write` puts down, its tag, the longest form");
    source.line("// of its numbers, ten bytes for each length, and the contents themselves.");
    source.line(format!(
        "unsafe impl protobuf::Message for {} {{",
        message.name
    ));
    bound(source, &fields);
    source.line("");
    encoded_len(source, &fields);
    source.line("");
    write(source, &fields);
    source.line("");
    merge(source, plan, message, &fields, "'_");
    source.line("");
    clear(source, &fields);
    source.line("}");
    source.line("");
    let head = format!("impl {}", message.name);
    merge_rest(source, plan, message, &fields, (&head, "'_"));
}

/// Tag of a field as it stands on the wire.
fn tag(number: u32, wire_type: u8) -> Vec<u8> {
    let mut out = interop_wire::Writer::new();
    out.varint(u64::from(number) << 3 | u64::from(wire_type));
    out.into_vec()
}

fn tag_text(number: u32, wire_type: u8) -> String {
    let bytes = tag(number, wire_type);
    let bytes: Vec<_> = bytes.iter().map(|byte| format!("{byte:#04x}")).collect();
    format!("[{}]", bytes.join(", "))
}

/// Longest form in bytes; none for what has contents of its own length.
fn longest(kind: ProtoKind) -> Option<usize> {
    Some(match kind {
        ProtoKind::Double | ProtoKind::Fixed64 | ProtoKind::SFixed64 => 8,
        ProtoKind::Float | ProtoKind::Fixed32 | ProtoKind::SFixed32 => 4,
        ProtoKind::Bool => 1,
        ProtoKind::UInt32 | ProtoKind::SInt32 => 5,
        ProtoKind::String | ProtoKind::Bytes | ProtoKind::Message | ProtoKind::Group => {
            return None;
        }
        _ => 10,
    })
}

fn is_fixed(kind: ProtoKind) -> bool {
    matches!(kind.wire_type(), 1 | 5)
}

/// Condition under which a plain field is written.
pub fn set(field: &FieldPlan<'_>) -> String {
    set_value(&field.kind.ty, &format!("self.{}", field.ident))
}

/// Condition under which the value at `place` is not the default.
pub fn set_value(ty: &Type, place: &str) -> String {
    match ty {
        Type::Bool => place.to_owned(),
        Type::Float32 | Type::Float64 => format!("{place}.to_bits() != 0"),
        Type::String | Type::Bytes => format!("!{place}.is_empty()"),
        Type::Enum(_) => format!("{place}.0 != 0"),
        _ => format!("{place} != 0"),
    }
}

/// Bound of a value with contents, without its tag.
fn value_bound(kind: &Kind, value: &str) -> String {
    match kind.proto {
        ProtoKind::Message => format!("protobuf::len_bound({value}.bound())"),
        _ => format!("protobuf::len_bound({value}.len())"),
    }
}

fn bound(source: &mut Source, fields: &[&FieldPlan<'_>]) {
    source.line("#[inline]");
    source.line("fn bound(&self) -> usize {");
    let mut constant = 0;
    let mut terms = Vec::new();
    for field in fields {
        let place = format!("self.{}", field.ident);
        let lead = tag(field.field.number, 0).len();
        match (&field.shape, longest(field.kind.proto)) {
            (Shape::Plain | Shape::Optional { .. }, Some(longest)) => constant += lead + longest,
            (Shape::Plain, None) => {
                constant += lead + 10;
                terms.push(format!("{place}.len()"));
            }
            (Shape::Optional { .. }, None) => terms.push(format!(
                "{place}.as_ref().map_or(0, |value| {lead} + {})",
                value_bound(&field.kind, "value")
            )),
            (Shape::Repeated { packed: true }, Some(longest)) => {
                constant += lead + 10;
                terms.push(format!("{longest} * {place}.len()"));
            }
            (Shape::Repeated { .. }, Some(longest)) => {
                terms.push(format!("{} * {place}.len()", lead + longest));
            }
            (Shape::Repeated { .. }, None) => terms.push(format!(
                "{place}.iter().map(|value| {lead} + {}).sum::<usize>()",
                value_bound(&field.kind, "value")
            )),
            (Shape::Map { key }, _) => {
                let part = |kind: &Kind, name: &str| match longest(kind.proto) {
                    Some(longest) => (longest + 1).to_string(),
                    None => format!("1 + {}", value_bound(kind, name)),
                };
                let (key, value) = (part(key, "key"), part(&field.kind, "value"));
                let pattern = match (key.contains("key"), value.contains("value")) {
                    (true, true) => "(key, value)",
                    (true, false) => "(key, _)",
                    (false, true) => "(_, value)",
                    (false, false) => "_",
                };
                terms.push(format!(
                    "{place}.iter().map(|{pattern}| {} + {key} + {value}).sum::<usize>()",
                    lead + 10
                ));
            }
        }
    }
    let mutable = if terms.is_empty() { "" } else { "mut " };
    source.line(format!(
        "let {mutable}bound = {constant} + self.unknown_fields.len();"
    ));
    for term in terms {
        source.line(format!("bound += {term};"));
    }
    source.line("bound");
    source.line("}");
}

/// Encoded length of a value, without its tag.
fn value_len(kind: &Kind, value: &str, by_ref: bool) -> String {
    let star = if by_ref { "*" } else { "" };
    match kind.proto {
        ProtoKind::Message => format!("protobuf::len_size({value}.encoded_len())"),
        ProtoKind::String | ProtoKind::Bytes => format!("protobuf::len_size({value}.len())"),
        ProtoKind::Int32 => format!("protobuf::Size::i32({star}{value})"),
        ProtoKind::Enum => format!("protobuf::Size::i32({value}.0)"),
        ProtoKind::Int64 => format!("protobuf::Size::i64({star}{value})"),
        ProtoKind::UInt32 => format!("protobuf::Size::u32({star}{value})"),
        ProtoKind::UInt64 => format!("protobuf::varint_size({star}{value})"),
        ProtoKind::SInt32 => format!("protobuf::Size::s32({star}{value})"),
        ProtoKind::SInt64 => format!("protobuf::Size::s64({star}{value})"),
        _ => longest(kind.proto).unwrap_or_default().to_string(),
    }
}

fn encoded_len(source: &mut Source, fields: &[&FieldPlan<'_>]) {
    source.line("fn encoded_len(&self) -> usize {");
    source.line("let mut len = self.unknown_fields.len();");
    for field in fields {
        let place = format!("self.{}", field.ident);
        let lead = tag(field.field.number, 0).len();
        let fixed = longest(field.kind.proto)
            .filter(|_| is_fixed(field.kind.proto) || field.kind.proto == ProtoKind::Bool);
        match &field.shape {
            Shape::Plain => {
                source.line(format!("if {} {{", set(field)));
                source.line(format!(
                    "len += {lead} + {};",
                    value_len(&field.kind, &place, false)
                ));
                source.line("}");
            }
            Shape::Optional { .. } => {
                let pattern = if fixed.is_some() {
                    "Some(_)"
                } else {
                    "Some(value)"
                };
                source.line(format!("if let {pattern} = &{place} {{"));
                source.line(format!(
                    "len += {lead} + {};",
                    value_len(&field.kind, "value", true)
                ));
                source.line("}");
            }
            Shape::Repeated { packed: true } => {
                source.line(format!("if !{place}.is_empty() {{"));
                match fixed {
                    Some(size) => source.line(format!("let run = {size} * {place}.len();")),
                    None => source.line(format!(
                        "let run = {place}.iter().map(|value| {}).sum();",
                        value_len(&field.kind, "value", true)
                    )),
                }
                source.line(format!("len += {lead} + protobuf::len_size(run);"));
                source.line("}");
            }
            Shape::Repeated { packed: false } => match fixed {
                Some(size) => source.line(format!("len += {} * {place}.len();", lead + size)),
                None => {
                    source.line(format!("for value in &{place} {{"));
                    source.line(format!(
                        "len += {lead} + {};",
                        value_len(&field.kind, "value", true)
                    ));
                    source.line("}");
                }
            },
            Shape::Map { key } => {
                source.line(format!("for (key, value) in &{place} {{"));
                source.line(format!(
                    "let entry = 2 + {} + {};",
                    value_len(key, "key", true),
                    value_len(&field.kind, "value", true)
                ));
                source.line("let _ = (key, value);");
                source.line(format!("len += {lead} + protobuf::len_size(entry);"));
                source.line("}");
            }
        }
    }
    source.line("len");
    source.line("}");
}

/// Statement that writes a number's value.
fn write_number(kind: &Kind, value: &str) -> String {
    match kind.proto {
        ProtoKind::Int32 => format!("out.varint_i32::<C>({value});"),
        ProtoKind::Enum => format!("out.varint_i32::<C>({value}.0);"),
        ProtoKind::Int64 => format!("out.varint64::<C>({value} as u64);"),
        ProtoKind::UInt32 => format!("out.varint32::<C>({value});"),
        ProtoKind::UInt64 => format!("out.varint64::<C>({value});"),
        ProtoKind::SInt32 => format!("out.zigzag32::<C>({value});"),
        ProtoKind::SInt64 => format!("out.zigzag64::<C>({value});"),
        ProtoKind::Bool => format!("out.u8(u8::from({value}));"),
        _ => format!("out.array({value}.to_le_bytes());"),
    }
}

/// Statement that writes a value with its tag; `value` is a reference unless a number.
fn write_value(kind: &Kind, number: u32, value: &str, is_ref: bool) -> Vec<String> {
    let tag = tag_text(number, kind.proto.wire_type());
    let borrow = if is_ref { "" } else { "&" };
    match kind.proto {
        ProtoKind::Message => vec![format!(
            "protobuf::write_message::<C, _, _>(&mut out, {tag}, {borrow}{value});"
        )],
        ProtoKind::String => vec![format!(
            "protobuf::write_bytes(&mut out, {tag}, {value}.as_bytes());"
        )],
        ProtoKind::Bytes => vec![format!(
            "protobuf::write_bytes(&mut out, {tag}, {borrow}{value});"
        )],
        _ => {
            let star = if is_ref { "(*" } else { "" };
            let close = if is_ref { ")" } else { "" };
            let place = match kind.proto {
                ProtoKind::Enum => value.to_owned(),
                _ => format!("{star}{value}{close}"),
            };
            let place = match kind.proto {
                ProtoKind::Double
                | ProtoKind::Float
                | ProtoKind::Fixed32
                | ProtoKind::Fixed64
                | ProtoKind::SFixed32
                | ProtoKind::SFixed64
                | ProtoKind::Enum
                | ProtoKind::Int64 => place,
                _ => place
                    .trim_start_matches('(')
                    .trim_end_matches(')')
                    .to_owned(),
            };
            vec![format!("out.array({tag});"), write_number(kind, &place)]
        }
    }
}

fn write(source: &mut Source, fields: &[&FieldPlan<'_>]) {
    source.line("#[inline(always)]");
    source.line("unsafe fn write<C: Cpu>(&self, mut out: Out) -> Out {");
    source.line("// SAFETY: the caller has reserved the bound, which counts all that follows.");
    source.line("unsafe {");
    for field in fields {
        let place = format!("self.{}", field.ident);
        let number = field.field.number;
        match &field.shape {
            Shape::Plain => {
                source.line(format!("if {} {{", set(field)));
                for line in write_value(&field.kind, number, &place, false) {
                    source.line(line);
                }
                source.line("}");
            }
            Shape::Optional { boxed } => {
                source.line(format!("if let Some(value) = &{place} {{"));
                let value = if *boxed { "&**value" } else { "value" };
                for line in write_value(&field.kind, number, value, true) {
                    source.line(line);
                }
                source.line("}");
            }
            Shape::Repeated { .. } if field.kind.proto == ProtoKind::Message => {
                source.line(format!(
                    "protobuf::write_repeated_messages::<C, _, _>(&mut out, {}, &{place});",
                    tag_text(number, 2)
                ))
            }
            Shape::Repeated { packed: true } if is_fixed(field.kind.proto) => source.line(format!(
                "protobuf::write_packed_fixed(&mut out, {}, &{place});",
                tag_text(number, 2)
            )),
            Shape::Repeated { packed: true } => {
                source.line(format!(
                    "protobuf::write_packed_varints(&mut out, {}, &{place}, {}, |out, value| {{",
                    tag_text(number, 2),
                    longest(field.kind.proto).unwrap_or(10)
                ));
                source.line(write_number(&field.kind, "value"));
                source.line("});");
            }
            Shape::Repeated { packed: false } => {
                source.line(format!("for value in &{place} {{"));
                for line in write_value(&field.kind, number, "value", true) {
                    source.line(line);
                }
                source.line("}");
            }
            Shape::Map { key } => {
                source.line(format!("for (key, value) in &{place} {{"));
                source.line(format!("out.array({});", tag_text(number, 2)));
                let part = |kind: &Kind, name: &str| match longest(kind.proto) {
                    Some(_) => "6".to_owned(),
                    None if kind.proto == ProtoKind::Message => format!("{name}.bound()"),
                    None => format!("{name}.len() + 4"),
                };
                source.line(format!(
                    "let guess = protobuf::length_bytes({} + {});",
                    part(key, "key"),
                    part(&field.kind, "value")
                ));
                source.line("let start = out.begin(guess);");
                for line in write_value(key, 1, "key", true) {
                    source.line(line);
                }
                for line in write_value(&field.kind, 2, "value", true) {
                    source.line(line);
                }
                source.line("out.end(start, guess);");
                source.line("}");
            }
        }
    }
    source.line("self.unknown_fields.write(&mut out);");
    source.line("}");
    source.line("out");
    source.line("}");
}

/// Name of the runtime's function that reads a number.
fn read_number(kind: &Kind, cpu: &str) -> String {
    let signed = matches!(kind.ty, Type::Int { signed: true, .. });
    let name = match kind.proto {
        ProtoKind::Int32 | ProtoKind::Enum => "i32_",
        ProtoKind::Int64 => "i64_",
        ProtoKind::UInt32 => "u32_",
        ProtoKind::UInt64 => "u64_",
        ProtoKind::SInt32 => "zigzag32",
        ProtoKind::SInt64 => "zigzag64",
        ProtoKind::Bool => "bool_",
        ProtoKind::Float => "float",
        ProtoKind::Double => "double",
        ProtoKind::Fixed32 | ProtoKind::SFixed32 if signed => "sfixed32",
        ProtoKind::Fixed64 | ProtoKind::SFixed64 if signed => "sfixed64",
        ProtoKind::Fixed32 | ProtoKind::SFixed32 => "fixed32",
        _ => "fixed64",
    };
    format!("protobuf::{name}::<{cpu}>(input)")
}

/// Expression that reads a number as the leaf's Rust type; fallible.
fn number_value(plan: &Plan<'_>, kind: &Kind, cpu: &str, package: &str) -> String {
    let read = read_number(kind, cpu);
    match &kind.ty {
        Type::Enum(id) => format!("{read}.map({})", plan.enum_path(*id, package)),
        _ => read,
    }
}

/// Expression of type `Result<(), Error>` that reads a value into the place `target`, a
/// mutable reference.
fn read_into(plan: &Plan<'_>, kind: &Kind, cpu: &str, target: &str, package: &str) -> String {
    match kind.proto {
        ProtoKind::Message => format!("protobuf::merge_message::<{cpu}, _>(input, {target})"),
        ProtoKind::String => format!("protobuf::read_string::<{cpu}>(input, {target})"),
        ProtoKind::Bytes => format!("protobuf::read_bytes::<{cpu}>(input, {target})"),
        _ => format!(
            "{}.map(|read| *{target} = read)",
            number_value(plan, kind, cpu, package)
        ),
    }
}

/// Statements that clear the other members of the field's oneof.
fn clear_others(message: &MessagePlan<'_>, field: &FieldPlan<'_>) -> String {
    let others = message.fields.iter().filter(|other| {
        field.field.oneof.is_some()
            && other.field.oneof == field.field.oneof
            && other.field.number != field.field.number
    });
    others
        .map(|other| format!("self.{} = None; ", other.ident))
        .collect()
}

/// Statement that reads one occurrence of the field.
fn read_field(plan: &Plan<'_>, field: &FieldPlan<'_>, cpu: &str, package: &str) -> String {
    let name = &field.field.name;
    let place = format!("self.{}", field.ident);
    let kind = &field.kind;
    let number = longest(kind.proto).is_some();
    match &field.shape {
        Shape::Plain if number => {
            format!(
                "{place} = {}.at({name:?})?;",
                number_value(plan, kind, cpu, package)
            )
        }
        Shape::Plain => {
            let read = read_into(plan, kind, cpu, &format!("&mut {place}"), package);
            format!("{read}.at({name:?})?;")
        }
        Shape::Optional { .. } if number => {
            let read = number_value(plan, kind, cpu, package);
            format!("{place} = Some({read}.at({name:?})?);")
        }
        Shape::Optional { boxed } => {
            let unboxed = if *boxed { ".as_mut()" } else { "" };
            let read = read_into(
                plan,
                kind,
                cpu,
                &format!("{place}.get_or_insert_default(){unboxed}"),
                package,
            );
            format!("{read}.at({name:?})?;")
        }
        Shape::Repeated { .. } if kind.proto == ProtoKind::Message => {
            format!(
                "protobuf::push_message::<{cpu}, _, _>(input, &mut {place}, &{}).at({name:?})?;",
                tag_text(field.field.number, 2)
            )
        }
        Shape::Repeated { .. } if number => format!(
            "{place}.push({}.at({name:?})?);",
            number_value(plan, kind, cpu, package)
        ),
        Shape::Repeated { .. } => {
            let read = if kind.proto == ProtoKind::String {
                "push_string"
            } else {
                "push_bytes"
            };
            format!(
                "protobuf::{read}::<{cpu}, _>(input, &mut {place}, &{}).at({name:?})?;",
                tag_text(field.field.number, 2)
            )
        }
        Shape::Map { key } => {
            let part = |kind: &Kind, target: &str| {
                let read = read_into(plan, kind, cpu, target, package);
                format!("|input, {target}| {read}")
            };
            format!(
                "protobuf::merge_entry::<{cpu}, _, _, _>(input, &mut {place}, &{}, {}, {}, {}, {}).at({name:?})?;",
                tag_text(field.field.number, 2),
                tag(1, key.proto.wire_type())[0],
                tag(2, kind.proto.wire_type())[0],
                part(key, "key"),
                part(kind, "value"),
            )
        }
    }
}

/// Statement that reads a packed run.
fn read_packed(plan: &Plan<'_>, field: &FieldPlan<'_>, cpu: &str, package: &str) -> String {
    let name = &field.field.name;
    let place = format!("self.{}", field.ident);
    if is_fixed(field.kind.proto) {
        return format!("protobuf::packed_fixed::<{cpu}, _>(input, &mut {place}).at({name:?})?;");
    }
    let convert = match field.kind.proto {
        ProtoKind::Int32 => "|value| value as i32".to_owned(),
        ProtoKind::Int64 => "|value| value as i64".to_owned(),
        ProtoKind::UInt32 => "|value| value as u32".to_owned(),
        ProtoKind::UInt64 => "|value| value".to_owned(),
        ProtoKind::SInt32 => "|value| protobuf::unzigzag32(value as u32)".to_owned(),
        ProtoKind::SInt64 => "protobuf::unzigzag64".to_owned(),
        ProtoKind::Bool => "|value| value != 0".to_owned(),
        _ => format!(
            "|value| {}(value as i32)",
            plan.leaf(&field.kind.ty, package)
        ),
    };
    format!("protobuf::packed_varints::<{cpu}, _>(input, &mut {place}, {convert}).at({name:?})?;")
}

fn next_is(number: u32, wire_type: u8) -> String {
    match &tag(number, wire_type)[..] {
        [byte] => format!("input.next_is({byte:#04x})"),
        _ => format!("input.next_are(&{})", tag_text(number, wire_type)),
    }
}

pub fn merge(
    source: &mut Source,
    plan: &Plan<'_>,
    message: &MessagePlan<'_>,
    fields: &[&FieldPlan<'_>],
    lifetime: &str,
) {
    source.line("#[inline(always)]");
    source.line(format!(
        "fn merge<C: Cpu>(&mut self, input: &mut In<{lifetime}>) -> Result<(), Error> {{"
    ));
    source.line("// Fields in the order of their numbers, as nearly all writers put them.");
    for field in fields {
        let number = field.field.number;
        let wire_type = field.kind.proto.wire_type();
        let (keyword, wire_type, read) = match &field.shape {
            Shape::Repeated { packed: true } => {
                ("if", 2, read_packed(plan, field, "C", message.package))
            }
            Shape::Repeated { .. } => (
                "while",
                wire_type,
                read_field(plan, field, "C", message.package),
            ),
            Shape::Map { .. } => ("while", 2, read_field(plan, field, "C", message.package)),
            _ => (
                "if",
                wire_type,
                read_field(plan, field, "C", message.package),
            ),
        };
        let read = clear_others(message, field) + &read;
        source.line(format!("{keyword} {} {{", next_is(number, wire_type)));
        source.line(read);
        source.line("}");
    }
    source.line("if !input.is_at_end() {");
    source.line("self.merge_rest(input)?;");
    source.line("}");
    for field in fields {
        if matches!(field.shape, Shape::Map { .. }) {
            source.line(format!("self.{}.keep_last();", field.ident));
        }
    }
    source.line("Ok(())");
    source.line("}");
}

pub fn merge_rest(
    source: &mut Source,
    plan: &Plan<'_>,
    message: &MessagePlan<'_>,
    fields: &[&FieldPlan<'_>],
    (head, lifetime): (&str, &str),
) {
    source.line(format!("{head} {{"));
    source.line("/// Fields in any order and form, and those that the schema lacks.");
    source.line("#[cold]");
    source.line(format!(
        "fn merge_rest(&mut self, input: &mut In<{lifetime}>) -> Result<(), Error> {{"
    ));
    source.line("while !input.is_at_end() {");
    source.line("let tag = Tag::read::<Portable>(input)?;");
    source.line("match tag.key {");
    for field in fields {
        let number = field.field.number;
        let key = |wire_type: u8| number << 3 | u32::from(wire_type);
        let mut arm = |key: u32, statement: String| {
            source.line(format!("{key} => {{"));
            source.line(statement);
            source.line("}");
        };
        let kind = field.kind.proto;
        let single =
            clear_others(message, field) + &read_field(plan, field, "Portable", message.package);
        match &field.shape {
            Shape::Map { .. } => arm(key(2), single),
            Shape::Repeated { .. } if kind.is_packable() => {
                arm(key(kind.wire_type()), single);
                arm(
                    key(2),
                    read_packed(plan, field, "Portable", message.package),
                );
            }
            _ => arm(key(kind.wire_type()), single),
        }
    }
    source.line("_ => protobuf::skip_or_keep(input, tag, &mut self.unknown_fields)?,");
    source.line("}");
    source.line("}");
    source.line("Ok(())");
    source.line("}");
    source.line("}");
}

fn clear(source: &mut Source, fields: &[&FieldPlan<'_>]) {
    source.line("fn clear(&mut self) {");
    for field in fields {
        let place = format!("self.{}", field.ident);
        source.line(match (&field.shape, &field.kind.ty) {
            (Shape::Optional { .. }, _) => format!("{place} = None;"),
            (Shape::Plain, Type::String | Type::Bytes)
            | (Shape::Repeated { .. } | Shape::Map { .. }, _) => format!("{place}.clear();"),
            _ => format!("{place} = Default::default();"),
        });
    }
    source.line("self.unknown_fields.clear();");
    source.line("}");
}
