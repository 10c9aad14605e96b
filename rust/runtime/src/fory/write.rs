//! Struct fields, lists and maps, written.

use super::{ForyDialect, Mode, Struct, WriteFields, WriteMeta};
use crate::{Cpu, Map, Out, cpu};

/// Elements are declared and of one type.
const DECLARED: u8 = 0x0c;
/// Elements are of one type, which follows.
const ONE_TYPE: u8 = 0x08;
/// Key and value are declared.
const DECLARED_PAIR: u8 = 0x24;
/// The key is declared, the value's type follows.
const DECLARED_KEY: u8 = 0x04;

/// Bound of a bytes value, length included.
#[inline(always)]
pub fn bytes_bound(bytes: &[u8]) -> usize {
    10 + bytes.len()
}

/// A bytes value: length and contents.
///
/// # Safety
/// [`bytes_bound`] is reserved at `out`.
#[inline(always)]
pub unsafe fn write_bytes(out: &mut Out, bytes: &[u8]) {
    // SAFETY: passed on to the caller.
    unsafe {
        out.length(bytes.len());
        out.bytes(bytes);
    }
}

/// A struct whose type is already named: hash or nothing, then its fields.
///
/// # Safety
/// The struct's bound and four bytes are reserved at `out`.
#[inline(always)]
pub unsafe fn write_struct_value<C: Cpu, D: ForyDialect, M: Mode, S: Struct>(
    out: &mut Out,
    meta: &mut WriteMeta<'_>,
    value: &S,
) {
    // SAFETY: passed on to the caller.
    unsafe {
        meta.struct_hash::<S, M>(out);
        *out = cpu::call_routine::<C, WriteFields<D, M>, _, _, _>(value, *out, meta);
    }
}

/// A struct in a field: type info in compatible mode, then hash or nothing, then its fields.
///
/// # Safety
/// The struct's bound and [`super::Info::meta_bound`] are reserved at `out`.
#[inline(always)]
pub unsafe fn write_struct_field<C: Cpu, D: ForyDialect, M: Mode, S: Struct>(
    out: &mut Out,
    meta: &mut WriteMeta<'_>,
    value: &S,
) {
    // SAFETY: passed on to the caller.
    unsafe {
        if !M::CONSISTENT {
            meta.struct_type::<S, D, M>(out);
        }
        write_struct_value::<C, D, M, S>(out, meta, value);
    }
}

/// Bound of an absent struct in a field that can't be null, without metadata.
///
/// Out of line: the default would take room on the stack of every call.
#[cold]
#[inline(never)]
pub fn absent_bound<D: ForyDialect, S: Struct>() -> usize {
    S::default().bound::<D>()
}

/// An absent struct in a field that can't be null: the default is written.
///
/// # Safety
/// [`absent_bound`] and [`super::Info::meta_bound`] are reserved at `out`.
#[cold]
#[inline(never)]
pub unsafe fn write_absent<D: ForyDialect, M: Mode, S: Struct>(
    mut out: Out,
    meta: &mut WriteMeta<'_>,
) -> Out {
    // SAFETY: passed on to the caller.
    unsafe { write_struct_field::<cpu::Portable, D, M, S>(&mut out, meta, &S::default()) }
    out
}

/// A list of structs.
///
/// # Safety
/// Twelve bytes, each struct's bound and four, and [`super::Info::meta_bound`] are reserved.
#[inline(always)]
pub unsafe fn write_structs<C: Cpu, D: ForyDialect, M: Mode, S: Struct>(
    out: &mut Out,
    meta: &mut WriteMeta<'_>,
    values: &[S],
) {
    // SAFETY: passed on to the caller.
    unsafe {
        out.length(values.len());
        if values.is_empty() {
            return;
        }
        if M::CONSISTENT && D::DECLARED_ELEMENTS {
            out.u8(DECLARED);
        } else {
            out.u8(ONE_TYPE);
            meta.struct_type::<S, D, M>(out);
        }
        for value in values {
            write_struct_value::<C, D, M, S>(out, meta, value);
        }
    }
}

/// A list of elements that `write` puts down.
///
/// # Safety
/// Twelve bytes and the elements are reserved.
#[inline(always)]
pub unsafe fn write_list<E>(out: &mut Out, values: &[E], mut write: impl FnMut(&mut Out, &E)) {
    // SAFETY: passed on to the caller.
    unsafe {
        out.length(values.len());
        if values.is_empty() {
            return;
        }
        out.u8(DECLARED);
        for value in values {
            write(out, value);
        }
    }
}

/// A map of values that are no structs: chunks of at most 255 entries.
///
/// # Safety
/// Ten bytes, two for each 255 entries, and the entries are reserved.
#[inline(always)]
pub unsafe fn write_map<K: Eq + std::hash::Hash, V>(
    out: &mut Out,
    map: &Map<K, V>,
    mut write: impl FnMut(&mut Out, &K, &V),
) {
    // SAFETY: passed on to the caller.
    unsafe {
        out.length(map.len());
        for chunk in map.as_slice().chunks(255) {
            out.array([DECLARED_PAIR, chunk.len() as u8]);
            for (key, value) in chunk {
                write(out, key, value);
            }
        }
    }
}

/// A map of structs: chunks of at most 255 entries, each of which names the type.
///
/// # Safety
/// As for [`write_map`], and [`super::Info::meta_bound`] for each 255 entries.
#[inline(always)]
pub unsafe fn write_struct_map<
    C: Cpu,
    D: ForyDialect,
    M: Mode,
    K: Eq + std::hash::Hash,
    S: Struct,
>(
    out: &mut Out,
    meta: &mut WriteMeta<'_>,
    map: &Map<K, S>,
    mut write_key: impl FnMut(&mut Out, &K),
) {
    // SAFETY: passed on to the caller.
    unsafe {
        out.length(map.len());
        for chunk in map.as_slice().chunks(255) {
            if M::CONSISTENT && D::DECLARED_VALUES {
                out.array([DECLARED_PAIR, chunk.len() as u8]);
            } else {
                out.array([DECLARED_KEY, chunk.len() as u8]);
                meta.struct_type::<S, D, M>(out);
            }
            for (key, value) in chunk {
                write_key(out, key);
                write_struct_value::<C, D, M, S>(out, meta, value);
            }
        }
    }
}
