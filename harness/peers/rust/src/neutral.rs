//! Objects of the libraries to and from the neutral tree of the peer protocol, field by field.
//! The code for each message is generated; this is what it calls.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

pub use crate::protocol::value::Kind;
pub use crate::protocol::{Entry, Field, List, Map, Tree, Value};

/// A value that a field can hold.
pub trait Slot: Sized {
    /// From the tree.
    ///
    /// # Errors
    /// Names the kind that does not fit.
    fn load(kind: &Kind) -> Result<Self, String>;

    /// To the tree; none where it is not set.
    ///
    /// # Errors
    /// When the library gives something that is no value.
    fn save(&self) -> Result<Option<Kind>, String>;
}

/// An enum, by number.
pub(crate) trait EnumSlot: Sized {
    fn from_number(number: i32) -> Result<Self, String>;
    fn number(&self) -> i32;
}

impl EnumSlot for i32 {
    fn from_number(number: i32) -> Result<Self, String> {
        Ok(number)
    }

    fn number(&self) -> i32 {
        *self
    }
}

fn another(wanted: &str) -> String {
    format!("another kind of value where {wanted} belongs")
}

#[inline(never)]
pub(crate) fn tree_of(kind: &Kind) -> Result<&Tree, String> {
    match kind {
        Kind::Message(tree) => Ok(tree),
        _ => Err(another("a message")),
    }
}

#[inline(never)]
pub(crate) fn kind_of(field: &Field) -> Result<&Kind, String> {
    let kind = field.value.as_ref().and_then(|value| value.kind.as_ref());
    kind.ok_or_else(|| format!("field {}: no value", field.number))
}

#[inline(never)]
pub(crate) fn named<T>(name: &str, result: Result<T, String>) -> Result<T, String> {
    result.map_err(|error| format!("{name}: {error}"))
}

#[inline(never)]
pub(crate) fn no_field(message: &str, number: u32) -> String {
    format!("{message} has no field {number}")
}

pub(crate) fn no_number(name: &str, number: i32) -> String {
    format!("{name} has no value for {number}")
}

/// A library that drops unknown fields can't be given some.
#[inline(never)]
pub(crate) fn no_unknown(unknown: &[u8]) -> Result<(), String> {
    if unknown.is_empty() {
        Ok(())
    } else {
        Err("the library's message holds no unknown fields".to_owned())
    }
}

#[inline(never)]
pub(crate) fn set<T: Slot>(slot: &mut T, kind: &Kind) -> Result<(), String> {
    *slot = T::load(kind)?;
    Ok(())
}

pub(crate) fn enum_number(kind: &Kind) -> Result<i32, String> {
    match kind {
        Kind::Enumeration(number) => Ok(*number),
        _ => Err(another("an enum")),
    }
}

#[inline(never)]
pub(crate) fn set_enum<T: EnumSlot>(slot: &mut T, kind: &Kind) -> Result<(), String> {
    *slot = T::from_number(enum_number(kind)?)?;
    Ok(())
}

#[inline(never)]
pub(crate) fn put_kind(fields: &mut Vec<Field>, number: u32, kind: Kind) {
    let value = Some(Value { kind: Some(kind) });
    fields.push(Field { number, value });
}

#[inline(never)]
pub(crate) fn put<T: Slot>(fields: &mut Vec<Field>, number: u32, slot: &T) -> Result<(), String> {
    if let Some(kind) = slot.save()? {
        put_kind(fields, number, kind);
    }
    Ok(())
}

/// For a library that knows no presence: what is not the default is set.
#[inline(never)]
pub(crate) fn put_set<T: Slot + Default + PartialEq>(
    fields: &mut Vec<Field>,
    number: u32,
    slot: &T,
) -> Result<(), String> {
    if *slot == T::default() {
        return Ok(());
    }
    put(fields, number, slot)
}

#[inline(never)]
pub(crate) fn put_enum<T: EnumSlot>(
    fields: &mut Vec<Field>,
    number: u32,
    slot: &T,
) -> Result<(), String> {
    put_kind(fields, number, Kind::Enumeration(slot.number()));
    Ok(())
}

