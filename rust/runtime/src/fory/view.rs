//! Views of Fory structs. Named as the owning module's functions are, so that generated code reads
//! both in the same words.

use std::borrow::Cow;
use std::marker::PhantomData;

use interop_wire::Limits;

use super::collection::{self, List, other_hash};
use super::evolve::{self, Target};
use super::text::{LATIN1, UTF8, read_coded};
use super::{mark, meta, root_flags};
use crate::cpu::{self, Task};
use crate::numbers::Fixed;
use crate::{Cpu, Error, In, Numbers, Step};

pub use super::*;

type Result<T> = std::result::Result<T, Error>;

/// A generated view that Fory can carry.
pub trait Struct<'a>: Default {
    /// The type that owns what this one borrows; it has the type metadata.
    type Owned: super::Struct;

    /// Reads all fields in Fory's order.
    ///
    /// # Errors
    /// With byte offset and field path.
    fn read_fields<C: Cpu, M: Mode>(
        &mut self,
        input: &mut In<'a>,
        meta: &mut ReadMeta,
    ) -> Result<()>;

    /// Reads the value of one field, by its place in [`Info::fields`], without a null flag.
    ///
    /// # Errors
    /// With byte offset and field path.
    fn read_field<C: Cpu, M: Mode>(
        &mut self,
        index: usize,
        input: &mut In<'a>,
        meta: &mut ReadMeta,
    ) -> Result<()>;

    /// Sets one field back to its default.
    fn clear_field(&mut self, index: usize);

    /// Sets a scalar field from a scalar of another type.
    ///
    /// # Errors
    /// A sentence, when the field can't hold the same value.
    fn set_scalar(&mut self, index: usize, value: Scalar) -> std::result::Result<(), String>;
}

struct ReadFields<'m, 'i, 'a, S, M>(&'m mut S, &'i mut In<'a>, &'i mut ReadMeta, PhantomData<M>);

impl<'a, S: Struct<'a>, M: Mode> Task for ReadFields<'_, '_, 'a, S, M> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<C: Cpu>(self) -> Self::Output {
        self.0.read_fields::<C, M>(self.1, self.2)
    }
}

/// A view whose fields come by a plan.
struct Planned<'m, S, M>(&'m mut S, PhantomData<M>);

struct ReadField<'m, 'i, 'a, S, M>(
    &'m mut S,
    usize,
    &'i mut In<'a>,
    &'i mut ReadMeta,
    PhantomData<M>,
);

impl<'a, S: Struct<'a>, M: Mode> Task for ReadField<'_, '_, 'a, S, M> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<C: Cpu>(self) -> Self::Output {
        self.0.read_field::<C, M>(self.1, self.2, self.3)
    }
}

impl<'a, S: Struct<'a>, M: Mode> Target<'a> for Planned<'_, S, M> {
    fn read(&mut self, index: usize, input: &mut In<'a>, meta: &mut ReadMeta) -> Result<()> {
        cpu::dispatch(ReadField(self.0, index, input, meta, PhantomData::<M>))
    }

    fn clear(&mut self, index: usize) {
        self.0.clear_field(index);
    }

    fn set(&mut self, index: usize, value: Scalar) -> std::result::Result<(), String> {
        self.0.set_scalar(index, value)
    }
}

struct ReadRoot<'m, 'a, S, M>(&'m mut S, &'a [u8], &'a Limits, PhantomData<M>);

impl<'a, S: Struct<'a>, M: Mode> Task for ReadRoot<'_, 'a, S, M> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<C: Cpu>(self) -> Self::Output {
        let Self(message, bytes, limits, _) = self;
        let mut input = In::new(bytes, limits)?;
        if !input.next_are(&[mark::XLANG, mark::VALUE]) {
            root_flags(&mut input)?;
        }
        let mut meta = ReadMeta::new();
        let layout = meta::struct_type::<S::Owned, M>(&mut input, &mut meta)?;
        read_struct::<C, S, M>(&mut input, &mut meta, message, layout)?;
        input.finish()
    }
}

