//! FlatBuffers: bound, write, read.

use interop_schema::{Slot, Type};

use crate::emit::Source;
use crate::msgpack::rivals;
use crate::plan::{FieldPlan, MessagePlan, Plan, Shape};
use crate::protobuf;

/// More fields could outgrow the 16 bits that a table's size has.
const FIELDS_MAX: usize = 4000;

pub fn message(source: &mut Source, plan: &Plan<'_>, message: &MessagePlan<'_>) {
    if !carries(message) {
        source.line(format!(
            "// {} has no generated FlatBuffers: more than {FIELDS_MAX} fields are not supported.",
            message.full_name
        ));
        return;
    }
    let context = Context { plan, message };
    source.line("// SAFETY: `bound` counts the table with its vtable and padding, and for each field what it");
    source.line("// refers to.");
    source.line(format!(
        "unsafe impl flatbuffers::Message for {} {{",
        message.name
    ));
    source.line(format!(
        "const KIND: u64 = {};",
        kind(&table(message.full_name))
    ));
    source.line("");
    context.bound(source);
    source.line("");
    context.write(source);
    source.line("");
    context.read(source, "'_");
    source.line("}");
}

/// True when a message has generated FlatBuffers.
pub fn carries(message: &MessagePlan<'_>) -> bool {
    message.fields.len() <= FIELDS_MAX
}

/// The function that reads a view.
pub fn read_view(source: &mut Source, plan: &Plan<'_>, message: &MessagePlan<'_>) {
    Context { plan, message }.read(source, "'a");
}

/// A type's number: FNV-1a of its description.
fn kind(description: &str) -> String {
    let hash = description
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    format!("{hash:#018x}")
}

fn table(full_name: &str) -> String {
    format!("table {full_name}")
}

fn entry(key: &Slot, value: &Slot) -> String {
    format!("entry {key:?} {value:?}")
}

fn item(slot: &Slot) -> String {
    format!("item {slot:?}")
}

/// A field of a table.
struct Column<'a> {
    slot: usize,
    ty: &'a Type,
    /// Expression of the value: a place, or a name bound to a reference.
    value: String,
    bound: bool,
    shape: &'a Shape,
    /// Full name of the field, for errors.
    name: String,
}

/// Bound of a table in bytes: its fields with their padding, both offsets, its vtable.
fn table_bound(sizes: impl Iterator<Item = usize>) -> usize {
    let (count, fields) = sizes.fold((0, 0), |(count, sum), size| (count + 1, sum + 2 * size - 1));
    fields + 7 + 4 + 2 * count
}

struct Context<'p, 's> {
    plan: &'p Plan<'s>,
    message: &'p MessagePlan<'s>,
}

impl Context<'_, '_> {
    /// Size in bytes of a scalar; none for what an offset refers to.
    fn scalar_size(&self, ty: &Type) -> Option<usize> {
        Some(match ty {
            Type::Bool => 1,
            Type::Int { bits, .. } => usize::from(*bits / 8),
            Type::Float32 => 4,
            Type::Float64 => 8,
            Type::Enum(id) => match self.plan.schema.enumeration(*id).fits_in_a_byte() {
                true => 1,
                false => 4,
            },
            _ => return None,
        })
    }

    /// Size in bytes of a field in its table.
    fn field_size(&self, ty: &Type, shape: &Shape) -> usize {
        match shape {
            Shape::Plain | Shape::Optional { .. } => self.scalar_size(ty).unwrap_or(4),
            _ => 4,
        }
    }

    /// Description of a vector's type by its element's.
    fn vector(&self, ty: &Type, slot: Option<&Slot>) -> String {
        let element = match ty {
            Type::Message(id) => table(&self.plan.schema.message(*id).full_name),
            Type::Bytes => slot.map(item).unwrap_or_default(),
            Type::Int { bits, signed, .. } => format!("int {bits} {signed}"),
            Type::Enum(id) => format!("enum {}", self.plan.schema.enumeration(*id).full_name),
            other => format!("{other:?}"),
        };
        format!("vector of {element}")
    }