fn element(value: &Value) -> Result<&Kind, String> {
    let kind = value.kind.as_ref();
    kind.ok_or_else(|| "an element without a value".to_owned())
}

pub(crate) fn elements(kind: &Kind) -> Result<impl Iterator<Item = Result<&Kind, String>>, String> {
    match kind {
        Kind::List(list) => Ok(list.values.iter().map(element)),
        _ => Err(another("a list")),
    }
}

type Pair<'a> = Result<(&'a Kind, &'a Kind), String>;

pub(crate) fn entries(kind: &Kind) -> Result<impl Iterator<Item = Pair<'_>>, String> {
    fn part(part: &Option<Value>) -> Result<&Kind, String> {
        let value = part.as_ref();
        element(value.ok_or_else(|| "an entry without a value".to_owned())?)
    }
    match kind {
        Kind::Map(map) => Ok(map
            .entries
            .iter()
            .map(|entry| Ok((part(&entry.key)?, part(&entry.value)?)))),
        _ => Err(another("a map")),
    }
}

fn wrap(kind: Kind) -> Option<Value> {
    Some(Value { kind: Some(kind) })
}

fn saved<T: Slot>(value: &T) -> Result<Kind, String> {
    let kind = value.save()?;
    kind.ok_or_else(|| "an element that is not there".to_owned())
}

fn list_kind(values: impl Iterator<Item = Result<Kind, String>>) -> Result<Kind, String> {
    let values = values.map(|kind| Ok(Value { kind: Some(kind?) }));
    Ok(Kind::List(List {
        values: values.collect::<Result<_, String>>()?,
    }))
}

fn map_kind(entries: impl Iterator<Item = Result<(Kind, Kind), String>>) -> Result<Kind, String> {
    let entries = entries.map(|pair| {
        let (key, value) = pair?;
        Ok(Entry {
            key: wrap(key),
            value: wrap(value),
        })
    });
    Ok(Kind::Map(Map {
        entries: entries.collect::<Result<_, String>>()?,
    }))
}

impl Slot for bool {
    fn load(kind: &Kind) -> Result<Self, String> {
        match kind {
            Kind::Boolean(value) => Ok(*value),
            _ => Err(another("a bool")),
        }
    }

    fn save(&self) -> Result<Option<Kind>, String> {
        Ok(Some(Kind::Boolean(*self)))
    }
}

/// A number that does not fit as written may fit as the other signedness, and is its bits then.
macro_rules! integer {
    ($ty:ty, $other:ty, $kind:ident, $wide:ty) => {
        impl Slot for $ty {
            fn load(kind: &Kind) -> Result<Self, String> {
                let wide: i128 = match kind {
                    Kind::Signed(value) => (*value).into(),
                    Kind::Unsigned(value) => (*value).into(),
                    _ => return Err(another("an integer")),
                };
                <$ty>::try_from(wide)
                    .or_else(|_| <$other>::try_from(wide).map(|value| value as $ty))
                    .map_err(|_| format!("{wide} does not fit {}", stringify!($ty)))
            }

            fn save(&self) -> Result<Option<Kind>, String> {
                Ok(Some(Kind::$kind(<$wide>::from(*self))))
            }
        }
    };
}

integer!(i32, u32, Signed, i64);
integer!(i64, u64, Signed, i64);
integer!(u32, i32, Unsigned, u64);
integer!(u64, i64, Unsigned, u64);

impl Slot for f32 {
    fn load(kind: &Kind) -> Result<Self, String> {
        match kind {
            Kind::Float32Bits(bits) => Ok(Self::from_bits(*bits)),
            _ => Err(another("a float")),
        }
    }

    fn save(&self) -> Result<Option<Kind>, String> {
        Ok(Some(Kind::Float32Bits(self.to_bits())))
    }
}

impl Slot for f64 {
    fn load(kind: &Kind) -> Result<Self, String> {
        match kind {
            Kind::Float64Bits(bits) => Ok(Self::from_bits(*bits)),
            _ => Err(another("a double")),
        }
    }

