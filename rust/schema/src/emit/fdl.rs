//! Fory's schema language from the model, so that Fory's own compiler generates code for a
//! `.proto` package with the same ids, nullability, encodings and dense arrays as ours.
//!
//! What the language can't say: that compiler takes every message field for nullable and reads
//! over the `nullable = false` that stands here (this crate's own parser does not); an enum has
//! one name a number, so only the first of several is written; a field that is named like a
//! keyword gets an underscore behind it, which does no harm, since ids identify fields.

use std::collections::HashSet;
use std::fmt::Write as _;

use crate::scalar::scalar_text;
use crate::{
    Enum, Error, Field, Message, Named, Registration, Schema, Slot, Type, Union, WellKnown,
};

/// The words that Fory's schema compiler reserves everywhere.
const KEYWORDS: [&str; 23] = [
    "array", "enum", "false", "import", "list", "map", "max", "message", "option", "optional",
    "package", "public", "ref", "repeated", "reserved", "returns", "rpc", "service", "stream",
    "to", "true", "union", "weak",
];

/// The `.fdl` text of all types of `package`.
///
/// # Errors
/// [`Error::Compile`] for what the language can't say at all: a type of another package (but for
/// protobuf's Timestamp and Duration), a field without an id, a type that is named like one of
/// the language's own; [`Error::UnknownName`] when the package has no types.
pub fn emit(schema: &Schema, package: &str) -> Result<String, Error> {
    let mut types = package_types(schema, package);
    types.sort_by_key(|named| std::cmp::Reverse(matches!(named, Named::Enum(_))));
    if types.is_empty() {
        let messages = schema.messages.iter().map(|m| &m.package);
        let mut known: Vec<_> = messages.cloned().collect();
        known.dedup();
        return Err(Error::UnknownName {
            name: package.to_owned(),
            known,
        });
    }
    let mut out = String::from("// Derived from the schema model; do not edit.\n");
    if !package.is_empty() {
        let _ = writeln!(out, "package {package};");
    }
    let by_name = |named: &Named| matches!(registration(schema, *named), Registration::Name { .. });
    if types.iter().any(by_name) {
        // Every other type has its id spelled out.
        out.push_str("option enable_auto_type_id = false;\n");
    }
    let mut emitter = Emitter {
        schema,
        package,
        types: &types,
        out,
    };
    for named in emitter.children("") {
        emitter.out.push('\n');
        emitter.definition(named, 0)?;
    }
    Ok(emitter.out)
}

fn package_types(schema: &Schema, package: &str) -> Vec<Named> {
    let messages = schema.messages.iter().filter(|m| m.package == package);
    let enums = schema.enums.iter().filter(|e| e.package == package);
    let unions = schema.unions.iter().filter(|u| u.package == package);
    let names = messages
        .map(|m| &m.full_name)
        .chain(enums.map(|e| &e.full_name))
        .chain(unions.map(|u| &u.full_name));
    names.filter_map(|name| schema.lookup(name)).collect()
}

fn full_name(schema: &Schema, named: Named) -> &str {
    match named {
        Named::Message(id) => &schema.message(id).full_name,
        Named::Enum(id) => &schema.enumeration(id).full_name,
        Named::Union(id) => &schema.union(id).full_name,
    }
}

fn registration(schema: &Schema, named: Named) -> &Registration {
    match named {
        Named::Message(id) => &schema.message(id).fory.registration,
        Named::Enum(id) => &schema.enumeration(id).registration,
        Named::Union(id) => &schema.union(id).registration,
    }
}

/// `full_name` without `prefix` and the dot behind it.
fn within<'n>(full_name: &'n str, prefix: &str) -> Option<&'n str> {
    if prefix.is_empty() {
        return Some(full_name);
    }
    full_name.strip_prefix(prefix)?.strip_prefix('.')
}

struct Emitter<'s> {
    schema: &'s Schema,
    package: &'s str,
    types: &'s [Named],
    out: String,
}

impl<'s> Emitter<'s> {
    fn error(&self, place: &str, text: impl std::fmt::Display) -> Error {
        Error::Compile(format!("{place}: {text}"))
    }

    /// The types right inside the package (`""`) or the message of this local name.
    fn children(&self, local: &str) -> Vec<Named> {
        let inside = |named: &&Named| {
            let name = within(full_name(self.schema, **named), self.package);
            let rest = name.and_then(|name| within(name, local));
            rest.is_some_and(|rest| !rest.contains('.'))
        };
        self.types.iter().filter(inside).copied().collect()
    }

    fn line(&mut self, depth: usize, text: &str) {
        let indent = depth * 4;
        let _ = writeln!(self.out, "{:indent$}{text}", "");
    }

