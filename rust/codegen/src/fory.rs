//! Fory: type metadata, bound, write, read, and reading of other versions.

use interop_schema::{Field, IntEncoding, Type, WellKnown};

use crate::emit::Source;
use crate::plan::{self, FieldPlan, Kind, MessagePlan, Plan, Shape};
use crate::type_def::{self, Nested};

struct Context<'p, 's> {
    plan: &'p Plan<'s>,
    package: &'p str,
    /// Reads views, which borrow from the input.
    view: bool,
}

pub fn message(
    source: &mut Source,
    plan: &Plan<'_>,
    message: &MessagePlan<'_>,
    slot: usize,
    number: u32,
) {
    let (order, fields) = ordered(plan, message);
    let context = Context {
        plan,
        package: message.package,
        view: false,
    };
    source.line("// SAFETY: `bound` counts, for each field that `write_fields` puts down, the longest form of");
    source
        .line("// its numbers, lengths and flags, its type metadata, and the contents themselves.");
    source.line(format!("unsafe impl fory::Struct for {} {{", message.name));
    info(source, &context, message, &order, slot, number);
    source.line("");
    source.line(format!("const SLOTS: usize = {};", message.slots));
    source.line("");
    context.bound(source, &fields);
    source.line("");
    context.write(source, &fields);
    source.line("");
    context.read(source, &fields);
    source.line("");
    context.read_one(source, &fields);
    source.line("");
    context.clear_one(source, &fields);
    source.line("");
    context.set_scalar(source, &fields);
    source.line("}");
}

/// The fields in Fory's order, as the schema and as the plan has them.
fn ordered<'p, 's>(
    plan: &Plan<'s>,
    message: &'p MessagePlan<'s>,
) -> (Vec<&'s Field>, Vec<&'p FieldPlan<'s>>) {
    let order = type_def::ordered(plan.schema, message.fields.iter().map(|field| field.field));
    let planned = |field: &&Field| {
        let found = message
            .fields
            .iter()
            .find(|p| std::ptr::eq(p.field, *field));
        found.filter(|p| p.field.number == field.number)
    };
    let fields = order.iter().filter_map(planned).collect();
    (order, fields)
}

/// The functions that read a view.
pub fn read_view(source: &mut Source, plan: &Plan<'_>, message: &MessagePlan<'_>) {
    let fields = ordered(plan, message).1;
    let context = Context {
        plan,
        package: message.package,
        view: true,
    };
    context.read(source, &fields);
    source.line("");
    context.read_one(source, &fields);
    source.line("");
    context.clear_one(source, &fields);
    source.line("");
    context.set_scalar(source, &fields);
}

fn hex(bytes: &[u8]) -> Vec<String> {
    bytes.iter().map(|byte| format!("{byte:#04x}")).collect()
}

fn info(
    source: &mut Source,
    context: &Context<'_, '_>,
    message: &MessagePlan<'_>,
    order: &[&Field],
    slot: usize,
    number: u32,
) {
    let schema = context.plan.schema;
    let mut plain = interop_wire::Writer::new();
    plain.u8(27);
    plain.varint(u64::from(number));
    let defs = [Nested::Plain, Nested::Nullable, Nested::StructKind]
        .map(|nested| type_def::type_def(schema, number, order, nested));
    let longest = defs.iter().map(Vec::len).max().unwrap_or_default();
    source.line("const INFO: &'static fory::Info = &fory::Info {");
    source.line(format!("name: {:?},", message.full_name));
    source.line(format!("slot: {slot},"));
    source.line(format!("user_id: {number},"));
    source.filled("plain_type: &[", &hex(plain.as_slice()), "],");
    source.line(format!(
        "hash: {:#010x},",
        type_def::schema_hash(schema, order)
    ));
    source.line("type_defs: [");
    for def in &defs {
        source.filled("&[", &hex(def), "],");
    }
    source.line("],");
    source.line("fields: &[");
    for field in order {
        source.line("fory::FieldInfo {");
        source.line(format!("name: {:?},", field.name));
        source.line(format!("id: {},", field.fory.id.unwrap_or_default()));
        source.line(format!("nullable: {},", type_def::nullable(schema, field)));
        source.line(format!("ty: {},", type_info(context, &field.ty)));
        source.line("},");
    }
    source.line("],");
    // Type id and marker in front of the TypeDef; the schema hash of consistent mode.
    source.line(format!("meta_bound: {},", 11 + longest));
    source.line("};");
}

