//! Structs of another version: the TypeDef received, matched field by field.

use interop_wire::murmur3;

use super::collection::{read_null, same_kind};
use super::meta::{Layout, ReadMeta};
use super::{FieldInfo, Info, Mode, Scalar, Struct, TypeInfo, read_string, skip};
use crate::cpu::{self, Portable};
use crate::{Error, FieldError, In};

type Result<T> = std::result::Result<T, Error>;

/// A TypeDef as received.
#[derive(Debug)]
pub(super) struct TypeDef {
    /// The whole of it.
    pub bytes: Vec<u8>,
    /// Fields in the order of the wire.
    pub fields: Vec<RemoteField>,
}

/// A field of a TypeDef.
#[derive(Debug)]
pub(super) struct RemoteField {
    pub id: FieldId,
    pub nullable: bool,
    pub tracked: bool,
    pub ty: RemoteType,
}

#[derive(Debug, PartialEq)]
pub(super) enum FieldId {
    Tag(u32),
    /// Encoding and bytes of a name; the fields of generated structs have tags.
    Name,
}

/// A type in a TypeDef.
#[derive(Debug)]
pub(super) struct RemoteType {
    pub id: u8,
    pub inner: Vec<RemoteType>,
}

/// Deepest nesting of types inside a field's type.
const TYPE_DEPTH: u32 = 64;

impl TypeDef {
    /// Reads and checks one.
    pub fn read(input: &mut In<'_>) -> Result<Self> {
        let start = input.offset();
        let from = input.at;
        let header = u64::from_le_bytes(input.array()?);
        let mut size = header & 0xff;
        if size == 0xff {
            size += u64::from(input.varint32::<Portable>()?);
        }
        if header & 0xf00 != 0 {
            return Err(Error::malformed(
                start,
                "a TypeDef with compression or reserved bits set",
            ));
        }
        let body = input.take(size)?;
        if header & !0xfff != identity(body, header as u16 & 0xfff) {
            return Err(Error::malformed(
                start,
                "the TypeDef's hash is not that of its body",
            ));
        }
        let mut part = In::new(body, &interop_wire::Limits::DEFAULT)?;
        let parsed = Self::fields(&mut part);
        let fields = parsed.map_err(|error| {
            let offset = input.offset() - body.len() + error.offset();
            Error::new(offset, error.kind().clone())
        })?;
        // SAFETY: the input between `from` and here was read.
        let bytes = unsafe { std::slice::from_raw_parts(from, input.at as usize - from as usize) };
        Ok(Self {
            bytes: bytes.to_vec(),
            fields,
        })
    }

    fn fields(input: &mut In<'_>) -> Result<Vec<RemoteField>> {
        let head = input.u8()?;
        if head & 0x80 == 0 {
            return Err(Error::malformed(0, "a TypeDef that is not of a struct"));
        }
        let mut count = u32::from(head & 0x1f);
        if count == 31 {
            count = count.saturating_add(input.varint32::<Portable>()?);
        }
        if head & 0x20 != 0 {
            for _ in 0..2 {
                name(input)?;
            }
        } else {
            input.varint32::<Portable>()?;
        }
        input.check_count(u64::from(count), 2)?;
        (0..count).map(|_| RemoteField::read(input)).collect()
    }
}

/// A meta string of a TypeDef's names: length << 2 or encoding, six bits of length.
fn name(input: &mut In<'_>) -> Result<()> {
    let mut len = u64::from(input.u8()? >> 2);
    if len == 63 {
        len += u64::from(input.varint32::<Portable>()?);
    }
    input.take(len).map(drop)
}

/// The upper 52 bits of a TypeDef's header.
fn identity(body: &[u8], low: u16) -> u64 {
    let mut hashed = body.to_vec();
    hashed.extend_from_slice(&low.to_le_bytes());
    let (lane, _) = murmur3::x64_128(&hashed, 47);
    let shifted = (lane << 12) as i64;
    shifted.wrapping_abs() as u64 & !0xfff
}

impl RemoteField {
    fn read(input: &mut In<'_>) -> Result<Self> {
        let head = input.u8()?;
        let mut size = u32::from(head >> 2 & 0x0f);
        if size == 15 {
            size = size.saturating_add(input.varint32::<Portable>()?);
        }
        let id = input.varint32::<Portable>()?;
        let ty = RemoteType::read(input, id, TYPE_DEPTH)?;
        let tagged = head >> 6 == 3;
        if !tagged {
            input.take(u64::from(size) + 1)?;
        }
        Ok(Self {
            id: if tagged {
                FieldId::Tag(size)
            } else {
                FieldId::Name
            },
            nullable: head & 2 != 0,
            tracked: head & 1 != 0,
            ty,
        })
    }
}