    fn save(&self) -> Result<Option<Kind>, String> {
        Ok(Some(Kind::Float64Bits(self.to_bits())))
    }
}

impl Slot for String {
    fn load(kind: &Kind) -> Result<Self, String> {
        match kind {
            Kind::Text(text) => Ok(text.clone()),
            Kind::Data(_) => Err("a string that is not UTF-8".to_owned()),
            _ => Err(another("a string")),
        }
    }

    fn save(&self) -> Result<Option<Kind>, String> {
        Ok(Some(Kind::Text(self.clone())))
    }
}

impl<T: Slot> Slot for Option<T> {
    fn load(kind: &Kind) -> Result<Self, String> {
        T::load(kind).map(Some)
    }

    fn save(&self) -> Result<Option<Kind>, String> {
        self.as_ref().map_or(Ok(None), Slot::save)
    }
}

impl<T: Slot> Slot for Box<T> {
    fn load(kind: &Kind) -> Result<Self, String> {
        T::load(kind).map(Box::new)
    }

    fn save(&self) -> Result<Option<Kind>, String> {
        T::save(self)
    }
}

impl<T: Slot> Slot for Vec<T> {
    fn load(kind: &Kind) -> Result<Self, String> {
        elements(kind)?.map(|kind| T::load(kind?)).collect()
    }

    fn save(&self) -> Result<Option<Kind>, String> {
        list_kind(self.iter().map(saved)).map(Some)
    }
}

macro_rules! map {
    ($ty:ident, [$($bounds:tt)*] $(, $hasher:ident)?) => {
        impl<K: Slot + $($bounds)*, V: Slot $(, $hasher: std::hash::BuildHasher + Default)?> Slot
            for $ty<K, V $(, $hasher)?>
        {
            fn load(kind: &Kind) -> Result<Self, String> {
                let pairs = entries(kind)?.map(|pair| {
                    let (key, value) = pair?;
                    Ok((K::load(key)?, V::load(value)?))
                });
                pairs.collect()
            }

            fn save(&self) -> Result<Option<Kind>, String> {
                let pairs = self.iter().map(|(key, value)| Ok((saved(key)?, saved(value)?)));
                map_kind(pairs).map(Some)
            }
        }
    };
}

map!(BTreeMap, [Ord]);
map!(HashMap, [Eq + Hash], S);

impl<K: Slot + Eq + Hash, V: Slot> Slot for interop_runtime::Map<K, V> {
    fn load(kind: &Kind) -> Result<Self, String> {
        let mut map = Self::new();
        for pair in entries(kind)? {
            let (key, value) = pair?;
            map.insert(K::load(key)?, V::load(value)?);
        }
        Ok(map)
    }

    fn save(&self) -> Result<Option<Kind>, String> {
        map_kind(self.iter().map(|(key, value)| Ok((saved(key)?, saved(value)?)))).map(Some)
    }
}

impl<T: Slot + Default, P: buffa::ProtoBox<T>> Slot for buffa::MessageField<T, P> {
    fn load(kind: &Kind) -> Result<Self, String> {
        T::load(kind).map(Self::some)
    }

    fn save(&self) -> Result<Option<Kind>, String> {
        self.as_option().map_or(Ok(None), Slot::save)
    }
}

impl<E: buffa::Enumeration> EnumSlot for buffa::EnumValue<E> {
    fn from_number(number: i32) -> Result<Self, String> {
        Ok(Self::from(number))
    }

    fn number(&self) -> i32 {
        self.to_i32()
    }
}

pub(crate) fn unknown_of(bytes: &[u8]) -> Result<buffa::UnknownFields, String> {
    buffa::UnknownFields::decode_from_slice(bytes).map_err(|error| error.to_string())
}

pub(crate) fn unknown_bytes(unknown: &buffa::UnknownFields) -> Vec<u8> {
    let mut bytes = Vec::new();
    unknown.write_to(&mut bytes);
    bytes
}

/// A point in time as the message of its two fields.
pub(crate) fn time(seconds: i64, nanos: i32) -> Kind {
    let mut fields = Vec::new();
    put_kind(&mut fields, 1, Kind::Signed(seconds));
    put_kind(&mut fields, 2, Kind::Signed(nanos.into()));
    Kind::Message(Tree {
        fields,
        unknown: Vec::new(),
    })
}

