use std::fmt;

/// A run of numbers, bools or enum numbers that a view borrows: checked when it was read, decoded
/// when it is looked at. Owned where the input had no single run of them.
#[derive(Clone)]
pub struct Numbers<'a, T>(Repr<'a, T>);

#[derive(Clone)]
enum Repr<'a, T> {
    /// Little-endian elements of `size` bytes.
    Fixed {
        bytes: &'a [u8],
        size: usize,
        read: fn(&[u8]) -> T,
    },
    /// Complete varints of at most eight bytes, `count` of them.
    Varints {
        bytes: &'a [u8],
        count: usize,
        read: fn(u64) -> T,
    },
    Owned(Vec<T>),
}

impl<T> Default for Numbers<'_, T> {
    #[inline(always)]
    fn default() -> Self {
        Self(Repr::Owned(Vec::new()))
    }
}

/// A type that lies in the input little endian.
pub(crate) trait Fixed: Copy + 'static {
    const SIZE: usize;

    /// The value of the first [`Fixed::SIZE`] bytes.
    fn of(bytes: &[u8]) -> Self;
}

macro_rules! fixed {
    ($($ty:ty),*) => {$(
        impl Fixed for $ty {
            const SIZE: usize = size_of::<$ty>();

            #[inline]
            fn of(bytes: &[u8]) -> Self {
                bytes.first_chunk().map_or(<$ty>::default(), |bytes| Self::from_le_bytes(*bytes))
            }
        }
    )*};
}

fixed!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);

/// A byte; any but 0 is true.
impl Fixed for bool {
    const SIZE: usize = 1;

    #[inline]
    fn of(bytes: &[u8]) -> Self {
        bytes.first().is_some_and(|byte| *byte != 0)
    }
}

impl<'a, T: Copy> Numbers<'a, T> {
    /// Elements as they lie in `bytes`, whose length is a multiple of theirs.
    #[inline(always)]
    pub(crate) fn fixed(bytes: &'a [u8]) -> Self
    where
        T: Fixed,
    {
        debug_assert!(bytes.len().is_multiple_of(T::SIZE));
        Self(Repr::Fixed {
            bytes,
            size: T::SIZE,
            read: T::of,
        })
    }

    /// The `count` varints of `bytes`, none longer than eight bytes, the last one complete.
    #[inline(always)]
    pub(crate) fn varints(bytes: &'a [u8], count: usize, read: fn(u64) -> T) -> Self {
        Self(Repr::Varints { bytes, count, read })
    }

    /// Number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        match &self.0 {
            Repr::Fixed { bytes, size, .. } => bytes.len() / size,
            Repr::Varints { count, .. } => *count,
            Repr::Owned(values) => values.len(),
        }
    }

    /// True when there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements, decoded one by one.
    #[inline]
    pub fn iter(&self) -> NumbersIter<'_, T> {
        let bytes = match &self.0 {
            Repr::Fixed { bytes, .. } | Repr::Varints { bytes, .. } => bytes,
            Repr::Owned(_) => &[][..],
        };
        NumbersIter {
            repr: &self.0,
            bytes,
            left: self.len(),
        }
    }

    /// The elements in a vector of their own.
    pub fn to_vec(&self) -> Vec<T> {
        match &self.0 {
            Repr::Owned(values) => values.clone(),
            _ => self.iter().collect(),
        }
    }

    /// An element behind the others, for decoders.
    #[doc(hidden)]
    pub fn push(&mut self, value: T) {
        self.as_vec().push(value);
    }

    /// The elements as a vector, from now on owned.
    pub(crate) fn as_vec(&mut self) -> &mut Vec<T> {
        if !matches!(self.0, Repr::Owned(_)) {
            self.0 = Repr::Owned(self.to_vec());
        }
        match &mut self.0 {
            Repr::Owned(values) => values,
            _ => unreachable!("made owned above"),
        }
    }
}

