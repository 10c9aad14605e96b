//! Null flags, structs, lists and maps, read: the usual headers at once, the others as they
//! come.

use std::marker::PhantomData;

use super::meta::{self, Layout, ReadMeta};
use super::{Mode, ReadFields, Struct, TypeInfo, evolve, mark, read_string};
use crate::{Cpu, Error, FieldError, In, Step, cpu};

type Result<T> = std::result::Result<T, Error>;

/// List header: elements are declared and of one type, none is null.
const DECLARED: u8 = 0x0c;
const TRACKED: u8 = 1;
const HAS_NULL: u8 = 2;
const DECLARED_BIT: u8 = 4;
const ONE_TYPE: u8 = 8;

/// True when a value follows, false for null.
///
/// # Errors
/// Any other flag; at the end of the input.
#[inline(always)]
pub fn read_null(input: &mut In<'_>) -> Result<bool> {
    match input.u8()? {
        mark::VALUE => Ok(true),
        mark::NULL => Ok(false),
        mark::FIRST => Ok(true),
        flag => Err(wrong_flag(input, flag)),
    }
}

#[cold]
#[inline(never)]
fn wrong_flag(input: &In<'_>, flag: u8) -> Error {
    let text = match flag {
        0xfe => "a reference, but references are not tracked here".to_owned(),
        _ => format!("null flag {flag:#04x}"),
    };
    Error::malformed(input.offset() - 1, text)
}

#[cold]
#[inline(never)]
fn null_element(input: &In<'_>) -> Error {
    Error::malformed(input.offset() - 1, "null where no value may be null")
}

/// A bytes value, into `bytes`.
///
/// # Errors
/// When it is cut off.
#[inline(always)]
pub fn read_bytes<C: Cpu>(input: &mut In<'_>, bytes: &mut Vec<u8>) -> Result<()> {
    let len = u64::from(input.varint32::<C>()?);
    input.bytes_into(len, bytes)
}

/// A bytes value of its own: for map keys and values.
///
/// # Errors
/// When it is cut off.
#[inline(always)]
pub fn bytes<C: Cpu>(input: &mut In<'_>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read_bytes::<C>(input, &mut bytes)?;
    Ok(bytes)
}

/// A struct laid out as `layout` says: hash in consistent mode, then fields.
///
/// # Errors
/// With byte offset and the path inside the struct.
#[inline(always)]
pub fn read_struct<C: Cpu, S: Struct, M: Mode>(
    input: &mut In<'_>,
    meta: &mut ReadMeta,
    value: &mut S,
    layout: Layout,
) -> Result<()> {
    if M::CONSISTENT {
        let hash = u32::from_le_bytes(input.array()?);
        if hash != S::INFO.hash {
            return Err(other_hash(input, S::INFO.name, S::INFO.hash, hash));
        }
    }
    input.descend()?;
    if layout == Layout::SAME {
        cpu::call_routine::<C, ReadFields<M>, _, _, _>(value, &mut *input, &mut *meta)?;
    } else {
        let target = &mut evolve::Planned(value, PhantomData::<M>);
        evolve::read_planned(input, meta, S::INFO, target, layout)?;
    }
    input.ascend();
    Ok(())
}

#[cold]
#[inline(never)]
pub(super) fn other_hash(input: &In<'_>, name: &str, ours: u32, theirs: u32) -> Error {
    Error::malformed(
        input.offset() - 4,
        format!("schema hash {theirs:#010x} is not that of {name}, {ours:#010x}"),
    )
}

/// A struct in a field: type info in compatible mode, then the struct.
///
/// # Errors
/// With byte offset and the path inside the struct.
#[inline(always)]
pub fn read_struct_field<C: Cpu, S: Struct, M: Mode>(
    input: &mut In<'_>,
    meta: &mut ReadMeta,
    value: &mut S,
) -> Result<()> {
    let layout = if M::CONSISTENT {
        Layout::SAME
    } else {
        meta::struct_type::<S, M>(input, meta)?
    };
    read_struct::<C, S, M>(input, meta, value, layout)
}

/// A map's struct value.
///
/// # Errors
/// With byte offset and the path inside the struct.
#[inline(always)]
pub fn read_struct_value<C: Cpu, S: Struct, M: Mode>(
    input: &mut In<'_>,
    meta: &mut ReadMeta,
    layout: Layout,
) -> Result<S> {
    let mut value = S::default();
    read_struct::<C, S, M>(input, meta, &mut value, layout)?;
    Ok(value)
}