    fn definition(&mut self, named: Named, depth: usize) -> Result<(), Error> {
        let schema = self.schema;
        let full = full_name(schema, named);
        let name = full.rsplit('.').next().unwrap_or(full);
        if KEYWORDS.contains(&name) || name == "set" || scalar_text_taken(name) {
            return Err(self.error(full, "the name means something else in Fory's language"));
        }
        let mut options = Vec::new();
        match registration(schema, named) {
            Registration::Id(id) => options.push(format!("id={id}")),
            Registration::Name { namespace, .. } if namespace != self.package => {
                options.push(format!("namespace={namespace:?}"));
            }
            Registration::Name { .. } => {}
        }
        if let Named::Message(id) = named
            && !schema.message(id).fory.evolving
        {
            options.push("evolving=false".to_owned());
        }
        let options = match options.is_empty() {
            true => String::new(),
            false => format!(" [{}]", options.join(", ")),
        };
        match named {
            Named::Message(id) => {
                self.line(depth, &format!("message {name}{options} {{"));
                self.message(schema.message(id), depth + 1)?;
            }
            Named::Enum(id) => {
                self.line(depth, &format!("enum {name}{options} {{"));
                self.enumeration(schema.enumeration(id), depth + 1);
            }
            Named::Union(id) => {
                self.line(depth, &format!("union {name}{options} {{"));
                self.union(schema.union(id), depth + 1)?;
            }
        }
        self.line(depth, "}");
        Ok(())
    }

    fn enumeration(&mut self, definition: &Enum, depth: usize) {
        let mut numbers = HashSet::new();
        let mut names = HashSet::new();
        for value in &definition.values {
            if numbers.insert(value.number) {
                let name = free_name(&value.name, &mut names);
                self.line(depth, &format!("{name} = {};", value.number));
            }
        }
    }

    fn union(&mut self, union: &Union, depth: usize) -> Result<(), Error> {
        let mut names = HashSet::new();
        for case in &union.cases {
            let ty = self.ty(&case.ty, &union.full_name)?;
            let name = free_name(&case.name, &mut names);
            self.line(depth, &format!("{ty} {name} = {};", case.number));
        }
        Ok(())
    }

    fn message(&mut self, message: &Message, depth: usize) -> Result<(), Error> {
        let local = within(&message.full_name, self.package).unwrap_or_default();
        for nested in self.children(local) {
            self.definition(nested, depth)?;
        }
        let mut names = HashSet::new();
        for field in &message.fields {
            let text = self.field(field, message, &mut names)?;
            self.line(depth, &text);
        }
        Ok(())
    }

    fn field(
        &self,
        field: &Field,
        message: &Message,
        names: &mut HashSet<String>,
    ) -> Result<String, Error> {
        let place = format!("{}.{}", message.full_name, field.name);
        let id = field.fory.id;
        let id = id.ok_or_else(|| self.error(&place, "the language gives every field an id"))?;
        let ty = self.ty(&field.ty, &message.full_name)?;
        let name = free_name(&field.name, names);
        // A message field is nullable and an `any` can be null without a word.
        let nullable = field.fory.nullable;
        let is_message = matches!(field.ty, Type::Message(_)) && self.time(&field.ty).is_none();
        let optional = nullable && !is_message && field.ty != Type::Any;
        Ok(format!(
            "{}{}{ty} {name} = {id}{};",
            if optional { "optional " } else { "" },
            if field.fory.reference { "ref " } else { "" },
            if is_message && !nullable {
                " [nullable=false]"
            } else {
                ""
            },
        ))
    }

    /// The Fory type that a well-known message is.
    fn time(&self, ty: &Type) -> Option<&'static str> {
        let Type::Message(id) = ty else {
            return None;
        };
        match self.schema.message(*id).well_known? {
            WellKnown::Timestamp => Some("timestamp"),
            WellKnown::Duration => Some("duration"),
            _ => None,
        }
    }

    fn ty(&self, ty: &Type, scope: &str) -> Result<String, Error> {
        if let Some(time) = self.time(ty) {
            return Ok(time.to_owned());
        }
        Ok(match ty {
            Type::Enum(id) => self.name(Named::Enum(*id), scope)?,
            Type::Message(id) => self.name(Named::Message(*id), scope)?,
            Type::Union(id) => self.name(Named::Union(*id), scope)?,
            Type::List(element) => format!("list<{}>", self.slot(element, scope)?),
            Type::Set(element) => format!("set<{}>", self.slot(element, scope)?),
            Type::Array(element) => {
                // The width of an element is fixed by the array; no word for it is allowed.
                let text = scalar_text(element);
                let text = text.unwrap_or_default();
                format!("array<{}>", text.rsplit(' ').next().unwrap_or_default())
            }
            Type::Map(key, value) => {
                format!(
                    "map<{}, {}>",
                    self.slot(key, scope)?,
                    self.slot(value, scope)?
                )
            }
            scalar => scalar_text(scalar).unwrap_or_default(),
        })
    }

    fn slot(&self, slot: &Slot, scope: &str) -> Result<String, Error> {
        let optional = slot.nullable && slot.ty != Type::Any;
        Ok(format!(
            "{}{}{}",
            if optional { "optional " } else { "" },
            if slot.reference { "ref " } else { "" },
            self.ty(&slot.ty, scope)?
        ))
    }

    /// The name that means `target` inside the type `scope`: its name within the package, or its
    /// full name where something nearer has that one.
    fn name(&self, target: Named, scope: &str) -> Result<String, Error> {
        let full = full_name(self.schema, target);
        if !self.types.contains(&target) {
            let text =
                format!("{full} is of another package, which Fory's language has no types of");
            return Err(self.error(scope, text));
        }
        let local = within(full, self.package).unwrap_or(full);
        let mut around = scope;
        loop {
            let meant = if around.is_empty() {
                local.to_owned()
            } else {
                format!("{around}.{local}")
            };
            if let Some(found) = self.schema.lookup(&meant) {
                return Ok(if found == target { local } else { full }.to_owned());
            }
            match around.rsplit_once('.') {
                Some((outer, _)) if around != self.package => around = outer,
                _ if around.is_empty() || around == self.package => return Ok(full.to_owned()),
                _ => around = "",
            }
        }
    }
}

