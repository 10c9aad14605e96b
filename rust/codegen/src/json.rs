//! ProtoJSON: write, read.

use std::collections::BTreeSet;

use interop_schema::{MessageId, ProtoKind, Schema, Type, WellKnown};

use crate::emit::Source;
use crate::msgpack::{rivals, words};
use crate::plan::{FieldPlan, Kind, MessagePlan, Plan, Shape};
use crate::protobuf;

pub fn message(source: &mut Source, plan: &Plan<'_>, message: &MessagePlan<'_>) {
    if let Some(foreign) = foreign(plan.schema, message.id, &mut BTreeSet::new()) {
        source.line(format!(
            "// {} has no generated ProtoJSON: {foreign} is not supported.",
            message.full_name
        ));
        return;
    }
    let well_known = plan.schema.message(message.id).well_known;
    source.line(format!("impl json::Message for {} {{", message.name));
    match well_known {
        Some(WellKnown::Timestamp) => time(source, "timestamp"),
        Some(WellKnown::Duration) => time(source, "duration"),
        Some(WellKnown::Wrapper) => wrapper(source, plan, message),
        _ => {
            let mut fields: Vec<_> = message.fields.iter().enumerate().collect();
            fields.sort_by_key(|(_, field)| field.field.number);
            write(source, &fields);
            source.line("");
            read(source, plan, message, &fields);
        }
    }
    source.line("}");
    if matches!(well_known, None | Some(WellKnown::Empty)) && !message.fields.is_empty() {
        source.line("");
        read_rest(source, plan, message);
    }
}

/// What a message holds, itself included, that has a JSON form of its own which is not generated.
fn foreign(schema: &Schema, id: MessageId, seen: &mut BTreeSet<MessageId>) -> Option<String> {
    if !seen.insert(id) {
        return None;
    }
    let message = schema.message(id);
    match message.well_known {
        Some(WellKnown::Timestamp | WellKnown::Duration) => return None,
        None | Some(WellKnown::Empty | WellKnown::Wrapper) => {}
        Some(_) => return Some(message.full_name.clone()),
    }
    message.fields.iter().find_map(|field| {
        let ty = match &field.ty {
            Type::Map(_, value) => &value.ty,
            ty => ty.element().unwrap_or(ty),
        };
        match ty {
            Type::Message(id) => foreign(schema, *id, seen),
            Type::Enum(id) => {
                let name = &schema.enumeration(*id).full_name;
                (name == "google.protobuf.NullValue").then(|| name.clone())
            }
            _ => None,
        }
    })
}

fn time(source: &mut Source, name: &str) {
    source.line("#[inline]");
    source.line("fn write(&self, text: &mut json::Text<'_>) {");
    source.line(format!("text.{name}(self.seconds, self.nanos);"));
    source.line("}");
    source.line("");
    source.line("#[inline]");
    source.line("fn read(&mut self, input: &mut In<'_>) -> Result<(), Error> {");
    source.line(format!(
        "(self.seconds, self.nanos) = json::read_{name}(input)?;"
    ));
    source.line("Ok(())");
    source.line("}");
}

fn wrapper(source: &mut Source, plan: &Plan<'_>, message: &MessagePlan<'_>) {
    source.line("#[inline]");
    source.line("fn write(&self, text: &mut json::Text<'_>) {");
    for field in &message.fields {
        source.line(put_place(&field.kind.ty, &format!("self.{}", field.ident)));
    }
    source.line("}");
    source.line("");
    source.line("#[inline]");
    source.line("fn read(&mut self, input: &mut In<'_>) -> Result<(), Error> {");
    for field in &message.fields {
        read_value(source, plan, message, field);
    }
    source.line("Ok(())");
    source.line("}");
}

/// Name in quotes with its colon, as the literal of a byte array.
fn key(name: &str) -> String {
    format!("b\"\\\"{name}\\\":\"")
}

fn is_number(ty: &Type) -> bool {
    !matches!(ty, Type::String | Type::Bytes | Type::Message(_))
}

/// Statement that writes a value; a reference unless a number.
fn put(ty: &Type, value: &str) -> String {
    match ty {
        Type::Bool => format!("text.bool({value});"),
        Type::Int { bits: 64, .. } => format!("text.quoted({value});"),
        Type::Int { .. } => format!("text.int({value});"),
        Type::Float32 => format!("text.f32({value});"),
        Type::Float64 => format!("text.f64({value});"),
        Type::Enum(_) => format!("text.enumeration({value}.name(), {value}.0);"),
        Type::String => format!("text.string({value});"),
        Type::Bytes => format!("text.bytes({value});"),
        _ => format!("json::Message::write({value}, text);"),
    }
}

