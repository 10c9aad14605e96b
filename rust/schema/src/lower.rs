//! Descriptors to the model: names resolved, features inherited, Fory options applied.

use std::collections::HashMap;

use crate::descriptor::{EnumProto, FieldProto, FileProto, ForyOptions, MessageProto};
use crate::escape::unescape;
use crate::features::FeatureSet;
use crate::field_number::check_number;
use crate::fory_type::{mark_reference, override_type};
use crate::{
    Enum, EnumId, EnumValue, Error, Field, ForyField, ForyMessage, Message, MessageId, Oneof,
    Presence, ProtoField, ProtoKind, ProtoShape, Registration, Scalar, Schema, Slot, Type,
    WellKnown,
};

pub(crate) fn lower(files: &[FileProto]) -> Result<Schema, Error> {
    let mut lowering = Lowering::default();
    for file in files {
        let scope = Scope::of_file(file)?;
        for message in &file.messages {
            lowering.declare_message(&scope, message);
        }
        for enumeration in &file.enums {
            lowering.declare_enum(&scope, enumeration);
        }
    }
    let declared = std::mem::take(&mut lowering.declared);
    for (id, message, scope) in &declared {
        lowering.define_message(*id, message, scope)?;
    }
    for file in files {
        let scope = Scope::of_file(file)?;
        lowering.define_extensions(&file.extensions, &scope)?;
    }
    for (_, message, scope) in &declared {
        lowering.define_extensions(&message.extensions, scope)?;
    }
    Ok(lowering.schema)
}

/// What a definition inherits from the file and messages around it.
#[derive(Clone)]
struct Scope {
    package: String,
    prefix: String,
    features: FeatureSet,
    evolving: bool,
    auto_type_id: bool,
    namespace: Option<String>,
}

impl Scope {
    fn of_file(file: &FileProto) -> Result<Self, Error> {
        Ok(Self {
            package: file.package.clone(),
            prefix: file.package.clone(),
            features: FeatureSet::defaults(&file.syntax, file.edition)?.with(file.features),
            evolving: file.fory.evolving.unwrap_or(true),
            auto_type_id: file.fory.auto_type_id.unwrap_or(true),
            namespace: None,
        })
    }

    fn inside(&self, message: &MessageProto) -> Self {
        Self {
            prefix: self.full_name(&message.name),
            features: self.features.with(message.features),
            namespace: message
                .fory
                .namespace
                .clone()
                .or_else(|| self.namespace.clone()),
            ..self.clone()
        }
    }

    fn full_name(&self, name: &str) -> String {
        if self.prefix.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.prefix)
        }
    }

    fn registration(&self, name: &str, options: &ForyOptions) -> Registration {
        let full_name = self.full_name(name);
        if let Some(id) = options.id {
            return Registration::Id(id);
        }
        if self.auto_type_id {
            return Registration::Id(crate::registration::auto_type_id(&full_name));
        }
        let local = full_name.strip_prefix(&self.package);
        let local = local.map_or(full_name.as_str(), |name| name.trim_start_matches('.'));
        let namespace = options.namespace.as_ref().or(self.namespace.as_ref());
        Registration::Name {
            namespace: namespace.unwrap_or(&self.package).clone(),
            name: local.to_owned(),
        }
    }
}

struct MapEntry<'a> {
    key: &'a FieldProto,
    value: &'a FieldProto,
}

#[derive(Default)]
struct Lowering<'a> {
    schema: Schema,
    messages: HashMap<String, MessageId>,
    enums: HashMap<String, EnumId>,
    entries: HashMap<String, MapEntry<'a>>,
    declared: Vec<(MessageId, &'a MessageProto, Scope)>,
}

impl<'a> Lowering<'a> {
    fn declare_message(&mut self, scope: &Scope, message: &'a MessageProto) {
        let full_name = scope.full_name(&message.name);
        if message.map_entry {
            let find = |number| message.fields.iter().find(|f| f.number == number);
            if let (Some(key), Some(value)) = (find(1), find(2)) {
                self.entries.insert(full_name, MapEntry { key, value });
            }
            return;
        }
        let fory = ForyMessage {
            registration: scope.registration(&message.name, &message.fory),
            evolving: message.fory.evolving.unwrap_or(scope.evolving),
        };
        let mut lowered = Message::new(full_name.clone(), scope.package.clone(), Vec::new(), fory);
        lowered.message_set = message.message_set;
        lowered
            .extension_ranges
            .clone_from(&message.extension_ranges);
        let id = self.schema.add_message(lowered);
        self.messages.insert(full_name, id);
        let inner = scope.inside(message);
        for nested in &message.nested {
            self.declare_message(&inner, nested);
        }
        for enumeration in &message.enums {
            self.declare_enum(&inner, enumeration);
        }
        self.declared.push((id, message, inner));
    }

