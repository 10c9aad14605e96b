//! What a file says, before names mean anything.

use super::lexer::Place;
use crate::Type;

/// A name and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub text: String,
    pub place: Place,
}

#[derive(Debug)]
pub(super) struct File {
    pub package: String,
    /// Stands for the package in the hash of an automatic type id.
    pub package_alias: Option<String>,
    /// `enable_auto_type_id`
    pub auto_type_id: bool,
    /// `evolving`
    pub evolving: bool,
    pub imports: Vec<Name>,
    pub definitions: Vec<Definition>,
    /// Request and response types of the services' methods.
    pub rpc_types: Vec<Name>,
}

#[derive(Debug)]
pub(super) enum Definition {
    Message(MessageDef),
    Enum(EnumDef),
    Union(UnionDef),
}

/// The options in brackets behind a type's name.
#[derive(Debug, Default)]
pub(super) struct TypeOptions {
    pub id: Option<u32>,
    pub alias: Option<String>,
    pub evolving: Option<bool>,
    pub namespace: Option<String>,
}

/// Numbers and names that a type keeps free.
#[derive(Debug, Default)]
pub(super) struct Reserved {
    /// First and last number.
    pub ranges: Vec<(i64, i64)>,
    pub names: Vec<String>,
}

#[derive(Debug)]
pub(super) struct MessageDef {
    pub name: Name,
    pub options: TypeOptions,
    pub fields: Vec<FieldDef>,
    pub nested: Vec<Definition>,
    pub reserved: Reserved,
}

#[derive(Debug)]
pub(super) struct EnumDef {
    pub name: Name,
    pub options: TypeOptions,
    pub values: Vec<(Name, i32, Place)>,
    pub reserved: Reserved,
}

#[derive(Debug)]
pub(super) struct UnionDef {
    pub name: Name,
    pub options: TypeOptions,
    /// Fields without modifiers.
    pub cases: Vec<FieldDef>,
    pub reserved: Reserved,
}

#[derive(Debug)]
pub(super) struct FieldDef {
    pub name: Name,
    pub number: u32,
    pub number_place: Place,
    pub slot: SlotDef,
    /// The `nullable` option.
    pub nullable: Option<bool>,
    pub json_name: Option<String>,
}

/// A type with its modifiers: a field, an element, a key or a value.
#[derive(Debug)]
pub(super) struct SlotDef {
    pub ty: TypeDef,
    /// Where `optional` stands.
    pub optional: Option<Place>,
    /// Where `ref` stands.
    pub reference: Option<Place>,
}

#[derive(Debug)]
pub(super) struct TypeDef {
    pub place: Place,
    pub kind: TypeKind,
}

#[derive(Debug)]
pub(super) enum TypeKind {
    Scalar {
        ty: Type,
        /// `fixed`, `varint` or `tagged` stands in front.
        encoded: bool,
    },
    Named(String),
    List(Box<SlotDef>),
    Set(Box<SlotDef>),
    Array(Box<SlotDef>),
    Map(Box<SlotDef>, Box<SlotDef>),
}