/// Count and header of a list. What is not usual about the header is left to `types` and
/// [`List::each`].
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    pub(super) count: usize,
    flags: u8,
}

impl List {
    #[inline(always)]
    pub(super) fn read<C: Cpu>(input: &mut In<'_>) -> Result<Self> {
        let count = input.varint32::<C>()? as usize;
        let flags = if count == 0 { DECLARED } else { input.u8()? };
        Ok(Self { count, flags })
    }

    /// Refuses headers that no declared element type can have.
    #[cold]
    #[inline(never)]
    fn unusual(self, input: &In<'_>) -> Result<()> {
        if self.flags >= 0x10 {
            return Err(Error::malformed(
                input.offset() - 1,
                format!("list header {:#04x}", self.flags),
            ));
        }
        if self.flags & ONE_TYPE == 0 {
            return Err(Error::malformed(
                input.offset() - 1,
                "a list whose elements name their types one by one",
            ));
        }
        Ok(())
    }

    /// How the structs of a list of `S` lie.
    #[inline(always)]
    pub(super) fn struct_layout<S: Struct, M: Mode>(
        self,
        input: &mut In<'_>,
        meta: &mut ReadMeta,
    ) -> Result<Layout> {
        if self.flags != ONE_TYPE && self.flags != DECLARED {
            self.unusual(input)?;
        }
        if self.flags & DECLARED_BIT == 0 {
            return meta::struct_type::<S, M>(input, meta);
        }
        Ok(Layout::SAME)
    }

    /// The flag in front of an element, where the header says that there is one.
    #[inline(always)]
    pub(super) fn each(self, input: &mut In<'_>) -> Result<()> {
        if self.flags & (TRACKED | HAS_NULL) != 0 && !read_null(input)? {
            return Err(null_element(input));
        }
        Ok(())
    }
}

/// True when the type id on the wire may stand for the declared one.
pub(super) fn same_kind(theirs: u8, ours: u8) -> bool {
    let is_struct = |id| matches!(id, 27..=30);
    let is_enum = |id| matches!(id, 25 | 26);
    theirs == ours || (is_struct(theirs) && is_struct(ours)) || (is_enum(theirs) && is_enum(ours))
}

#[cold]
#[inline(never)]
fn element_type(input: &mut In<'_>, ty: &TypeInfo) -> Result<()> {
    let id = input.varint32::<cpu::Portable>()?;
    if u8::try_from(id).is_ok_and(|id| same_kind(id, ty.id)) {
        if matches!(ty.id, 25) {
            // An enum's registration number; the declared type is known.
            input.varint32::<cpu::Portable>()?;
        }
        return Ok(());
    }
    Err(input.malformed(format!(
        "elements of type id {id} where {} is declared",
        ty.id
    )))
}

/// A list of values of type `ty` that are no structs and take at least a byte each.
///
/// # Errors
/// With byte offset and index.
#[inline(always)]
pub fn read_list<'a, C: Cpu, E: Default>(
    input: &mut In<'a>,
    ty: &TypeInfo,
    values: &mut Vec<E>,
    mut read: impl FnMut(&mut In<'a>, &mut E) -> Result<()>,
) -> Result<()> {
    let list = List::read::<C>(input)?;
    if list.flags != DECLARED {
        list.unusual(input)?;
        if list.flags & DECLARED_BIT == 0 {
            element_type(input, ty)?;
        }
    }
    input.check_count(list.count as u64, 1)?;
    input.charge(list.count, size_of::<E>())?;
    values.truncate(list.count);
    crate::input::make_room(values, list.count - values.len());
    for index in 0..list.count {
        let at = |error: Error| error.inside(Step::Index(index));
        list.each(input).map_err(at)?;
        if index == values.len() {
            values.push(E::default());
        }
        read(input, &mut values[index]).map_err(at)?;
    }
    Ok(())
}