    fn declare_enum(&mut self, scope: &Scope, enumeration: &EnumProto) {
        let full_name = scope.full_name(&enumeration.name);
        let values = enumeration.values.iter().map(|(name, number)| EnumValue {
            name: name.clone(),
            number: *number,
        });
        let id = self.schema.add_enum(Enum {
            full_name: full_name.clone(),
            package: scope.package.clone(),
            values: values.collect(),
            closed: scope.features.with(enumeration.features).enum_type == 2,
            registration: scope.registration(&enumeration.name, &enumeration.fory),
        });
        self.enums.insert(full_name, id);
    }

    fn define_message(
        &mut self,
        id: MessageId,
        message: &MessageProto,
        scope: &Scope,
    ) -> Result<(), Error> {
        // Synthetic oneofs of `optional` are dropped; the others keep their order.
        let synthetic = |oneof: usize| {
            message
                .fields
                .iter()
                .any(|f| f.proto3_optional && f.oneof == Some(oneof))
        };
        let mut real = HashMap::new();
        for (index, oneof) in message.oneofs.iter().enumerate() {
            if !synthetic(index) {
                real.insert(index, real.len());
                self.schema.messages[id.0 as usize].oneofs.push(Oneof {
                    name: oneof.name.clone(),
                    fields: Vec::new(),
                });
            }
        }
        for field in &message.fields {
            let oneof_features = field.oneof.and_then(|i| message.oneofs.get(i));
            let inherited = match oneof_features {
                Some(oneof) => scope.features.with(oneof.features),
                None => scope.features,
            };
            let mut lowered = self.lower_field(field, inherited, scope)?;
            lowered.oneof = field.oneof.and_then(|index| real.get(&index).copied());
            let target = &mut self.schema.messages[id.0 as usize];
            check_number(target, &lowered)?;
            if let Some(oneof) = lowered.oneof {
                target.oneofs[oneof].fields.push(target.fields.len());
            }
            target.push_field(lowered);
        }
        Ok(())
    }

    fn define_extensions(&mut self, fields: &[FieldProto], scope: &Scope) -> Result<(), Error> {
        for field in fields {
            let mut lowered = self.lower_field(field, scope.features, scope)?;
            let full_name = scope.full_name(&field.name);
            lowered.json_name = format!("[{full_name}]");
            lowered.extension = Some(full_name);
            let extendee = self.message_named(&field.extendee)?;
            let target = &mut self.schema.messages[extendee.0 as usize];
            check_number(target, &lowered)?;
            target.push_field(lowered);
        }
        Ok(())
    }

    fn message_named(&self, type_name: &str) -> Result<MessageId, Error> {
        let name = type_name.trim_start_matches('.');
        let id = self.messages.get(name).copied();
        id.ok_or_else(|| Error::Descriptor(format!("no message named {name}")))
    }

    fn lower_field(
        &self,
        field: &FieldProto,
        inherited: FeatureSet,
        scope: &Scope,
    ) -> Result<Field, Error> {
        let features = inherited.with(field.features);
        let repeated = field.label == 3;
        let entry = self.entries.get(field.type_name.trim_start_matches('.'));
        let (mut ty, shape) = match entry {
            Some(entry) if repeated => {
                let (key, key_kind) = self.element(entry.key, scope.features, true)?;
                let (value, value_kind) = self.element(entry.value, scope.features, true)?;
                let shape = ProtoShape::Map {
                    key: key_kind,
                    value: value_kind,
                };
                let ty = Type::Map(Box::new(Slot::plain(key)), Box::new(Slot::plain(value)));
                (ty, shape)
            }
            _ => {
                let (element, kind) = self.element(field, features, false)?;
                if repeated {
                    let packed = field
                        .packed
                        .unwrap_or(features.repeated_field_encoding == 1);
                    let shape = ProtoShape::Repeated {
                        kind,
                        packed: packed && kind.is_packable(),
                    };
                    (Type::List(Box::new(Slot::plain(element))), shape)
                } else {
                    (element, ProtoShape::Singular(kind))
                }
            }
        };
        if let Some(text) = &field.fory.ty {
            ty = override_type(&ty, text).ok_or_else(|| {
                Error::Descriptor(format!(
                    "field {}: (fory.field).type = \"{text}\" does not fit its proto type",
                    field.name
                ))
            })?;
        }
        let message = matches!(
            shape,
            ProtoShape::Singular(ProtoKind::Message | ProtoKind::Group)
        );
        let presence = presence_of(field, features, repeated, message);
        // To Fory a Timestamp or Duration is a scalar, not a message that may be null.
        let message = message && !self.is_time(&ty);
        let nullable = presence_of(field, features, repeated, message) == Presence::Explicit;
        let reference = field.fory.reference.unwrap_or(false);
        if reference {
            mark_reference(&mut ty);
        }
        Ok(Field {
            name: field.name.clone(),
            json_name: if field.json_name.is_empty() {
                lower_camel_case(&field.name)
            } else {
                field.json_name.clone()
            },
            number: field.number,
            presence,
            oneof: None,
            extension: None,
            default: match &field.default {
                Some(text) => Some(self.default_value(field, &ty, text)?),
                None => None,
            },
            proto: Some(ProtoField {
                shape,
                utf8: features.utf8_validation == 2,
            }),
            fory: ForyField {
                id: Some(field.number),
                nullable: field.fory.nullable.unwrap_or(nullable),
                reference: reference && !repeated,
            },
            ty,
        })
    }

