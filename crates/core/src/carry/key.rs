//! `ContextKey`: the names of values that follow the work.

use super::region::{self, Value};
use std::{
    any::Any,
    fmt,
    marker::PhantomData,
    ptr,
    sync::{Arc, atomic::AtomicU8},
};

/// A key under which a value of type `T` can be set for what a closure does, on whichever threads.
///
/// [`context!`](macro@crate::context) declares keys. [`set`](Self::set) calls a closure, and in
/// whatever of it other threads take, [`with`](Self::with) and [`get`](Self::get) find the value:
/// halves of joins, parts of loops, tasks that are spawned, and calls that are handed over to a
/// pool. Outside of it there is no value, also on a thread that runs several things at once: a half
/// of a join that a thread takes on while it waits sees what was set where that half was forked.
///
/// # Examples
///
/// ```
/// use sumac::prelude::*;
///
/// struct Request {
///     user: String,
/// }
///
/// sumac::context! {
///     static REQUEST: Request;
/// }
///
/// fn user() -> Option<String> {
///     REQUEST.with(|request| request.map(|request| request.user.clone()))
/// }
///
/// let request = Request { user: "Ada".to_owned() };
/// let users: Vec<_> = REQUEST.set(request, || {
///     (0..1000).into_par_iter().map(|_| user()).collect()
/// });
/// assert!(users.iter().all(|user| user.as_deref() == Some("Ada")));
/// assert_eq!(user(), None);
/// ```
///
/// # Where a value is seen
///
/// * **Joins, loops and iterators**: the value that was set where the join or loop began. After a
///   loop, or a wait, a thread's own values are what they were.
/// * **Tasks, broadcasts, calls**: that of the spawning. A task that outlives `set` keeps the
///   value. Where the pool drops an outcome or a closure, or calls the panic handler, there are no
///   values.
/// * **Futures** that are spawned: that of the spawning in each step, not that of the thread that
///   wakes them. A value that is set inside of a future does not stay across an `await`, since
///   `set` takes a closure.
/// * **Batched structures**: an operation that finds its structure free sees the values of its
///   caller. One that has to wait for its turn sees none.
/// * Threads of the standard library, and ranks of MPI, see no values: give them what
///   [`get`](Self::get) returns.
pub struct ContextKey<T> {
    /// Makes the address unique: without a field that may change, two keys might share one.
    _identity: AtomicU8,
    value: PhantomData<fn() -> T>,
}

impl<T: Send + Sync + 'static> ContextKey<T> {
    #[doc(hidden)]
    #[must_use]
    pub const fn new() -> Self {
        ContextKey {
            _identity: AtomicU8::new(0),
            value: PhantomData,
        }
    }

    fn address(&'static self) -> usize {
        ptr::from_ref(self).addr()
    }

    fn find<'v>(&'static self, values: &'v [Value]) -> Option<&'v Arc<dyn Any + Send + Sync>> {
        let key = self.address();
        let value = values.iter().find(|value| value.key == key);
        value.map(|value| &value.value)
    }

    /// Calls `f`, in which the value of this key is `value`. Afterwards it is what it was before.
    ///
    /// # Examples
    ///
    /// ```
    /// sumac::context! {
    ///     static DEPTH: u32;
    /// }
    ///
    /// let depth = || DEPTH.with(|depth| depth.copied());
    /// let (outer, inner) = DEPTH.set(1, || {
    ///     sumac::join(depth, || DEPTH.set(2, || sumac::join(depth, depth)))
    /// });
    /// assert_eq!((outer, inner), (Some(1), (Some(2), Some(2))));
    /// ```
    ///
    /// # Cost
    /// Some allocations, and some nanoseconds for each other key that has a value and for each join
    /// around the call that no earlier call was inside of. The joins inside cost what they cost
    /// elsewhere. Each fork that is offered to other threads, and each task, costs a clone of an
    /// `Arc`, and a binary search among the calls of `set` around it; a thread that runs one, two
    /// allocations.
    ///
    /// # Panics
    /// If `f` does.
    ///
    /// The value is dropped when the closure has ended and with it all that was forked in it: for
    /// joins, loops and [`scope`](fn@crate::scope)s this is before `set` returns. Tasks and futures
    /// that are spawned may keep it longer. Its destructor sees no values; a panic of it goes no
    /// further.
    ///
    /// # Limits
    /// Do not suspend a stackful coroutine in `f`: calls of `set` must end in the reverse order of
    /// their beginning on a thread.
    ///
    /// Joins and loops of a [`Scope`](crate::Scope) that was made outside of `f` are told from
    /// those around `f` by their addresses on the stack. Where a program changes stacks in between,
    /// to a higher address, they are not offered to other threads, and while a thread is idle each
    /// of them costs a vain attempt. If it changes stacks more than
    /// once, or runs in Miri or with the fake stacks of AddressSanitizer, what is stolen may see
    /// another of the thread's values.
    pub fn set<R>(&'static self, value: impl Into<Arc<T>>, f: impl FnOnce() -> R) -> R {
        let value = Value {
            key: self.address(),
            value: value.into(),
        };
        region::with(value, f)
    }

    /// Calls `f` with the value, if one is set around the calling code.
    ///
    /// # Examples
    ///
    /// ```
    /// sumac::context! {
    ///     static NAME: &'static str;
    /// }
    ///
    /// let length = || NAME.with(|name| name.map_or(0, |name| name.len()));
    /// assert_eq!((length(), NAME.set("four", length)), (0, 4));
    /// ```
    ///
    /// # Cost
    /// Some nanoseconds; no atomic operation.
    ///
    /// # Panics
    /// If `f` does.
    pub fn with<R>(&'static self, f: impl FnOnce(Option<&T>) -> R) -> R {
        let values = region::current();
        let value = values.as_deref().and_then(|values| self.find(values));
        f(value.and_then(|value| value.downcast_ref()))
    }

    /// Returns the value, if one is set around the calling code, to be kept or given to a thread.
    ///
    /// # Examples
    ///
    /// ```
    /// sumac::context! {
    ///     static NAME: String;
    /// }
    ///
    /// NAME.set("Ada".to_owned(), || {
    ///     let name = NAME.get();
    ///     let there = std::thread::spawn(|| NAME.set(name.unwrap(), || NAME.get()));
    ///     assert_eq!(there.join().unwrap(), NAME.get());
    /// });
    /// assert_eq!(NAME.get(), None);
    /// ```
    ///
    /// # Cost
    /// A clone of an `Arc`.
    #[must_use]
    pub fn get(&'static self) -> Option<Arc<T>> {
        let values = region::current()?;
        Arc::clone(self.find(&values)?).downcast().ok()
    }
}

impl<T> fmt::Debug for ContextKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContextKey").finish_non_exhaustive()
    }
}

/// Declares keys of values that follow the work: see [`ContextKey`].
///
/// # Examples
///
/// ```
/// sumac::context! {
///     /// The user for whom something is done.
///     pub static USER: String;
///     static DEADLINE: std::time::Instant;
/// }
///
/// assert!(USER.set("Ada".to_owned(), || USER.get().is_some() && DEADLINE.get().is_none()));
/// ```
#[macro_export]
macro_rules! context {
    ($($(#[$attribute:meta])* $visibility:vis static $name:ident: $value:ty);+ $(;)?) => {
        $($(#[$attribute])* $visibility static $name: $crate::ContextKey<$value> =
            $crate::ContextKey::new();)+
    };
}
