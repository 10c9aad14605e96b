//! MessagePack: bound, length, write, read.

use interop_schema::Type;

use crate::emit::Source;
use crate::plan::{FieldPlan, Kind, MessagePlan, Plan, Shape};

pub fn message(source: &mut Source, plan: &Plan<'_>, message: &MessagePlan<'_>) {
    source.line("// SAFETY: `bound` counts, for each field that `write` puts down, its key, the longest form");
    source.line("// of its numbers and lengths, and the contents themselves.");
    source.line(format!(
        "unsafe impl msgpack::Message for {} {{",
        message.name
    ));
    bound(source, message);
    source.line("");
    encoded_len(source, message);
    source.line("");
    write(source, message);
    source.line("");
    read(source, plan, message);
    source.line("}");
    if !message.fields.is_empty() {
        source.line("");
        read_rest(source, plan, message);
    }
}

/// Words of the bit set that holds a bit for each field.
pub fn words(message: &MessagePlan<'_>) -> usize {
    message.fields.len().div_ceil(64).max(1)
}

/// Head and bytes of a key, as the literal of a byte array.
fn key(name: &str) -> (String, usize) {
    let len = name.len();
    let head = match len {
        0..32 => vec![0xa0 | len as u8],
        32..0x100 => vec![0xd9, len as u8],
        _ => vec![0xda, (len >> 8) as u8, len as u8],
    };
    let bytes: String = head.iter().map(|byte| format!("\\x{byte:02x}")).collect();
    (format!("b\"{bytes}{name}\""), head.len() + len)
}

/// Head of the map, as the literal of a byte array.
fn map_head(count: usize) -> (String, usize) {
    match count {
        0..16 => (format!("[{:#04x}]", 0x80 | count), 1),
        _ => (
            format!("[0xde, {:#04x}, {:#04x}]", count >> 8, count & 0xff),
            3,
        ),
    }
}

/// Longest form in bytes; none for what has contents of its own length.
fn longest(ty: &Type) -> Option<usize> {
    Some(match ty {
        Type::Bool => 1,
        Type::Int { bits: 64, .. } | Type::Float64 => 9,
        Type::Int { .. } | Type::Float32 | Type::Enum(_) => 5,
        _ => return None,
    })
}

fn value_bound(ty: &Type, value: &str) -> String {
    match ty {
        Type::String => format!("msgpack::text_bound({value})"),
        Type::Bytes => format!("msgpack::bytes_bound({value})"),
        _ => format!("msgpack::Message::bound({value})"),
    }
}

/// `value` is a reference unless a number.
fn value_len(ty: &Type, value: &str) -> String {
    match ty {
        Type::Bool => "1".to_owned(),
        Type::Int { signed: true, .. } => format!("msgpack::Size::int(i64::from({value}))"),
        Type::Int { .. } => format!("msgpack::Size::uint(u64::from({value}))"),
        Type::Enum(_) => format!("msgpack::Size::int(i64::from({value}.0))"),
        Type::Float32 => "5".to_owned(),
        Type::Float64 => "9".to_owned(),
        Type::String => format!("msgpack::Size::text({value})"),
        Type::Bytes => format!("msgpack::Size::bytes({value})"),
        _ => format!("msgpack::Message::encoded_len({value})"),
    }
}

/// Closure over an entry that adds up `key` and `value`, each of which may not need its part.
fn pair(key: &str, value: &str) -> String {
    let name = |text: &str, name: &str| {
        if text.contains(name) {
            name.to_owned()
        } else {
            "_".to_owned()
        }
    };
    format!(
        "|({}, {})| {key} + {value}",
        name(key, "key"),
        name(value, "value")
    )
}

fn sum(source: &mut Source, constant: usize, terms: Vec<String>, name: &str) {
    if terms.is_empty() {
        source.line(constant.to_string());
        return;
    }
    source.line(format!("let mut {name} = {constant};"));
    for term in terms {
        source.line(format!("{name} += {term};"));
    }
    source.line(name);
}