    fn value_bound(&self, ty: &Type, value: &str) -> String {
        match ty {
            Type::String | Type::Bytes => format!("flatbuffers::TEXT + {value}.len()"),
            _ => format!("flatbuffers::Message::bound({value})"),
        }
    }

    fn bound(&self, source: &mut Source) {
        let fields = &self.message.fields;
        let sizes = fields
            .iter()
            .map(|field| self.field_size(&field.kind.ty, &field.shape));
        let mut constant = table_bound(sizes);
        let mut terms = Vec::new();
        for field in fields {
            let place = format!("self.{}", field.ident);
            let ty = &field.kind.ty;
            match (&field.shape, self.scalar_size(ty)) {
                (Shape::Plain | Shape::Optional { .. }, Some(_)) => {}
                (Shape::Plain, None) => terms.push(self.value_bound(ty, &place)),
                (Shape::Optional { boxed }, None) => {
                    let bound = self.value_bound(ty, if *boxed { "&**value" } else { "value" });
                    terms.push(format!("{place}.as_ref().map_or(0, |value| {bound})"));
                }
                (Shape::Repeated { .. }, Some(size)) => {
                    terms.push(format!("flatbuffers::SCALARS + {size} * {place}.len()"));
                }
                (Shape::Repeated { .. }, None) => {
                    constant += 7;
                    let item = match ty {
                        Type::Bytes => table_bound([4].into_iter()) + 4,
                        _ => 4,
                    };
                    let bound = self.value_bound(ty, "value");
                    terms.push(format!(
                        "{place}.iter().map(|value| {item} + {bound}).sum::<usize>()"
                    ));
                }
                (Shape::Map { key }, _) => {
                    constant += 7;
                    let sizes = [
                        self.field_size(&key.ty, &Shape::Plain),
                        self.field_size(ty, &Shape::Plain),
                    ];
                    let mut parts = vec![(4 + table_bound(sizes.into_iter())).to_string()];
                    let mut names = ["_", "_"];
                    if self.scalar_size(&key.ty).is_none() {
                        parts.push(self.value_bound(&key.ty, "key"));
                        names[0] = "key";
                    }
                    if self.scalar_size(ty).is_none() {
                        parts.push(self.value_bound(ty, "value"));
                        names[1] = "value";
                    }
                    let [key, value] = names;
                    let sum = parts.join(" + ");
                    terms.push(format!(
                        "{place}.iter().map(|({key}, {value})| {sum}).sum::<usize>()"
                    ));
                }
            }
        }
        source.line("#[inline]");
        source.line("fn bound(&self) -> usize {");
        if terms.is_empty() {
            source.line(constant.to_string());
        } else {
            source.line(format!("let mut bound = {constant};"));
            for term in terms {
                source.line(format!("bound += {term};"));
            }
            source.line("bound");
        }
        source.line("}");
    }

    fn write(&self, source: &mut Source) {
        let columns = self
            .message
            .fields
            .iter()
            .enumerate()
            .map(|(slot, field)| Column {
                slot,
                ty: &field.kind.ty,
                value: format!("self.{}", field.ident),
                bound: false,
                shape: &field.shape,
                name: format!("{}.{}", self.message.full_name, field.field.name),
            });
        let columns: Vec<_> = columns.collect();
        source.line("#[inline]");
        source.line("unsafe fn write(&self, builder: &mut flatbuffers::Builder) -> u32 {");
        source.line("// SAFETY: the caller has reserved the bound, which counts all that follows.");
        source.line("unsafe {");
        self.write_table(source, &columns);
        source.line("}");
        source.line("}");
    }

