//! Definitions to the model: ids given, names resolved, types checked.

use std::collections::HashMap;

use super::ast::{
    Definition, EnumDef, FieldDef, MessageDef, Name, Reserved, SlotDef, TypeDef, TypeKind,
    TypeOptions, UnionDef,
};
use super::lexer::{Place, error_at};
use super::load::Unit;
use crate::lower::lower_camel_case;
use crate::{
    Enum, EnumValue, Error, Field, ForyField, ForyMessage, Message, MessageId, Named, Presence,
    Registration, Schema, Slot, Type, Union, UnionCase, UnionId, auto_type_id,
};

pub(super) fn lower(units: &[Unit]) -> Result<Schema, Error> {
    let mut lowering = Lowering {
        units,
        schema: Schema::default(),
        registered: HashMap::new(),
        owner: HashMap::new(),
        messages: Vec::new(),
        unions: Vec::new(),
    };
    // Explicit ids first, so that an automatic id that hits one is the one to be reported.
    for explicit in [true, false] {
        for (index, unit) in units.iter().enumerate() {
            let scope = Scope {
                unit: index,
                path: Vec::new(),
                namespace: None,
            };
            for definition in &unit.file.definitions {
                lowering.register(&scope, definition, explicit)?;
            }
        }
    }
    for (index, unit) in units.iter().enumerate() {
        let scope = Scope {
            unit: index,
            path: Vec::new(),
            namespace: None,
        };
        for definition in &unit.file.definitions {
            lowering.declare(&scope, definition)?;
        }
    }
    for (id, message, scope) in std::mem::take(&mut lowering.messages) {
        lowering.define_message(id, message, &scope)?;
    }
    for (id, union, scope) in std::mem::take(&mut lowering.unions) {
        lowering.define_union(id, union, &scope)?;
    }
    for (index, unit) in units.iter().enumerate() {
        for name in &unit.file.rpc_types {
            let scope = Scope {
                unit: index,
                path: Vec::new(),
                namespace: None,
            };
            if let Named::Enum(_) = lowering.resolve(&scope, &name.text, name.place)? {
                let message = format!(
                    "`{}` is an enum; methods take messages and unions",
                    name.text
                );
                return Err(lowering.error(&scope, name.place, message));
            }
        }
    }
    Ok(lowering.schema)
}

/// Where a definition stands.
#[derive(Clone)]
struct Scope {
    unit: usize,
    /// Names of the messages around it.
    path: Vec<String>,
    /// The `namespace` option of the nearest message around it that has one.
    namespace: Option<String>,
}

impl Scope {
    fn inside(&self, message: &MessageDef) -> Self {
        let mut path = self.path.clone();
        path.push(message.name.text.clone());
        let own = message.options.namespace.clone();
        Self {
            unit: self.unit,
            path,
            namespace: own.or_else(|| self.namespace.clone()),
        }
    }

    fn local_name(&self, name: &str) -> String {
        let path = self.path.iter().map(String::as_str);
        path.chain([name]).collect::<Vec<_>>().join(".")
    }
}

fn joined(package: &str, name: &str) -> String {
    if package.is_empty() {
        name.to_owned()
    } else {
        format!("{package}.{name}")
    }
}

