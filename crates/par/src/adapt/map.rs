//! The actions: `map`, `inspect`, `update`, `copied`, `cloned`, `map_with`, `map_init`.

use super::{
    each::{Acting, Action, Each, Items},
    original::{Given, Init, Original},
};
use std::{cell::RefCell, iter, rc::Rc};

/// See [`ParallelIterator::map`](crate::iter::ParallelIterator::map).
pub type Map<I, F> = Each<I, Mapping<F>>;

crate::debug::debug! { Map [I, F] [I] base = base }

/// Calls a function with each item.
#[derive(Clone, Debug)]
pub struct Mapping<F>(pub(crate) F);

impl<T, R: Send, F: Fn(T) -> R + Sync + Send> Action<T> for Mapping<F> {
    type Output = R;
    type State = ();
    type Shared = ();
    type Block<'p, J: Items<T>>
        = iter::Map<J, &'p F>
    where
        Self: 'p;

    fn begin(&self) {}

    #[inline]
    fn act(&self, (): &mut (), item: T) -> R {
        (self.0)(item)
    }

    #[inline]
    fn block<J: Items<T>>(&self, (): &(), items: J) -> Self::Block<'_, J> {
        items.map(&self.0)
    }
}

/// See [`ParallelIterator::inspect`](crate::iter::ParallelIterator::inspect).
pub type Inspect<I, F> = Each<I, Inspecting<F>>;

crate::debug::debug! { Inspect [I, F] [I] base = base }

/// Calls a function with a reference to each item.
#[derive(Clone, Debug)]
pub struct Inspecting<F>(pub(crate) F);

impl<T: Send, F: Fn(&T) + Sync + Send> Action<T> for Inspecting<F> {
    type Output = T;
    type State = ();
    type Shared = ();
    type Block<'p, J: Items<T>>
        = iter::Inspect<J, &'p F>
    where
        Self: 'p;

    fn begin(&self) {}

    #[inline]
    fn act(&self, (): &mut (), item: T) -> T {
        (self.0)(&item);
        item
    }

    #[inline]
    fn block<J: Items<T>>(&self, (): &(), items: J) -> Self::Block<'_, J> {
        items.inspect(&self.0)
    }
}

macro_rules! by_value {
    ($(#[$doc:meta])* $Adaptor:ident, $Action:ident, $method:ident, $Trait:ident) => {
        $(#[$doc])*
        pub type $Adaptor<I> = Each<I, $Action>;

        crate::debug::debug! { $Adaptor [I] [I] base = base }

        /// Copies or clones the items out of references.
        #[derive(Clone, Debug)]
        pub struct $Action;

        impl<'a, T: 'a + $Trait + Send + Sync> Action<&'a T> for $Action {
            type Output = T;
            type State = ();
            type Shared = ();
            type Block<'p, J: Items<&'a T>> = iter::$Adaptor<J>;

            fn begin(&self) {}

            #[inline]
            fn act(&self, (): &mut (), item: &'a T) -> T {
                item.clone()
            }

            #[inline]
            fn block<J: Items<&'a T>>(&self, (): &(), items: J) -> Self::Block<'_, J> {
                items.$method()
            }
        }
    };
}

by_value!(
    /// See [`ParallelIterator::copied`](crate::iter::ParallelIterator::copied).
    Copied, Copying, copied, Copy
);
by_value!(
    /// See [`ParallelIterator::cloned`](crate::iter::ParallelIterator::cloned).
    Cloned, Cloning, cloned, Clone
);

/// See [`ParallelIterator::update`](crate::iter::ParallelIterator::update).
pub type Update<I, F> = Each<I, Updating<F>>;

crate::debug::debug! { Update [I, F] [I] base = base }

/// Calls a function with a mutable reference to each item.
#[derive(Clone, Debug)]
pub struct Updating<F>(pub(crate) F);

impl<T: Send, F: Fn(&mut T) + Sync + Send> Action<T> for Updating<F> {
    type Output = T;
    type State = ();
    type Shared = ();
    type Block<'p, J: Items<T>>
        = Acting<'p, J, Self, ()>
    where
        Self: 'p;

    fn begin(&self) {}

    #[inline]
    fn act(&self, (): &mut (), mut item: T) -> T {
        (self.0)(&mut item);
        item
    }

    #[inline]
    fn block<J: Items<T>>(&self, (): &(), items: J) -> Self::Block<'_, J> {
        Acting::new(items, self, &())
    }
}

/// See [`ParallelIterator::map_with`](crate::iter::ParallelIterator::map_with).
pub type MapWith<I, X, F> = Each<I, MappingWith<Original<X>, F>>;

crate::debug::debug! { MapWith [I, X, F] [I, X] base = base, item = action.init }

/// See [`ParallelIterator::map_init`](crate::iter::ParallelIterator::map_init).
pub type MapInit<I, N, F> = Each<I, MappingWith<Given<N>, F>>;

crate::debug::debug! { MapInit [I, N, F] [I] base = base }

/// Calls a function with each item and the state of its run.
#[derive(Clone, Debug)]
pub struct MappingWith<N, F> {
    pub(crate) init: N,
    pub(crate) f: F,
}

impl<T, R, N, F> Action<T> for MappingWith<N, F>
where
    R: Send,
    N: Init,
    F: Fn(&mut N::Value, T) -> R + Sync + Send,
{
    type Output = R;
    type State = N::Value;
    type Shared = Rc<RefCell<N::Value>>;
    type Block<'p, J: Items<T>>
        = Acting<'p, J, Self, Self::Shared>
    where
        Self: 'p;

    const FORWARD: bool = true;

    fn begin(&self) -> N::Value {
        self.init.value()
    }

    #[inline]
    fn act(&self, state: &mut N::Value, item: T) -> R {
        (self.f)(state, item)
    }

    #[inline]
    fn block<J: Items<T>>(&self, shared: &Self::Shared, items: J) -> Self::Block<'_, J> {
        Acting::new(items, self, shared)
    }
}
