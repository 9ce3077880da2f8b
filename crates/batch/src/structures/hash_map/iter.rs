//! Iterators: shard by shard.

use super::{HashMap, shard::Shard};
use hashbrown::hash_table;
use std::{fmt, iter::FusedIterator, slice};

/// The entries of a [`HashMap`], in any order: [`HashMap::iter`].
pub struct Iter<'a, K, V> {
    rest: slice::Iter<'a, Shard<K, V>>,
    entries: hash_table::Iter<'a, (K, V)>,
    left: usize,
}

impl<K, V, S> HashMap<K, V, S> {
    /// Returns the entries, in any order.
    ///
    /// # Examples
    ///
    /// ```
    /// let map: sumac::batch::HashMap<_, _> = [(1, 'a'), (2, 'b')].into_iter().collect();
    /// assert_eq!(map.iter().map(|(key, _)| key).sum::<i32>(), 3);
    /// ```
    ///
    /// # Cost
    /// Linear in the capacity, for all of them.
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter {
            rest: self.shards.iter(),
            entries: hash_table::Iter::default(),
            left: self.len(),
        }
    }
}

impl<'a, K, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    #[inline]
    fn next(&mut self) -> Option<(&'a K, &'a V)> {
        loop {
            if let Some((key, value)) = self.entries.next() {
                self.left -= 1;
                return Some((key, value));
            }
            self.entries = self.rest.next()?.iter();
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<K, V> ExactSizeIterator for Iter<'_, K, V> {}
impl<K, V> FusedIterator for Iter<'_, K, V> {}

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Iter {
            rest: self.rest.clone(),
            entries: self.entries.clone(),
            left: self.left,
        }
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Iter<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl<'a, K, V, S> IntoIterator for &'a HashMap<K, V, S> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Iter<'a, K, V> {
        self.iter()
    }
}