fn bound(source: &mut Source, message: &MessagePlan<'_>) {
    let mut constant = map_head(message.fields.len()).1;
    let mut terms = Vec::new();
    for field in &message.fields {
        let place = format!("self.{}", field.ident);
        let ty = &field.kind.ty;
        constant += key(&field.field.name).1;
        match (&field.shape, longest(ty)) {
            (Shape::Plain | Shape::Optional { .. }, Some(longest)) => constant += longest,
            (Shape::Plain, None) => terms.push(value_bound(ty, &format!("&{place}"))),
            (Shape::Optional { boxed }, None) => {
                constant += 1;
                let value = if *boxed { "&**value" } else { "value" };
                let bound = value_bound(ty, value);
                terms.push(format!("{place}.as_ref().map_or(0, |value| {bound})"));
            }
            (Shape::Repeated { .. }, Some(longest)) => {
                constant += 5;
                terms.push(format!("{longest} * {place}.len()"));
            }
            (Shape::Repeated { .. }, None) => {
                constant += 5;
                let bound = value_bound(ty, "value");
                terms.push(format!(
                    "{place}.iter().map(|value| {bound}).sum::<usize>()"
                ));
            }
            (Shape::Map { key }, _) => {
                constant += 5;
                let part = |ty: &Type, name: &str| match longest(ty) {
                    Some(longest) => longest.to_string(),
                    None => value_bound(ty, name),
                };
                let each = pair(&part(&key.ty, "key"), &part(ty, "value"));
                terms.push(format!("{place}.iter().map({each}).sum::<usize>()"));
            }
        }
    }
    source.line("#[inline]");
    source.line("fn bound(&self) -> usize {");
    sum(source, constant, terms, "bound");
    source.line("}");
}

fn encoded_len(source: &mut Source, message: &MessagePlan<'_>) {
    let mut constant = map_head(message.fields.len()).1;
    let mut terms = Vec::new();
    // A number taken out of a reference.
    let inner = |ty: &Type, name: &str| match ty {
        Type::Int { .. } => value_len(ty, &format!("*{name}")),
        _ => value_len(ty, name),
    };
    for field in &message.fields {
        let place = format!("self.{}", field.ident);
        let ty = &field.kind.ty;
        constant += key(&field.field.name).1;
        match &field.shape {
            Shape::Plain => match longest(ty) {
                Some(_) => terms.push(value_len(ty, &place)),
                None => terms.push(value_len(ty, &format!("&{place}"))),
            },
            Shape::Optional { boxed } => {
                let name = if *boxed { "&**value" } else { "value" };
                let len = inner(ty, name);
                let name = if len.contains("value") { "value" } else { "_" };
                terms.push(format!("{place}.as_ref().map_or(1, |{name}| {len})"));
            }
            Shape::Repeated { .. } => {
                terms.push(format!("msgpack::Size::head({place}.len())"));
                let len = inner(ty, "value");
                terms.push(match len.parse::<usize>() {
                    Ok(len) => format!("{len} * {place}.len()"),
                    Err(_) => format!("{place}.iter().map(|value| {len}).sum::<usize>()"),
                });
            }
            Shape::Map { key } => {
                terms.push(format!("msgpack::Size::head({place}.len())"));
                let each = pair(&inner(&key.ty, "key"), &inner(ty, "value"));
                terms.push(format!("{place}.iter().map({each}).sum::<usize>()"));
            }
        }
    }
    source.line("fn encoded_len(&self) -> usize {");
    sum(source, constant, terms, "len");
    source.line("}");
}

/// Statement that writes a value; a reference unless a number.
fn put(ty: &Type, value: &str) -> String {
    let call = match ty {
        Type::Bool => "bool",
        Type::Int { bits, signed, .. } => match (bits, signed) {
            (64, true) => "i64",
            (64, false) => "u64",
            (_, true) => "i32",
            (_, false) => "u32",
        },
        Type::Enum(_) => return format!("msgpack::put_i32(&mut out, {value}.0);"),
        Type::Float32 => "f32",
        Type::Float64 => "f64",
        Type::String => "string",
        Type::Bytes => "bytes",
        _ => return format!("out = msgpack::Message::write({value}, out);"),
    };
    format!("msgpack::put_{call}(&mut out, {value});")
}