/// A type id with those inside it, as an expression.
fn type_info(context: &Context<'_, '_>, ty: &Type) -> String {
    let inner: Vec<&Type> = match ty {
        Type::List(slot) | Type::Set(slot) => vec![&slot.ty],
        Type::Map(key, value) => vec![&key.ty, &value.ty],
        _ => Vec::new(),
    };
    let inner: Vec<_> = inner.iter().map(|ty| type_info(context, ty)).collect();
    let id = type_def::type_id(context.plan.schema, ty);
    format!(
        "fory::TypeInfo {{ id: {id}, inner: &[{}] }}",
        inner.join(", ")
    )
}

impl Context<'_, '_> {
    fn nullable(&self, field: &FieldPlan<'_>) -> bool {
        type_def::nullable(self.plan.schema, field.field)
    }

    fn time(&self, ty: &Type) -> Option<WellKnown> {
        match ty {
            Type::Message(id) => plan::time(self.plan.schema, *id),
            _ => None,
        }
    }

    /// The type that a message is read into.
    fn message_type(&self, ty: &Type) -> String {
        match ty {
            Type::Message(id) if self.view => self.plan.view_path(*id, self.package),
            _ => self.plan.leaf(ty, self.package),
        }
    }

    fn input(&self) -> &'static str {
        if self.view {
            "input: &mut In<'a>,"
        } else {
            "input: &mut In<'_>,"
        }
    }

    fn is_struct(&self, ty: &Type) -> bool {
        matches!(ty, Type::Message(_)) && self.time(ty).is_none()
    }

    /// Longest form in bytes of a leaf without contents.
    fn longest(&self, ty: &Type) -> Option<usize> {
        Some(match ty {
            Type::Bool => 1,
            Type::Int { bits, encoding, .. } => match (encoding, bits) {
                (IntEncoding::Fixed, bits) => usize::from(*bits) / 8,
                (IntEncoding::Varint, 32) => 5,
                _ => 9,
            },
            Type::Float32 => 4,
            Type::Float64 => 8,
            Type::Enum(_) => 5,
            _ => match self.time(ty)? {
                WellKnown::Timestamp => 12,
                _ => 13,
            },
        })
    }

    /// Bound of a leaf with contents; `value` is a reference.
    fn value_bound(&self, ty: &Type, value: &str) -> String {
        match ty {
            Type::String => format!("fory::string_bound::<D>({value})"),
            Type::Bytes => format!("fory::bytes_bound({value})"),
            _ => format!("4 + {}.bound::<D>()", value.trim_start_matches('&')),
        }
    }

    fn meta_bound(&self, ty: &Type) -> String {
        format!(
            "<{} as fory::Struct>::INFO.meta_bound",
            self.plan.leaf(ty, self.package)
        )
    }

    fn bound(&self, source: &mut Source, fields: &[&FieldPlan<'_>]) {
        let mut constant = 0;
        let mut terms = Vec::new();
        for field in fields {
            let place = format!("self.{}", field.ident);
            let ty = &field.kind.ty;
            let flag = usize::from(self.nullable(field));
            match (&field.shape, self.longest(ty)) {
                (Shape::Plain | Shape::Optional { .. }, Some(longest)) => {
                    constant += flag + longest
                }
                (Shape::Plain, None) => terms.push(self.value_bound(ty, &format!("&{place}"))),
                (Shape::Optional { .. }, None) => {
                    constant += flag;
                    let value = self.value_bound(ty, "value");
                    if self.is_struct(ty) {
                        // An absent one is written as the default where it can't be null.
                        let absent = if flag == 0 {
                            let leaf = self.plan.leaf(ty, self.package);
                            format!(
                                "{} + fory::absent_bound::<D, {leaf}>()",
                                self.meta_bound(ty)
                            )
                        } else {
                            "0".to_owned()
                        };
                        let call = if flag == 0 { "map_or_else" } else { "map_or" };
                        let lead = if flag == 0 { "|| " } else { "" };
                        terms.push(format!(
                            "{place}.as_ref().{call}({lead}{absent}, |value| {} + {value})",
                            self.meta_bound(ty)
                        ));
                    } else {
                        terms.push(format!("{place}.as_ref().map_or(10, |value| {value})"));
                    }
                }
                (Shape::Repeated { .. }, Some(longest)) => {
                    constant += 12;
                    terms.push(format!("{longest} * {place}.len()"));
                }
                (Shape::Repeated { .. }, None) => {
                    constant += 12;
                    if self.is_struct(ty) {
                        terms.push(self.meta_bound(ty));
                    }
                    terms.push(format!(
                        "{place}.iter().map(|value| {}).sum::<usize>()",
                        self.value_bound(ty, "value")
                    ));
                }
                (Shape::Map { key }, _) => {
                    constant += 10;
                    let part = |ty: &Type, name: &str| match self.longest(ty) {
                        Some(longest) => longest.to_string(),
                        None => self.value_bound(ty, name),
                    };
                    let (key, value) = (part(&key.ty, "key"), part(ty, "value"));
                    let pattern = match (key.contains("key"), value.contains("value")) {
                        (true, true) => "(key, value)",
                        (true, false) => "(key, _)",
                        (false, true) => "(_, value)",
                        (false, false) => "_",
                    };
                    let meta = if self.is_struct(ty) {
                        format!("2 + {}", self.meta_bound(ty))
                    } else {
                        "2".to_owned()
                    };
                    terms.push(format!("{place}.len().div_ceil(255) * ({meta})"));
                    terms.push(format!(
                        "{place}.iter().map(|{pattern}| {key} + {value}).sum::<usize>()"
                    ));
                }
            }
        }
        source.line("#[inline]");
        source.line("fn bound<D: ForyDialect>(&self) -> usize {");
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

    /// Statement that writes a leaf; `value` is a place for numbers, else a reference.
    fn write_value(&self, ty: &Type, value: &str) -> String {
        let out = "out";
        match ty {
            Type::Bool => format!("{out}.u8(u8::from({value}));"),
            Type::Int {
                bits,
                signed,
                encoding,
            } => match (encoding, bits, signed) {
                (IntEncoding::Varint, 32, true) => format!("{out}.zigzag32::<C>({value});"),
                (IntEncoding::Varint, 32, false) => format!("{out}.varint32::<C>({value});"),
                (IntEncoding::Varint, 64, true) => format!("{out}.fory_zigzag64::<C>({value});"),
                (IntEncoding::Varint, _, _) => format!("{out}.fory_varint64::<C>({value});"),
                (IntEncoding::Tagged, _, true) => format!("{out}.tagged_i64({value});"),
                (IntEncoding::Tagged, _, false) => format!("{out}.tagged_u64({value});"),
                _ => format!("{out}.array({value}.to_le_bytes());"),
            },
            Type::Float32 | Type::Float64 => format!("{out}.array({value}.to_le_bytes());"),
            Type::Enum(_) => format!("{out}.varint32::<C>({value}.0 as u32);"),
            _ => unreachable_kind(value),
        }
    }

    /// Statements that write a leaf given by reference.
    fn write_ref(&self, ty: &Type, value: &str, out: &str) -> String {
        let mutable = out;
        let out = "out";
        match ty {
            Type::String => format!("fory::write_string::<D>({mutable}, {value});"),
            Type::Bytes => format!("fory::write_bytes({mutable}, {value});"),
            _ => match self.time(ty) {
                Some(WellKnown::Timestamp) => {
                    format!("{out}.timestamp({value}.seconds, {value}.nanos);")
                }
                Some(_) => format!("{out}.duration::<C>({value}.seconds, {value}.nanos);"),
                None if self.is_struct(ty) => {
                    format!("fory::write_struct_field::<C, D, M, _>({mutable}, meta, {value});")
                }
                None => {
                    let place = match ty {
                        Type::Enum(_) => value.to_owned(),
                        Type::Float32 | Type::Float64 => value.to_owned(),
                        Type::Int {
                            encoding: IntEncoding::Fixed,
                            ..
                        } => value.to_owned(),
                        _ => format!("*{value}"),
                    };
                    self.write_value(ty, &place)
                }
            },
        }
    }

    fn write(&self, source: &mut Source, fields: &[&FieldPlan<'_>]) {
        source.line("#[inline(always)]");
        source.line("unsafe fn write_fields<C: Cpu, D: ForyDialect, M: Mode>(");
        source.line("&self,");
        source.line("mut out: Out,");
        source.line("meta: &mut WriteMeta<'_>,");
        source.line(") -> Out {");
        source.line("let _ = &meta;");
        source.line("// SAFETY: the caller has reserved the bound, which counts all that follows.");
        source.line("unsafe {");
        for field in fields {
            let place = format!("self.{}", field.ident);
            let ty = &field.kind.ty;
            match &field.shape {
                Shape::Plain if self.longest(ty).is_some() => {
                    source.line(self.write_value(ty, &place));
                }
                Shape::Plain => source.line(self.write_ref(ty, &format!("&{place}"), "&mut out")),
                Shape::Optional { boxed } => {
                    let value = if *boxed && self.is_struct(ty) {
                        "&**value"
                    } else {
                        "value"
                    };
                    source.line(format!("match &{place} {{"));
                    source.line("Some(value) => {");
                    if self.nullable(field) {
                        source.line("out.u8(fory::VALUE);");
                    }
                    source.line(self.write_ref(ty, value, "&mut out"));
                    source.line("}");
                    if self.nullable(field) {
                        source.line("None => out.u8(fory::NULL),");
                    } else {
                        source.line("None => {");
                        let leaf = self.plan.leaf(ty, self.package);
                        if self.is_struct(ty) {
                            source.line(format!(
                                "out = fory::write_absent::<D, M, {leaf}>(out, meta);"
                            ));
                        } else {
                            source.line(format!("let value = &{leaf}::default();"));
                            source.line(self.write_ref(ty, "value", "&mut out"));
                        }
                        source.line("}");
                    }
                    source.line("}");
                }
                Shape::Repeated { .. } if field.kind.dense && *ty == Type::Bool => {
                    source.line(format!("fory::write_bools(&mut out, &{place});"));
                }
                Shape::Repeated { .. } if field.kind.dense => {
                    source.line(format!("fory::write_dense(&mut out, &{place});"));
                }
                Shape::Repeated { .. } if self.is_struct(ty) => source.line(format!(
                    "fory::write_structs::<C, D, M, _>(&mut out, meta, &{place});"
                )),
                Shape::Repeated { .. } => {
                    source.line(format!(
                        "fory::write_list(&mut out, &{place}, |out, value| {{"
                    ));
                    source.line(self.write_ref(ty, "value", "out"));
                    source.line("});");
                }
                Shape::Map { key } => self.write_map(source, key, ty, &place),
            }
        }
        source.line("}");
        source.line("out");
        source.line("}");
    }

    fn write_map(&self, source: &mut Source, key: &Kind, ty: &Type, place: &str) {
        let key = self.write_ref(&key.ty, "key", "out");
        if self.is_struct(ty) {
            let leaf = self.plan.leaf(ty, self.package);
            source.line(format!(
                "fory::write_struct_map::<C, D, M, _, {leaf}>(&mut out, meta, &{place}, |out, key| {{"
            ));
            source.line(key);
            source.line("});");
            return;
        }
        source.line(format!(
            "fory::write_map(&mut out, &{place}, |out, key, value| {{"
        ));
        source.line(key);
        source.line(self.write_ref(ty, "value", "out"));
        source.line("});");
    }

    /// Fallible expression that reads a number or time.
    fn read_number(&self, ty: &Type) -> String {
        match ty {
            Type::Bool => "input.u8().map(|byte| byte != 0)".to_owned(),
            Type::Int {
                bits,
                signed,
                encoding,
            } => match (encoding, bits, signed) {
                (IntEncoding::Varint, 32, true) => "input.zigzag32::<C>()".to_owned(),
                (IntEncoding::Varint, 32, false) => "input.varint32::<C>()".to_owned(),
                (IntEncoding::Varint, 64, true) => "input.fory_zigzag64::<C>()".to_owned(),
                (IntEncoding::Varint, _, _) => "input.fory_varint64::<C>()".to_owned(),
                (IntEncoding::Tagged, _, true) => "fory::tagged_i64(input)".to_owned(),
                (IntEncoding::Tagged, _, false) => "fory::tagged_u64(input)".to_owned(),
                (_, bits, signed) => format!(
                    "input.array().map({}{bits}::from_le_bytes)",
                    if *signed { 'i' } else { 'u' }
                ),
            },
            Type::Float32 => "input.array().map(f32::from_le_bytes)".to_owned(),
            Type::Float64 => "input.array().map(f64::from_le_bytes)".to_owned(),
            Type::Enum(id) => format!(
                "input.varint32::<C>().map(|id| {}(id as i32))",
                self.plan.enum_path(*id, self.package)
            ),
            _ => unreachable_kind("number"),
        }
    }

    /// Expression of type `Result<(), Error>` that reads into `target`, a mutable reference.
    fn read_into(&self, ty: &Type, target: &str) -> String {
        match ty {
            Type::String => format!("fory::read_string::<C>(input, {target})"),
            Type::Bytes => format!("fory::read_bytes::<C>(input, {target})"),
            _ => match self.time(ty) {
                Some(well_known) => {
                    let read = match well_known {
                        WellKnown::Timestamp => "fory::timestamp(input)",
                        _ => "fory::duration::<C>(input)",
                    };
                    format!(
                        "{read}.map(|read| ({target}.seconds, {target}.nanos) = read)",
                        target = target.trim_start_matches("&mut ")
                    )
                }
                None if self.is_struct(ty) => {
                    format!("fory::read_struct_field::<C, _, M>(input, meta, {target})")
                }
                None => format!("{}.map(|read| *{target} = read)", self.read_number(ty)),
            },
        }
    }

    /// Statement that reads the value of a field without its null flag.
    fn read_value(&self, field: &FieldPlan<'_>) -> String {
        let name = &field.field.name;
        let place = format!("self.{}", field.ident);
        let ty = &field.kind.ty;
        let number = self.longest(ty).is_some() && self.time(ty).is_none();
        match &field.shape {
            Shape::Plain if number => format!("{place} = {}.at({name:?})?;", self.read_number(ty)),
            Shape::Plain => format!(
                "{}.at({name:?})?;",
                self.read_into(ty, &format!("&mut {place}"))
            ),
            Shape::Optional { .. } if number => {
                format!("{place} = Some({}.at({name:?})?);", self.read_number(ty))
            }
            Shape::Optional { .. } if self.time(ty).is_some() => format!(
                "let value = {place}.get_or_insert_default(); {}.at({name:?})?;",
                self.read_into(ty, "value")
            ),
            Shape::Optional { boxed } => {
                let unboxed = if *boxed { ".as_mut()" } else { "" };
                let place = format!("{place}.get_or_insert_default(){unboxed}");
                format!("{}.at({name:?})?;", self.read_into(ty, &place))
            }
            Shape::Repeated { .. } if field.kind.dense && *ty == Type::Bool => {
                format!("fory::read_bools::<C>(input, &mut {place}).at({name:?})?;")
            }
            Shape::Repeated { .. } if field.kind.dense => {
                format!("fory::read_dense::<C, _>(input, &mut {place}).at({name:?})?;")
            }
            Shape::Repeated { .. } if *ty == Type::String => {
                format!("fory::read_strings::<C>(input, &mut {place}).at({name:?})?;")
            }
            Shape::Repeated { .. } if self.is_struct(ty) => {
                format!("fory::read_structs::<C, _, M>(input, meta, &mut {place}).at({name:?})?;")
            }
            Shape::Repeated { .. } => format!(
                "fory::read_list::<C, _>(input, &{}, &mut {place}, |input, value| {}).at({name:?})?;",
                type_info(self, ty),
                self.read_into(ty, "value")
            ),
            Shape::Map { key } => self.read_map(&key.ty, ty, &place, name),
        }
    }

    fn read_map(&self, key: &Type, ty: &Type, place: &str, name: &str) -> String {
        let leaf = |ty: &Type| match ty {
            Type::String => "fory::string::<C>(input)".to_owned(),
            Type::Bytes => "fory::bytes::<C>(input)".to_owned(),
            _ if self.time(ty).is_some() => {
                let read = self.read_into(ty, "value");
                let leaf = self.message_type(ty);
                format!("{{ let mut value = {leaf}::default(); {read}.map(|()| value) }}")
            }
            _ => self.read_number(ty),
        };
        let (types, value) = if self.is_struct(ty) {
            let leaf = self.message_type(ty);
            (
                format!("fory::struct_value_type::<C, {leaf}, M>"),
                "fory::read_struct_value::<C, _, M>".to_owned(),
            )
        } else {
            (
                format!(
                    "|input, _, declared| fory::value_type(input, &{}, declared)",
                    type_info(self, ty)
                ),
                format!("|input, _, _| {}", leaf(ty)),
            )
        };
        format!(
            "fory::read_map::<C, _, _>(input, meta, &{}, {place}.raw(), {types}, |input| {}, {value}).at({name:?})?; {place}.keep_last();",
            type_info(self, key),
            leaf(key)
        )
    }

    /// Longest run of varints that starts at the first of `fields`, if it is worth a window.
    fn run_len(&self, fields: &[&FieldPlan<'_>]) -> usize {
        let mut bytes = 0;
        let mut len = 0;
        for field in fields {
            let is_varint = field.shape == Shape::Plain && plan::is_varint(&field.kind.ty);
            let longest = self.longest(&field.kind.ty).unwrap_or_default();
            if !is_varint || bytes + longest > 64 {
                break;
            }
            bytes += longest;
            len += 1;
        }
        if len >= 3 { len } else { 0 }
    }

    fn read(&self, source: &mut Source, fields: &[&FieldPlan<'_>]) {
        source.line("#[inline(always)]");
        source.line("fn read_fields<C: Cpu, M: Mode>(");
        source.line("&mut self,");
        source.line(self.input());
        source.line("meta: &mut ReadMeta,");
        source.line(") -> Result<(), Error> {");
        source.line("let _ = &meta;");
        let mut rest = fields;
        while let [field, tail @ ..] = rest {
            let len = self.run_len(rest);
            if len > 0 {
                self.read_run(source, &rest[..len]);
                rest = &rest[len..];
                continue;
            }
            if self.nullable(field) {
                source.line(format!(
                    "if fory::read_null(input).at({:?})? {{",
                    field.field.name
                ));
                source.line(self.read_value(field));
                source.line("} else {");
                source.line(format!("self.{} = None;", field.ident));
                source.line("}");
            } else {
                source.line(self.read_value(field));
            }
            rest = tail;
        }
        source.line("Ok(())");
        source.line("}");
    }

    fn read_run(&self, source: &mut Source, fields: &[&FieldPlan<'_>]) {
        source.line("let mut run = Run::new(input);");
        let is_short = |field: &&FieldPlan<'_>| matches!(field.kind.ty, Type::Int { bits: 32, .. });
        let short = fields.iter().all(is_short);
        let prefix = if short { "short_" } else { "" };
        for field in fields {
            let read = match &field.kind.ty {
                Type::Int {
                    bits: 32,
                    signed: true,
                    ..
                } => "zigzag32",
                Type::Int { bits: 32, .. } => "varint32",
                Type::Int { signed: true, .. } => "zigzag64",
                _ => "varint64",
            };
            source.line(format!("self.{} = run.{prefix}{read}::<C>();", field.ident));
        }
        source.line(if short {
            "if !run.finish_short::<C>(input) {"
        } else {
            "if !run.finish(input) {"
        });
        for field in fields {
            source.line(self.read_value(field).replace("::<C>", "::<Portable>"));
        }
        source.line("}");
    }

    fn read_one(&self, source: &mut Source, fields: &[&FieldPlan<'_>]) {
        source.line("fn read_field<C: Cpu, M: Mode>(");
        source.line("&mut self,");
        source.line("index: usize,");
        source.line(self.input());
        source.line("meta: &mut ReadMeta,");
        source.line(") -> Result<(), Error> {");
        source.line("let _ = (&input, &meta);");
        source.line("match index {");
        for (index, field) in fields.iter().enumerate() {
            source.line(format!("{index} => {{"));
            source.line(self.read_value(field));
            source.line("}");
        }
        source.line("_ => {}");
        source.line("}");
        source.line("Ok(())");
        source.line("}");
    }

    fn clear_one(&self, source: &mut Source, fields: &[&FieldPlan<'_>]) {
        source.line("fn clear_field(&mut self, index: usize) {");
        source.line("match index {");
        for (index, field) in fields.iter().enumerate() {
            source.line(format!(
                "{index} => self.{} = Default::default(),",
                field.ident
            ));
        }
        source.line("_ => {}");
        source.line("}");
        source.line("}");
    }

    fn set_scalar(&self, source: &mut Source, fields: &[&FieldPlan<'_>]) {
        source
            .line("fn set_scalar(&mut self, index: usize, value: Scalar) -> Result<(), String> {");
        let refuse = "Err(format!(\"{value:?} is no value of this field\"))";
        let scalar = |field: &&FieldPlan<'_>| {
            matches!(field.shape, Shape::Plain | Shape::Optional { .. })
                && matches!(
                    field.kind.ty,
                    Type::Bool | Type::Int { .. } | Type::Float32 | Type::Float64 | Type::String
                )
        };
        if !fields.iter().any(scalar) {
            source.line("let _ = index;");
            source.line(refuse);
            source.line("}");
            return;
        }
        source.line("match index {");
        for (index, field) in fields.iter().enumerate() {
            let convert = match field.kind.ty {
                Type::Bool => "value.to_bool()?",
                Type::Int { .. } => "value.to_int()?",
                Type::Float32 => "value.to_f32()?",
                Type::Float64 => "value.to_f64()?",
                Type::String if self.view => "value.to_text()?.into()",
                Type::String => "value.to_text()?",
                _ => continue,
            };
            match field.shape {
                Shape::Plain => {
                    source.line(format!("{index} => self.{} = {convert},", field.ident))
                }
                Shape::Optional { .. } => {
                    source.line(format!(
                        "{index} => self.{} = Some({convert}),",
                        field.ident
                    ));
                }
                _ => {}
            }
        }
        source.line(format!("_ => return {refuse},"));
        source.line("}");
        source.line("Ok(())");
        source.line("}");
    }
}

/// Text for a leaf that the plan has refused already; the compiler of the output would say so.
fn unreachable_kind(value: &str) -> String {
    format!("compile_error!(\"{value} has no form in Fory\")")
}
