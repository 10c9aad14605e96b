//! Vtables in the buffer, each stored once.

/// Places of all vtables, in a hash table without chains; 0 is an empty slot.
#[derive(Debug)]
pub(super) struct Vtables {
    few: [u32; Vtables::FEW],
    many: Vec<u32>,
    count: usize,
    last: u32,
}

impl Vtables {
    /// Slots that need no allocation.
    const FEW: usize = 16;

    #[inline(always)]
    pub(super) fn new() -> Self {
        Self {
            few: [0; Self::FEW],
            many: Vec::new(),
            count: 0,
            last: 0,
        }
    }

    /// The place of the vtable equal to the one at `place`, which is new, or else `place`.
    ///
    /// # Safety
    /// All places are those of vtables in the buffer that ends at `end`.
    #[inline(always)]
    pub(super) unsafe fn place(&mut self, end: *const u8, place: u32) -> u32 {
        // SAFETY: passed on to the caller.
        unsafe {
            if self.last == 0 || bytes(end, self.last) != bytes(end, place) {
                self.last = self.find(end, place);
            }
        }
        self.last
    }

    #[inline(never)]
    unsafe fn find(&mut self, end: *const u8, place: u32) -> u32 {
        // SAFETY: passed on to the caller.
        unsafe {
            let wanted = bytes(end, place);
            let slots = if self.many.is_empty() {
                &mut self.few[..]
            } else {
                &mut self.many
            };
            let mut at = hash(wanted) as usize & (slots.len() - 1);
            while slots[at] != 0 {
                if bytes(end, slots[at]) == wanted {
                    return slots[at];
                }
                at = (at + 1) & (slots.len() - 1);
            }
            slots[at] = place;
            self.count += 1;
            if 2 * self.count > slots.len() {
                self.grow(end);
            }
            place
        }
    }

    #[cold]
    unsafe fn grow(&mut self, end: *const u8) {
        let old = match self.many.is_empty() {
            true => self.few.to_vec(),
            false => std::mem::take(&mut self.many),
        };
        self.many = vec![0; 4 * old.len()];
        let mask = self.many.len() - 1;
        for place in old.into_iter().filter(|place| *place != 0) {
            // SAFETY: passed on to the caller.
            let mut at = unsafe { hash(bytes(end, place)) } as usize & mask;
            while self.many[at] != 0 {
                at = (at + 1) & mask;
            }
            self.many[at] = place;
        }
    }
}

#[inline(always)]
unsafe fn bytes<'b>(end: *const u8, place: u32) -> &'b [u8] {
    // SAFETY: a vtable lies there, which begins with its length.
    unsafe {
        let start = end.sub(place as usize);
        let len = u16::from_le_bytes(start.cast::<[u8; 2]>().read());
        std::slice::from_raw_parts(start, len.into())
    }
}

fn hash(bytes: &[u8]) -> u32 {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash >> 32) as u32
}