/// Seconds and nanoseconds of a point in time.
pub(crate) fn time_of(kind: &Kind) -> Result<(i64, i32), String> {
    let mut parts = (0, 0);
    for field in &tree_of(kind)?.fields {
        match field.number {
            1 => set(&mut parts.0, kind_of(field)?)?,
            2 => set(&mut parts.1, kind_of(field)?)?,
            other => return Err(no_field("google.protobuf.Timestamp", other)),
        }
    }
    Ok(parts)
}

impl Slot for fory::Timestamp {
    fn load(kind: &Kind) -> Result<Self, String> {
        let (seconds, nanos) = time_of(kind)?;
        let nanos = u32::try_from(nanos).map_err(|_| format!("{nanos} nanoseconds"))?;
        Self::new(seconds, nanos).map_err(|error| format!("{error:?}"))
    }

    fn save(&self) -> Result<Option<Kind>, String> {
        let nanos = i32::try_from(self.subsec_nanos()).map_err(|error| error.to_string())?;
        Ok(Some(time(self.seconds(), nanos)))
    }
}

#[cfg(flatc)]
pub(crate) use tables::*;

/// What FlatBuffers' conversions need beside.
#[cfg(flatc)]
mod tables {
    use super::*;

    /// An entry of a map, which is a table of its own.
    pub(crate) trait MapEntry: Sized {
        fn load_entry(key: &Kind, value: &Kind) -> Result<Self, String>;
        fn save_entry(&self) -> Result<Option<(Kind, Kind)>, String>;
    }

    pub(crate) fn set_entries<E: MapEntry>(
        slot: &mut Option<Vec<E>>,
        kind: &Kind,
    ) -> Result<(), String> {
        let pairs = entries(kind)?.map(|pair| {
            let (key, value) = pair?;
            E::load_entry(key, value)
        });
        *slot = Some(pairs.collect::<Result<_, _>>()?);
        Ok(())
    }

    pub(crate) fn put_entries<E: MapEntry>(
        fields: &mut Vec<Field>,
        number: u32,
        slot: &Option<Vec<E>>,
    ) -> Result<(), String> {
        let pairs = slot.iter().flatten().map(|entry| {
            let pair = entry.save_entry()?;
            pair.ok_or_else(|| "an entry without a value".to_owned())
        });
        put_kind(fields, number, map_kind(pairs)?);
        Ok(())
    }

    /// Looks at every field, so that a reader without an object of its own has read.
    pub(crate) trait Walk {
        fn walk(&self) -> u64;
    }

    macro_rules! walk {
        ($($ty:ty => |$value:ident| $seen:expr),* $(,)?) => {
            $(impl Walk for $ty {
                fn walk(&self) -> u64 {
                    let $value = *self;
                    $seen
                }
            })*
        };
    }

    walk! {
        bool => |value| value.into(),
        i32 => |value| value as u64,
        i64 => |value| value as u64,
        f32 => |value| value.to_bits().into(),
        f64 => |value| value.to_bits(),
        &str => |value| value.len() as u64,
    }

    impl<T: Walk> Walk for Option<T> {
        fn walk(&self) -> u64 {
            self.as_ref().map_or(0, Walk::walk)
        }
    }

    impl<'a, T: flatbuffers::Follow<'a> + 'a> Walk for flatbuffers::Vector<'a, T>
    where
        T::Inner: Walk,
    {
        fn walk(&self) -> u64 {
            self.iter().fold(0, |seen, item| seen.wrapping_add(item.walk()))
        }
    }
}

#[cfg(google_protoc)]
pub(crate) use views::*;

/// What the conversions of Google's protobuf need beside.
#[cfg(google_protoc)]
mod views {
    use super::*;

    /// The tree of what a getter gives.
    pub(crate) trait SaveView {
        fn save_view(&self) -> Result<Kind, String>;
    }

    macro_rules! scalar {
        ($($ty:ty),*) => {
            $(impl SaveView for $ty {
                fn save_view(&self) -> Result<Kind, String> {
                    saved(self)
                }
            })*
        };
    }