    fn is_time(&self, ty: &Type) -> bool {
        let Type::Message(id) = ty else {
            return false;
        };
        matches!(
            self.schema.message(*id).well_known,
            Some(WellKnown::Timestamp | WellKnown::Duration)
        )
    }

    fn element(
        &self,
        field: &FieldProto,
        features: FeatureSet,
        in_map: bool,
    ) -> Result<(Type, ProtoKind), Error> {
        use crate::IntEncoding::{Fixed, Varint};
        let kind = kind_of(field.kind)
            .ok_or_else(|| Error::Descriptor(format!("field {}: no type", field.name)))?;
        let ty = match kind {
            ProtoKind::Double => Type::Float64,
            ProtoKind::Float => Type::Float32,
            ProtoKind::Int64 | ProtoKind::SInt64 => Type::int(64, true, Varint),
            ProtoKind::UInt64 => Type::int(64, false, Varint),
            ProtoKind::Int32 | ProtoKind::SInt32 => Type::int(32, true, Varint),
            ProtoKind::UInt32 => Type::int(32, false, Varint),
            ProtoKind::Fixed64 => Type::int(64, false, Fixed),
            ProtoKind::Fixed32 => Type::int(32, false, Fixed),
            ProtoKind::SFixed32 => Type::int(32, true, Fixed),
            ProtoKind::SFixed64 => Type::int(64, true, Fixed),
            ProtoKind::Bool => Type::Bool,
            ProtoKind::String => Type::String,
            ProtoKind::Bytes => Type::Bytes,
            ProtoKind::Group | ProtoKind::Message => {
                Type::Message(self.message_named(&field.type_name)?)
            }
            ProtoKind::Enum => {
                let name = field.type_name.trim_start_matches('.');
                let id = self.enums.get(name).copied();
                Type::Enum(id.ok_or_else(|| Error::Descriptor(format!("no enum named {name}")))?)
            }
        };
        // Map fields and map values are never groups, whatever the file's default says.
        let delimited = kind == ProtoKind::Message && features.message_encoding == 2 && !in_map;
        Ok((ty, if delimited { ProtoKind::Group } else { kind }))
    }

    fn default_value(&self, field: &FieldProto, ty: &Type, text: &str) -> Result<Scalar, Error> {
        let wrong = || {
            Error::Descriptor(format!(
                "field {}: default \"{text}\" does not parse",
                field.name
            ))
        };
        let float = |text: &str| match text {
            "inf" => Ok(f64::INFINITY),
            "-inf" => Ok(f64::NEG_INFINITY),
            "nan" | "-nan" => Ok(f64::NAN),
            text => text.parse().map_err(|_| wrong()),
        };
        Ok(match ty {
            Type::Bool => Scalar::Bool(text == "true"),
            Type::Int { signed: true, .. } => Scalar::Int(text.parse().map_err(|_| wrong())?),
            Type::Int { signed: false, .. } => Scalar::UInt(text.parse().map_err(|_| wrong())?),
            // Parsed at its own width: going through f64 would round twice.
            Type::Float32 => Scalar::Float32(match text.parse::<f32>() {
                Ok(value) => value,
                Err(_) => float(text)? as f32,
            }),
            Type::Float64 => Scalar::Float64(float(text)?),
            Type::String => Scalar::String(text.to_owned()),
            Type::Bytes => Scalar::Bytes(unescape(text).ok_or_else(wrong)?),
            Type::Enum(id) => Scalar::Enum(
                self.schema
                    .enumeration(*id)
                    .number_of(text)
                    .ok_or_else(wrong)?,
            ),
            _ => return Err(wrong()),
        })
    }
}

