//! The types themselves.

use interop_schema::EnumId;

use crate::emit::Source;
use crate::names;
use crate::plan::{MessagePlan, Plan};

pub fn message(source: &mut Source, plan: &Plan<'_>, message: &MessagePlan<'_>) {
    source.line(format!("/// `{}`.", message.full_name));
    source.line("#[derive(Clone, Debug, Default, PartialEq)]");
    source.line(format!("pub struct {} {{", message.name));
    for field in &message.fields {
        source.line(format!("/// Field {}.", field.field.number));
        let ty = plan.field_type(field, message.package);
        source.line(format!("pub {}: {ty},", field.ident));
    }
    source.line("/// Protobuf fields that the schema lacks.");
    source.line("pub unknown_fields: UnknownFields,");
    source.line("}");
}

pub fn enumeration(source: &mut Source, plan: &Plan<'_>, id: EnumId) {
    let enumeration = plan.schema.enumeration(id);
    let name = plan.enum_path(id, &enumeration.package);
    source.line(format!(
        "/// `{}`: open, as proto3 has it; any number is kept.",
        enumeration.full_name
    ));
    source.line("#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]");
    source.line(format!("pub struct {name}(pub i32);"));
    source.line("");
    source.line(format!("impl {name} {{"));
    for value in &enumeration.values {
        source.line(format!("/// `{}`.", value.name));
        source.line(format!(
            "pub const {}: Self = Self({});",
            names::constant(&value.name),
            value.number
        ));
    }
    source.line("");
    source.line("/// The name in the schema; none for a number that is not listed.");
    source.line("pub fn name(self) -> Option<&'static str> {");
    source.line("Some(match self.0 {");
    let mut seen = Vec::new();
    for value in &enumeration.values {
        if !seen.contains(&value.number) {
            seen.push(value.number);
            source.line(format!("{} => {:?},", value.number, value.name));
        }
    }
    source.line("_ => return None,");
    source.line("})");
    source.line("}");
    source.line("");
    source.line("/// The value of a name in the schema.");
    source.line("pub fn from_name(name: &str) -> Option<Self> {");
    source.line("Some(Self(match name {");
    for value in &enumeration.values {
        source.line(format!("{:?} => {},", value.name, value.number));
    }
    source.line("_ => return None,");
    source.line("}))");
    source.line("}");
    source.line("}");
    source.line("");
    source.line(format!("impl std::fmt::Debug for {name} {{"));
    source.line("fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {");
    source.line("match self.name() {");
    source.line("Some(name) => f.write_str(name),");
    source.line("None => write!(f, \"{}\", self.0),");
    source.line("}");
    source.line("}");
    source.line("}");
}
