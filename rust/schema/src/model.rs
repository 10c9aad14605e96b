//! The model itself: plain data, indices instead of references, in declaration order.

use std::collections::{HashMap, HashSet};

use crate::{Error, WellKnown};

/// Index of a message in [`Schema::messages`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MessageId(pub u32);

/// Index of an enum in [`Schema::enums`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EnumId(pub u32);

/// Index of a union in [`Schema::unions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnionId(pub u32);

/// Everything that a set of schema files defines.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    /// All messages, nested ones included; map entries are not messages here.
    pub messages: Vec<Message>,
    /// All enums, nested ones included.
    pub enums: Vec<Enum>,
    /// Fory unions; `.proto` files define none (a oneof is a group of nullable fields).
    pub unions: Vec<Union>,
    names: HashMap<String, Named>,
}

/// What a full name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A message.
    Message(MessageId),
    /// An enum.
    Enum(EnumId),
    /// A union.
    Union(UnionId),
}

/// A message: fields in declaration order, extensions of it behind them.
#[derive(Clone, Debug)]
pub struct Message {
    /// Package and nesting, joined by dots.
    pub full_name: String,
    /// Package alone.
    pub package: String,
    /// Fields, then extension fields of the message that the schema knows.
    pub fields: Vec<Field>,
    /// Real oneofs; the synthetic ones of `optional` are not here.
    pub oneofs: Vec<Oneof>,
    /// Set for the types with a ProtoJSON form of their own.
    pub well_known: Option<WellKnown>,
    /// proto2 `option message_set_wire_format`.
    pub message_set: bool,
    /// Number ranges [start, end) open to extensions.
    pub extension_ranges: Vec<(u32, u32)>,
    /// How Fory registers and writes the message.
    pub fory: ForyMessage,
    by_number: HashMap<u32, usize>,
    by_name: HashMap<String, usize>,
}

/// What Fory needs to know of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForyMessage {
    /// How the type is named on the wire.
    pub registration: Registration,
    /// False for a message that is written as a plain struct in compatible mode too.
    pub evolving: bool,
}

/// How a user type is named in a Fory stream.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Registration {
    /// By number.
    Id(u32),
    /// By namespace and type name, both meta strings.
    Name {
        /// Usually the package.
        namespace: String,
        /// Name without the package.
        name: String,
    },
}

/// A oneof and its member fields (indices into [`Message::fields`]).
#[derive(Clone, Debug)]
pub struct Oneof {
    /// Name.
    pub name: String,
    /// Members in declaration order.
    pub fields: Vec<usize>,
}

/// A field of a message.
#[derive(Clone, Debug)]
pub struct Field {
    /// Name as written in the schema.
    pub name: String,
    /// lowerCamelCase name or the `json_name` option; `[full.name]` for an extension.
    pub json_name: String,
    /// Field number; for an FDL field the number behind `=`.
    pub number: u32,
    /// Type, collections included.
    pub ty: Type,
    /// When an absent value differs from the default.
    pub presence: Presence,
    /// Index of the real oneof that the field belongs to.
    pub oneof: Option<usize>,
    /// Full name, for an extension.
    pub extension: Option<String>,
    /// Explicit default (proto2 and editions).
    pub default: Option<Scalar>,
    /// Protobuf wire form; `None` for a field from FDL.
    pub proto: Option<ProtoField>,
    /// Fory's view of the field.
    pub fory: ForyField,
}

/// Fory's view of a field beyond its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForyField {
    /// Tag id; `None` when the field is identified by its snake_case name.
    pub id: Option<u32>,
    /// A null flag precedes the value.
    pub nullable: bool,
    /// References are tracked.
    pub reference: bool,
}

/// When an absent value differs from the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Absent is the default (proto3 scalars, repeated fields, maps, non-null Fory fields).
    Implicit,
    /// Absent is a state of its own.
    Explicit,
    /// proto2 `required`: absent is an error.
    Required,
}

/// A type of a field, an element, a key or a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// One bit.
    Bool,
    /// An integer of `bits` 8, 16, 32 or 64.
    Int {
        /// Width.
        bits: u8,
        /// Two's complement or not.
        signed: bool,
        /// How Fory writes it.
        encoding: IntEncoding,
    },
    /// IEEE 754 binary16.
    Float16,
    /// The upper half of a binary32.
    BFloat16,
    /// IEEE 754 binary32.
    Float32,
    /// IEEE 754 binary64.
    Float64,
    /// Unicode text.
    String,
    /// Bytes.
    Bytes,
    /// An enum.
    Enum(EnumId),
    /// A message.
    Message(MessageId),
    /// A Fory union.
    Union(UnionId),
    /// Seconds and nanoseconds since 1970 UTC (FDL; protobuf's Timestamp stays a message).
    Timestamp,
    /// Seconds and nanoseconds (FDL; protobuf's Duration stays a message).
    Duration,
    /// Days since 1970-01-01.
    Date,
    /// Unscaled integer and scale.
    Decimal,
    /// A Fory value that names its own type.
    Any,
    /// An ordered collection.
    List(Box<Slot>),
    /// A collection of unique elements.
    Set(Box<Slot>),
    /// A dense Fory array of bool or numbers. Its values are lists like those of `List`.
    Array(Box<Type>),
    /// Keys and values.
    Map(Box<Slot>, Box<Slot>),
}

