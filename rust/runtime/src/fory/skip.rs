//! Values of fields that our schema lacks, passed over.

use super::collection::read_null;
use super::evolve::RemoteType;
use super::meta::ReadMeta;
use crate::cpu::Portable;
use crate::{Error, In};

type C = Portable;
type Result<T> = std::result::Result<T, Error>;

/// A tagged int64: four bytes, or a flag and eight.
///
/// # Errors
/// At the end of the input.
pub fn tagged_i64(input: &mut In<'_>) -> Result<i64> {
    if input.peek().is_some_and(|byte| byte & 1 == 1) {
        input.u8()?;
        return input.array().map(i64::from_le_bytes);
    }
    let word = i32::from_le_bytes(input.array()?);
    Ok(i64::from(word >> 1))
}

/// A tagged uint64: four bytes, or a flag and eight.
///
/// # Errors
/// At the end of the input.
pub fn tagged_u64(input: &mut In<'_>) -> Result<u64> {
    if input.peek().is_some_and(|byte| byte & 1 == 1) {
        input.u8()?;
        return input.array().map(u64::from_le_bytes);
    }
    let word = u32::from_le_bytes(input.array()?);
    Ok(u64::from(word >> 1))
}

/// Passes over a value without its null flag.
pub(super) fn value(
    input: &mut In<'_>,
    meta: &mut ReadMeta,
    ty: &RemoteType,
    tracked: bool,
) -> Result<()> {
    if tracked {
        return Err(input.malformed("a tracked reference that can't be passed over"));
    }
    input.descend()?;
    match ty.id {
        1 | 2 | 9 | 16 => input.u8().map(drop)?,
        3 | 10 | 17 | 18 => input.array::<2>().map(drop)?,
        4 | 11 | 19 => input.array::<4>().map(drop)?,
        6 | 13 | 20 => input.array::<8>().map(drop)?,
        5 | 12 | 25 | 26 => input.varint32::<C>().map(drop)?,
        7 | 14 | 39 => input.fory_varint64::<C>().map(drop)?,
        8 | 15 => tagged_i64(input).map(drop)?,
        21 => {
            let header = input.fory_varint64::<C>()?;
            input.take(header >> 2).map(drop)?;
        }
        22 | 23 => list(input, meta, ty)?,
        24 => map(input, meta, ty)?,
        27..=30 => structure(input, meta)?,
        36 => {}
        37 => {
            input.fory_varint64::<C>()?;
            input.array::<4>().map(drop)?;
        }
        38 => input.array::<12>().map(drop)?,
        40 => {
            input.varint32::<C>()?;
            let header = input.fory_varint64::<C>()?;
            if header & 1 == 1 {
                input.take(header >> 2).map(drop)?;
            }
        }
        41 | 43..=56 => {
            let len = input.varint32::<C>()?;
            input.take(len.into()).map(drop)?;
        }
        33 => {
            input.varint32::<C>()?;
            any(input, meta)?;
        }
        0 => any(input, meta)?,
        id => return Err(input.malformed(format!("type id {id} can't be passed over"))),
    }
    input.ascend();
    Ok(())
}

fn any(input: &mut In<'_>, meta: &mut ReadMeta) -> Result<()> {
    if !read_null(input)? {
        return Ok(());
    }
    typed(input, meta)
}

/// A value behind its own type id.
fn typed(input: &mut In<'_>, meta: &mut ReadMeta) -> Result<()> {
    let ty = type_info(input)?;
    value(input, meta, &ty, false)
}

fn type_info(input: &mut In<'_>) -> Result<RemoteType> {
    let id = input.varint32::<C>()?;
    let id = u8::try_from(id).map_err(|_| input.malformed(format!("type id {id}")))?;
    if matches!(id, 25 | 34) {
        input.varint32::<C>()?;
    }
    let unknown = || RemoteType {
        id: 0,
        inner: Vec::new(),
    };
    let inner = match id {
        22 | 23 => vec![unknown()],
        24 => vec![unknown(), unknown()],
        _ => Vec::new(),
    };
    Ok(RemoteType { id, inner })
}

