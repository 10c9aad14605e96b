//! The FlatBuffers schema of a schema: what `flatc` takes to generate code that reads and writes
//! the buffers of this project.
//!
//! ```
//! let schema = interop_schema::proto::compile_text(
//!     "syntax = \"proto3\"; package p; message M { optional int32 a = 1; repeated string b = 2; }",
//! ).unwrap();
//! let text = interop_schema::fbs::schema_text(&schema, schema.message_by_name("p.M").unwrap());
//! assert!(text.contains("table M {\n  a:int = null;\n  b:[string];\n}\n"));
//! ```

use std::collections::HashSet;
use std::fmt::Write;

use crate::{Enum, EnumId, Field, Message, MessageId, Presence, Schema, Slot, Type};

/// The `.fbs` text of all messages of `root`'s package and of whatever they refer to, with
/// `root` as the root type. Deterministic: packages come after those that they refer to, and
/// types in schema order inside.
///
/// A message is a table whose fields come in schema order, which is their slot order; a nested
/// type `Outer.Inner` is called `Outer_Inner`. A map field is a vector of tables
/// `Message_field_Entry` sorted by key; an element that a vector can't hold (`repeated bytes`) is
/// a table `Message_field_Item`. Fields of explicit presence are optional. An enum is a `byte`, or
/// an `int` where a number does not fit. A field without a form in FlatBuffers (some of Fory's
/// types) keeps its slot as a deprecated bool.
pub fn schema_text(schema: &Schema, root: MessageId) -> String {
    let mut writer = Writer {
        schema,
        messages: Vec::new(),
        enums: Vec::new(),
        text: String::from("// Derived from the .proto schema; not to be edited.\n"),
        taken: HashSet::new(),
    };
    let package = &schema.message(root).package;
    for (index, message) in schema.messages.iter().enumerate() {
        if message.package == *package {
            writer.reach(MessageId(index as u32));
        }
    }
    writer.run();
    let root = schema.message(root);
    let name = qualified(&root.package, &root.full_name);
    let _ = write!(writer.text, "\nroot_type {name};\n");
    writer.text
}

struct Writer<'s> {
    schema: &'s Schema,
    messages: Vec<MessageId>,
    enums: Vec<EnumId>,
    text: String,
    /// Qualified names in use, so that made-up ones differ from them.
    taken: HashSet<String>,
}

/// A table to write that is no message: an entry of a map or an element of its own.
struct Extra<'s> {
    name: String,
    slots: Vec<(&'static str, &'s Slot)>,
}