/// The view that `bytes` hold.
///
/// # Errors
/// With byte offset and field path.
#[inline]
pub fn decode<'a, S: Struct<'a>, M: Mode>(bytes: &'a [u8], limits: &'a Limits) -> Result<S> {
    let mut result = Ok(S::default());
    if let Ok(message) = &mut result
        && let Err(error) = cpu::dispatch(ReadRoot(message, bytes, limits, PhantomData::<M>))
    {
        result = Err(error);
    }
    result
}

#[inline(always)]
fn read_struct<'a, C: Cpu, S: Struct<'a>, M: Mode>(
    input: &mut In<'a>,
    meta: &mut ReadMeta,
    value: &mut S,
    layout: Layout,
) -> Result<()> {
    let info = <S::Owned as super::Struct>::INFO;
    if M::CONSISTENT {
        let hash = u32::from_le_bytes(input.array()?);
        if hash != info.hash {
            return Err(other_hash(input, info.name, info.hash, hash));
        }
    }
    input.descend()?;
    if layout == Layout::SAME {
        cpu::call::<C, _>(ReadFields(value, input, meta, PhantomData::<M>))?;
    } else {
        let target = &mut Planned(value, PhantomData::<M>);
        evolve::read_planned(input, meta, info, target, layout)?;
    }
    input.ascend();
    Ok(())
}

/// A struct in a field: type info in compatible mode, then the struct.
///
/// # Errors
/// With byte offset and the path inside the struct.
#[inline(always)]
pub fn read_struct_field<'a, C: Cpu, S: Struct<'a>, M: Mode>(
    input: &mut In<'a>,
    meta: &mut ReadMeta,
    value: &mut S,
) -> Result<()> {
    let layout = if M::CONSISTENT {
        Layout::SAME
    } else {
        meta::struct_type::<S::Owned, M>(input, meta)?
    };
    read_struct::<C, S, M>(input, meta, value, layout)
}

/// A map's struct value.
///
/// # Errors
/// With byte offset and the path inside the struct.
#[inline(always)]
pub fn read_struct_value<'a, C: Cpu, S: Struct<'a>, M: Mode>(
    input: &mut In<'a>,
    meta: &mut ReadMeta,
    layout: Layout,
) -> Result<S> {
    let mut value = S::default();
    read_struct::<C, S, M>(input, meta, &mut value, layout)?;
    Ok(value)
}

/// Type info of a map's struct values, where the chunk names it.
///
/// # Errors
/// When it is another type.
#[inline(always)]
pub fn struct_value_type<'a, C: Cpu, S: Struct<'a>, M: Mode>(
    input: &mut In<'a>,
    meta: &mut ReadMeta,
    declared: bool,
) -> Result<Layout> {
    collection::struct_value_type::<C, S::Owned, M>(input, meta, declared)
}

/// A string in any coder: borrowed if it is UTF-8 or ASCII, else transcoded.
///
/// # Errors
/// When it is cut off, not valid in its coder, or the coder is unknown.
#[inline(always)]
pub fn read_string<'a, C: Cpu>(input: &mut In<'a>, text: &mut Cow<'a, str>) -> Result<()> {
    let header = input.fory_varint64::<C>()?;
    if header & 3 == UTF8 as u64 {
        *text = Cow::Borrowed(input.utf8(header >> 2)?);
        return Ok(());
    }
    read_other(input, header, text)
}

#[inline(never)]
fn read_other<'a>(input: &mut In<'a>, header: u64, text: &mut Cow<'a, str>) -> Result<()> {
    if header & 3 == LATIN1 as u64 {
        let place = input.at;
        let bytes = input.take(header >> 2)?;
        if let (true, Ok(ascii)) = (bytes.is_ascii(), std::str::from_utf8(bytes)) {
            *text = Cow::Borrowed(ascii);
            return Ok(());
        }
        input.at = place;
    }
    let mut owned = String::new();
    read_coded(input, header, &mut owned)?;
    *text = Cow::Owned(owned);
    Ok(())
}

/// A string of its own: for map keys and values.
///
/// # Errors
/// As for [`read_string`].
#[inline(always)]
pub fn string<'a, C: Cpu>(input: &mut In<'a>) -> Result<Cow<'a, str>> {
    let mut text = Cow::Borrowed("");
    read_string::<C>(input, &mut text)?;
    Ok(text)
}

