//! What the types forbid, one thing per block, each with a twin that compiles.
//! The error codes matter: a block that fails for another reason is a failed test.
//! Compiled only by `cargo test --doc`.

/// The seal cannot be named, so no other crate can say that positions are exact.
///
/// ```compile_fail,E0603
/// use sumac_par::{iter::ParallelIterator, shape::{Seal, Sink}};
/// struct Liar;
/// impl ParallelIterator for Liar {
///     type Item = u8;
///     fn drive<S: Sink<u8>>(self, sink: &S) -> S::Output {
///         sink.finish(sink.begin(0))
///     }
///     fn exact_len(&self, _: Seal) -> Option<usize> {
///         Some(7)
///     }
/// }
/// ```
///
/// ```
/// use sumac_par::{iter::ParallelIterator, shape::Sink};
/// struct Honest;
/// impl ParallelIterator for Honest {
///     type Item = u8;
///     fn drive<S: Sink<u8>>(self, sink: &S) -> S::Output {
///         sink.finish(sink.begin(0))
///     }
/// }
/// assert!(Honest.collect::<Vec<_>>().is_empty());
/// ```
mod the_seal_is_named {}

/// Nor is a length said for whatever the seal is, ...
///
/// ```compile_fail,E0049
/// # use sumac_par::{iter::ParallelIterator, shape::Sink};
/// # struct Liar;
/// impl ParallelIterator for Liar {
///     type Item = u8;
///     fn drive<S: Sink<u8>>(self, sink: &S) -> S::Output {
///         sink.finish(sink.begin(0))
///     }
///     fn exact_len<T>(&self, _: T) -> Option<usize> {
///         Some(7)
///     }
/// }
/// ```
///
/// ... nor asked for, ...
///
/// ```compile_fail,E0061
/// use sumac_par::iter::ParallelIterator;
/// fn len<I: ParallelIterator>(items: I) -> Option<usize> {
///     items.exact_len()
/// }
/// ```
///
/// ... nor is a producer divided, though projection names its type.
///
/// ```compile_fail,E0599
/// use sumac_par::{prelude::*, vec::IntoIter};
/// type Left<'p> = <IntoIter<u8> as IndexedParallelIterator>::Producer<'p>;
/// fn divide(left: Left<'_>) {
///     left.split_at(1);
/// }
/// ```
///
/// ```
/// use sumac_par::{prelude::*, vec::IntoIter};
/// type Left<'p> = <IntoIter<u8> as IndexedParallelIterator>::Producer<'p>;
/// fn keep(left: Left<'_>) {
///     drop(left);
/// }
/// ```
mod the_seal_is_guessed {}

/// Nor can producers be implemented.
///
/// ```compile_fail,E0603
/// use sumac_par::shape::Producer;
/// ```
///
/// ```
/// use sumac_par::shape::Sink;
/// ```
mod producers_are_named {}