/// A struct behind its type id: TypeDef, then fields.
fn structure(input: &mut In<'_>, meta: &mut ReadMeta) -> Result<()> {
    let id = input.varint32::<C>()?;
    if !matches!(id, 28 | 30) {
        return Err(input.malformed(format!(
            "type id {id} where a struct with a TypeDef follows"
        )));
    }
    fields(input, meta)
}

fn fields(input: &mut In<'_>, meta: &mut ReadMeta) -> Result<()> {
    let (_, def) = meta.type_def(input)?;
    planned(input, meta, &def)
}

fn planned(input: &mut In<'_>, meta: &mut ReadMeta, def: &super::evolve::TypeDef) -> Result<()> {
    for field in &def.fields {
        if (field.nullable || field.tracked) && !read_null(input)? {
            continue;
        }
        value(input, meta, &field.ty, field.tracked)?;
    }
    Ok(())
}

/// The type info of elements that the header does not declare.
enum Elements {
    Struct(std::rc::Rc<super::evolve::TypeDef>),
    Other(RemoteType),
}

impl Elements {
    fn read(input: &mut In<'_>, meta: &mut ReadMeta) -> Result<Self> {
        if matches!(input.peek(), Some(28 | 30)) {
            input.u8()?;
            let (_, def) = meta.type_def(input)?;
            return Ok(Self::Struct(def));
        }
        type_info(input).map(Self::Other)
    }

    fn skip(&self, input: &mut In<'_>, meta: &mut ReadMeta) -> Result<()> {
        match self {
            Self::Struct(def) => {
                input.descend()?;
                planned(input, meta, def)?;
                input.ascend();
                Ok(())
            }
            Self::Other(ty) => value(input, meta, ty, false),
        }
    }
}

fn list(input: &mut In<'_>, meta: &mut ReadMeta, ty: &RemoteType) -> Result<()> {
    let count = input.varint32::<C>()?;
    if count == 0 {
        return Ok(());
    }
    let header = input.u8()?;
    // Elements of no bytes at all are charged, so that a count alone can't keep us busy.
    input.charge(count as usize, 8)?;
    let named = match header & 0x0c {
        0x08 => Some(Elements::read(input, meta)?),
        _ => None,
    };
    for _ in 0..count {
        if header & 3 != 0 && !read_null(input)? {
            continue;
        }
        match (&named, header & 0x0c) {
            (Some(elements), _) => elements.skip(input, meta)?,
            (None, 0x0c) => value(input, meta, &ty.inner[0], false)?,
            (None, _) => Elements::read(input, meta)?.skip(input, meta)?,
        }
    }
    Ok(())
}

fn map(input: &mut In<'_>, meta: &mut ReadMeta, ty: &RemoteType) -> Result<()> {
    let mut left = input.varint32::<C>()? as usize;
    input.charge(left, 8)?;
    while left > 0 {
        let header = input.u8()?;
        let null = header & 0x12;
        let size = if null == 0 {
            usize::from(input.u8()?)
        } else {
            1
        };
        if size == 0 || size > left {
            return Err(input.malformed("a map chunk of no or too many entries"));
        }
        left -= size;
        let key = match header & 0x06 {
            0 if null == 0 => Some(Elements::read(input, meta)?),
            _ => None,
        };
        let val = match header & 0x30 {
            0 if null == 0 => Some(Elements::read(input, meta)?),
            _ => None,
        };
        for _ in 0..size {
            side(input, meta, header, &key, &ty.inner[0])?;
            side(input, meta, header >> 3, &val, &ty.inner[1])?;
        }
    }
    Ok(())
}

/// A key or value; `bits`: tracked, null, declared.
fn side(
    input: &mut In<'_>,
    meta: &mut ReadMeta,
    bits: u8,
    named: &Option<Elements>,
    ty: &RemoteType,
) -> Result<()> {
    if bits & 2 != 0 {
        return Ok(());
    }
    if bits & 1 != 0 && !read_null(input)? {
        return Ok(());
    }
    match named {
        Some(elements) => elements.skip(input, meta),
        None if bits & 4 != 0 => value(input, meta, ty, false),
        None => Elements::read(input, meta)?.skip(input, meta),
    }
}