/// [`put`] of a field.
fn put_place(ty: &Type, place: &str) -> String {
    match is_number(ty) {
        true => put(ty, place),
        false => put(ty, &format!("&{place}")),
    }
}

/// [`put`] of what a pattern binds, which is always a reference.
fn put_bound(ty: &Type, name: &str) -> String {
    match is_number(ty) && !matches!(ty, Type::Enum(_)) {
        true => put(ty, &format!("*{name}")),
        false => put(ty, name),
    }
}

fn write(source: &mut Source, fields: &[(usize, &FieldPlan<'_>)]) {
    source.line("#[inline]");
    source.line("fn write(&self, text: &mut json::Text<'_>) {");
    source.line("text.open(b'{');");
    for (_, field) in fields {
        let place = format!("self.{}", field.ident);
        let ty = &field.kind.ty;
        let name = key(&field.field.name);
        match &field.shape {
            Shape::Plain => {
                source.line(format!("if {} {{", protobuf::set(field)));
                source.line(format!("text.raw({name});"));
                source.line(put_place(ty, &place));
            }
            Shape::Optional { boxed } => {
                source.line(format!("if let Some(value) = &{place} {{"));
                source.line(format!("text.raw({name});"));
                source.line(put_bound(ty, if *boxed { "&**value" } else { "value" }));
            }
            Shape::Repeated { .. } => {
                source.line(format!("if !{place}.is_empty() {{"));
                source.line(format!("text.raw({name});"));
                source.line("text.open(b'[');");
                source.line(format!("for value in &{place} {{"));
                source.line(put_bound(ty, "value"));
                source.line("}");
                source.line("text.close(b']');");
            }
            Shape::Map { key } => {
                source.line(format!("if !{place}.is_empty() {{"));
                source.line(format!("text.raw({name});"));
                source.line("text.open(b'{');");
                source.line(format!("for (key, value) in &{place} {{"));
                source.line(match key.ty {
                    Type::String => "text.key_string(key);",
                    Type::Bool => "text.key_bool(*key);",
                    _ => "text.key_int(*key);",
                });
                source.line(put_bound(ty, "value"));
                source.line("}");
                source.line("text.close(b'}');");
            }
        }
        source.line("}");
    }
    source.line("text.close(b'}');");
    source.line("}");
}

/// What a number's or key's reader is called.
fn suffix(kind: &Kind) -> Option<&'static str> {
    Some(match &kind.ty {
        Type::Bool => "bool",
        Type::Int { bits, signed, .. } => match (bits, signed, kind.proto) {
            (64, true, ProtoKind::Fixed64) => "fixed64",
            (64, true, _) => "i64",
            (64, false, _) => "u64",
            (_, true, ProtoKind::Fixed32) => "fixed32",
            (_, true, _) => "i32",
            (_, false, _) => "u32",
        },
        Type::Float32 => "f32",
        Type::Float64 => "f64",
        _ => return None,
    })
}

/// Expression that reads a number.
fn number(plan: &Plan<'_>, kind: &Kind, package: &str) -> Option<String> {
    if let Type::Enum(_) = kind.ty {
        let name = plan.leaf(&kind.ty, package);
        return Some(format!("json::read_enum(input, {name}::from_name, {name})"));
    }
    suffix(kind).map(|suffix| format!("json::read_{suffix}(input)"))
}

/// Closure that reads a value over a default.
fn reader(plan: &Plan<'_>, kind: &Kind, package: &str) -> String {
    if let Some(read) = number(plan, kind, package) {
        return format!("|input, value| {read}.map(|read| *value = read)");
    }
    match kind.ty {
        Type::String => "json::read_string".to_owned(),
        Type::Bytes => "json::read_bytes".to_owned(),
        _ => "json::read_message".to_owned(),
    }
}

/// Statements that read a field's value, which is not null.
fn read_value(
    source: &mut Source,
    plan: &Plan<'_>,
    message: &MessagePlan<'_>,
    field: &FieldPlan<'_>,
) {
    let package = message.package;
    let place = format!("self.{}", field.ident);
    let name = &field.field.name;
    let kind = &field.kind;
    match &field.shape {
        Shape::Plain => source.line(match number(plan, kind, package) {
            Some(read) => format!("{place} = {read}.at({name:?})?;"),
            None => format!(
                "{}(input, &mut {place}).at({name:?})?;",
                reader(plan, kind, package)
            ),
        }),
        Shape::Optional { boxed } => {
            for other in rivals(message, field) {
                source.line(format!("if self.{}.is_some() {{", other.ident));
                let text = format!("{} of the same oneof is set already", other.field.name);
                source.line(format!(
                    "return Err(input.malformed({text:?})).at({name:?});"
                ));
                source.line("}");
            }
            match number(plan, kind, package) {
                Some(read) => source.line(format!("{place} = Some({read}.at({name:?})?);")),
                None => {
                    let default = if *boxed {
                        "Box::default()"
                    } else {
                        "Default::default()"
                    };
                    let reference = if *boxed { "&mut **value" } else { "value" };
                    source.line(format!("let value = {place}.insert({default});"));
                    let read = reader(plan, kind, package);
                    source.line(format!("{read}(input, {reference}).at({name:?})?;"));
                }
            }
        }
        Shape::Repeated { .. } => {
            let read = reader(plan, kind, package);
            source.line(format!(
                "json::read_list(input, &mut {place}, {read}).at({name:?})?;"
            ));
        }
        Shape::Map { key } => {
            let key = format!("json::key_{}", suffix(key).unwrap_or("string"));
            source.line("json::read_map(");
            source.line("input,");
            source.line(format!("&mut {place},"));
            source.line(format!("{key},"));
            source.line(format!("{},", reader(plan, kind, package)));
            source.line(")");
            source.line(format!(".at({name:?})?;"));
        }
    }
}

fn read_field(
    source: &mut Source,
    plan: &Plan<'_>,
    message: &MessagePlan<'_>,
    field: &FieldPlan<'_>,
) {
    source.line("if !json::is_null(input)? {");
    read_value(source, plan, message, field);
    source.line("}");
}

fn read(
    source: &mut Source,
    plan: &Plan<'_>,
    message: &MessagePlan<'_>,
    fields: &[(usize, &FieldPlan<'_>)],
) {
    source.line("fn read(&mut self, input: &mut In<'_>) -> Result<(), Error> {");
    source.line("let mut members = json::Members::open(input)?;");
    if fields.is_empty() {
        source.line("if let Some(name) = members.next(input)? {");
        source.line(format!(
            "return Err(json::unknown_field(&name, {:?}));",
            message.full_name
        ));
        source.line("}");
        source.line("Ok(())");
        source.line("}");
        return;
    }
    source.line(format!("let mut seen = Seen::<{}>::new();", words(message)));
    source.line("// Fields by number and original name, as most writers put them.");
    for (index, field) in fields {
        source.line(format!(
            "if members.next_is(input, {}) {{",
            key(&field.field.name)
        ));
        source.line(format!("seen.set({index});"));
        read_field(source, plan, message, field);
        source.line("members.separator(input)?;");
        source.line("}");
    }
    source.line("if members.is_open() {");
    source.line("self.read_json_rest(input, &mut members, seen)?;");
    source.line("}");
    source.line("Ok(())");
    source.line("}");
}

fn read_rest(source: &mut Source, plan: &Plan<'_>, message: &MessagePlan<'_>) {
    source.line(format!("impl {} {{", message.name));
    source.line("/// ProtoJSON's fields in any order and under either name.");
    source.line("#[inline(never)]");
    source.line("fn read_json_rest(");
    source.line("&mut self,");
    source.line("input: &mut In<'_>,");
    source.line("members: &mut json::Members,");
    source.line(format!("mut seen: Seen<{}>,", words(message)));
    source.line(") -> Result<(), Error> {");
    source.line("while let Some(name) = members.next(input)? {");
    source.line("let index = match name.text() {");
    let own: Vec<_> = message
        .fields
        .iter()
        .map(|field| &field.field.name)
        .collect();
    let mut taken = BTreeSet::new();
    for (index, field) in message.fields.iter().enumerate() {
        let (name, json_name) = (&field.field.name, &field.field.json_name);
        let mut names = vec![format!("{name:?}")];
        // A field's own name wins over another's JSON name, and the first JSON name over others.
        if !own.contains(&json_name) && taken.insert(json_name) {
            names.push(format!("{json_name:?}"));
        }
        source.line(format!("{} => {index},", names.join(" | ")));
    }
    source.line(format!(
        "_ => return Err(json::unknown_field(&name, {:?})),",
        message.full_name
    ));
    source.line("};");
    source.line("if seen.replace(index) {");
    source.line("return Err(json::repeated_field(&name));");
    source.line("}");
    source.line("match index {");
    let last = message.fields.len() - 1;
    for (index, field) in message.fields.iter().enumerate() {
        let pattern = if index == last {
            "_".to_owned()
        } else {
            index.to_string()
        };
        source.line(format!("{pattern} => {{"));
        read_field(source, plan, message, field);
        source.line("}");
    }
    source.line("}");
    source.line("members.separator(input)?;");
    source.line("}");
    source.line("Ok(())");
    source.line("}");
    source.line("}");
}
