//! Parallel iterators over the collections of std.
//!
//! Iterators over maps, sets, lists and heaps go through a `Vec` of items or references, which one
//! thread fills.

pub use super::vec_deque;

use crate::{
    iter::{IntoParallelIterator, ParallelDrainFull},
    source::{
        delegate::{Lent, delegate, into},
        vec,
    },
};
use std::{
    collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList},
    hash::{BuildHasher, Hash},
    mem,
};

/// `module: Collection [its parameters: bounds] [the lifetime] reference, value, |it| drain`; then
/// `indexed`, if it is; then what else is in the module.
macro_rules! through_vec {
    (
        $module:ident: $Collection:ident
        [$($P:ident $(: $Bound:ident $(+ $More:ident)*)?),+ $(; $S:ident)?]
        [$a:lifetime] $Ref:ty, $Value:ty, |$it:ident| $drain:expr $(, $indexed:ident)?
        $(; $($others:item)*)?
    ) => {
        #[doc = concat!("`", stringify!($Collection), "`, through a `Vec`.")]
        pub mod $module {
            use super::*;

            delegate! {
                /// A parallel iterator over references to the items of a collection.
                #[derive(Clone, Debug)]
                Iter [$a, $($P),+] [$a, $($P: Sync),+] => vec::IntoIter<$Ref>, $Ref $(, $indexed)?
            }

            into! {
                [$a, $($P: Sync $(+ $Bound $(+ $More)*)?),+ $(, $S: BuildHasher)?]
                &$a $Collection<$($P),+ $(, $S)?> => Iter[$a, $($P),+], $Ref,
                |it| it.iter().collect::<Vec<_>>().into_par_iter()
            }

            delegate! {
                /// A parallel iterator over the items of a collection, by value.
                #[derive(Clone, Debug)]
                IntoIter [$($P),+] [$($P: Send),+] => vec::IntoIter<$Value>, $Value $(, $indexed)?
            }

            into! {
                [$($P: Send $(+ $Bound $(+ $More)*)?),+ $(, $S: BuildHasher)?]
                $Collection<$($P),+ $(, $S)?> => IntoIter[$($P),+], $Value,
                |it| it.into_iter().collect::<Vec<_>>().into_par_iter()
            }

            delegate! {
                /// A parallel iterator that moves all items out of a collection.
                #[derive(Debug)]
                Drain [$a, $($P),+] [$a, $($P: Send),+] =>
                    Lent<$a, vec::IntoIter<$Value>>, $Value $(, $indexed)?
            }

            impl<$a, $($P: Send $(+ $Bound $(+ $More)*)?),+ $(, $S: BuildHasher)?> ParallelDrainFull
                for &$a mut $Collection<$($P),+ $(, $S)?>
            {
                type Iter = Drain<$a, $($P),+>;
                type Item = $Value;

                fn par_drain(self) -> Self::Iter {
                    let $it = self;
                    Drain {
                        base: Lent::new($drain.collect::<Vec<_>>().into_par_iter()),
                    }
                }
            }

            $($($others)*)?
        }
    };
}

/// What maps have besides.
macro_rules! values {
    ([$($map:tt)*] [$($bounds:tt)*]) => {
        delegate! {
            /// A parallel iterator over the entries of a map, with mutable values.
            #[derive(Debug)]
            IterMut ['a, K, V] ['a, K: Sync, V: Send] =>
                vec::IntoIter<(&'a K, &'a mut V)>, (&'a K, &'a mut V)
        }

        into! {
            ['a, V: Send, $($bounds)*] &'a mut $($map)* => IterMut['a, K, V], (&'a K, &'a mut V),
            |map| map.iter_mut().collect::<Vec<_>>().into_par_iter()
        }
    };
}

through_vec! {
    binary_heap: BinaryHeap [T: Ord] ['a] &'a T, T, |heap| heap.drain(), indexed
}
through_vec! {
    btree_set: BTreeSet [T: Ord] ['a] &'a T, T, |set| mem::take(set).into_iter()
}
through_vec! {
    hash_set: HashSet [T: Hash + Eq; S] ['a] &'a T, T, |set| set.drain()
}
through_vec! {
    btree_map: BTreeMap [K: Ord, V] ['a] (&'a K, &'a V), (K, V), |map| mem::take(map).into_iter();
    values! { [BTreeMap<K, V>] [K: Ord + Sync] }
}
through_vec! {
    hash_map: HashMap [K: Hash + Eq, V; S] ['a] (&'a K, &'a V), (K, V), |map| map.drain();
    values! { [HashMap<K, V, S>] [K: Hash + Eq + Sync, S: BuildHasher] }
}
through_vec! {
    linked_list: LinkedList [T] ['a] &'a T, T, |list| mem::take(list).into_iter();

    delegate! {
        /// A parallel iterator over the items of a list, mutably.
        #[derive(Debug)]
        IterMut ['a, T] ['a, T: Send] => vec::IntoIter<&'a mut T>, &'a mut T
    }

    into! {
        ['a, T: Send] &'a mut LinkedList<T> => IterMut['a, T], &'a mut T,
        |list| list.iter_mut().collect::<Vec<_>>().into_par_iter()
    }
}
