//! The field plan: which messages, in which modules, with which Rust types.

use std::collections::{BTreeMap, BTreeSet};

use interop_schema::{
    EnumId, Field, IntEncoding, MessageId, Presence, ProtoKind, ProtoShape, Registration, Schema,
    Type, WellKnown,
};

use crate::names;
use crate::{Error, Options};

/// All that is generated.
pub struct Plan<'s> {
    pub schema: &'s Schema,
    /// Messages by package, in the schema's order.
    pub packages: BTreeMap<String, Package>,
    pub messages: BTreeMap<MessageId, MessagePlan<'s>>,
}

/// A file.
#[derive(Default)]
pub struct Package {
    pub messages: Vec<MessageId>,
    pub enums: Vec<EnumId>,
}

/// A message.
pub struct MessagePlan<'s> {
    pub id: MessageId,
    pub name: String,
    pub full_name: &'s str,
    pub package: &'s str,
    pub fields: Vec<FieldPlan<'s>>,
    /// Slot and registration number; none where Fory can't carry the message as a struct.
    pub fory: Option<(usize, u32)>,
    /// Number of structs that a stream with this one may name.
    pub slots: usize,
}

/// A field.
pub struct FieldPlan<'s> {
    pub field: &'s Field,
    pub ident: String,
    pub shape: Shape,
    pub kind: Kind,
}

/// How often a field holds a value.
#[derive(Clone, PartialEq, Eq)]
pub enum Shape {
    /// Always; the default counts as absent.
    Plain,
    /// `Option`, the value in a `Box` where the type contains itself.
    Optional { boxed: bool },
    /// `Vec`.
    Repeated { packed: bool },
    /// `Map` with keys of the kind given.
    Map { key: Kind },
}

/// A leaf type with its wire forms.
#[derive(Clone, PartialEq, Eq)]
pub struct Kind {
    pub ty: Type,
    pub proto: ProtoKind,
    /// Dense in Fory.
    pub dense: bool,
}

impl<'s> Plan<'s> {
    pub fn new(schema: &'s Schema, options: &Options) -> Result<Self, Error> {
        let wanted = |package: &str| {
            if options.packages.is_empty() {
                !package.starts_with("google.protobuf") && package != "fory"
            } else {
                options.packages.iter().any(|name| name == package)
            }
        };
        let mut reached = BTreeSet::new();
        let mut enums = BTreeSet::new();
        for (i, message) in schema.messages.iter().enumerate() {
            if wanted(&message.package) {
                reach(schema, MessageId(i as u32), &mut reached, &mut enums);
            }
        }
        if reached.is_empty() {
            return Err(Error::Empty);
        }
        for (i, enumeration) in schema.enums.iter().enumerate() {
            if wanted(&enumeration.package) {
                enums.insert(EnumId(i as u32));
            }
        }
        let mut plan = Self {
            schema,
            packages: BTreeMap::new(),
            messages: BTreeMap::new(),
        };
        let components = components(schema, &reached);
        let mut slots: BTreeMap<MessageId, usize> = BTreeMap::new();
        for id in enums {
            let enumeration = schema.enumeration(id);
            if enumeration.closed {
                return Err(unsupported(&enumeration.full_name, "closed enums"));
            }
            let package = plan
                .packages
                .entry(enumeration.package.clone())
                .or_default();
            package.enums.push(id);
        }
        for id in &reached {
            let message = schema.message(*id);
            let package = plan.packages.entry(message.package.clone()).or_default();
            package.messages.push(*id);
            let component = components.get(id).copied().unwrap_or(*id);
            let planned = plan.message(*id, slots.entry(component).or_default())?;
            plan.messages.insert(*id, planned);
        }
        plan.check_names()?;
        for (id, message) in &mut plan.messages {
            let component = components
                .get(id)
                .and_then(|component| slots.get(component));
            message.slots = component.copied().unwrap_or_default();
        }
        Ok(plan)
    }