/// A bytes value, into `bytes`.
///
/// # Errors
/// When it is cut off.
#[inline(always)]
pub fn read_bytes<'a, C: Cpu>(input: &mut In<'a>, bytes: &mut &'a [u8]) -> Result<()> {
    *bytes = self::bytes::<C>(input)?;
    Ok(())
}

/// A bytes value of its own: for map keys and values.
///
/// # Errors
/// When it is cut off.
#[inline(always)]
pub fn bytes<'a, C: Cpu>(input: &mut In<'a>) -> Result<&'a [u8]> {
    let len = u64::from(input.varint32::<C>()?);
    input.take(len)
}

/// A dense array.
///
/// # Errors
/// When it is cut off, or no whole number of elements.
#[inline(always)]
#[allow(private_bounds)] // For generated code; the types are those of the owning function.
pub fn read_dense<'a, C: Cpu, E: Dense + Fixed>(
    input: &mut In<'a>,
    values: &mut Numbers<'a, E>,
) -> Result<()> {
    let len = u64::from(input.varint32::<C>()?);
    let bytes = input.take(len)?;
    if !bytes.len().is_multiple_of(E::SIZE) {
        return Err(super::dense::uneven(input, bytes.len(), E::SIZE));
    }
    *values = Numbers::fixed(bytes);
    Ok(())
}

/// A dense array of bools, one byte each; any byte but 0 is true.
///
/// # Errors
/// When it is cut off.
#[inline(always)]
pub fn read_bools<'a, C: Cpu>(input: &mut In<'a>, values: &mut Numbers<'a, bool>) -> Result<()> {
    let len = u64::from(input.varint32::<C>()?);
    *values = Numbers::fixed(input.take(len)?);
    Ok(())
}

/// Where the elements of a list go.
pub trait Elements<E> {
    /// The vector of them.
    fn elements(&mut self) -> &mut Vec<E>;
}

impl<E> Elements<E> for Vec<E> {
    #[inline(always)]
    fn elements(&mut self) -> &mut Vec<E> {
        self
    }
}

impl<E: Copy> Elements<E> for Numbers<'_, E> {
    fn elements(&mut self) -> &mut Vec<E> {
        self.as_vec()
    }
}

/// A list of values of type `ty` that are no structs and take at least a byte each.
///
/// # Errors
/// With byte offset and index.
#[inline(always)]
pub fn read_list<'a, C: Cpu, E: Default>(
    input: &mut In<'a>,
    ty: &TypeInfo,
    values: &mut impl Elements<E>,
    read: impl FnMut(&mut In<'a>, &mut E) -> Result<()>,
) -> Result<()> {
    collection::read_list::<C, E>(input, ty, values.elements(), read)
}

/// A list of strings.
///
/// # Errors
/// With byte offset and index.
#[inline(always)]
pub fn read_strings<'a, C: Cpu>(input: &mut In<'a>, values: &mut Vec<Cow<'a, str>>) -> Result<()> {
    const STRING: TypeInfo = TypeInfo { id: 21, inner: &[] };
    collection::read_list::<C, _>(input, &STRING, values, |input, text| {
        read_string::<C>(input, text)
    })
}

/// A list of structs.
///
/// # Errors
/// With byte offset, index and the path inside the struct.
#[inline(always)]
pub fn read_structs<'a, C: Cpu, S: Struct<'a>, M: Mode>(
    input: &mut In<'a>,
    meta: &mut ReadMeta,
    values: &mut Vec<S>,
) -> Result<()> {
    let list = List::read::<C>(input)?;
    let layout = list.struct_layout::<S::Owned, M>(input, meta)?;
    input.charge(list.count, size_of::<S>())?;
    values.clear();
    crate::input::make_room(values, list.count);
    for index in 0..list.count {
        let at = |error: Error| error.inside(Step::Index(index));
        list.each(input).map_err(at)?;
        values.push(S::default());
        read_struct::<C, S, M>(input, meta, &mut values[index], layout).map_err(at)?;
    }
    Ok(())
}
