//! Type metadata in front of structs: written once a stream, compared as one constant.

use std::rc::Rc;

use super::Info;
use super::evolve::{Plan, TypeDef};
use super::{ForyDialect, Mode, Struct, mark};
use crate::{Error, In, Out};

type Result<T> = std::result::Result<T, Error>;

/// Which types this stream has named so far, while writing.
#[derive(Debug)]
pub struct WriteMeta<'s> {
    /// Marker that refers to the type of each slot; 0 for one not yet named.
    markers: &'s mut [u32],
    next: u32,
}

/// Calls `write` with metadata state of `slots` slots.
#[inline(always)]
pub(super) fn with_slots<T>(slots: usize, write: impl FnOnce(&mut WriteMeta<'_>) -> T) -> T {
    match slots {
        0..=4 => write(&mut WriteMeta {
            markers: &mut [0; 4],
            next: 0,
        }),
        5..=32 => write(&mut WriteMeta {
            markers: &mut [0; 32],
            next: 0,
        }),
        _ => write(&mut WriteMeta {
            markers: &mut vec![0; slots],
            next: 0,
        }),
    }
}

impl WriteMeta<'_> {
    /// The type info of a struct: its TypeDef where the stream names it first, else where that
    /// was.
    ///
    /// # Safety
    /// [`Info::meta_bound`] is reserved at `out`.
    #[inline(always)]
    pub unsafe fn struct_type<S: Struct, D: ForyDialect, M: Mode>(&mut self, out: &mut Out) {
        // SAFETY: passed on to the caller.
        unsafe {
            if M::CONSISTENT {
                out.bytes(S::INFO.plain_type);
                return;
            }
            out.u8(mark::COMPATIBLE_STRUCT);
            let marker = &mut self.markers[S::INFO.slot];
            if *marker != 0 {
                out.length(*marker as usize);
                return;
            }
            *marker = self.next << 1 | 1;
            out.length((self.next << 1) as usize);
            self.next += 1;
            out.bytes(S::INFO.type_defs[D::TYPE_DEF]);
        }
    }

    /// The schema hash in front of each struct, consistent mode.
    ///
    /// # Safety
    /// Four bytes are reserved at `out`.
    #[inline(always)]
    pub unsafe fn struct_hash<S: Struct, M: Mode>(&mut self, out: &mut Out) {
        if M::CONSISTENT {
            // SAFETY: passed on to the caller.
            unsafe { out.array(S::INFO.hash.to_le_bytes()) }
        }
    }
}

/// How the fields of a struct lie in the stream: as in our own schema, or by a plan that was
/// made from the TypeDef received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout(u32);

impl Layout {
    /// As in our own schema.
    pub const SAME: Layout = Layout(u32::MAX);
}

/// Types that are named early in a stream are looked up without a search.
const EARLY: usize = 16;
const NO_SLOT: u32 = u32::MAX;

/// Which types this stream has named so far, while reading.
#[derive(Debug)]
pub struct ReadMeta {
    count: usize,
    /// Slot of each of the first types, where its TypeDef is one that we would write.
    early: [u32; EARLY],
    rest: Option<Box<Received>>,
}

/// What only streams of other schemas, or of very many types, need.
#[derive(Debug, Default)]
struct Received {
    /// TypeDefs by index, where parsed.
    defs: Vec<(usize, Rc<TypeDef>)>,
    /// Slots of types past the early ones.
    late: Vec<(usize, u32)>,
    /// Index, slot and plan.
    plans: Vec<(usize, u32, Rc<Plan>)>,
}

impl Default for ReadMeta {
    fn default() -> Self {
        Self::new()
    }
}

impl ReadMeta {
    /// Nothing named yet.
    #[inline(always)]
    pub fn new() -> Self {
        Self {
            count: 0,
            early: [NO_SLOT; EARLY],
            rest: None,
        }
    }

    fn slot_of(&self, index: usize) -> u32 {
        if index < EARLY {
            return self.early[index];
        }
        let late = self.rest.iter().flat_map(|rest| &rest.late);
        late.filter(|(at, _)| *at == index)
            .map(|(_, slot)| *slot)
            .next()
            .unwrap_or(NO_SLOT)
    }

    fn set_slot(&mut self, index: usize, slot: u32) {
        if index < EARLY {
            self.early[index] = slot;
        } else {
            self.rest.get_or_insert_default().late.push((index, slot));
        }
    }

    pub(super) fn plan(&self, layout: Layout) -> Option<Rc<Plan>> {
        let plans = &self.rest.as_ref()?.plans;
        plans
            .get(layout.0 as usize)
            .map(|(_, _, plan)| plan.clone())
    }