/// [`put`] of what a pattern binds, which is always a reference.
fn put_bound(ty: &Type, name: &str) -> String {
    match ty {
        Type::Bool | Type::Int { .. } | Type::Float32 | Type::Float64 => {
            put(ty, &format!("*{name}"))
        }
        _ => put(ty, name),
    }
}

fn write(source: &mut Source, message: &MessagePlan<'_>) {
    source.line("#[inline]");
    source.line("unsafe fn write(&self, mut out: Out) -> Out {");
    source.line("// SAFETY: the caller has reserved the bound, which counts all that follows.");
    source.line("unsafe {");
    source.line(format!("out.array({});", map_head(message.fields.len()).0));
    for field in &message.fields {
        let place = format!("self.{}", field.ident);
        let ty = &field.kind.ty;
        source.line(format!("out.array(*{});", key(&field.field.name).0));
        match &field.shape {
            Shape::Plain => match longest(ty) {
                Some(_) => source.line(put(ty, &place)),
                None => source.line(put(ty, &format!("&{place}"))),
            },
            Shape::Optional { boxed } => {
                source.line(format!("match &{place} {{"));
                source.line("Some(value) => {");
                let name = if *boxed { "&**value" } else { "value" };
                source.line(put_bound(ty, name));
                source.line("}");
                source.line("None => msgpack::put_nil(&mut out),");
                source.line("}");
            }
            Shape::Repeated { .. } => {
                source.line(format!("msgpack::put_list_head(&mut out, {place}.len());"));
                source.line(format!("for value in &{place} {{"));
                source.line(put_bound(ty, "value"));
                source.line("}");
            }
            Shape::Map { key } => {
                source.line(format!("msgpack::put_map_head(&mut out, {place}.len());"));
                source.line(format!("for (key, value) in &{place} {{"));
                source.line(put_bound(&key.ty, "key"));
                source.line(put_bound(ty, "value"));
                source.line("}");
            }
        }
    }
    source.line("}");
    source.line("out");
    source.line("}");
}

/// Expression that reads a number.
fn number(plan: &Plan<'_>, ty: &Type, package: &str) -> Option<String> {
    let call = match ty {
        Type::Bool => "bool",
        Type::Int { bits, signed, .. } => match (bits, signed) {
            (64, true) => "i64",
            (64, false) => "u64",
            (_, true) => "i32",
            (_, false) => "u32",
        },
        Type::Float32 => "f32",
        Type::Float64 => "f64",
        Type::Enum(_) => {
            let name = plan.leaf(ty, package);
            return Some(format!("msgpack::read_i32(input).map({name})"));
        }
        _ => return None,
    };
    Some(format!("msgpack::read_{call}(input)"))
}

/// Closure that reads a value over a default.
fn reader(plan: &Plan<'_>, kind: &Kind, package: &str) -> String {
    if let Some(read) = number(plan, &kind.ty, package) {
        return format!("|input, value| {read}.map(|read| *value = read)");
    }
    match kind.ty {
        Type::String => "msgpack::read_string".to_owned(),
        Type::Bytes => "msgpack::read_bytes".to_owned(),
        _ => "msgpack::read_message".to_owned(),
    }
}

