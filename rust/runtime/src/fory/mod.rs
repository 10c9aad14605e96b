//! Apache Fory xlang, both modes: what generated code calls.

mod collection;
mod dense;
pub mod dialect;
mod evolve;
mod info;
mod meta;
mod scalar;
mod skip;
mod text;
mod time;
pub mod view;
mod write;

use std::marker::PhantomData;

use interop_wire::Limits;

use crate::cpu::{self, Routine};
use crate::{Cpu, Error, In, Out};

pub use collection::{
    bytes, read_bytes, read_list, read_map, read_null, read_strings, read_struct_field,
    read_struct_value, read_structs, struct_value_type, value_type,
};
pub use dense::{Dense, read as read_dense, read_bools, write as write_dense, write_bools};
pub use dialect::ForyDialect;
pub use info::{FieldInfo, Info, TypeInfo};
pub use meta::{Layout, ReadMeta, WriteMeta};
pub use scalar::Scalar;
pub use skip::{tagged_i64, tagged_u64};
pub use text::{read_string, string, string_bound, write_string};
pub use time::{duration, timestamp};
pub use write::{
    absent_bound, bytes_bound, write_absent, write_bytes, write_list, write_map,
    write_struct_field, write_struct_map, write_struct_value, write_structs,
};

/// Flag of a null value.
pub const NULL: u8 = mark::NULL;
/// Flag of a value whose references are not tracked.
pub const VALUE: u8 = mark::VALUE;

/// Compatible or consistent.
pub trait Mode: Copy + 'static {
    /// True in schema-consistent mode.
    const CONSISTENT: bool;
}

/// TypeDefs travel with the data.
#[derive(Clone, Copy, Debug)]
pub struct Compatible;

/// A hash of the schema travels with each struct.
#[derive(Clone, Copy, Debug)]
pub struct Consistent;

impl Mode for Compatible {
    const CONSISTENT: bool = false;
}

impl Mode for Consistent {
    const CONSISTENT: bool = true;
}

/// Marks of the stream and of values.
pub(crate) mod mark {
    /// Bitmap of a stream: xlang, nothing out of band.
    pub const XLANG: u8 = 1;
    /// Null.
    pub const NULL: u8 = 0xfd;
    /// A value, references not tracked.
    pub const VALUE: u8 = 0xff;
    /// A value, the first occurrence of a tracked reference.
    pub const FIRST: u8 = 0;
    /// Type id of a struct with a TypeDef.
    pub const COMPATIBLE_STRUCT: u8 = 28;
}

/// A generated message that Fory can carry.
///
/// # Safety
/// [`Struct::bound`] is at least the number of bytes that [`Struct::write_fields`] puts down
/// in either mode and any dialect whose text factor is that of `D`.
pub unsafe trait Struct: Default {
    /// Type metadata.
    const INFO: &'static Info;

    /// Number of struct types that streams of this schema may name.
    const SLOTS: usize;

    /// An upper bound of the length of the fields in bytes.
    fn bound<D: ForyDialect>(&self) -> usize;

    /// Writes the fields in Fory's order.
    ///
    /// # Safety
    /// [`Struct::bound`] bytes and [`Out::SLACK`] are reserved at `out`.
    unsafe fn write_fields<C: Cpu, D: ForyDialect, M: Mode>(
        &self,
        out: Out,
        meta: &mut WriteMeta<'_>,
    ) -> Out;

    /// Reads all fields in Fory's order.
    ///
    /// # Errors
    /// With byte offset and field path.
    fn read_fields<C: Cpu, M: Mode>(
        &mut self,
        input: &mut In<'_>,
        meta: &mut ReadMeta,
    ) -> Result<(), Error>;

    /// Reads the value of one field, by its place in [`Info::fields`], without a null flag.
    ///
    /// # Errors
    /// With byte offset and field path.
    fn read_field<C: Cpu, M: Mode>(
        &mut self,
        index: usize,
        input: &mut In<'_>,
        meta: &mut ReadMeta,
    ) -> Result<(), Error>;

    /// Sets one field back to its default.
    fn clear_field(&mut self, index: usize);

    /// Sets a scalar field from a scalar of another type.
    ///
    /// # Errors
    /// A sentence, when the field can't hold the same value.
    fn set_scalar(&mut self, index: usize, value: Scalar) -> Result<(), String>;
}

