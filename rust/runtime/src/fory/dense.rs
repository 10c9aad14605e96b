//! Dense arrays: byte length, then the numbers as they lie in memory.

use crate::{Cpu, Error, In, Out};

/// Numbers that a dense array holds.
pub trait Dense: Copy {
    /// Writes all of `values`, little endian.
    ///
    /// # Safety
    /// Their size is reserved at `out`.
    unsafe fn write(out: &mut Out, values: &[Self]);

    /// Reads `len` bytes of numbers behind those in `values`.
    ///
    /// # Errors
    /// When fewer are left, or they are no whole number of elements.
    fn append(input: &mut In<'_>, len: u64, values: &mut Vec<Self>) -> Result<(), Error>;
}

/// A dense array, in place of what `values` held.
///
/// # Errors
/// When it is cut off, or no whole number of elements.
#[inline(always)]
pub fn read<C: Cpu, E: Dense>(input: &mut In<'_>, values: &mut Vec<E>) -> Result<(), Error> {
    let len = u64::from(input.varint32::<C>()?);
    values.clear();
    E::append(input, len, values)
}

/// A dense array: length and numbers.
///
/// # Safety
/// Ten bytes and the numbers' size are reserved at `out`.
#[inline(always)]
pub unsafe fn write<E: Dense>(out: &mut Out, values: &[E]) {
    // SAFETY: passed on to the caller.
    unsafe {
        out.length(size_of_val(values));
        E::write(out, values);
    }
}

macro_rules! dense {
    ($($ty:ty),*) => {$(
        impl Dense for $ty {
            #[inline(always)]
            unsafe fn write(out: &mut Out, values: &[Self]) {
                // SAFETY: passed on to the caller; numbers have no padding, so their memory
                // is all initialised bytes.
                unsafe {
                    if cfg!(target_endian = "little") {
                        let bytes = std::slice::from_raw_parts(
                            values.as_ptr().cast(),
                            size_of_val(values),
                        );
                        out.bytes(bytes);
                    } else {
                        for value in values {
                            out.array(value.to_le_bytes());
                        }
                    }
                }
            }

            #[inline(always)]
            fn append(
                input: &mut In<'_>,
                len: u64,
                values: &mut Vec<Self>,
            ) -> Result<(), Error> {
                const SIZE: usize = size_of::<$ty>();
                let bytes = input.take(len)?;
                if !bytes.len().is_multiple_of(SIZE) {
                    return Err(uneven(input, bytes.len(), SIZE));
                }
                let count = bytes.len() / SIZE;
                crate::input::make_room(values, count);
                if cfg!(target_endian = "little") {
                    // SAFETY: room for `count` numbers was reserved behind the length, and
                    // every bit pattern is a number.
                    unsafe {
                        let end = values.as_mut_ptr().add(values.len());
                        std::ptr::copy_nonoverlapping(bytes.as_ptr(), end.cast(), bytes.len());
                        values.set_len(values.len() + count);
                    }
                } else {
                    let numbers = bytes.as_chunks::<SIZE>().0.iter();
                    values.extend(numbers.map(|bytes| Self::from_le_bytes(*bytes)));
                }
                Ok(())
            }
        }
    )*};
}

dense!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);

#[cold]
#[inline(never)]
pub(super) fn uneven(input: &In<'_>, len: usize, size: usize) -> Error {
    Error::malformed(
        input.offset() - len,
        format!("{len} bytes are no whole number of elements of {size} bytes"),
    )
}

/// A dense array of bools.
///
/// # Safety
/// Ten bytes and one for each bool are reserved at `out`.
#[inline(always)]
pub unsafe fn write_bools(out: &mut Out, values: &[bool]) {
    // SAFETY: passed on to the caller; a bool is one byte of 0 or 1.
    unsafe {
        out.length(values.len());
        out.bytes(std::slice::from_raw_parts(
            values.as_ptr().cast(),
            values.len(),
        ));
    }
}

/// A dense array of bools, one byte each; any byte but 0 is true.
///
/// # Errors
/// When it is cut off.
#[inline(always)]
pub fn read_bools<C: Cpu>(input: &mut In<'_>, values: &mut Vec<bool>) -> Result<(), Error> {
    let len = u64::from(input.varint32::<C>()?);
    let bytes = input.take(len)?;
    values.clear();
    crate::input::make_room(values, bytes.len());
    values.extend(bytes.iter().map(|byte| *byte != 0));
    Ok(())
}