impl RemoteType {
    fn read(input: &mut In<'_>, id: u32, depth: u32) -> Result<Self> {
        let id = u8::try_from(id).map_err(|_| input.malformed(format!("type id {id}")))?;
        let count = match id {
            22 | 23 => 1,
            24 => 2,
            _ => 0,
        };
        if depth == 0 {
            return Err(input.malformed("a field's type nests too deep"));
        }
        let inner = (0..count).map(|_| {
            let nested = input.varint32::<Portable>()?;
            Self::read(input, nested >> 2, depth - 1)
        });
        let inner = inner.collect::<Result<_>>()?;
        Ok(Self { id, inner })
    }

    fn is(&self, ours: &TypeInfo) -> bool {
        same_kind(self.id, ours.id)
            && self.inner.len() == ours.inner.len()
            && self.inner.iter().zip(ours.inner).all(|(a, b)| a.is(b))
    }
}

/// What to do with each field of a TypeDef.
#[derive(Debug)]
pub(super) struct Plan {
    steps: Vec<PlanStep>,
    /// Our fields that the TypeDef lacks.
    missing: Vec<usize>,
}

#[derive(Debug)]
struct PlanStep {
    nullable: bool,
    action: Action,
}

#[derive(Debug)]
enum Action {
    /// Read our field of this index.
    Read(usize),
    /// Read a scalar of this type id into our field of this index.
    Convert(usize, u8),
    /// Nothing of ours.
    Skip(RemoteType, bool),
}

/// Type ids of the scalars that convert into one another.
fn is_scalar(id: u8) -> bool {
    matches!(id, 1..=15 | 17..=21)
}

impl Plan {
    /// The plan for a TypeDef and our struct.
    pub fn new(def: &TypeDef, info: &Info) -> std::result::Result<Self, String> {
        let mut found = vec![false; info.fields.len()];
        let mut steps = Vec::with_capacity(def.fields.len());
        for field in &def.fields {
            let ours = match field.id {
                FieldId::Tag(id) => info.fields.iter().position(|ours| ours.id == id),
                FieldId::Name => None,
            };
            let action = match ours {
                None => {
                    let ty = RemoteType {
                        id: field.ty.id,
                        inner: field.ty.inner.iter().map(RemoteType::copy).collect(),
                    };
                    Action::Skip(ty, field.tracked)
                }
                Some(index) => {
                    if std::mem::replace(&mut found[index], true) {
                        return Err(format!(
                            "two fields of id {} in a TypeDef",
                            info.fields[index].id
                        ));
                    }
                    matched(field, index, &info.fields[index])?
                }
            };
            steps.push(PlanStep {
                nullable: field.nullable || field.tracked,
                action,
            });
        }
        let missing = (0..found.len()).filter(|index| !found[*index]).collect();
        Ok(Self { steps, missing })
    }
}

impl RemoteType {
    fn copy(&self) -> Self {
        Self {
            id: self.id,
            inner: self.inner.iter().map(Self::copy).collect(),
        }
    }
}

fn matched(
    theirs: &RemoteField,
    index: usize,
    ours: &FieldInfo,
) -> std::result::Result<Action, String> {
    if theirs.ty.is(&ours.ty) {
        return Ok(Action::Read(index));
    }
    if is_scalar(theirs.ty.id) && is_scalar(ours.ty.id) && !theirs.tracked {
        return Ok(Action::Convert(index, theirs.ty.id));
    }
    Err(format!(
        "field {}: type id {} can't be read as {}",
        ours.name, theirs.ty.id, ours.ty.id
    ))
}

/// What a plan fills: a struct or a view.
pub(super) trait Target<'a> {
    /// Reads the value of one field.
    fn read(&mut self, index: usize, input: &mut In<'a>, meta: &mut ReadMeta) -> Result<()>;

    /// Sets one field back to its default.
    fn clear(&mut self, index: usize);

    /// Sets a scalar field from a scalar of another type.
    fn set(&mut self, index: usize, value: Scalar) -> std::result::Result<(), String>;
}

/// A struct that owns its fields.
pub(super) struct Planned<'m, S, M>(pub &'m mut S, pub std::marker::PhantomData<M>);

