//! `Result`, whose value is the one item; an error has none.
//!
//! ```
//! use sumac::prelude::*;
//!
//! let results = [Ok(1), Err("none"), Ok(3)];
//! let sum: i32 = results.par_iter().flatten().sum();
//! assert_eq!(sum, 4);
//! ```

use crate::source::{
    delegate::{delegate, into},
    option,
};

delegate! {
    /// A parallel iterator over the value of a `Result`, if it has one.
    #[derive(Clone, Debug)]
    IntoIter [T] [T: Send] => option::IntoIter<T>, T, indexed
}

into! { [T: Send, E] Result<T, E> => IntoIter[T], T, |result| option::IntoIter::new(result.ok()) }

delegate! {
    /// A parallel iterator over a reference to the value of a `Result`, if it has one.
    #[derive(Debug)]
    Iter ['a, T] ['a, T: Sync] => option::IntoIter<&'a T>, &'a T, indexed
}

into! { ['a, T: Sync, E] &'a Result<T, E> => Iter['a, T], &'a T, |result| {
    option::IntoIter::new(result.as_ref().ok())
} }

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Iter {
            base: self.base.clone(),
        }
    }
}

delegate! {
    /// A parallel iterator over a mutable reference to the value of a `Result`, if it has one.
    #[derive(Debug)]
    IterMut ['a, T] ['a, T: Send] => option::IntoIter<&'a mut T>, &'a mut T, indexed
}

into! { ['a, T: Send, E] &'a mut Result<T, E> => IterMut['a, T], &'a mut T, |result| {
    option::IntoIter::new(result.as_mut().ok())
} }