    /// The TypeDef that a marker introduces or refers to.
    ///
    /// # Errors
    /// When the marker refers to none, or the TypeDef is malformed.
    pub(super) fn type_def(&mut self, input: &mut In<'_>) -> Result<(usize, Rc<TypeDef>)> {
        type C = crate::cpu::Portable;
        let start = input.offset();
        let marker = input.varint32::<C>()?;
        let index = (marker >> 1) as usize;
        if marker & 1 == 0 {
            if index != self.count {
                return Err(Error::malformed(
                    start,
                    format!("TypeDef number {index} where {} follows", self.count),
                ));
            }
            let def = Rc::new(TypeDef::read(input)?);
            // A stream of many TypeDefs costs their parsed form.
            input.charge(1, 64 * (def.fields.len() + 1))?;
            self.count += 1;
            self.rest
                .get_or_insert_default()
                .defs
                .push((index, def.clone()));
            return Ok((index, def));
        }
        let defs = self.rest.iter().flat_map(|rest| &rest.defs);
        let found = defs
            .filter(|(at, _)| *at == index)
            .map(|(_, def)| def)
            .next();
        match found {
            Some(def) => Ok((index, def.clone())),
            None => Err(Error::malformed(
                start,
                format!("reference to TypeDef {index}, which is not of this type"),
            )),
        }
    }
}

/// The type info of a struct `S`.
///
/// # Errors
/// When another kind of value is announced, or the TypeDef does not fit.
#[inline(always)]
pub(super) fn struct_type<S: Struct, M: Mode>(
    input: &mut In<'_>,
    meta: &mut ReadMeta,
) -> Result<Layout> {
    let info = S::INFO;
    if M::CONSISTENT {
        if input.starts_with(info.plain_type) {
            input.advance(info.plain_type.len());
            return Ok(Layout::SAME);
        }
        return Err(other_type(input, info));
    }
    if input.remaining() >= 2 {
        // SAFETY: two bytes remain.
        let [id, marker] = unsafe { input.at.cast::<[u8; 2]>().read_unaligned() };
        let index = usize::from(marker >> 1);
        if id == mark::COMPATIBLE_STRUCT && index < EARLY {
            if marker & 1 == 1 {
                if meta.early[index] == info.slot as u32 {
                    input.advance(2);
                    return Ok(Layout::SAME);
                }
            } else if index == meta.count {
                let def = info.type_defs[0];
                input.advance(2);
                if input.starts_with(def) {
                    input.advance(def.len());
                    meta.early[index] = info.slot as u32;
                    meta.count += 1;
                    return Ok(Layout::SAME);
                }
                // SAFETY: back to where two bytes were read.
                input.at = unsafe { input.at.sub(2) };
            }
        }
    }
    received_type(input, meta, info)
}

#[cold]
#[inline(never)]
fn other_type(input: &In<'_>, info: &Info) -> Error {
    if input.is_at_end() {
        return input.truncated(1);
    }
    input.malformed(format!(
        "a struct registered as {} ({}) must come here",
        info.user_id, info.name
    ))
}

#[cold]
#[inline(never)]
fn received_type(input: &mut In<'_>, meta: &mut ReadMeta, info: &'static Info) -> Result<Layout> {
    type C = crate::cpu::Portable;
    let start = input.offset();
    let id = input.varint32::<C>()?;
    if id != u32::from(mark::COMPATIBLE_STRUCT) {
        return Err(Error::malformed(
            start,
            format!(
                "type id {id}; a struct {} with a TypeDef must come here",
                info.name
            ),
        ));
    }
    // The marker refers back, or one of the known TypeDefs follows.
    let slot = info.slot as u32;
    let place = input.at;
    let marker = input.varint32::<C>()?;
    let index = (marker >> 1) as usize;
    if marker & 1 == 1 {
        if index < meta.count && meta.slot_of(index) == slot {
            return Ok(Layout::SAME);
        }
    } else if index == meta.count
        && let Some(def) = info.type_defs.iter().find(|def| input.starts_with(def))
    {
        input.advance(def.len());
        meta.set_slot(index, slot);
        meta.count += 1;
        return Ok(Layout::SAME);
    }
    input.at = place;
    let (index, def) = meta.type_def(input)?;
    if info.type_defs.contains(&def.bytes.as_slice()) {
        meta.set_slot(index, slot);
        return Ok(Layout::SAME);
    }
    let rest = meta.rest.get_or_insert_default();
    let known = rest
        .plans
        .iter()
        .position(|(i, s, _)| *i == index && *s == slot);
    let position = match known {
        Some(position) => position,
        None => {
            let plan = Plan::new(&def, info).map_err(|text| Error::malformed(start, text))?;
            rest.plans.push((index, slot, Rc::new(plan)));
            rest.plans.len() - 1
        }
    };
    Ok(Layout(position as u32))
}