/// Elements of [`Numbers`].
#[derive(Clone)]
pub struct NumbersIter<'n, T> {
    repr: &'n Repr<'n, T>,
    bytes: &'n [u8],
    left: usize,
}

impl<T: Copy> Iterator for NumbersIter<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        self.left = self.left.checked_sub(1)?;
        match self.repr {
            Repr::Fixed { size, read, .. } => {
                let (element, rest) = self.bytes.split_at_checked(*size)?;
                self.bytes = rest;
                Some(read(element))
            }
            Repr::Varints { read, .. } => {
                let mut value = 0u64;
                let mut shift = 0;
                while let Some((byte, rest)) = self.bytes.split_first() {
                    self.bytes = rest;
                    value |= u64::from(byte & 0x7f) << (shift & 63);
                    shift += 7;
                    if *byte < 0x80 {
                        break;
                    }
                }
                Some(read(value))
            }
            Repr::Owned(values) => values.get(values.len() - self.left - 1).copied(),
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T: Copy> ExactSizeIterator for NumbersIter<'_, T> {}

impl<'n, T: Copy> IntoIterator for &'n Numbers<'_, T> {
    type Item = T;
    type IntoIter = NumbersIter<'n, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: Copy + fmt::Debug> fmt::Debug for Numbers<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl<T: Copy + PartialEq> PartialEq for Numbers<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other)
    }
}

/// Number of varints in `bytes` if all of them are complete and at most eight bytes long, as
/// nearly all are. What says no here is left to the reader that says what is wrong.
#[inline(always)]
pub(crate) fn count_short_varints(bytes: &[u8]) -> Option<usize> {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    if bytes.last().is_some_and(|byte| *byte >= 0x80) {
        return None;
    }
    let (words, tail) = bytes.as_chunks::<8>();
    let mut count = 0;
    // Continuation bytes right before the word.
    let mut open = 0;
    for word in words {
        let ends = !u64::from_le_bytes(*word) & HIGH;
        // A word without an end stands in a varint of nine bytes or more.
        if ends == 0 || open + ends.trailing_zeros() / 8 >= 8 {
            return None;
        }
        count += ends.count_ones();
        open = ends.leading_zeros() / 8;
    }
    for byte in tail {
        if *byte < 0x80 {
            count += 1;
            open = 0;
        } else {
            open += 1;
        }
        if open >= 8 {
            return None;
        }
    }
    Some(count as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_of_up_to_eight_bytes_are_counted_anywhere() {
        for len in 1..=10usize {
            for lead in 0..20 {
                for trail in 0..20 {
                    let mut bytes = vec![1; lead];
                    bytes.extend(vec![0x81; len - 1]);
                    bytes.push(1);
                    bytes.extend(vec![1; trail]);
                    let expected = (len <= 8).then_some(lead + trail + 1);
                    assert_eq!(
                        count_short_varints(&bytes),
                        expected,
                        "{len} {lead} {trail}"
                    );
                    if let Some(count) = expected {
                        let numbers = Numbers::varints(&bytes, count, |value| value);
                        assert_eq!(
                            numbers.iter().filter(|value| *value != 1).count(),
                            usize::from(len > 1)
                        );
                        assert_eq!(numbers.to_vec().len(), count);
                    }
                    bytes.truncate(bytes.len() - trail - 1);
                    if len > 1 {
                        assert_eq!(count_short_varints(&bytes), None);
                    }
                }
            }
        }
    }

    #[test]
    fn all_forms_are_equal_by_their_elements() {
        let fixed = Numbers::<i32>::fixed(&[1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]);
        let mut owned = Numbers::default();
        owned.push(1);
        assert_ne!(fixed, owned);
        owned.push(-1);
        assert_eq!(fixed, owned);
        let varints = Numbers::varints(&[2, 1], 2, |value| interop_wire::unzigzag32(value as u32));
        assert_eq!(varints, owned);
        assert_eq!(format!("{varints:?}"), "[1, -1]");
    }
}