    scalar!(bool, i32, i64, u32, u64, f32, f64);

    impl SaveView for &protobuf::ProtoStr {
        fn save_view(&self) -> Result<Kind, String> {
            match self.to_str() {
                Ok(text) => Ok(Kind::Text(text.to_owned())),
                Err(_) => Ok(Kind::Data(self.as_bytes().to_vec())),
            }
        }
    }

    pub(crate) fn each_element<T: Slot>(
        kind: &Kind,
        mut each: impl FnMut(T),
    ) -> Result<(), String> {
        for kind in elements(kind)? {
            each(T::load(kind?)?);
        }
        Ok(())
    }

    pub(crate) fn each_entry<K: Slot, V: Slot>(
        kind: &Kind,
        mut each: impl FnMut(K, V),
    ) -> Result<(), String> {
        for pair in entries(kind)? {
            let (key, value) = pair?;
            each(K::load(key)?, V::load(value)?);
        }
        Ok(())
    }

    pub(crate) fn put_list(
        fields: &mut Vec<Field>,
        number: u32,
        values: impl Iterator<Item = Result<Kind, String>>,
    ) -> Result<(), String> {
        put_kind(fields, number, list_kind(values)?);
        Ok(())
    }

    pub(crate) fn put_map(
        fields: &mut Vec<Field>,
        number: u32,
        entries: impl Iterator<Item = Result<(Kind, Kind), String>>,
    ) -> Result<(), String> {
        put_kind(fields, number, map_kind(entries)?);
        Ok(())
    }
}

/// The tree with its defaults of implicit presence left out and its fields and entries sorted, so
/// that equal values are equal trees. A default of explicit presence is left out too: this is for
/// telling whether a contestant computed, not for verdicts.
pub fn canonical(tree: &Tree) -> Tree {
    let mut fields: Vec<Field> = tree
        .fields
        .iter()
        .filter_map(|field| {
            let kind = field.value.as_ref()?.kind.as_ref()?;
            let kind = canonical_kind(kind);
            (!is_default(&kind)).then(|| Field {
                number: field.number,
                value: wrap(kind),
            })
        })
        .collect();
    fields.sort_by_key(|field| field.number);
    Tree {
        fields,
        unknown: tree.unknown.clone(),
    }
}

fn is_default(kind: &Kind) -> bool {
    match kind {
        Kind::Boolean(value) => !value,
        Kind::Signed(value) => *value == 0,
        Kind::Unsigned(value) => *value == 0,
        Kind::Float32Bits(bits) => *bits == 0,
        Kind::Float64Bits(bits) => *bits == 0,
        Kind::Text(text) => text.is_empty(),
        Kind::Data(data) => data.is_empty(),
        Kind::Enumeration(number) => *number == 0,
        Kind::Message(_) => false,
        Kind::List(list) => list.values.is_empty(),
        Kind::Map(map) => map.entries.is_empty(),
    }
}

fn canonical_kind(kind: &Kind) -> Kind {
    let inner = |value: &Value| Value {
        kind: value.kind.as_ref().map(canonical_kind),
    };
    match kind {
        Kind::Message(tree) => Kind::Message(canonical(tree)),
        Kind::List(list) => Kind::List(List {
            values: list.values.iter().map(inner).collect(),
        }),
        Kind::Map(map) => {
            let mut entries: Vec<Entry> = map
                .entries
                .iter()
                .map(|entry| Entry {
                    key: entry.key.as_ref().map(inner),
                    value: entry.value.as_ref().map(inner),
                })
                .collect();
            entries.sort_by_key(|entry| format!("{:?}", entry.key));
            Kind::Map(Map { entries })
        }
        // A fixed32 is the same bits in either signedness.
        Kind::Unsigned(value) => match u32::try_from(*value) {
            Ok(bits) => Kind::Signed((bits as i32).into()),
            Err(_) => Kind::Unsigned(*value),
        },
        other => other.clone(),
    }
}

include!(concat!(env!("OUT_DIR"), "/neutral.rs"));