/// Writes a struct's fields.
struct WriteFields<D, M>(PhantomData<(D, M)>);

impl<S: Struct, D: ForyDialect, M: Mode> Routine<&S, Out, &mut WriteMeta<'_>>
    for WriteFields<D, M>
{
    type Output = Out;

    #[inline(always)]
    fn run<C: Cpu>(value: &S, out: Out, meta: &mut WriteMeta<'_>) -> Out {
        // SAFETY: whoever calls the routine has reserved the bound.
        unsafe { value.write_fields::<C, D, M>(out, meta) }
    }
}

/// Reads a struct's fields.
struct ReadFields<M>(PhantomData<M>);

impl<S: Struct, M: Mode> Routine<&mut S, &mut In<'_>, &mut ReadMeta> for ReadFields<M> {
    type Output = Result<(), Error>;

    #[inline(always)]
    fn run<C: Cpu>(value: &mut S, input: &mut In<'_>, meta: &mut ReadMeta) -> Self::Output {
        value.read_fields::<C, M>(input, meta)
    }
}

/// Reads a whole stream.
struct ReadRoot<M>(PhantomData<M>);

impl<S: Struct, M: Mode> Routine<&mut S, &[u8], &Limits> for ReadRoot<M> {
    type Output = Result<(), Error>;

    #[inline(always)]
    fn run<C: Cpu>(message: &mut S, bytes: &[u8], limits: &Limits) -> Self::Output {
        let mut input = In::new(bytes, limits)?;
        if !input.next_are(&[mark::XLANG, mark::VALUE]) {
            root_flags(&mut input)?;
        }
        let mut meta = ReadMeta::new();
        let layout = meta::struct_type::<S, M>(&mut input, &mut meta)?;
        collection::read_struct::<C, S, M>(&mut input, &mut meta, message, layout)?;
        input.finish()
    }
}

#[cold]
#[inline(never)]
fn root_flags(input: &mut In<'_>) -> Result<(), Error> {
    let bitmap = input.peek();
    if bitmap.is_some_and(|bitmap| bitmap != mark::XLANG) {
        return Err(input.malformed(format!(
            "bitmap {:#04x}: only 0x01, an xlang stream with nothing out of band, is read",
            bitmap.unwrap_or_default()
        )));
    }
    input.u8()?;
    match input.peek() {
        Some(mark::FIRST) | None => input.u8().map(drop),
        Some(mark::NULL) => Err(input.malformed("the root is null")),
        Some(flag) => Err(input.malformed(format!("root flag {flag:#04x}"))),
    }
}

/// Appends the encoded `message` to `out`.
#[inline]
pub fn encode<S: Struct, D: ForyDialect, M: Mode>(message: &S, out: &mut Vec<u8>) {
    let bound = 2 + S::INFO.meta_bound + message.bound::<D>();
    let mut place = Out::reserve(out, bound);
    // SAFETY: the bound counts the flags, the root's own metadata and the fields.
    unsafe {
        place.array([mark::XLANG, mark::VALUE]);
        let end = meta::with_slots(S::SLOTS, |meta| {
            cpu::dispatch_routine::<WriteRoot<D, M>, _, _, _>(message, place, meta)
        });
        end.finish(out);
    }
}

/// Writes type info and fields of the root.
struct WriteRoot<D, M>(PhantomData<(D, M)>);

impl<S: Struct, D: ForyDialect, M: Mode> Routine<&S, Out, &mut WriteMeta<'_>> for WriteRoot<D, M> {
    type Output = Out;

    #[inline(always)]
    fn run<C: Cpu>(message: &S, mut out: Out, meta: &mut WriteMeta<'_>) -> Out {
        // SAFETY: `encode` has reserved metadata and fields.
        unsafe {
            meta.struct_type::<S, D, M>(&mut out);
            meta.struct_hash::<S, M>(&mut out);
            message.write_fields::<C, D, M>(out, meta)
        }
    }
}

/// Replaces `message` by what `bytes` hold.
///
/// # Errors
/// With byte offset and field path.
#[inline]
pub fn decode<S: Struct, M: Mode>(
    message: &mut S,
    bytes: &[u8],
    limits: &Limits,
) -> Result<(), Error> {
    cpu::dispatch_routine::<ReadRoot<M>, _, _, _>(message, bytes, limits)
}