impl Type {
    /// An integer type.
    pub const fn int(bits: u8, signed: bool, encoding: IntEncoding) -> Self {
        Self::Int {
            bits,
            signed,
            encoding,
        }
    }

    /// The element type of a list, set or array.
    pub fn element(&self) -> Option<&Type> {
        match self {
            Self::List(slot) | Self::Set(slot) => Some(&slot.ty),
            Self::Array(ty) => Some(ty),
            _ => None,
        }
    }
}

/// How Fory writes an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntEncoding {
    /// All bytes.
    Fixed,
    /// Base-128, zigzag when signed.
    Varint,
    /// Four bytes, or a flag and eight.
    Tagged,
}

/// An element, key or value position inside a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Type.
    pub ty: Type,
    /// May be null.
    pub nullable: bool,
    /// References are tracked.
    pub reference: bool,
}

impl Slot {
    /// A non-null, untracked position.
    pub fn plain(ty: Type) -> Self {
        Self {
            ty,
            nullable: false,
            reference: false,
        }
    }
}

/// A scalar constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// Boolean.
    Bool(bool),
    /// Signed integer of any width.
    Int(i64),
    /// Unsigned integer of any width.
    UInt(u64),
    /// Single precision.
    Float32(f32),
    /// Double precision.
    Float64(f64),
    /// Text.
    String(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Enum number.
    Enum(i32),
}

/// Protobuf's wire form of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProtoField {
    /// Label and element kinds.
    pub shape: ProtoShape,
    /// Strings are checked to be UTF-8 (also inside map entries).
    pub utf8: bool,
}

/// Label and element kinds of a protobuf field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtoShape {
    /// At most one value.
    Singular(ProtoKind),
    /// Any number of values.
    Repeated {
        /// Kind of each.
        kind: ProtoKind,
        /// Written as one length-delimited run; readers take both forms.
        packed: bool,
    },
    /// Repeated entry messages of key (1) and value (2).
    Map {
        /// Kind of the key.
        key: ProtoKind,
        /// Kind of the value.
        value: ProtoKind,
    },
}

/// Protobuf's field kinds; the numbers are those of `FieldDescriptorProto.Type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
#[repr(u8)]
pub enum ProtoKind {
    Double = 1,
    Float = 2,
    Int64 = 3,
    UInt64 = 4,
    Int32 = 5,
    Fixed64 = 6,
    Fixed32 = 7,
    Bool = 8,
    String = 9,
    Group = 10,
    Message = 11,
    Bytes = 12,
    UInt32 = 13,
    Enum = 14,
    SFixed32 = 15,
    SFixed64 = 16,
    SInt32 = 17,
    SInt64 = 18,
}

impl ProtoKind {
    /// The wire type number that a single value of this kind has: 0 varint, 1 eight bytes,
    /// 2 length-delimited, 3 group, 5 four bytes.
    pub const fn wire_type(self) -> u8 {
        match self {
            Self::Double | Self::Fixed64 | Self::SFixed64 => 1,
            Self::Float | Self::Fixed32 | Self::SFixed32 => 5,
            Self::String | Self::Bytes | Self::Message => 2,
            Self::Group => 3,
            _ => 0,
        }
    }

    /// True for the kinds that a packed run may hold.
    pub const fn is_packable(self) -> bool {
        !matches!(
            self,
            Self::String | Self::Bytes | Self::Message | Self::Group
        )
    }
}

/// An enum.
#[derive(Clone, Debug)]
pub struct Enum {
    /// Package and nesting, joined by dots.
    pub full_name: String,
    /// Package alone.
    pub package: String,
    /// Names and numbers in declaration order; aliases included.
    pub values: Vec<EnumValue>,
    /// Unlisted numbers are unknown fields in protobuf.
    pub closed: bool,
    /// How Fory registers it.
    pub registration: Registration,
}

/// A name and number of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumValue {
    /// Name.
    pub name: String,
    /// Number.
    pub number: i32,
}

impl Enum {
    /// The first name of `number`.
    pub fn name_of(&self, number: i32) -> Option<&str> {
        let value = self.values.iter().find(|v| v.number == number)?;
        Some(&value.name)
    }

    /// The number of `name`.
    pub fn number_of(&self, name: &str) -> Option<i32> {
        Some(self.values.iter().find(|v| v.name == name)?.number)
    }

    /// True when every number listed fits in a signed byte, as which FlatBuffers then stores it.
    pub fn fits_in_a_byte(&self) -> bool {
        self.values.iter().all(|v| i8::try_from(v.number).is_ok())
    }

    /// The default: the first value listed, or 0 when none is.
    pub fn default_number(&self) -> i32 {
        self.values.first().map_or(0, |v| v.number)
    }
}

