use std::collections::HashSet;
use std::hash::Hash;

/// A map field: entries in the order in which they were read or put in, so that writing again
/// gives the same bytes. Keys are unique.
///
/// Backed by a vector: messages' maps are written and read far more often than looked into, and
/// hashing every key on the way in costs more than the rest of decoding. [`Map::get`] is linear;
/// collect into a `HashMap` for many lookups.
#[derive(Clone, Debug)]
pub struct Map<K, V> {
    entries: Vec<(K, V)>,
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
        }
    }
}

/// Up to this many entries are compared with one another; more are hashed.
const COMPARED: usize = 16;

impl<K: Eq + Hash, V> Map<K, V> {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of `key`. Takes time linear in the number of entries.
    pub fn get<Q: ?Sized + Eq>(&self, key: &Q) -> Option<&V>
    where
        K: std::borrow::Borrow<Q>,
    {
        let found = self.entries.iter().find(|(k, _)| k.borrow() == key);
        found.map(|(_, value)| value)
    }

    /// Sets the value of `key`, at the place where it is or at the end.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.entries.iter_mut().find(|(k, _)| *k == key) {
            Some((_, old)) => Some(std::mem::replace(old, value)),
            None => {
                self.entries.push((key, value));
                None
            }
        }
    }

    /// Removes the entry of `key`; the others keep their order.
    pub fn remove<Q: ?Sized + Eq>(&mut self, key: &Q) -> Option<V>
    where
        K: std::borrow::Borrow<Q>,
    {
        let found = self.entries.iter().position(|(k, _)| k.borrow() == key)?;
        Some(self.entries.remove(found).1)
    }

    /// The entries in order.
    pub fn as_slice(&self) -> &[(K, V)] {
        &self.entries
    }

    /// The entries in order, one by one.
    pub fn iter(&self) -> std::slice::Iter<'_, (K, V)> {
        self.entries.iter()
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Removes all entries; keeps the capacity.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// The vector itself, for decoders: they push as they read and call
    /// [`Map::keep_last`] at the end.
    #[doc(hidden)]
    pub fn raw(&mut self) -> &mut Vec<(K, V)> {
        &mut self.entries
    }

    /// Makes keys unique again: the last value of a key wins, at the place of the first.
    #[doc(hidden)]
    pub fn keep_last(&mut self) {
        let len = self.entries.len();
        let unique = if len <= COMPARED {
            let keys = &self.entries;
            (1..len).all(|i| keys[..i].iter().all(|(key, _)| *key != keys[i].0))
        } else {
            let mut seen = HashSet::with_capacity(len);
            self.entries.iter().all(|(key, _)| seen.insert(key))
        };
        if !unique {
            self.merge_duplicates();
        }
    }

    /// Position of the first entry whose key stands in front of it already, for decoders of
    /// formats that refuse it.
    #[doc(hidden)]
    pub fn first_repeated(&self) -> Option<usize> {
        let keys = &self.entries;
        if keys.len() <= COMPARED {
            return (1..keys.len()).find(|&i| keys[..i].iter().any(|(key, _)| *key == keys[i].0));
        }
        let mut seen = HashSet::with_capacity(keys.len());
        keys.iter().position(|(key, _)| !seen.insert(key))
    }

    #[cold]
    fn merge_duplicates(&mut self) {
        let mut seen = HashSet::with_capacity(self.entries.len());
        // From the back: the first one seen there is the last one written.
        let mut last: Vec<bool> = self
            .entries
            .iter()
            .rev()
            .map(|(key, _)| seen.insert(key))
            .collect();
        last.reverse();
        let mut order = std::collections::HashMap::new();
        let mut result: Vec<Option<(K, V)>> = Vec::new();
        let mut places = Vec::with_capacity(self.entries.len());
        for (key, _) in &self.entries {
            let next = order.len();
            places.push(*order.entry(key).or_insert(next));
        }
        result.resize_with(order.len(), || None);
        drop(order);
        for ((entry, last), place) in self.entries.drain(..).zip(last).zip(places) {
            if last {
                result[place] = Some(entry);
            }
        }
        self.entries.extend(result.into_iter().flatten());
    }
}

/// Equal entries, in any order.
impl<K: Eq + Hash, V: PartialEq> PartialEq for Map<K, V> {
    fn eq(&self, other: &Self) -> bool {
        if self.len() != other.len() {
            return false;
        }
        if self.iter().zip(other.iter()).all(|(a, b)| a.0 == b.0) {
            return self.iter().zip(other.iter()).all(|(a, b)| a.1 == b.1);
        }
        let index: std::collections::HashMap<_, _> = other.iter().map(|(k, v)| (k, v)).collect();
        self.iter()
            .all(|(key, value)| index.get(key).is_some_and(|v| *v == value))
    }
}

impl<K: Eq + Hash, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self {
            entries: entries.into_iter().collect(),
        };
        map.keep_last();
        map
    }
}

impl<'a, K, V> IntoIterator for &'a Map<K, V> {
    type Item = &'a (K, V);
    type IntoIter = std::slice::Iter<'a, (K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_value_wins_at_the_first_place() {
        for filler in [0, 40] {
            let mut entries = vec![("a".to_owned(), 1), ("b".to_owned(), 2)];
            entries.extend((0..filler).map(|i| (format!("f{i}"), i)));
            entries.push(("a".to_owned(), 3));
            let map: Map<String, i32> = entries.into_iter().collect();
            assert_eq!(map.len(), filler as usize + 2);
            assert_eq!(map.iter().next(), Some(&("a".to_owned(), 3)));
            assert_eq!(map.get("b"), Some(&2));
        }
    }

    #[test]
    fn equality_ignores_order() {
        let a: Map<i32, i32> = [(1, 2), (3, 4)].into_iter().collect();
        let b: Map<i32, i32> = [(3, 4), (1, 2)].into_iter().collect();
        assert_eq!(a, b);
        let c: Map<i32, i32> = [(3, 4), (1, 5)].into_iter().collect();
        assert_ne!(a, c);
    }
}
