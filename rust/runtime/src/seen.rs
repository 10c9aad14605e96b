/// Which of a message's fields were read: a bit each, in `N` words.
#[derive(Clone, Copy, Debug)]
pub struct Seen<const N: usize>([u64; N]);

impl<const N: usize> Seen<N> {
    /// None of them.
    #[inline(always)]
    pub const fn new() -> Self {
        Self([0; N])
    }

    /// Marks the field at `index`, below 64 x `N`.
    #[inline(always)]
    pub fn set(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    /// Marks the field at `index` and says whether it was marked before.
    #[inline(always)]
    pub fn replace(&mut self, index: usize) -> bool {
        let before = self.0[index / 64] >> (index % 64) & 1 != 0;
        self.set(index);
        before
    }
}

impl<const N: usize> Default for Seen<N> {
    fn default() -> Self {
        Self::new()
    }
}
