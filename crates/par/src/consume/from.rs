//! Collecting into and extending the collections of std.
//!
//! Maps, sets and heaps are filled by one thread, from vectors that were collected in parallel.

use super::{
    collect::{append, into_lists, total_len},
    text::texts,
};
use crate::{
    iter::{FromParallelIterator, IntoParallelIterator, ParallelExtend, ParallelIterator},
    shape::Seal,
};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque},
    ffi::{OsStr, OsString},
    hash::{BuildHasher, Hash},
    rc::Rc,
    sync::Arc,
};

/// Collects all items into a `Vec`.
fn vec<I: IntoParallelIterator>(items: I) -> Vec<I::Item> {
    items.into_par_iter().into_vec(Seal(()))
}

/// Converts the `Vec` of all items as std does.
macro_rules! through_vec {
    ($([$($generics:tt)*] $Item:ty => $Target:ty, $make:expr;)*) => {$(
        impl<$($generics)*> FromParallelIterator<$Item> for $Target {
            fn from_par_iter<I: IntoParallelIterator<Item = $Item>>(items: I) -> Self {
                $make(vec(items))
            }
        }
    )*};
}

through_vec! {
    [T: Send] T => Vec<T>, std::convert::identity;
    [T: Send] T => Box<[T]>, Vec::into_boxed_slice;
    [T: Send] T => Rc<[T]>, Rc::from;
    [T: Send] T => Arc<[T]>, Arc::from;
    [T: Send] T => VecDeque<T>, VecDeque::from;
    [T: Send + Ord] T => BinaryHeap<T>, BinaryHeap::from;
    [T: Send + Ord] T => BTreeSet<T>, BTreeSet::from_iter;
    [K: Send + Ord, V: Send] (K, V) => BTreeMap<K, V>, BTreeMap::from_iter;
}

/// From an empty collection.
macro_rules! by_extending {
    ($([$($generics:tt)*] $Item:ty => $Target:ty;)*) => {$(
        impl<$($generics)*> FromParallelIterator<$Item> for $Target {
            fn from_par_iter<I: IntoParallelIterator<Item = $Item>>(items: I) -> Self {
                let mut target = Self::default();
                target.par_extend(items);
                target
            }
        }
    )*};
}

by_extending! {
    [T: Send + Eq + Hash, S: BuildHasher + Default] T => HashSet<T, S>;
    [K: Send + Eq + Hash, V: Send, S: BuildHasher + Default] (K, V) => HashMap<K, V, S>;
    [T: Send] T => LinkedList<T>;
}

texts!(by_extending);

/// Boxed texts.
macro_rules! boxed {
    ($([$($generics:tt)*] $Item:ty;)*) => {$(
        impl<$($generics)*> FromParallelIterator<$Item> for Box<str> {
            fn from_par_iter<I: IntoParallelIterator<Item = $Item>>(items: I) -> Self {
                String::from_par_iter(items).into_boxed_str()
            }
        }
    )*};
}

boxed! {
    [] char;
    ['a] &'a char;
    ['a] &'a str;
    [] String;
    [] Box<str>;
    ['a] Cow<'a, str>;
}

/// Collects the owned form.
impl<'a, T, C> FromParallelIterator<T> for Cow<'a, C>
where
    T: Send,
    C: ToOwned<Owned: FromParallelIterator<T>> + ?Sized,
{
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(items: I) -> Self {
        Cow::Owned(C::Owned::from_par_iter(items))
    }
}

/// Collecting nothing runs the iterator.
impl FromParallelIterator<()> for () {
    fn from_par_iter<I: IntoParallelIterator<Item = ()>>(items: I) {
        items.into_par_iter().for_each(|()| {});
    }
}

/// Extending nothing runs the iterator.
impl ParallelExtend<()> for () {
    fn par_extend<I: IntoParallelIterator<Item = ()>>(&mut self, items: I) {
        items.into_par_iter().for_each(|()| {});
    }
}

impl<T: Send> ParallelExtend<T> for Vec<T> {
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, items: I) {
        append(self, items.into_par_iter());
    }
}

impl<'a, T: Copy + Send + Sync + 'a> ParallelExtend<&'a T> for Vec<T> {
    fn par_extend<I: IntoParallelIterator<Item = &'a T>>(&mut self, items: I) {
        append(self, items.into_par_iter().map(|&item| item));
    }
}

/// Extends by vectors collected in parallel.
macro_rules! extend_by_lists {
    ($([$($generics:tt)*] $Item:ty => $Target:ty, $reserve:expr;)*) => {$(
        impl<$($generics)*> ParallelExtend<$Item> for $Target {
            fn par_extend<I: IntoParallelIterator<Item = $Item>>(&mut self, items: I) {
                let lists = into_lists(items.into_par_iter());
                let reserve: fn(&mut Self, usize) = $reserve;
                reserve(self, total_len(&lists));
                for list in lists {
                    self.extend(list);
                }
            }
        }
    )*};
}

extend_by_lists! {
    [T: Send] T => VecDeque<T>, Self::reserve;
    ['a, T: Copy + Send + Sync + 'a] &'a T => VecDeque<T>, Self::reserve;
    [T: Send] T => LinkedList<T>, |_, _| {};
    ['a, T: Copy + Send + Sync + 'a] &'a T => LinkedList<T>, |_, _| {};
    [T: Send + Ord] T => BinaryHeap<T>, Self::reserve;
    ['a, T: Copy + Ord + Send + Sync + 'a] &'a T => BinaryHeap<T>, Self::reserve;
    [T: Send + Ord] T => BTreeSet<T>, |_, _| {};
    ['a, T: Copy + Ord + Send + Sync + 'a] &'a T => BTreeSet<T>, |_, _| {};
    [K: Send + Ord, V: Send] (K, V) => BTreeMap<K, V>, |_, _| {};
    ['a, K: Copy + Ord + Send + Sync + 'a, V: Copy + Send + Sync + 'a] (&'a K, &'a V) => BTreeMap<K, V>, |_, _| {};
    [T: Send + Eq + Hash, S: BuildHasher] T => HashSet<T, S>, Self::reserve;
    ['a, T: Copy + Eq + Hash + Send + Sync + 'a, S: BuildHasher] &'a T => HashSet<T, S>, Self::reserve;
    [K: Send + Eq + Hash, V: Send, S: BuildHasher] (K, V) => HashMap<K, V, S>, Self::reserve;
    ['a, K: Copy + Eq + Hash + Send + Sync + 'a, V: Copy + Send + Sync + 'a, S: BuildHasher] (&'a K, &'a V) => HashMap<K, V, S>, Self::reserve;
}