/// A Fory union.
#[derive(Clone, Debug)]
pub struct Union {
    /// Package and nesting, joined by dots.
    pub full_name: String,
    /// Package alone.
    pub package: String,
    /// Alternatives in declaration order.
    pub cases: Vec<UnionCase>,
    /// How Fory registers it.
    pub registration: Registration,
}

/// An alternative of a union.
#[derive(Clone, Debug)]
pub struct UnionCase {
    /// Name.
    pub name: String,
    /// Case id.
    pub number: u32,
    /// Type of its value.
    pub ty: Type,
}

impl Union {
    /// The alternative with this case id.
    pub fn case(&self, number: u32) -> Option<&UnionCase> {
        self.cases.iter().find(|c| c.number == number)
    }
}

impl Message {
    /// A message of these parts; indexes its fields.
    pub fn new(full_name: String, package: String, fields: Vec<Field>, fory: ForyMessage) -> Self {
        let mut message = Self {
            well_known: WellKnown::from_full_name(&full_name),
            full_name,
            package,
            fields: Vec::new(),
            oneofs: Vec::new(),
            message_set: false,
            extension_ranges: Vec::new(),
            fory,
            by_number: HashMap::new(),
            by_name: HashMap::new(),
        };
        for field in fields {
            message.push_field(field);
        }
        message
    }

    /// Adds a field behind the others.
    pub fn push_field(&mut self, field: Field) {
        let index = self.fields.len();
        self.by_number.insert(field.number, index);
        // A field's own name wins over another field's JSON name.
        self.by_name.entry(field.json_name.clone()).or_insert(index);
        if field.extension.is_none() {
            self.by_name.insert(field.name.clone(), index);
        }
        self.fields.push(field);
    }

    /// Name without package and enclosing messages.
    pub fn name(&self) -> &str {
        self.full_name.rsplit('.').next().unwrap_or_default()
    }

    /// Index of the field with this number.
    pub fn field_by_number(&self, number: u32) -> Option<usize> {
        self.by_number.get(&number).copied()
    }

    /// Index of the field with this name, original or JSON (`[full.name]` for an extension).
    pub fn field_by_name(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }
}

impl Schema {
    /// The message with this id.
    pub fn message(&self, id: MessageId) -> &Message {
        &self.messages[id.0 as usize]
    }

    /// The enum with this id.
    pub fn enumeration(&self, id: EnumId) -> &Enum {
        &self.enums[id.0 as usize]
    }

    /// The union with this id.
    pub fn union(&self, id: UnionId) -> &Union {
        &self.unions[id.0 as usize]
    }

    /// What a full name stands for.
    pub fn lookup(&self, full_name: &str) -> Option<Named> {
        self.names.get(full_name).copied()
    }

    /// The message of this full name.
    ///
    /// # Errors
    /// [`Error::UnknownName`] with the names that are known.
    pub fn message_by_name(&self, full_name: &str) -> Result<MessageId, Error> {
        match self.lookup(full_name) {
            Some(Named::Message(id)) => Ok(id),
            _ => Err(Error::UnknownName {
                name: full_name.to_owned(),
                known: self.messages.iter().map(|m| m.full_name.clone()).collect(),
            }),
        }
    }

    /// Takes the Fory ids from the fields of `message` and of every message that it reaches, so
    /// that their names identify them, as for types that an application registers without ids.
    pub fn without_field_ids(&mut self, message: MessageId) {
        let mut seen = HashSet::from([message]);
        let mut unions = HashSet::new();
        let mut left = vec![message];
        while let Some(id) = left.pop() {
            for field in &mut self.messages[id.0 as usize].fields {
                field.fory.id = None;
                let mut types = vec![&field.ty];
                while let Some(ty) = types.pop() {
                    match ty {
                        Type::Message(inner) if seen.insert(*inner) => left.push(*inner),
                        Type::Union(union) if unions.insert(*union) => {
                            let cases = &self.unions[union.0 as usize].cases;
                            types.extend(cases.iter().map(|case| &case.ty));
                        }
                        Type::List(slot) | Type::Set(slot) => types.push(&slot.ty),
                        Type::Map(key, value) => types.extend([&key.ty, &value.ty]),
                        _ => {}
                    }
                }
            }
        }
    }

    /// Adds a message.
    pub fn add_message(&mut self, message: Message) -> MessageId {
        let id = MessageId(self.messages.len() as u32);
        self.names
            .insert(message.full_name.clone(), Named::Message(id));
        self.messages.push(message);
        id
    }

    /// Adds an enum.
    pub fn add_enum(&mut self, enumeration: Enum) -> EnumId {
        let id = EnumId(self.enums.len() as u32);
        self.names
            .insert(enumeration.full_name.clone(), Named::Enum(id));
        self.enums.push(enumeration);
        id
    }

    /// Adds a union.
    pub fn add_union(&mut self, union: Union) -> UnionId {
        let id = UnionId(self.unions.len() as u32);
        self.names.insert(union.full_name.clone(), Named::Union(id));
        self.unions.push(union);
        id
    }
}