struct Lowering<'u> {
    units: &'u [Unit],
    schema: Schema,
    /// Full name of the type that took a registration.
    registered: HashMap<Registration, String>,
    /// Unit that defines a full name, with the registration given to it.
    owner: HashMap<String, (usize, Registration)>,
    messages: Vec<(MessageId, &'u MessageDef, Scope)>,
    unions: Vec<(UnionId, &'u UnionDef, Scope)>,
}

impl<'u> Lowering<'u> {
    fn error(&self, scope: &Scope, place: Place, message: impl Into<String>) -> Error {
        error_at(&self.units[scope.unit].name, place, message)
    }

    fn package(&self, scope: &Scope) -> &'u str {
        &self.units[scope.unit].file.package
    }

    fn full_name(&self, scope: &Scope, name: &Name) -> String {
        joined(self.package(scope), &scope.local_name(&name.text))
    }

    /// Gives every type its registration; one pass for the types with an id, one for the others.
    fn register(
        &mut self,
        scope: &Scope,
        definition: &'u Definition,
        explicit: bool,
    ) -> Result<(), Error> {
        let (name, options) = match definition {
            Definition::Message(def) => (&def.name, &def.options),
            Definition::Enum(def) => (&def.name, &def.options),
            Definition::Union(def) => (&def.name, &def.options),
        };
        if options.id.is_some() == explicit {
            self.register_one(scope, name, options)?;
        }
        if let Definition::Message(message) = definition {
            let inner = scope.inside(message);
            for nested in &message.nested {
                self.register(&inner, nested, explicit)?;
            }
        }
        Ok(())
    }

    fn register_one(
        &mut self,
        scope: &Scope,
        name: &Name,
        options: &TypeOptions,
    ) -> Result<(), Error> {
        let full_name = self.full_name(scope, name);
        let registration = self.registration(scope, name, options);
        if let Some((unit, _)) = self.owner.get(&full_name) {
            let file = &self.units[*unit].name;
            let message = format!("`{full_name}` is defined already, in {file}");
            return Err(self.error(scope, name.place, message));
        }
        let taken = self
            .registered
            .insert(registration.clone(), full_name.clone());
        if let Some(other) = taken {
            let message = match (&registration, options.id) {
                (Registration::Id(id), Some(_)) => {
                    format!("type id {id} of `{full_name}` is taken by `{other}`")
                }
                (Registration::Id(id), None) => format!(
                    "the automatic type id {id} of `{full_name}` is taken by `{other}`; \
                     give it an `id` or an `alias`"
                ),
                (Registration::Name { namespace, name }, _) => format!(
                    "`{full_name}` and `{other}` would both be registered as \
                     \"{namespace}\" \"{name}\""
                ),
            };
            return Err(self.error(scope, name.place, message));
        }
        self.owner.insert(full_name, (scope.unit, registration));
        Ok(())
    }

    fn registration(&self, scope: &Scope, name: &Name, options: &TypeOptions) -> Registration {
        let file = &self.units[scope.unit].file;
        if let Some(id) = options.id {
            return Registration::Id(id);
        }
        let local = scope.local_name(&name.text);
        if !file.auto_type_id {
            let namespace = options.namespace.as_ref().or(scope.namespace.as_ref());
            return Registration::Name {
                namespace: namespace.unwrap_or(&file.package).clone(),
                name: local,
            };
        }
        let package = file.package_alias.as_ref().unwrap_or(&file.package);
        Registration::Id(auto_type_id(&match &options.alias {
            Some(alias) if alias.contains('.') => alias.clone(),
            Some(alias) => joined(package, alias),
            None => joined(package, &local),
        }))
    }

    fn declare(&mut self, scope: &Scope, definition: &'u Definition) -> Result<(), Error> {
        match definition {
            Definition::Message(message) => self.declare_message(scope, message),
            Definition::Enum(enumeration) => self.declare_enum(scope, enumeration),
            Definition::Union(union) => {
                let full_name = self.full_name(scope, &union.name);
                let registration = self.owner[&full_name].1.clone();
                let id = self.schema.add_union(Union {
                    full_name,
                    package: self.package(scope).to_owned(),
                    cases: Vec::new(),
                    registration,
                });
                self.unions.push((id, union, scope.clone()));
                Ok(())
            }
        }
    }

    fn declare_message(&mut self, scope: &Scope, message: &'u MessageDef) -> Result<(), Error> {
        let full_name = self.full_name(scope, &message.name);
        let fory = ForyMessage {
            registration: self.owner[&full_name].1.clone(),
            evolving: message
                .options
                .evolving
                .unwrap_or(self.units[scope.unit].file.evolving),
        };
        let package = self.package(scope).to_owned();
        let id = self
            .schema
            .add_message(Message::new(full_name, package, Vec::new(), fory));
        let inner = scope.inside(message);
        for nested in &message.nested {
            self.declare(&inner, nested)?;
        }
        self.messages.push((id, message, inner));
        Ok(())
    }

    fn declare_enum(&mut self, scope: &Scope, enumeration: &'u EnumDef) -> Result<(), Error> {
        let full_name = self.full_name(scope, &enumeration.name);
        let mut members = Members::default();
        for (name, number, place) in &enumeration.values {
            let found = members.add(&enumeration.reserved, name, i64::from(*number), *place);
            found.map_err(|(place, text)| self.error(scope, place, text))?;
        }
        if enumeration.values.is_empty() {
            let message = format!("enum `{full_name}` has no values");
            return Err(self.error(scope, enumeration.name.place, message));
        }
        let values = enumeration
            .values
            .iter()
            .map(|(name, number, _)| EnumValue {
                name: name.text.clone(),
                number: *number,
            });
        let registration = self.owner[&full_name].1.clone();
        self.schema.add_enum(Enum {
            full_name,
            package: self.package(scope).to_owned(),
            values: values.collect(),
            closed: true,
            registration,
        });
        Ok(())
    }

    fn define_message(
        &mut self,
        id: MessageId,
        message: &'u MessageDef,
        scope: &Scope,
    ) -> Result<(), Error> {
        let mut members = Members::default();
        for field in &message.fields {
            let number = i64::from(field.number);
            let found = members.add(&message.reserved, &field.name, number, field.number_place);
            found.map_err(|(place, text)| self.error(scope, place, text))?;
            let field = self.field(field, scope)?;
            self.schema.messages[id.0 as usize].push_field(field);
        }
        Ok(())
    }

    fn define_union(
        &mut self,
        id: UnionId,
        union: &'u UnionDef,
        scope: &Scope,
    ) -> Result<(), Error> {
        let mut members = Members::default();
        for case in &union.cases {
            let number = i64::from(case.number);
            let found = members.add(&union.reserved, &case.name, number, case.number_place);
            found.map_err(|(place, text)| self.error(scope, place, text))?;
            if let Some(place) = case.slot.optional.or(case.slot.reference) {
                let message = "a union's cases are neither optional nor references";
                return Err(self.error(scope, place, message));
            }
            if case.nullable.is_some() {
                let message = "a union's cases can't be nullable; the field of the union can";
                return Err(self.error(scope, case.name.place, message));
            }
            let ty = self.ty(&case.slot.ty, scope)?;
            self.schema.unions[id.0 as usize].cases.push(UnionCase {
                name: case.name.text.clone(),
                number: case.number,
                ty,
            });
        }
        if union.cases.is_empty() {
            let message = format!("union `{}` has no cases", union.name.text);
            return Err(self.error(scope, union.name.place, message));
        }
        Ok(())
    }

    fn field(&self, field: &FieldDef, scope: &Scope) -> Result<Field, Error> {
        let slot = self.slot(&field.slot, scope)?;
        let nullable = match (&slot.ty, field.nullable) {
            (Type::Any, None) => true,
            (Type::Any, Some(_)) => {
                let message = "an `any` field is always nullable; leave the option out";
                return Err(self.error(scope, field.name.place, message));
            }
            (Type::Message(_), option) => option.unwrap_or(true),
            (_, option) => slot.nullable || option == Some(true),
        };
        let name = &field.name.text;
        let json_name = field.json_name.clone();
        Ok(Field {
            json_name: json_name.unwrap_or_else(|| lower_camel_case(name)),
            name: name.clone(),
            number: field.number,
            presence: if nullable {
                Presence::Explicit
            } else {
                Presence::Implicit
            },
            oneof: None,
            extension: None,
            default: None,
            proto: None,
            fory: ForyField {
                id: Some(field.number),
                nullable,
                reference: slot.reference,
            },
            ty: slot.ty,
        })
    }

    /// A type with modifiers; an `any` inside a collection may be null like an `any` field.
    fn slot(&self, slot: &SlotDef, scope: &Scope) -> Result<Slot, Error> {
        let ty = self.ty(&slot.ty, scope)?;
        if let (Type::Any, Some(place)) = (&ty, slot.optional) {
            let message = "`any` can be null as it is; leave `optional` out";
            return Err(self.error(scope, place, message));
        }
        if let Some(place) = slot.reference
            && !matches!(ty, Type::Message(_) | Type::Union(_))
        {
            let message = match ty {
                Type::List(_) | Type::Set(_) | Type::Map(..) => {
                    "`ref` goes inside the collection: list<ref T>, map<K, ref V>"
                }
                _ => "`ref` is for messages and unions",
            };
            return Err(self.error(scope, place, message));
        }
        Ok(Slot {
            nullable: slot.optional.is_some() || ty == Type::Any,
            reference: slot.reference.is_some(),
            ty,
        })
    }

    fn ty(&self, def: &TypeDef, scope: &Scope) -> Result<Type, Error> {
        Ok(match &def.kind {
            TypeKind::Scalar { ty, .. } => ty.clone(),
            TypeKind::Named(name) => match self.resolve(scope, name, def.place)? {
                Named::Message(id) => Type::Message(id),
                Named::Enum(id) => Type::Enum(id),
                Named::Union(id) => Type::Union(id),
            },
            TypeKind::List(element) => Type::List(Box::new(self.slot(element, scope)?)),
            TypeKind::Set(element) => Type::Set(Box::new(self.slot(element, scope)?)),
            TypeKind::Array(element) => Type::Array(Box::new(self.array_element(element, scope)?)),
            TypeKind::Map(key, value) => {
                let key = self.map_key(key, scope)?;
                Type::Map(
                    Box::new(Slot::plain(key)),
                    Box::new(self.slot(value, scope)?),
                )
            }
        })
    }

    /// The xlang spec's "List and Array Schema Domains": bool and numbers, without modifiers.
    fn array_element(&self, element: &SlotDef, scope: &Scope) -> Result<Type, Error> {
        if let Some(place) = element.optional.or(element.reference) {
            let message = "elements of a dense array are neither optional nor references; \
                           use list<..>";
            return Err(self.error(scope, place, message));
        }
        let place = element.ty.place;
        if let TypeKind::Scalar { encoded: true, .. } = element.ty.kind {
            let message = "elements of a dense array have a fixed width already; \
                           leave the encoding out";
            return Err(self.error(scope, place, message));
        }
        let ty = self.ty(&element.ty, scope)?;
        match ty {
            Type::Bool
            | Type::Int { .. }
            | Type::Float16
            | Type::BFloat16
            | Type::Float32
            | Type::Float64 => Ok(ty),
            _ => {
                let message = "elements of a dense array are bool or numbers; use list<..>";
                Err(self.error(scope, place, message))
            }
        }
    }

    fn map_key(&self, key: &SlotDef, scope: &Scope) -> Result<Type, Error> {
        if let Some(place) = key.optional.or(key.reference) {
            let message = "map keys are neither optional nor references";
            return Err(self.error(scope, place, message));
        }
        let ty = self.ty(&key.ty, scope)?;
        match ty {
            Type::Bool
            | Type::Int { .. }
            | Type::String
            | Type::Enum(_)
            | Type::Timestamp
            | Type::Duration
            | Type::Date => Ok(ty),
            _ => {
                let message = "map keys are bool, integers, string, enums, date, timestamp \
                               or duration";
                Err(self.error(scope, key.ty.place, message))
            }
        }
    }

    /// The type that `name` means in `scope`: of the messages around, from the inside out, then
    /// of the file's own package, then of the packages of the files that it imports, then by its
    /// full name.
    fn resolve(&self, scope: &Scope, name: &str, place: Place) -> Result<Named, Error> {
        let unit = &self.units[scope.unit];
        let sees = |full_name: &str| {
            let (owner, _) = self.owner.get(full_name)?;
            let visible = *owner == scope.unit || unit.visible.contains(owner);
            visible.then(|| self.schema.lookup(full_name)).flatten()
        };
        for depth in (0..=scope.path.len()).rev() {
            let prefix = joined(&unit.file.package, &scope.path[..depth].join("."));
            let full_name = joined(prefix.trim_end_matches('.'), name);
            if let Some(found) = sees(&full_name) {
                return Ok(found);
            }
        }
        let mut found: Option<(String, Named)> = None;
        for &import in &unit.visible {
            let full_name = joined(&self.units[import].file.package, name);
            let Some(named) = sees(&full_name) else {
                continue;
            };
            match &found {
                Some((other, _)) if *other != full_name => {
                    let message = format!(
                        "`{name}` could be `{other}` or `{full_name}`; write the full name"
                    );
                    return Err(self.error(scope, place, message));
                }
                _ => found = Some((full_name, named)),
            }
        }
        if let Some((_, named)) = found {
            return Ok(named);
        }
        if let Some(named) = sees(name) {
            return Ok(named);
        }
        let message = match self
            .owner
            .keys()
            .any(|known| known == name || known.ends_with(&format!(".{name}")))
        {
            true => format!("type `{name}` is not in sight here: import its file"),
            false => format!("unknown type `{name}`"),
        };
        Err(self.error(scope, place, message))
    }
}

/// Names and numbers of one type, each to be used once.
#[derive(Default)]
struct Members {
    names: HashMap<String, i64>,
    numbers: HashMap<i64, String>,
}

impl Members {
    fn add(
        &mut self,
        reserved: &Reserved,
        name: &Name,
        number: i64,
        number_place: Place,
    ) -> Result<(), (Place, String)> {
        let text = &name.text;
        if let Some(other) = self.numbers.insert(number, text.clone()) {
            return Err((
                number_place,
                format!("number {number} is taken by `{other}`"),
            ));
        }
        if let Some(other) = self.names.insert(text.clone(), number) {
            let message = format!("`{text}` is there already, with number {other}");
            return Err((name.place, message));
        }
        if reserved.names.contains(text) {
            return Err((name.place, format!("the name `{text}` is reserved")));
        }
        let within = |(first, last): &(i64, i64)| (*first..=*last).contains(&number);
        if reserved.ranges.iter().any(within) {
            return Err((number_place, format!("number {number} is reserved")));
        }
        Ok(())
    }
}