/// Nor can lengths lie: the trait that has them is not implemented with another's producer, which
/// projection names, ...
///
/// ```compile_fail,E0050
/// use sumac_par::{prelude::*, shape::Sink, vec::IntoIter};
/// struct Liar(IntoIter<String>);
/// impl ParallelIterator for Liar {
///     type Item = String;
///     fn drive<S: Sink<String>>(self, sink: &S) -> S::Output {
///         self.0.drive(sink)
///     }
/// }
/// impl IndexedParallelIterator for Liar {
///     type Producer<'p> = <IntoIter<String> as IndexedParallelIterator>::Producer<'p>;
///     fn len(&self) -> usize {
///         7
///     }
///     fn producer(&mut self) -> Self::Producer<'_> {
///         loop {}
///     }
/// }
/// ```
///
/// ... nor without saying what the seal is, ...
///
/// ```compile_fail,E0121
/// # use sumac_par::{prelude::*, shape::Sink, vec::IntoIter};
/// # struct Liar(IntoIter<String>);
/// # impl ParallelIterator for Liar {
/// #     type Item = String;
/// #     fn drive<S: Sink<String>>(self, sink: &S) -> S::Output {
/// #         self.0.drive(sink)
/// #     }
/// # }
/// impl IndexedParallelIterator for Liar {
///     type Producer<'p> = <IntoIter<String> as IndexedParallelIterator>::Producer<'p>;
///     fn len(&self) -> usize {
///         7
///     }
///     fn producer(&mut self, seal: _) -> Self::Producer<'_> {
///         self.0.producer(seal)
///     }
/// }
/// ```
///
/// ... nor whatever it is, ...
///
/// ```compile_fail,E0049
/// # use sumac_par::{prelude::*, shape::Sink, vec::IntoIter};
/// # struct Liar(IntoIter<String>);
/// # impl ParallelIterator for Liar {
/// #     type Item = String;
/// #     fn drive<S: Sink<String>>(self, sink: &S) -> S::Output {
/// #         self.0.drive(sink)
/// #     }
/// # }
/// impl IndexedParallelIterator for Liar {
///     type Producer<'p> = <IntoIter<String> as IndexedParallelIterator>::Producer<'p>;
///     fn len(&self) -> usize {
///         7
///     }
///     fn producer<T>(&mut self, _: T) -> Self::Producer<'_> {
///         loop {}
///     }
/// }
/// ```
///
/// ... nor without a producer.
///
/// ```compile_fail,E0046
/// # use sumac_par::{prelude::*, shape::Sink, vec::IntoIter};
/// # struct Liar(IntoIter<String>);
/// # impl ParallelIterator for Liar {
/// #     type Item = String;
/// #     fn drive<S: Sink<String>>(self, sink: &S) -> S::Output {
/// #         self.0.drive(sink)
/// #     }
/// # }
/// impl IndexedParallelIterator for Liar {
///     type Producer<'p> = <IntoIter<String> as IndexedParallelIterator>::Producer<'p>;
///     fn len(&self) -> usize {
///         7
///     }
/// }
/// ```
///
/// ```
/// # use sumac_par::{prelude::*, shape::Sink, vec::IntoIter};
/// struct Honest(IntoIter<String>);
/// impl ParallelIterator for Honest {
///     type Item = String;
///     fn drive<S: Sink<String>>(self, sink: &S) -> S::Output {
///         self.0.drive(sink)
///     }
/// }
/// let words = Honest(vec![String::from("fork")].into_par_iter());
/// assert_eq!(words.collect::<Vec<_>>(), ["fork"]);
/// ```
mod lengths_lie {}

/// A producer that is had from what has one.
///
/// ```compile_fail,E0061
/// use sumac_par::prelude::*;
/// let mut items = vec![1, 2].into_par_iter();
/// items.producer();
/// ```
///
/// Inference finds the type of the seal, but no value of it.
///
/// ```compile_fail,E0277
/// use sumac_par::prelude::*;
/// fn with_any_seal<I, S: Default, P>(items: &mut I, producer: fn(&mut I, S) -> P) -> P {
///     producer(items, S::default())
/// }
/// with_any_seal(&mut (0..9).into_par_iter(), |items, seal| items.producer(seal));
/// ```
///
/// ```
/// use sumac_par::prelude::*;
/// let items = vec![1, 2].into_par_iter();
/// assert_eq!((items.len(), items.count()), (2, 2));
/// ```
mod producers_are_taken {}

/// What `try_…` takes is of std: nothing else is tried, without the seal, ...
///
/// ```compile_fail,E0046
/// use std::ops::ControlFlow;
/// use sumac_par::iter::Try;
/// struct Mine;
/// impl Try for Mine {
///     type Output = ();
///     type Residual = ();
///     fn from_output((): ()) -> Self {
///         Mine
///     }
///     fn from_residual((): ()) -> Self {
///         Mine
///     }
///     fn branch(self) -> ControlFlow<()> {
///         ControlFlow::Break(())
///     }
/// }
/// ```
///
/// ... nor with any.
///
/// ```compile_fail,E0049
/// # use std::ops::ControlFlow;
/// # use sumac_par::iter::Try;
/// # struct Mine;
/// impl Try for Mine {
///     type Output = ();
///     type Residual = ();
///     fn from_output((): ()) -> Self {
///         Mine
///     }
///     fn from_residual((): ()) -> Self {
///         Mine
///     }
///     fn branch(self) -> ControlFlow<()> {
///         ControlFlow::Break(())
///     }
///     fn seal<T>(_: T) {}
/// }
/// ```
///
/// ```
/// use sumac_par::iter::Try;
/// assert_eq!(Option::from_output(1), Some(1));
/// ```
mod what_is_tried_is_implemented {}