impl<'s> Writer<'s> {
    /// Notes a message and what it refers to, each once.
    fn reach(&mut self, id: MessageId) {
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            if self.messages.contains(&id) {
                continue;
            }
            self.messages.push(id);
            for field in &self.schema.message(id).fields {
                self.reach_type(&field.ty, &mut pending);
            }
        }
    }

    fn reach_type(&mut self, ty: &Type, pending: &mut Vec<MessageId>) {
        match ty {
            Type::Message(id) => pending.push(*id),
            Type::Enum(id) if !self.enums.contains(id) => self.enums.push(*id),
            Type::List(slot) | Type::Set(slot) => self.reach_type(&slot.ty, pending),
            Type::Array(ty) => self.reach_type(ty, pending),
            Type::Map(key, value) => {
                self.reach_type(&key.ty, pending);
                self.reach_type(&value.ty, pending);
            }
            _ => {}
        }
    }

    fn run(&mut self) {
        // In the order of the schema, which has imports before what imports them.
        self.messages.sort_unstable();
        self.enums.sort_unstable();
        let schema = self.schema;
        let messages: Vec<&Message> = self.messages.iter().map(|&m| schema.message(m)).collect();
        let enums: Vec<&Enum> = self.enums.iter().map(|&e| schema.enumeration(e)).collect();
        for message in &messages {
            let name = qualified(&message.package, &message.full_name);
            self.taken.insert(name);
        }
        for definition in &enums {
            let name = qualified(&definition.package, &definition.full_name);
            self.taken.insert(name);
        }
        // flatc wants enums before their use, and takes tables in any order.
        let mut namespace = None;
        for definition in enums {
            self.namespace(&mut namespace, &definition.package);
            self.enumeration(definition);
        }
        for message in messages {
            self.namespace(&mut namespace, &message.package);
            self.table(message);
        }
    }

    fn namespace(&mut self, current: &mut Option<&'s str>, package: &'s str) {
        if current.replace(package) != Some(package) {
            let space = if package.is_empty() { "" } else { " " };
            let _ = write!(self.text, "\nnamespace{space}{package};\n");
        }
    }

    fn enumeration(&mut self, definition: &Enum) {
        let base = match definition.fits_in_a_byte() {
            true => "byte",
            false => "int",
        };
        let name = local(&definition.package, &definition.full_name);
        let _ = write!(self.text, "\nenum {name} : {base} {{\n");
        // FlatBuffers knows no aliases and wants ascending numbers.
        let mut values: Vec<_> = definition.values.iter().collect();
        values.sort_by_key(|value| value.number);
        values.dedup_by_key(|value| value.number);
        for value in values {
            let _ = writeln!(self.text, "  {} = {},", value.name, value.number);
        }
        self.text.push_str("}\n");
    }

    fn table(&mut self, message: &'s Message) {
        let name = local(&message.package, &message.full_name);
        let mut extras = Vec::new();
        let mut body = String::new();
        for field in &message.fields {
            let stem = format!("{name}_{}", identifier(field));
            let ty = self.type_name(&message.package, &stem, &field.ty, &mut extras);
            self.field(
                &mut body,
                &identifier(field),
                &field.ty,
                field.presence,
                ty,
                "",
            );
        }
        let _ = write!(self.text, "\ntable {name} {{\n{body}}}\n");
        while let Some(extra) = extras.pop() {
            let mut body = String::new();
            for (slot_name, slot) in &extra.slots {
                let ty = self.type_name(&message.package, &extra.name, &slot.ty, &mut extras);
                let attribute = if *slot_name == "key" { " (key)" } else { "" };
                let presence = match slot.nullable {
                    true => Presence::Explicit,
                    false => Presence::Implicit,
                };
                self.field(&mut body, slot_name, &slot.ty, presence, ty, attribute);
            }
            let _ = write!(self.text, "\ntable {} {{\n{body}}}\n", extra.name);
        }
    }

    fn field(
        &self,
        body: &mut String,
        name: &str,
        ty: &Type,
        presence: Presence,
        type_name: Option<String>,
        attribute: &str,
    ) {
        let Some(type_name) = type_name else {
            let _ = writeln!(body, "  {name}:bool (deprecated);");
            return;
        };
        let default = match (presence, ty) {
            (_, ty) if !is_scalar(ty) => String::new(),
            (Presence::Explicit | Presence::Required, _) => " = null".to_owned(),
            (_, Type::Enum(id)) => {
                let definition = self.schema.enumeration(*id);
                let number = definition.default_number();
                match definition.name_of(number) {
                    Some(name) if number != 0 => format!(" = {name}"),
                    _ => String::new(),
                }
            }
            _ => String::new(),
        };
        let required = presence == Presence::Required && !is_scalar(ty);
        let attribute = if required { " (required)" } else { attribute };
        let _ = writeln!(body, "  {name}:{type_name}{default}{attribute};");
    }

    /// The name of a type; tables that it needs are put into `extras` under names that begin
    /// with `stem`.
    fn type_name(
        &mut self,
        package: &str,
        stem: &str,
        ty: &'s Type,
        extras: &mut Vec<Extra<'s>>,
    ) -> Option<String> {
        Some(match ty {
            Type::String => "string".to_owned(),
            Type::Bytes => "[ubyte]".to_owned(),
            Type::Message(id) => {
                let message = self.schema.message(*id);
                qualified(&message.package, &message.full_name)
            }
            Type::Enum(id) => {
                let definition = self.schema.enumeration(*id);
                qualified(&definition.package, &definition.full_name)
            }
            Type::List(slot) | Type::Set(slot) => {
                let plain = !slot.nullable && (is_scalar(&slot.ty) || has_offset_vector(&slot.ty));
                if plain {
                    let element = self.type_name(package, stem, &slot.ty, extras)?;
                    return Some(format!("[{element}]"));
                }
                let slots = vec![("value", &**slot)];
                format!("[{}]", self.extra(package, stem, "Item", slots, extras))
            }
            Type::Array(ty) => {
                let element = self.type_name(package, stem, ty, extras)?;
                format!("[{element}]")
            }
            Type::Map(key, value) => {
                let slots = vec![("key", &**key), ("value", &**value)];
                format!("[{}]", self.extra(package, stem, "Entry", slots, extras))
            }
            ty => scalar_name(ty)?.to_owned(),
        })
    }

    fn extra(
        &mut self,
        package: &str,
        stem: &str,
        kind: &str,
        slots: Vec<(&'static str, &'s Slot)>,
        extras: &mut Vec<Extra<'s>>,
    ) -> String {
        let mut name = format!("{stem}_{kind}");
        while !self.taken.insert(join(package, &name)) {
            name.push('_');
        }
        let qualified = join(package, &name);
        extras.push(Extra { name, slots });
        qualified
    }
}

