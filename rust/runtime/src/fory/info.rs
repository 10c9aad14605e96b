/// Type metadata of a struct, all of it known when its code is generated.
#[derive(Debug)]
pub struct Info {
    /// Full name.
    pub name: &'static str,
    /// Number of the struct among those of its schema.
    pub slot: usize,
    /// Registration number.
    pub user_id: u32,
    /// Type id and registration number in consistent mode.
    pub plain_type: &'static [u8],
    /// Hash of the schema, consistent mode.
    pub hash: u32,
    /// The encoded TypeDef as the three kinds of writers put it: nested elements not nullable;
    /// nullable; named STRUCT instead of COMPATIBLE_STRUCT.
    pub type_defs: [&'static [u8]; 3],
    /// Fields in Fory's order.
    pub fields: &'static [FieldInfo],
    /// Longest metadata in front of a value: type id, marker, TypeDef, schema hash.
    pub meta_bound: usize,
}

/// A field as its reader sees it.
#[derive(Debug)]
pub struct FieldInfo {
    /// Name in the schema.
    pub name: &'static str,
    /// Tag id.
    pub id: u32,
    /// A null flag precedes the value.
    pub nullable: bool,
    /// Type.
    pub ty: TypeInfo,
}

/// A type id and the types inside: of the element, or of key and value.
#[derive(Debug)]
pub struct TypeInfo {
    /// Fory's internal type id.
    pub id: u8,
    /// Types inside.
    pub inner: &'static [TypeInfo],
}