    /// Refuses types that would become the same Rust type, and constants of an enum likewise.
    fn check_names(&self) -> Result<(), Error> {
        for (package, contents) in &self.packages {
            let mut names = BTreeSet::new();
            let messages = contents.messages.iter().flat_map(|id| {
                let full_name = &self.schema.message(*id).full_name;
                [
                    (full_name, rust_name(full_name, package)),
                    (full_name, self.view_name(*id)),
                ]
            });
            let enums = contents.enums.iter().map(|id| {
                let full_name = &self.schema.enumeration(*id).full_name;
                (full_name, rust_name(full_name, package))
            });
            for (full_name, name) in messages.chain(enums) {
                if !names.insert(name) {
                    return Err(unsupported(full_name, SAME_NAME));
                }
            }
            for id in &contents.enums {
                let enumeration = self.schema.enumeration(*id);
                let mut names = BTreeSet::new();
                for value in &enumeration.values {
                    if !names.insert(names::constant(&value.name)) {
                        let name = format!("{}.{}", enumeration.full_name, value.name);
                        return Err(unsupported(&name, SAME_NAME));
                    }
                }
            }
        }
        Ok(())
    }

    fn message(&self, id: MessageId, slots: &mut usize) -> Result<MessagePlan<'s>, Error> {
        let message = self.schema.message(id);
        if message.message_set {
            return Err(unsupported(&message.full_name, "message sets"));
        }
        let mut fields = Vec::new();
        let mut idents = BTreeSet::new();
        for field in &message.fields {
            let planned = self.field(id, field)?;
            if !idents.insert(planned.ident.clone()) {
                let name = format!("{}.{}", message.full_name, field.name);
                return Err(unsupported(&name, SAME_NAME));
            }
            fields.push(planned);
        }
        let fory = match &message.fory.registration {
            Registration::Id(number) if self.fory_carries(id, &mut BTreeSet::new()) => {
                let slot = *slots;
                *slots += 1;
                Some((slot, *number))
            }
            _ => None,
        };
        Ok(MessagePlan {
            id,
            name: rust_name(&message.full_name, &message.package),
            full_name: &message.full_name,
            package: &message.package,
            fields,
            fory,
            slots: 0,
        })
    }

    fn field(&self, owner: MessageId, field: &'s Field) -> Result<FieldPlan<'s>, Error> {
        let full_name = || format!("{}.{}", self.schema.message(owner).full_name, field.name);
        let wrong = |what| unsupported(&full_name(), what);
        if field.extension.is_some() {
            return Err(wrong("extensions"));
        }
        if field.presence == Presence::Required {
            return Err(wrong("required fields"));
        }
        let Some(proto) = field.proto else {
            return Err(wrong("fields that are not from a .proto file"));
        };
        let kind = |ty: &Type, proto, dense| {
            let narrow = matches!(ty, Type::Int { bits: 8 | 16, .. });
            if narrow {
                return Err(wrong("integers narrower than their proto type"));
            }
            if proto == ProtoKind::Group {
                return Err(wrong("groups"));
            }
            Ok(Kind {
                ty: ty.clone(),
                proto,
                dense,
            })
        };
        let (shape, kind) = match (proto.shape, &field.ty) {
            (ProtoShape::Singular(proto), ty) => {
                let boxed = match ty {
                    Type::Message(inner) => self.contains(*inner, owner, &mut BTreeSet::new()),
                    _ => false,
                };
                let shape = match field.presence {
                    Presence::Implicit => Shape::Plain,
                    _ => Shape::Optional { boxed },
                };
                (shape, kind(ty, proto, false)?)
            }
            (
                ProtoShape::Repeated {
                    kind: proto,
                    packed,
                },
                Type::Array(element),
            ) => (Shape::Repeated { packed }, kind(element, proto, true)?),
            (
                ProtoShape::Repeated {
                    kind: proto,
                    packed,
                },
                Type::List(slot),
            ) => (Shape::Repeated { packed }, kind(&slot.ty, proto, false)?),
            (ProtoShape::Map { key, value }, Type::Map(key_slot, value_slot)) => {
                let key = kind(&key_slot.ty, key, false)?;
                (Shape::Map { key }, kind(&value_slot.ty, value, false)?)
            }
            _ => return Err(wrong("collections that are not those of proto")),
        };
        Ok(FieldPlan {
            field,
            ident: names::ident(&field.name),
            shape,
            kind,
        })
    }

    /// True when a value of `outer` holds one of `inner` without a vector or map between them.
    fn contains(&self, outer: MessageId, inner: MessageId, seen: &mut BTreeSet<MessageId>) -> bool {
        if outer == inner {
            return true;
        }
        if !seen.insert(outer) {
            return false;
        }
        let fields = self.schema.message(outer).fields.iter();
        fields
            .filter_map(|field| match field.ty {
                Type::Message(id) => Some(id),
                _ => None,
            })
            .any(|id| self.contains(id, inner, seen))
    }

    /// True when Fory can carry the message and all that it holds in structs known by number.
    fn fory_carries(&self, id: MessageId, seen: &mut BTreeSet<MessageId>) -> bool {
        if !seen.insert(id) {
            return true;
        }
        let message = self.schema.message(id);
        let numbered = matches!(message.fory.registration, Registration::Id(_));
        if message.well_known.is_some() || !message.fory.evolving || !numbered {
            return false;
        }
        message.fields.iter().all(|field| {
            if field.fory.id.is_none() || field.fory.reference {
                return false;
            }
            let slots: Vec<_> = match &field.ty {
                Type::List(slot) => vec![&**slot],
                Type::Map(key, value) => vec![&**key, &**value],
                _ => Vec::new(),
            };
            if slots.iter().any(|slot| slot.nullable || slot.reference) {
                return false;
            }
            let types = slots.iter().map(|slot| &slot.ty).chain([&field.ty]);
            types.into_iter().all(|ty| match ty {
                Type::Message(inner) => {
                    time(self.schema, *inner).is_some() || self.fory_carries(*inner, seen)
                }
                _ => true,
            })
        })
    }

    /// Path of a message's type, seen from `package`.
    pub fn message_path(&self, id: MessageId, package: &str) -> String {
        let message = self.schema.message(id);
        let name = rust_name(&message.full_name, &message.package);
        path(&message.package, &name, package)
    }

    /// Name of a message's view.
    pub fn view_name(&self, id: MessageId) -> String {
        let message = self.schema.message(id);
        let mut name = joined_name(&message.full_name, &message.package) + "View";
        // A message or enum of the schema may be called so itself.
        while self.is_taken(&name, &message.package) {
            name.push('_');
        }
        name
    }

    fn is_taken(&self, name: &str, package: &str) -> bool {
        let messages = self.schema.messages.iter();
        let messages = messages.map(|message| (&message.full_name, &message.package));
        let enums = self.schema.enums.iter();
        let enums = enums.map(|enumeration| (&enumeration.full_name, &enumeration.package));
        messages
            .chain(enums)
            .any(|(full_name, of)| of == package && rust_name(full_name, of) == name)
    }

    /// Path of a message's view, seen from `package`.
    pub fn view_path(&self, id: MessageId, package: &str) -> String {
        let message = self.schema.message(id);
        path(&message.package, &self.view_name(id), package)
    }

    /// Path of an enum's type, seen from `package`.
    pub fn enum_path(&self, id: EnumId, package: &str) -> String {
        let enumeration = self.schema.enumeration(id);
        let name = rust_name(&enumeration.full_name, &enumeration.package);
        path(&enumeration.package, &name, package)
    }

    /// Rust type of a leaf.
    pub fn leaf(&self, ty: &Type, package: &str) -> String {
        match ty {
            Type::Bool => "bool".to_owned(),
            Type::Int { bits, signed, .. } => format!("{}{bits}", if *signed { 'i' } else { 'u' }),
            Type::Float32 => "f32".to_owned(),
            Type::Float64 => "f64".to_owned(),
            Type::String => "String".to_owned(),
            Type::Bytes => "Vec<u8>".to_owned(),
            Type::Enum(id) => self.enum_path(*id, package),
            Type::Message(id) => self.message_path(*id, package),
            other => format!("{other:?}"),
        }
    }

    /// Rust type of a field.
    pub fn field_type(&self, field: &FieldPlan<'_>, package: &str) -> String {
        let leaf = self.leaf(&field.kind.ty, package);
        match &field.shape {
            Shape::Plain => leaf,
            Shape::Optional { boxed: false } => format!("Option<{leaf}>"),
            Shape::Optional { boxed: true } => format!("Option<Box<{leaf}>>"),
            Shape::Repeated { .. } => format!("Vec<{leaf}>"),
            Shape::Map { key } => format!("Map<{}, {leaf}>", self.leaf(&key.ty, package)),
        }
    }
}