fn is_scalar(ty: &Type) -> bool {
    matches!(ty, Type::Enum(_)) || scalar_name(ty).is_some()
}

/// True for the types that a vector holds by offset, one for each element.
fn has_offset_vector(ty: &Type) -> bool {
    matches!(ty, Type::String | Type::Message(_))
}

fn scalar_name(ty: &Type) -> Option<&'static str> {
    Some(match ty {
        Type::Bool => "bool",
        Type::Int { bits, signed, .. } => match (bits, signed) {
            (8, true) => "byte",
            (8, false) => "ubyte",
            (16, true) => "short",
            (16, false) => "ushort",
            (32, true) => "int",
            (32, false) => "uint",
            (_, true) => "long",
            (_, false) => "ulong",
        },
        Type::Float16 | Type::BFloat16 => "ushort",
        Type::Float32 => "float",
        Type::Float64 => "double",
        Type::Date => "long",
        _ => return None,
    })
}

/// A field's name; an extension's full name with underscores for dots.
fn identifier(field: &Field) -> String {
    match &field.extension {
        Some(full_name) => full_name.replace('.', "_"),
        None => field.name.clone(),
    }
}

/// Name inside the package, with underscores between nested names.
fn local(package: &str, full_name: &str) -> String {
    let inside = full_name.strip_prefix(package).unwrap_or(full_name);
    inside.trim_start_matches('.').replace('.', "_")
}

fn qualified(package: &str, full_name: &str) -> String {
    join(package, &local(package, full_name))
}

fn join(package: &str, name: &str) -> String {
    match package.is_empty() {
        true => name.to_owned(),
        false => format!("{package}.{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::compile_text;

    #[test]
    fn maps_oneofs_enums_and_nesting_have_their_forms() {
        let schema = compile_text(
            "syntax = \"proto3\"; package a.b;
             message M {
               enum E { ZERO = 0; BIG = 300; NEG = -1; ALSO_ZERO = 0; option allow_alias = true; }
               message N { map<int32, M> m = 1; repeated bytes r = 2; }
               E e = 1; optional E o = 2; oneof x { N n = 3; bytes y = 4; bool z = 5; }
             }",
        )
        .unwrap();
        let text = schema_text(&schema, schema.message_by_name("a.b.M").unwrap());
        let want = "// Derived from the .proto schema; not to be edited.

namespace a.b;

enum M_E : int {
  NEG = -1,
  ZERO = 0,
  BIG = 300,
}

table M {
  e:a.b.M_E;
  o:a.b.M_E = null;
  n:a.b.M_N;
  y:[ubyte];
  z:bool = null;
}

table M_N {
  m:[a.b.M_N_m_Entry];
  r:[a.b.M_N_r_Item];
}

table M_N_r_Item {
  value:[ubyte];
}

table M_N_m_Entry {
  key:int (key);
  value:a.b.M;
}

root_type a.b.M;
";
        assert_eq!(text, want);
    }
}
