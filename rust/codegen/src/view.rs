//! Views: the same fields, borrowed from the input.
//!
//! The runtime's modules for views have functions of the same names as those for owning types, so
//! what is generated to read a message serves for its view too, inside a block where the modules'
//! names stand for the former.

use interop_schema::{ProtoKind, Type};

use crate::emit::Source;
use crate::plan::{FieldPlan, Kind, MessagePlan, Plan, Shape};
use crate::{flatbuffers, fory, protobuf};

pub fn message(source: &mut Source, plan: &Plan<'_>, message: &MessagePlan<'_>) {
    let name = plan.view_name(message.id);
    source.line(format!(
        "/// [`{}`] with text, bytes and runs of numbers borrowed from the input.",
        message.name
    ));
    source.line("#[derive(Clone, Debug, Default, PartialEq)]");
    source.line(format!("pub struct {name}<'a> {{"));
    for field in &message.fields {
        source.line(format!("/// Field {}.", field.field.number));
        let ty = field_type(plan, field, message.package);
        source.line(format!("pub {}: {ty},", field.ident));
    }
    source.line("/// Protobuf fields that the schema lacks.");
    source.line("pub unknown_fields: protobuf::view::UnknownFields<'a>,");
    source.line("}");
    source.line("");
    own(source, message, &name);
    source.line("");
    protobuf_block(source, plan, message, &name);
    if flatbuffers::carries(message) {
        source.line("");
        source.line("const _: () = {");
        source.line("use interop_runtime::flatbuffers::view as flatbuffers;");
        source.line("");
        source.line(format!(
            "impl<'a> flatbuffers::Message<'a> for {name}<'a> {{"
        ));
        source.line(format!(
            "const KIND: u64 = <{} as interop_runtime::flatbuffers::Message>::KIND;",
            message.name
        ));
        source.line("");
        flatbuffers::read_view(source, plan, message);
        source.line("}");
        source.line("};");
    }
    if message.fory.is_some() {
        source.line("");
        source.line("const _: () = {");
        source.line("use interop_runtime::fory::view as fory;");
        source.line("");
        source.line(format!("impl<'a> fory::Struct<'a> for {name}<'a> {{"));
        source.line(format!("type Owned = {};", message.name));
        source.line("");
        fory::read_view(source, plan, message);
        source.line("}");
        source.line("};");
    }
}

fn protobuf_block(source: &mut Source, plan: &Plan<'_>, message: &MessagePlan<'_>, name: &str) {
    let mut fields: Vec<_> = message.fields.iter().collect();
    fields.sort_by_key(|field| field.field.number);
    source.line("const _: () = {");
    source.line("use interop_runtime::protobuf::view as protobuf;");
    source.line("");
    source.line(format!("impl<'a> protobuf::Message<'a> for {name}<'a> {{"));
    protobuf::merge(source, plan, message, &fields, "'a");
    source.line("}");
    source.line("");
    let head = format!("impl<'a> {name}<'a>");
    protobuf::merge_rest(source, plan, message, &fields, (&head, "'a"));
    source.line("};");
}

fn leaf(plan: &Plan<'_>, ty: &Type, package: &str) -> String {
    match ty {
        Type::String => "Cow<'a, str>".to_owned(),
        Type::Bytes => "&'a [u8]".to_owned(),
        Type::Message(id) => format!("{}<'a>", plan.view_path(*id, package)),
        _ => plan.leaf(ty, package),
    }
}

/// True for what lies in runs of numbers.
fn is_number(kind: &Kind) -> bool {
    !matches!(
        kind.proto,
        ProtoKind::String | ProtoKind::Bytes | ProtoKind::Message
    )
}

fn field_type(plan: &Plan<'_>, field: &FieldPlan<'_>, package: &str) -> String {
    let leaf = |ty| leaf(plan, ty, package);
    let ty = leaf(&field.kind.ty);
    match &field.shape {
        Shape::Plain => ty,
        Shape::Optional { boxed: false } => format!("Option<{ty}>"),
        Shape::Optional { boxed: true } => format!("Option<Box<{ty}>>"),
        Shape::Repeated { .. } if is_number(&field.kind) => format!("Numbers<'a, {ty}>"),
        Shape::Repeated { .. } => format!("Vec<{ty}>"),
        Shape::Map { key } => format!("Map<{}, {ty}>", leaf(&key.ty)),
    }
}

/// The owned value of the leaf at `place`; `is_ref` says that the place is a reference.
fn owned(ty: &Type, place: &str, is_ref: bool) -> String {
    match ty {
        Type::String => format!("String::from(&**{}{place})", if is_ref { "" } else { "&" }),
        Type::Bytes => format!("{place}.to_vec()"),
        Type::Message(_) => format!("{place}.own()"),
        _ if is_ref => format!("*{place}"),
        _ => place.to_owned(),
    }
}

fn own(source: &mut Source, message: &MessagePlan<'_>, name: &str) {
    source.line(format!("impl {name}<'_> {{"));
    source.line("/// The same value, owned.");
    source.line(format!("pub fn to_owned(&self) -> {} {{", message.name));
    source.line(format!("{} {{", message.name));
    for field in &message.fields {
        let place = format!("self.{}", field.ident);
        let ty = &field.kind.ty;
        let plain = !matches!(ty, Type::String | Type::Bytes | Type::Message(_));
        let value = match &field.shape {
            Shape::Plain => owned(ty, &place, false),
            Shape::Optional { .. } if plain => place,
            Shape::Optional { boxed } => {
                let value = owned(ty, "value", true);
                let value = if *boxed {
                    format!("Box::new({value})")
                } else {
                    value
                };
                format!("{place}.as_ref().map(|value| {value})")
            }
            Shape::Repeated { .. } if is_number(&field.kind) => format!("{place}.to_vec()"),
            Shape::Repeated { .. } => {
                let value = owned(ty, "value", true);
                format!("{place}.iter().map(|value| {value}).collect()")
            }
            Shape::Map { key } => format!(
                "{place}.iter().map(|(key, value)| ({}, {})).collect()",
                owned(&key.ty, "key", true),
                owned(ty, "value", true)
            ),
        };
        source.line(format!("{}: {value},", field.ident));
    }
    source.line("unknown_fields: self.unknown_fields.own(),");
    source.line("}");
    source.line("}");
    source.line("}");
    source.line("");
    source.line(format!("impl MessageView for {name}<'_> {{"));
    source.line(format!("type Owned = {};", message.name));
    source.line("");
    source.line(format!("fn own(&self) -> {} {{", message.name));
    source.line("self.to_owned()");
    source.line("}");
    source.line("}");
}