/// Items that must not leave their thread.
///
/// ```compile_fail,E0277
/// sumac_par::iter::IntoParallelIterator::into_par_iter(vec![std::rc::Rc::new(1)]);
/// ```
///
/// ```
/// let _ = sumac_par::iter::IntoParallelIterator::into_par_iter(vec![std::sync::Arc::new(1)]);
/// ```
mod items_are_not_send {}

/// References to what must not be shared.
///
/// ```compile_fail,E0277
/// let cells = [std::cell::Cell::new(1)];
/// sumac_par::iter::IntoParallelIterator::into_par_iter(&cells);
/// ```
///
/// ```
/// let mut cells = [std::cell::Cell::new(1)];
/// let _ = sumac_par::iter::IntoParallelIterator::into_par_iter(&mut cells);
/// ```
mod items_are_not_sync {}

/// Results that must not leave their thread.
///
/// ```compile_fail,E0277
/// use sumac_par::prelude::*;
/// (0..9).into_par_iter().map(std::rc::Rc::new);
/// ```
///
/// ```
/// use sumac_par::prelude::*;
/// let _ = (0..9).into_par_iter().map(std::sync::Arc::new);
/// ```
mod results_are_not_send {}

/// A body that captures what must not be shared.
///
/// ```compile_fail,E0277
/// use sumac_par::prelude::*;
/// let sum = std::cell::Cell::new(0);
/// (0..9).into_par_iter().for_each(|i| sum.set(sum.get() + i));
/// ```
///
/// ```
/// use sumac_par::prelude::*;
/// let sum = std::sync::Mutex::new(0);
/// (0..9).into_par_iter().for_each(|i| *sum.lock().unwrap() += i);
/// ```
mod body_captures_what_is_not_sync {}

/// A comparison that captures what must not be shared.
///
/// ```compile_fail,E0277
/// use sumac_par::prelude::*;
/// let calls = std::cell::Cell::new(0);
/// [3, 2, 1].par_sort_by(|a, b| {
///     calls.set(calls.get() + 1);
///     i32::cmp(a, b)
/// });
/// ```
///
/// ```
/// use sumac_par::prelude::*;
/// let calls = std::sync::Mutex::new(0);
/// [3, 2, 1].par_sort_by(|a, b| {
///     *calls.lock().unwrap() += 1;
///     i32::cmp(a, b)
/// });
/// ```
mod comparison_captures_what_is_not_sync {}

/// Sorting what must not leave its thread.
///
/// ```compile_fail,E0599
/// use sumac_par::prelude::*;
/// [std::rc::Rc::new(1)].par_sort();
/// ```
///
/// ```
/// use sumac_par::prelude::*;
/// [std::sync::Arc::new(1)].par_sort();
/// ```
mod sorted_elements_are_not_send {}

/// Scanning what must not be shared.
///
/// ```compile_fail,E0277
/// use sumac_par::prelude::*;
/// use std::cell::Cell;
/// [Cell::new(1)].par_inclusive_scan(|a, b| Cell::new(a.get() + b.get()));
/// ```
///
/// ```
/// use sumac_par::prelude::*;
/// [1].par_inclusive_scan(|a, b| a + b);
/// ```
mod scanned_elements_are_not_sync {}

/// A vector that is used while it is being drained.
///
/// ```compile_fail,E0502
/// use sumac_par::prelude::*;
/// let mut v = vec![1, 2, 3];
/// let drain = v.par_drain(..);
/// assert_eq!(v.len(), 3);
/// drain.for_each(drop);
/// ```
///
/// ```
/// use sumac_par::prelude::*;
/// let mut v = vec![1, 2, 3];
/// v.par_drain(..).for_each(drop);
/// assert_eq!(v.len(), 0);
/// ```
mod drained_vector_is_used {}

/// Collected references that outlive what they refer to.
///
/// ```compile_fail,E0597
/// use sumac_par::prelude::*;
/// let words: Vec<&String>;
/// {
///     let owned = vec![String::from("fork")];
///     words = owned.par_iter().collect();
/// }
/// assert_eq!(words[0], "fork");
/// ```
///
/// ```
/// use sumac_par::prelude::*;
/// let owned = vec![String::from("fork")];
/// let words: Vec<&String> = owned.par_iter().collect();
/// assert_eq!(words[0], "fork");
/// ```
mod collected_references_outlive_their_owner {}