/// Statements that read a field's value.
fn read_field(
    source: &mut Source,
    plan: &Plan<'_>,
    message: &MessagePlan<'_>,
    field: &FieldPlan<'_>,
) {
    let package = message.package;
    let place = format!("self.{}", field.ident);
    let name = &field.field.name;
    let ty = &field.kind.ty;
    match &field.shape {
        Shape::Plain => source.line(match number(plan, ty, package) {
            Some(read) => format!("{place} = {read}.at({name:?})?;"),
            None => format!(
                "{}(input, &mut {place}).at({name:?})?;",
                reader(plan, &field.kind, package)
            ),
        }),
        Shape::Optional { boxed } => {
            source.line("if !msgpack::read_nil(input) {");
            for other in rivals(message, field) {
                source.line(format!("if self.{}.is_some() {{", other.ident));
                let text = format!("{} of the same oneof is set already", other.field.name);
                source.line(format!(
                    "return Err(input.malformed({text:?})).at({name:?});"
                ));
                source.line("}");
            }
            match number(plan, ty, package) {
                Some(read) => source.line(format!("{place} = Some({read}.at({name:?})?);")),
                None => {
                    let default = if *boxed {
                        "Box::default()"
                    } else {
                        "Default::default()"
                    };
                    let reference = if *boxed { "&mut **value" } else { "value" };
                    source.line(format!("let value = {place}.insert({default});"));
                    let read = reader(plan, &field.kind, package);
                    source.line(format!("{read}(input, {reference}).at({name:?})?;"));
                }
            }
            source.line("}");
        }
        Shape::Repeated { .. } => {
            let read = reader(plan, &field.kind, package);
            source.line(format!(
                "msgpack::read_list(input, &mut {place}, {read}).at({name:?})?;"
            ));
        }
        Shape::Map { key } => {
            let (key, value) = (
                reader(plan, key, package),
                reader(plan, &field.kind, package),
            );
            source.line("msgpack::read_map(");
            source.line("input,");
            source.line(format!("&mut {place},"));
            source.line(format!("{key},"));
            source.line(format!("{value},"));
            source.line(")");
            source.line(format!(".at({name:?})?;"));
        }
    }
}

/// The other members of a field's oneof.
pub fn rivals<'p, 's>(
    message: &'p MessagePlan<'s>,
    field: &FieldPlan<'_>,
) -> impl Iterator<Item = &'p FieldPlan<'s>> {
    let (oneof, number) = (field.field.oneof, field.field.number);
    let members = message.fields.iter();
    members.filter(move |other| {
        oneof.is_some() && other.field.oneof == oneof && other.field.number != number
    })
}

fn read(source: &mut Source, plan: &Plan<'_>, message: &MessagePlan<'_>) {
    source.line("fn read(&mut self, input: &mut In<'_>) -> Result<(), Error> {");
    if message.fields.is_empty() {
        source.line("let mut members = msgpack::Members::open(input)?;");
        source.line("if let Some((start, key)) = members.next(input)? {");
        source.line(format!(
            "return Err(msgpack::unknown_key(start, key, {:?}));",
            message.full_name
        ));
        source.line("}");
        source.line("members.close(input);");
        source.line("Ok(())");
        source.line("}");
        return;
    }
    source.line("let mut members = msgpack::Members::open(input)?;");
    source.line(format!("let mut seen = Seen::<{}>::new();", words(message)));
    source.line("// Fields in the order of the schema, as most writers put them.");
    for (index, field) in message.fields.iter().enumerate() {
        source.line(format!(
            "if members.next_is(input, {}) {{",
            key(&field.field.name).0
        ));
        source.line(format!("seen.set({index});"));
        read_field(source, plan, message, field);
        source.line("}");
    }
    source.line("if members.is_open() {");
    source.line("self.read_msgpack_rest(input, &mut members, seen)?;");
    source.line("}");
    source.line("members.close(input);");
    source.line("Ok(())");
    source.line("}");
}

fn read_rest(source: &mut Source, plan: &Plan<'_>, message: &MessagePlan<'_>) {
    source.line(format!("impl {} {{", message.name));
    source.line("/// MessagePack's fields in any order.");
    source.line("#[cold]");
    source.line("fn read_msgpack_rest(");
    source.line("&mut self,");
    source.line("input: &mut In<'_>,");
    source.line("members: &mut msgpack::Members,");
    source.line(format!("mut seen: Seen<{}>,", words(message)));
    // `) -> ... {` closes a level and opens one.
    source.line(") -> Result<(), Error> {");
    source.line("while let Some((start, key)) = members.next(input)? {");
    source.line("let index = match key {");
    for (index, field) in message.fields.iter().enumerate() {
        source.line(format!("b{:?} => {index},", field.field.name));
    }
    source.line(format!(
        "_ => return Err(msgpack::unknown_key(start, key, {:?})),",
        message.full_name
    ));
    source.line("};");
    source.line("if seen.replace(index) {");
    source.line("return Err(Error::malformed(start, \"the key occurs twice\"));");
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
    source.line("}");
    source.line("Ok(())");
    source.line("}");
    source.line("}");
}