/// A list of strings.
///
/// # Errors
/// With byte offset and index.
#[inline(always)]
pub fn read_strings<C: Cpu>(input: &mut In<'_>, values: &mut Vec<String>) -> Result<()> {
    const STRING: TypeInfo = TypeInfo { id: 21, inner: &[] };
    let list = List::read::<C>(input)?;
    if list.flags != DECLARED {
        list.unusual(input)?;
        if list.flags & DECLARED_BIT == 0 {
            element_type(input, &STRING)?;
        }
    }
    input.check_count(list.count as u64, 1)?;
    input.charge(list.count, size_of::<String>())?;
    values.truncate(list.count);
    crate::input::make_room(values, list.count - values.len());
    for index in 0..list.count {
        let at = |error: Error| error.inside(Step::Index(index));
        list.each(input).map_err(at)?;
        if index == values.len() {
            values.push(String::new());
        }
        read_string::<C>(input, &mut values[index]).map_err(at)?;
    }
    Ok(())
}

/// A list of structs.
///
/// # Errors
/// With byte offset, index and the path inside the struct.
#[inline(always)]
pub fn read_structs<C: Cpu, S: Struct, M: Mode>(
    input: &mut In<'_>,
    meta: &mut ReadMeta,
    values: &mut Vec<S>,
) -> Result<()> {
    let list = List::read::<C>(input)?;
    let layout = list.struct_layout::<S, M>(input, meta)?;
    input.charge(list.count, size_of::<S>())?;
    values.truncate(list.count);
    crate::input::make_room(values, list.count - values.len());
    for index in 0..list.count {
        let at = |error: Error| error.inside(Step::Index(index));
        list.each(input).map_err(at)?;
        if index == values.len() {
            values.push(S::default());
        }
        read_struct::<C, S, M>(input, meta, &mut values[index], layout).map_err(at)?;
    }
    Ok(())
}

/// Type info of a map's struct values, where the chunk names it.
///
/// # Errors
/// When it is another type.
#[inline(always)]
pub fn struct_value_type<C: Cpu, S: Struct, M: Mode>(
    input: &mut In<'_>,
    meta: &mut ReadMeta,
    declared: bool,
) -> Result<Layout> {
    if declared {
        return Ok(Layout::SAME);
    }
    meta::struct_type::<S, M>(input, meta)
}

/// Type info of a map's other values, where the chunk names it.
///
/// # Errors
/// When it is another type.
#[inline(always)]
pub fn value_type(input: &mut In<'_>, ty: &TypeInfo, declared: bool) -> Result<Layout> {
    if !declared {
        element_type(input, ty)?;
    }
    Ok(Layout::SAME)
}

/// The entries of a map, in the order of the wire; duplicates are left to the caller.
///
/// # Errors
/// With byte offset and the entry's place.
#[inline(always)]
pub fn read_map<'a, C: Cpu, K, V>(
    input: &mut In<'a>,
    meta: &mut ReadMeta,
    key_type: &TypeInfo,
    entries: &mut Vec<(K, V)>,
    mut types: impl FnMut(&mut In<'a>, &mut ReadMeta, bool) -> Result<Layout>,
    mut key: impl FnMut(&mut In<'a>) -> Result<K>,
    mut value: impl FnMut(&mut In<'a>, &mut ReadMeta, Layout) -> Result<V>,
) -> Result<()> {
    let count = input.varint32::<C>()? as usize;
    input.check_count(count as u64, 1)?;
    input.charge(count, size_of::<(K, V)>())?;
    entries.clear();
    crate::input::make_room(entries, count);
    while entries.len() < count {
        let header = input.u8()?;
        if header & !0x3f != 0 {
            return Err(Error::malformed(
                input.offset() - 1,
                format!("map chunk header {header:#04x}"),
            ));
        }
        if header & 0x12 != 0 {
            return Err(Error::malformed(
                input.offset() - 1,
                "a null key or value where none may be null",
            ));
        }
        let size = usize::from(input.u8()?);
        if size == 0 || size > count - entries.len() {
            return Err(Error::malformed(
                input.offset() - 1,
                format!(
                    "chunk of {size} entries where {} are left",
                    count - entries.len()
                ),
            ));
        }
        if header & 0x04 == 0 {
            element_type(input, key_type).at("(key)")?;
        }
        let layout = types(input, meta, header & 0x20 != 0)?;
        for _ in 0..size {
            let index = entries.len();
            let at = |error: Error| error.inside(Step::Entry(index));
            if header & 0x01 != 0 && !read_null(input)? {
                return Err(null_element(input));
            }
            let key = key(input).map_err(at)?;
            if header & 0x08 != 0 && !read_null(input)? {
                return Err(null_element(input));
            }
            let value = value(input, meta, layout).map_err(at)?;
            entries.push((key, value));
        }
    }
    Ok(())
}