impl<'a, S: Struct, M: Mode> Target<'a> for Planned<'_, S, M> {
    fn read(&mut self, index: usize, input: &mut In<'a>, meta: &mut ReadMeta) -> Result<()> {
        let task = ReadField::<S, M>(self.0, index, input, meta, std::marker::PhantomData);
        cpu::dispatch(task)
    }

    fn clear(&mut self, index: usize) {
        self.0.clear_field(index);
    }

    fn set(&mut self, index: usize, value: Scalar) -> std::result::Result<(), String> {
        self.0.set_scalar(index, value)
    }
}

/// A struct by a plan.
#[cold]
#[inline(never)]
pub(super) fn read_planned<'a>(
    input: &mut In<'a>,
    meta: &mut ReadMeta,
    info: &'static Info,
    value: &mut dyn Target<'a>,
    layout: Layout,
) -> Result<()> {
    let Some(plan) = meta.plan(layout) else {
        return Err(input.malformed("a layout that no TypeDef gave"));
    };
    for index in &plan.missing {
        value.clear(*index);
    }
    for step in &plan.steps {
        if step.nullable && !read_null(input)? {
            if let Action::Read(index) | Action::Convert(index, _) = step.action {
                value.clear(index);
            }
            continue;
        }
        match &step.action {
            Action::Read(index) => value.read(*index, input, meta)?,
            Action::Convert(index, id) => {
                let start = input.offset();
                let name = info.fields[*index].name;
                let scalar = scalar(input, *id).at(name)?;
                value
                    .set(*index, scalar)
                    .map_err(|text| Error::malformed(start, text))
                    .at(name)?;
            }
            Action::Skip(ty, tracked) => skip::value(input, meta, ty, *tracked)?,
        }
    }
    Ok(())
}

struct ReadField<'m, 'i, 'a, S, M>(
    &'m mut S,
    usize,
    &'i mut In<'a>,
    &'i mut ReadMeta,
    std::marker::PhantomData<M>,
);

impl<S: Struct, M: Mode> cpu::Task for ReadField<'_, '_, '_, S, M> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<C: crate::Cpu>(self) -> Self::Output {
        self.0.read_field::<C, M>(self.1, self.2, self.3)
    }
}

/// A scalar of type `id`.
fn scalar(input: &mut In<'_>, id: u8) -> Result<Scalar> {
    type C = Portable;
    let int = |value: i64| Scalar::Int(value.into());
    let unsigned = |value: u64| Scalar::Int(value.into());
    Ok(match id {
        1 => Scalar::Bool(input.u8()? != 0),
        2 => int(i64::from(input.u8()? as i8)),
        3 => int(i16::from_le_bytes(input.array()?).into()),
        4 => int(i32::from_le_bytes(input.array()?).into()),
        5 => int(input.zigzag32::<C>()?.into()),
        6 => int(i64::from_le_bytes(input.array()?)),
        7 => int(input.fory_zigzag64::<C>()?),
        8 => int(skip::tagged_i64(input)?),
        9 => unsigned(input.u8()?.into()),
        10 => unsigned(u16::from_le_bytes(input.array()?).into()),
        11 => unsigned(u32::from_le_bytes(input.array()?).into()),
        12 => unsigned(input.varint32::<C>()?.into()),
        13 => unsigned(u64::from_le_bytes(input.array()?)),
        14 => unsigned(input.fory_varint64::<C>()?),
        15 => unsigned(skip::tagged_u64(input)?),
        17 => Scalar::Float {
            value: half(u16::from_le_bytes(input.array()?)),
            bits: 16,
        },
        18 => Scalar::Float {
            value: f32::from_bits(u32::from(u16::from_le_bytes(input.array()?)) << 16).into(),
            bits: 17,
        },
        19 => Scalar::Float {
            value: f32::from_le_bytes(input.array()?).into(),
            bits: 32,
        },
        20 => Scalar::Float {
            value: f64::from_le_bytes(input.array()?),
            bits: 64,
        },
        _ => {
            let mut text = String::new();
            read_string::<C>(input, &mut text)?;
            Scalar::Text(text)
        }
    })
}

/// The value of a binary16.
fn half(bits: u16) -> f64 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let fraction = f64::from(bits & 0x3ff);
    sign * match bits >> 10 & 0x1f {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1.0 + fraction / 1024.0) * 2f64.powi(i32::from(exponent) - 15),
    }
}