/// Timestamp or duration, for the two messages that Fory has types for.
pub fn time(schema: &Schema, id: MessageId) -> Option<WellKnown> {
    let well_known = schema.message(id).well_known?;
    matches!(well_known, WellKnown::Timestamp | WellKnown::Duration).then_some(well_known)
}

/// True for an integer that Fory writes as a varint.
pub fn is_varint(ty: &Type) -> bool {
    matches!(
        ty,
        Type::Int {
            encoding: IntEncoding::Varint,
            ..
        }
    )
}

/// What is wrong with names that differ in the schema alone.
const SAME_NAME: &str = "names that become the same name in Rust as another's";

fn unsupported(name: &str, what: &'static str) -> Error {
    Error::Unsupported {
        name: name.to_owned(),
        what,
    }
}

/// For each message the first one of its connected component: structs that no stream can
/// hold together share their slots.
fn components(schema: &Schema, messages: &BTreeSet<MessageId>) -> BTreeMap<MessageId, MessageId> {
    let mut roots: BTreeMap<_, _> = messages.iter().map(|id| (*id, *id)).collect();
    for id in messages {
        let mut reached = BTreeSet::new();
        reach(schema, *id, &mut reached, &mut BTreeSet::new());
        // Timestamps and their like are no structs in Fory and join nothing.
        reached.retain(|id| schema.message(*id).well_known.is_none());
        let joined: BTreeSet<_> = reached.iter().map(|id| roots[id]).collect();
        if let Some(first) = joined.first() {
            roots
                .values_mut()
                .filter(|root| joined.contains(root))
                .for_each(|root| *root = *first);
        }
    }
    roots
}