fn scalar_text_taken(name: &str) -> bool {
    crate::scalar::scalar_type(name).is_some()
}

/// `name`, with underscores behind it until it is neither a keyword nor in use.
fn free_name(name: &str, used: &mut HashSet<String>) -> String {
    let mut name = name.to_owned();
    while KEYWORDS.contains(&name.as_str()) || used.contains(&name) {
        name.push('_');
    }
    used.insert(name.clone());
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{fdl, proto};

    #[test]
    fn everything_that_fory_needs_of_a_proto_file_is_said() {
        let schema = proto::compile_text(
            "syntax = \"proto3\"; package p; import \"fory/options.proto\";
             import \"google/protobuf/timestamp.proto\";
             message M {
               option (fory.message).id = 7; option (fory.message).evolving = false;
               int32 a = 1; optional uint64 b = 2; fixed64 c = 3;
               repeated int32 d = 4 [(fory.field).type = \"array<int32>\"];
               repeated string e = 5; map<int32, N> f = 6; google.protobuf.Timestamp message = 7; optional google.protobuf.Timestamp maybe = 14;
               N g = 8 [(fory.field).nullable = false]; N.N h = 9; int64 i = 10 [(fory.field).type = \"tagged int64\"];
               repeated N j = 11 [(fory.field).ref = true]; K k = 12; oneof o { bool l = 13; }
             }
             enum K { option allow_alias = true; option (fory.enumeration).id = 9; A = 0; B = 1; C = 1; }
             message N { option (fory.message).id = 8; message N { option (fory.message).id = 10; .p.N up = 1; } N down = 1; }",
        )
        .unwrap();
        let text = emit(&schema, "p").unwrap();
        let expected = "// Derived from the schema model; do not edit.
package p;

enum K [id=9] {
    A = 0;
    B = 1;
}

message M [id=7, evolving=false] {
    int32 a = 1;
    optional uint64 b = 2;
    fixed uint64 c = 3;
    array<int32> d = 4;
    list<string> e = 5;
    map<int32, N> f = 6;
    timestamp message_ = 7;
    optional timestamp maybe = 14;
    N g = 8 [nullable=false];
    N.N h = 9;
    tagged int64 i = 10;
    list<ref N> j = 11;
    K k = 12;
    optional bool l = 13;
}

message N [id=8] {
    message N [id=10] {
        p.N up = 1;
    }
    N.N down = 1;
}
";
        assert_eq!(text, expected);
        assert!(fdl::compile_text("p.fdl", &text).is_ok());
    }

    #[test]
    fn what_the_language_cannot_say_is_refused() {
        let refused = |text: &str| {
            let schema = proto::compile_text(text).unwrap();
            emit(&schema, "p").unwrap_err().to_string()
        };
        let any = "syntax = \"proto3\"; package p; import \"google/protobuf/any.proto\";
                   message M { google.protobuf.Any a = 1; }";
        assert!(refused(any).starts_with("p.M: google.protobuf.Any is of another package"));
        let taken = "syntax = \"proto3\"; package p; message date {}";
        assert!(refused(taken).starts_with("p.date: the name means something else"));
        assert!(refused("syntax = \"proto3\"; package q; message M {}").contains("q"));
        let mut schema =
            fdl::compile_text("t.fdl", "package p; message M { int32 a = 1; }").unwrap();
        schema.without_field_ids(crate::MessageId(0));
        let error = emit(&schema, "p").unwrap_err().to_string();
        assert_eq!(error, "p.M.a: the language gives every field an id");
    }
}
