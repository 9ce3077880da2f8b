//! `WorkerLocal`: a value per thread, to be merged at the end.

use std::{cell::RefCell, fmt};
use thread_local::ThreadLocal;

/// Values for threads to use without locks: buffers to reuse, partial results to merge.
///
/// Each thread has its own. If a thread asks again while it uses its value, for example in a join
/// inside [`with`](Self::with), it gets another one: so there may be more values than threads.
///
/// # Examples
///
/// ```
/// use sumac::WorkerLocal;
///
/// let counts = WorkerLocal::new(|| 0);
/// sumac::scope(|s| {
///     for _ in 0..100 {
///         s.spawn(|_| counts.with(|count| *count += 1));
///     }
/// });
/// assert_eq!(counts.into_iter().sum::<i32>(), 100);
/// ```
pub struct WorkerLocal<T: Send, F = fn() -> T> {
    new: F,
    /// The values that a thread is not using, the innermost last.
    values: ThreadLocal<RefCell<Vec<T>>>,
}

impl<T: Send, F: Fn() -> T> WorkerLocal<T, F> {
    /// Creates an empty set; `new` creates a value when a thread needs one.
    pub fn new(new: F) -> Self {
        WorkerLocal {
            new,
            values: ThreadLocal::new(),
        }
    }

    /// Calls `f` with a value of this thread.
    ///
    /// If `f` panics, the value stays as `f` left it.
    ///
    /// ```
    /// use sumac::{WorkerLocal, prelude::*};
    ///
    /// let buffers = WorkerLocal::new(String::new);
    /// let lengths: Vec<usize> = (8..12_u32)
    ///     .into_par_iter()
    ///     .map(|n| {
    ///         buffers.with(|buffer| {
    ///             buffer.clear();
    ///             buffer.push_str(&n.to_string());
    ///             buffer.len()
    ///         })
    ///     })
    ///     .collect();
    /// assert_eq!(lengths, [1, 1, 2, 2]);
    /// ```
    ///
    /// # Cost
    /// Some nanoseconds, and for a thread's first value the cost of `new`.
    pub fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        let mine = self.values.get_or_default();
        let value = mine.borrow_mut().pop();
        let mut lent = Lent {
            value: Some(value.unwrap_or_else(&self.new)),
            to: mine,
        };
        f(lent.value.as_mut().expect("it is given back on drop only"))
    }
}

impl<T: Send, F> WorkerLocal<T, F> {
    /// Returns all values, in no particular order.
    ///
    /// ```
    /// let mut sums = sumac::WorkerLocal::new(|| 0);
    /// sums.with(|sum| *sum += 3);
    /// sums.iter_mut().for_each(|sum| *sum *= 2);
    /// assert_eq!(sums.into_iter().sum::<i32>(), 6);
    /// ```
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.values.iter_mut().flat_map(|mine| mine.get_mut())
    }
}

/// Puts a value back, also when unwinding.
struct Lent<'a, T> {
    value: Option<T>,
    to: &'a RefCell<Vec<T>>,
}

impl<T> Drop for Lent<'_, T> {
    fn drop(&mut self) {
        self.to.borrow_mut().extend(self.value.take());
    }
}

impl<T: Send, F> IntoIterator for WorkerLocal<T, F> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    /// Returns all values, in no particular order.
    fn into_iter(self) -> Self::IntoIter {
        let values = self.values.into_iter().flat_map(RefCell::into_inner);
        values.collect::<Vec<_>>().into_iter()
    }
}

impl<T: Send, F> fmt::Debug for WorkerLocal<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerLocal").finish_non_exhaustive()
    }
}