fn reach(
    schema: &Schema,
    id: MessageId,
    reached: &mut BTreeSet<MessageId>,
    enums: &mut BTreeSet<EnumId>,
) {
    if !reached.insert(id) {
        return;
    }
    for field in &schema.message(id).fields {
        let inner: Vec<&Type> = match &field.ty {
            Type::Map(key, value) => vec![&key.ty, &value.ty],
            ty => vec![ty.element().unwrap_or(ty)],
        };
        for ty in inner {
            match ty {
                Type::Message(id) => reach(schema, *id, reached, enums),
                Type::Enum(id) => {
                    enums.insert(*id);
                }
                _ => {}
            }
        }
    }
}

/// A type's name, moved out of the way of those that generated code uses itself.
fn rust_name(full_name: &str, package: &str) -> String {
    names::free_type_name(joined_name(full_name, package))
}

/// Nested types are named with their enclosing ones in front: `Outer.Inner` is `OuterInner`.
fn joined_name(full_name: &str, package: &str) -> String {
    let local = full_name.strip_prefix(package).unwrap_or(full_name);
    let parts = local.split('.').filter(|part| !part.is_empty());
    parts.map(names::type_name).collect()
}

/// Path from a file of package `from` to `name` of package `to`.
fn path(to: &str, name: &str, from: &str) -> String {
    if to == from {
        return name.to_owned();
    }
    let split = |package: &str| -> Vec<String> {
        let parts = package.split('.').filter(|part| !part.is_empty());
        parts.map(names::ident).collect()
    };
    let (to, from) = (split(to), split(from));
    let shared = to.iter().zip(&from).take_while(|(a, b)| a == b).count();
    let mut parts = vec!["super".to_owned(); from.len() - shared];
    parts.extend_from_slice(&to[shared..]);
    parts.push(name.to_owned());
    parts.join("::")
}