    /// Statements that write a table and give its place.
    fn write_table(&self, source: &mut Source, columns: &[Column<'_>]) {
        for column in columns {
            self.write_child(source, column);
        }
        let count = columns.len();
        if count == 0 {
            source.line("let start = builder.len();");
            source.line("builder.end_table(start, &[])");
            return;
        }
        source.line("let start = builder.len();");
        source.line(format!("let mut slots = [0; {count}];"));
        // Builders write the largest first, and the last slot first among equals, to save padding.
        for size in [8, 4, 2, 1] {
            for column in columns.iter().rev() {
                if self.field_size(column.ty, column.shape) == size {
                    self.write_field(source, column);
                }
            }
        }
        source.line("builder.end_table(start, &slots)");
    }

    /// Statement that writes what a field refers to, and keeps its place.
    fn write_child(&self, source: &mut Source, column: &Column<'_>) {
        let Column {
            slot, ty, value, ..
        } = column;
        let reference = if column.bound {
            value.clone()
        } else {
            format!("&{value}")
        };
        let write = |value: &str| match ty {
            Type::String => format!("builder.string({value})"),
            Type::Bytes => format!("builder.bytes({value})"),
            _ => format!("flatbuffers::Message::write({value}, builder)"),
        };
        match column.shape {
            Shape::Plain | Shape::Optional { .. } if self.scalar_size(ty).is_some() => {}
            Shape::Plain => source.line(format!("let child{slot} = {};", write(&reference))),
            Shape::Optional { boxed } => {
                source.line(format!("let child{slot} = match {reference} {{"));
                let value = if *boxed { "&**value" } else { "value" };
                source.line(format!("Some(value) => {},", write(value)));
                source.line("None => 0,");
                source.line("};");
            }
            Shape::Repeated { .. } => source.line(match (ty, self.scalar_size(ty)) {
                (Type::Enum(_), Some(1)) => format!(
                    "let child{slot} = builder.byte_enums({reference}, |value| value.0, {:?});",
                    column.name
                ),
                (Type::Enum(_), _) => format!(
                    "let child{slot} = builder.scalars({reference}, |value| value.0.to_le_bytes());"
                ),
                (Type::Bool, _) => format!(
                    "let child{slot} = builder.scalars({reference}, |value| [u8::from(value)]);"
                ),
                (_, Some(_)) => format!(
                    "let child{slot} = builder.scalars({reference}, |value| value.to_le_bytes());"
                ),
                (Type::Bytes, None) => {
                    format!("let child{slot} = builder.bytes_list({reference});")
                }
                (_, None) => format!(
                    "let child{slot} = builder.offsets({reference}, |builder, value| {});",
                    write("value")
                ),
            }),
            Shape::Map { key } => {
                source.line(format!(
                    "let child{slot} = builder.map({reference}, |builder, key, value| {{"
                ));
                let owner = column.name.clone();
                let column = |slot, ty, value: &str, name: String| Column {
                    slot,
                    ty,
                    value: value.to_owned(),
                    bound: true,
                    shape: &Shape::Plain,
                    name,
                };
                let entry = [
                    column(0, &key.ty, "key", owner.clone()),
                    column(1, ty, "value", owner),
                ];
                self.write_table(source, &entry);
                source.line("});");
            }
        }
    }

    /// Statements that write a field into its table.
    fn write_field(&self, source: &mut Source, column: &Column<'_>) {
        let Column {
            slot, ty, value, ..
        } = column;
        let scalar = match column.shape {
            Shape::Plain | Shape::Optional { .. } => self.scalar_size(ty),
            _ => None,
        };
        let Some(size) = scalar else {
            let offset = format!("slots[{slot}] = builder.offset(child{slot});");
            match column.shape {
                Shape::Optional { .. } => {
                    source.line(format!("if child{slot} != 0 {{"));
                    source.line(offset);
                    source.line("}");
                }
                _ => source.line(offset),
            }
            return;
        };
        let put = |value: &str| match (ty, size) {
            (Type::Enum(_), 1) => format!("builder.byte_enum({value}.0, {:?})", column.name),
            (Type::Enum(_), _) => format!("builder.scalar({value}.0.to_le_bytes())"),
            (Type::Bool, _) => format!("builder.scalar([u8::from({value})])"),
            _ => format!("builder.scalar({value}.to_le_bytes())"),
        };
        match column.shape {
            Shape::Optional { .. } => {
                source.line(format!("if let Some(value) = {value} {{"));
                source.line(format!("slots[{slot}] = {};", put("value")));
            }
            _ => {
                // What a pattern binds is a reference, which methods see through.
                let place = match (ty, column.bound) {
                    (Type::Bool | Type::Int { .. }, true) => format!("*{value}"),
                    _ => value.clone(),
                };
                source.line(format!("if {} {{", protobuf::set_value(ty, &place)));
                let put = match ty {
                    Type::Bool => put(&place),
                    _ => put(value),
                };
                source.line(format!("slots[{slot}] = {put};"));
            }
        }
        source.line("}");
    }

    fn read(&self, source: &mut Source, lifetime: &str) {
        let fields = &self.message.fields;
        source.line(format!("fn read(&mut self, buffer: &mut flatbuffers::Buffer<{lifetime}>, start: usize) -> Result<(), Error> {{"));
        let binding = if fields.is_empty() { "_" } else { "table" };
        source.line(format!(
            "let {binding} = buffer.table(start, Self::KIND, {}, size_of::<Self>())?;",
            fields.len()
        ));
        for (slot, field) in fields.iter().enumerate() {
            self.read_field(source, slot, field);
        }
        source.line("buffer.close();");
        source.line("Ok(())");
        source.line("}");
    }

    /// Expression that reads a scalar of `slot` as an `Option`.
    fn scalar(&self, ty: &Type, slot: usize) -> Option<String> {
        let size = self.scalar_size(ty)?;
        let leaf = self.plan.leaf(ty, self.message.package);
        Some(match ty {
            Type::Bool => format!("table.bool(buffer, {slot})"),
            Type::Enum(_) if size == 1 => format!(
                "table.scalar(buffer, {slot}).map(|read| read.map(|[byte]: [u8; 1]| {leaf}((byte as i8).into())))"
            ),
            Type::Enum(_) => format!(
                "table.scalar(buffer, {slot}).map(|read| read.map(|bytes| {leaf}(i32::from_le_bytes(bytes))))"
            ),
            _ => {
                format!("table.scalar(buffer, {slot}).map(|read| read.map({leaf}::from_le_bytes))")
            }
        })
    }

    fn read_field(&self, source: &mut Source, slot: usize, field: &FieldPlan<'_>) {
        let place = format!("self.{}", field.ident);
        let name = &field.field.name;
        let ty = &field.kind.ty;
        let single = matches!(field.shape, Shape::Plain | Shape::Optional { .. });
        let scalar = self.scalar(ty, slot).filter(|_| single);
        match &scalar {
            Some(read) => source.line(format!("if let Some(read) = {read}.at({name:?})? {{")),
            None => source.line(format!(
                "if let Some(start) = table.target(buffer, {slot}).at({name:?})? {{"
            )),
        }
        for other in rivals(self.message, field) {
            source.line(format!("if self.{}.is_some() {{", other.ident));
            let text = format!("{} of the same oneof is set too", other.field.name);
            source.line(format!(
                "return Err(Error::malformed(start, {text:?})).at({name:?});"
            ));
            source.line("}");
        }
        match (&field.shape, scalar) {
            (Shape::Plain, Some(_)) => source.line(format!("{place} = read;")),
            (_, Some(_)) => source.line(format!("{place} = Some(read);")),
            (Shape::Plain, None) => {
                source.line(format!(
                    "{}(buffer, start, &mut {place}).at({name:?})?;",
                    reader(ty)
                ));
            }
            (Shape::Optional { boxed }, None) => {
                let default = if *boxed {
                    "Box::default()"
                } else {
                    "Default::default()"
                };
                let value = if *boxed { "&mut **value" } else { "value" };
                source.line(format!("let value = {place}.insert({default});"));
                source.line(format!(
                    "{}(buffer, start, {value}).at({name:?})?;",
                    reader(ty)
                ));
            }
            (Shape::Repeated { .. }, None) => self.read_list(source, field),
            (Shape::Map { key }, None) => self.read_map(source, field, &key.ty),
        }
        source.line("}");
    }

    fn read_list(&self, source: &mut Source, field: &FieldPlan<'_>) {
        let place = format!("self.{}", field.ident);
        let name = &field.field.name;
        let ty = &field.kind.ty;
        let slot = match &field.field.ty {
            Type::List(slot) => Some(&**slot),
            _ => None,
        };
        let kind_of_vector = kind(&self.vector(ty, slot));
        let lead = format!("buffer, start, &mut {place}, {kind_of_vector}");
        let leaf = self.plan.leaf(ty, self.message.package);
        source.line(match (ty, self.scalar_size(ty)) {
            (Type::Enum(_), Some(1)) => format!(
                "flatbuffers::read_scalars({lead}, |byte: i8| {leaf}(byte.into())).at({name:?})?;"
            ),
            (Type::Enum(_), _) => {
                format!(
                    "flatbuffers::read_scalars({lead}, |number: i32| {leaf}(number)).at({name:?})?;"
                )
            }
            (_, Some(_)) => {
                format!("flatbuffers::read_scalars({lead}, |value: {leaf}| value).at({name:?})?;")
            }
            (Type::String, _) => format!("flatbuffers::read_strings({lead}).at({name:?})?;"),
            (Type::Bytes, _) => {
                let item = kind(&slot.map(item).unwrap_or_default());
                format!("flatbuffers::read_bytes_list({lead}, {item}).at({name:?})?;")
            }
            _ => format!("flatbuffers::read_messages({lead}).at({name:?})?;"),
        });
    }

    fn read_map(&self, source: &mut Source, field: &FieldPlan<'_>, key: &Type) {
        let name = &field.field.name;
        let ty = &field.kind.ty;
        let entry = match &field.field.ty {
            Type::Map(key, value) => entry(key, value),
            _ => String::new(),
        };
        let vector = kind(&format!("vector of {entry}"));
        let (key_leaf, leaf) = (
            self.plan.leaf(key, self.message.package),
            self.plan.leaf(ty, self.message.package),
        );
        source.line(format!(
            "flatbuffers::read_map(buffer, start, &mut self.{}, {vector}, |buffer, start, entry| {{",
            field.ident
        ));
        source.line(format!(
            "let table = buffer.table(start, {}, 2, size_of::<({key_leaf}, {leaf})>())?;",
            kind(&entry)
        ));
        for (slot, ty) in [(0, key), (1, ty)] {
            match self.scalar(ty, slot) {
                Some(read) => {
                    source.line(format!("if let Some(read) = {read}? {{"));
                    source.line(format!("entry.{slot} = read;"));
                }
                None => {
                    source.line(format!(
                        "if let Some(start) = table.target(buffer, {slot})? {{"
                    ));
                    source.line(format!(
                        "{}(buffer, start, &mut entry.{slot})?;",
                        reader(ty)
                    ));
                }
            }
            source.line("}");
        }
        source.line("buffer.close();");
        source.line("Ok(())");
        source.line("})");
        source.line(format!(".at({name:?})?;"));
    }
}

/// Function that reads what an offset refers to.
fn reader(ty: &Type) -> &'static str {
    match ty {
        Type::String => "flatbuffers::read_string",
        Type::Bytes => "flatbuffers::read_bytes",
        _ => "flatbuffers::read_message",
    }
}