fn presence_of(
    field: &FieldProto,
    features: FeatureSet,
    repeated: bool,
    message: bool,
) -> Presence {
    if repeated {
        return Presence::Implicit;
    }
    if field.label == 2 || features.field_presence == 3 {
        return Presence::Required;
    }
    let member = field.oneof.is_some() || field.proto3_optional;
    let extension = !field.extendee.is_empty();
    if message || member || extension || features.field_presence == 1 {
        Presence::Explicit
    } else {
        Presence::Implicit
    }
}

fn kind_of(number: i32) -> Option<ProtoKind> {
    use ProtoKind::*;
    const KINDS: [ProtoKind; 18] = [
        Double, Float, Int64, UInt64, Int32, Fixed64, Fixed32, Bool, String, Group, Message, Bytes,
        UInt32, Enum, SFixed32, SFixed64, SInt32, SInt64,
    ];
    let index = usize::try_from(number.checked_sub(1)?).ok()?;
    KINDS.get(index).copied()
}

/// protobuf's default JSON name: underscores dropped, the letter behind each in upper case.
pub(crate) fn lower_camel_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut upper = false;
    for c in name.chars() {
        if c == '_' {
            upper = true;
        } else {
            out.push(if upper { c.to_ascii_uppercase() } else { c });
            upper = false;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{IntEncoding, proto::compile_text};

    fn only_message(text: &str) -> Message {
        compile_text(text).unwrap().messages.pop().unwrap()
    }

    #[test]
    fn presence_follows_label_syntax_and_kind() {
        let m = only_message(
            "syntax = \"proto3\"; message M { int32 a = 1; optional int32 b = 2; M c = 3;
             oneof o { int32 d = 4; string e = 5; } repeated int32 f = 6; map<int32, M> g = 7; }",
        );
        use Presence::{Explicit, Implicit};
        let presence: Vec<_> = m.fields.iter().map(|f| f.presence).collect();
        assert_eq!(
            presence,
            [
                Implicit, Explicit, Explicit, Explicit, Explicit, Implicit, Implicit
            ]
        );
        assert_eq!(m.oneofs.len(), 1, "the synthetic oneof of b is no oneof");
        assert_eq!(m.oneofs[0].fields, [3, 4]);
    }

    #[test]
    fn fory_options_are_applied() {
        let schema = compile_text(
            "syntax = \"proto3\"; import \"fory/options.proto\";
             message M { option (fory.message).id = 7;
               repeated int32 a = 1 [(fory.field).type = \"array<int32>\"];
               fixed32 b = 2 [(fory.field).type = \"fixed int32\"];
               M c = 3 [(fory.field).nullable = false]; }",
        )
        .unwrap();
        let m = schema.message(schema.message_by_name("M").unwrap());
        assert_eq!(m.fory.registration, Registration::Id(7));
        assert!(matches!(m.fields[0].ty, Type::Array(_)));
        assert_eq!(m.fields[1].ty, Type::int(32, true, IntEncoding::Fixed));
        assert!(!m.fields[2].fory.nullable);
    }

    #[test]
    fn a_fory_type_that_cannot_hold_the_values_is_refused() {
        let text = "syntax = \"proto3\"; import \"fory/options.proto\";
             message M { int32 a = 1 [(fory.field).type = \"float64\"]; }";
        let error = compile_text(text).unwrap_err().to_string();
        assert!(error.contains("field a"), "{error}");
    }

    #[test]
    fn nested_extensions_take_the_scope_of_their_message() {
        let schema = compile_text(
            "syntax = \"proto2\"; package p; message M { extensions 4 to max; }
             message N { message D { extend M { repeated sint32 x = 536870911 [packed = true]; } } }",
        )
        .unwrap();
        let m = schema.message(schema.message_by_name("p.M").unwrap());
        let field = &m.fields[m.field_by_name("[p.N.D.x]").unwrap()];
        assert_eq!(field.extension.as_deref(), Some("p.N.D.x"));
        assert_eq!(field.presence, Presence::Implicit);
        assert_eq!(m.extension_ranges, [(4, 1 << 29)]);
    }

    #[test]
    fn proto2_groups_closed_enums_and_extensions() {
        let schema = compile_text(
            "syntax = \"proto2\"; package p; enum E { A = 1; }
             message M { required int32 r = 1; optional group G = 2 { optional E e = 1; }
               extensions 100 to 200; }
             extend M { optional string x = 100; }",
        )
        .unwrap();
        let m = schema.message(schema.message_by_name("p.M").unwrap());
        assert_eq!(m.fields[0].presence, Presence::Required);
        let shape = m.fields[1].proto.unwrap().shape;
        assert_eq!(shape, ProtoShape::Singular(ProtoKind::Group));
        assert_eq!(m.field_by_name("[p.x]"), Some(2));
        assert!(schema.enums[0].closed);
    }
}
