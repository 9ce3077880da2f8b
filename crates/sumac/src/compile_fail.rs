//! What the types forbid, one thing per block, each with a twin that compiles.
//! The error codes matter: a block that fails for another reason is a failed test.
//! Compiled only by `cargo test --doc`.

/// A first half that captures what must not leave its thread.
///
/// ```compile_fail,E0277
/// let rc = std::rc::Rc::new(1);
/// sumac::join(|| drop(rc), || ());
/// ```
///
/// ```
/// let arc = std::sync::Arc::new(1);
/// sumac::join(|| drop(arc), || ());
/// ```
mod first_half_captures_what_is_not_send {}

/// A second half that captures what must not leave its thread.
///
/// ```compile_fail,E0277
/// let cell = std::cell::Cell::new(1);
/// sumac::join(|| (), || cell.set(2));
/// ```
///
/// ```
/// let mut cell = std::cell::Cell::new(1);
/// sumac::join(|| (), || *cell.get_mut() = 2);
/// assert_eq!(cell.get(), 2);
/// ```
mod second_half_captures_what_is_not_send {}

/// The same through a scope, in the first half.
///
/// ```compile_fail,E0277
/// let rc = std::rc::Rc::new(1);
/// sumac::Scope::global().join(|_| drop(rc), |_| ());
/// ```
///
/// ```
/// let number = Box::new(1);
/// sumac::Scope::global().join(|_| drop(number), |_| ());
/// ```
mod scope_first_half_captures_what_is_not_send {}

/// The same through a scope, in the second half.
///
/// ```compile_fail,E0277
/// let rc = std::rc::Rc::new(1);
/// sumac::Scope::global().join(|_| (), |_| drop(rc));
/// ```
///
/// ```
/// let number = Box::new(1);
/// sumac::Scope::global().join(|_| (), |_| drop(number));
/// ```
mod scope_second_half_captures_what_is_not_send {}

/// A result that must not change threads.
///
/// ```compile_fail,E0277
/// sumac::join(|| (), || std::rc::Rc::new(1));
/// ```
///
/// ```compile_fail,E0277
/// sumac::Scope::global().join(|_| std::rc::Rc::new(1), |_| ());
/// ```
///
/// ```compile_fail,E0277
/// sumac::ThreadPool::global().install(|| std::rc::Rc::new(1));
/// ```
///
/// ```
/// sumac::join(|| (), || std::sync::Arc::new(1));
/// sumac::Scope::global().join(|_| std::sync::Arc::new(1), |_| ());
/// sumac::ThreadPool::global().install(|| std::sync::Arc::new(1));
/// ```
mod result_is_not_send {}

/// Two halves that change the same variable.
///
/// ```compile_fail,E0499
/// let mut x = 0;
/// sumac::join(|| x += 1, || x += 2);
/// ```
///
/// ```compile_fail,E0524
/// fn both(x: &mut i32) {
///     sumac::join(|| *x += 1, || *x += 2);
/// }
/// ```
///
/// ```compile_fail,E0502
/// let mut x = 0;
/// sumac::Scope::global().join(|_| x += 1, |_| x);
/// ```
///
/// ```
/// let (mut x, mut y) = (0, 0);
/// sumac::join(|| x += 1, || y += 2);
/// assert_eq!((x, y), (1, 2));
/// ```
mod halves_share_what_they_change {}

/// A quicksort that hands both halves the same part.
///
/// ```compile_fail,E0499
/// fn sort<T: PartialOrd + Send>(v: &mut [T]) {
///     if v.len() > 1 {
///         let mid = v.len() / 2;
///         let (lo, _hi) = v.split_at_mut(mid);
///         sumac::join(|| sort(lo), || sort(lo));
///     }
/// }
/// ```
///
/// ```
/// fn sort<T: PartialOrd + Send>(v: &mut [T]) {
///     if v.len() > 1 {
///         let mid = v.len() / 2;
///         let (lo, hi) = v.split_at_mut(mid);
///         sumac::join(|| sort(lo), || sort(hi));
///     }
/// }
/// ```
mod quicksort_race {}

/// A half that keeps what it borrowed when the join is over.
///
/// ```compile_fail,E0597
/// let kept = {
///     let local = 1;
///     sumac::join(|| &local, || ()).0
/// };
/// assert_eq!(*kept, 1);
/// ```
///
/// ```
/// let local = 1;
/// let kept = sumac::join(|| &local, || ()).0;
/// assert_eq!(*kept, 1);
/// ```
mod borrow_outlives_its_owner {}

/// A scope that leaves the closure it was lent to.
///
/// ```compile_fail,E0277
/// sumac::Scope::global().join(|scope| scope, |_| ());
/// ```
///
/// ```compile_fail,E0277
/// let mut kept = None;
/// sumac::Scope::global().join(|scope| kept = Some(scope), |_| ());
/// ```
///
/// ```
/// let kept = sumac::Scope::global().join(|scope| scope.join(|_| 1, |_| 2), |_| ()).0;
/// assert_eq!(kept, (1, 2));
/// ```
mod scope_leaves_its_closure {}

/// A scope that outlives its pool.
///
/// ```compile_fail,E0597
/// let mut scope = {
///     let pool = sumac::ThreadPool::new();
///     pool.scope()
/// };
/// scope.join(|_| (), |_| ());
/// ```
///
/// ```compile_fail,E0505
/// let pool = sumac::ThreadPool::new();
/// let mut scope = pool.scope();
/// drop(pool);
/// scope.join(|_| (), |_| ());
/// ```
///
/// ```
/// let pool = sumac::ThreadPool::new();
/// let mut scope = pool.scope();
/// scope.join(|_| (), |_| ());
/// drop(scope);
/// drop(pool);
/// ```
mod scope_outlives_its_pool {}

/// A scope on another thread than the one it was made on.
///
/// ```compile_fail,E0277
/// let mut scope = sumac::Scope::global();
/// std::thread::spawn(move || scope.join(|_| (), |_| ()));
/// ```
///
/// ```compile_fail,E0277
/// let scope = sumac::Scope::global();
/// std::thread::scope(|threads| { threads.spawn(|| &scope); });
/// ```
///
/// ```
/// std::thread::spawn(|| sumac::Scope::global().join(|_| (), |_| ())).join().unwrap();
/// ```
mod scope_changes_threads {}

/// A scope captured by a half, which may run on another thread.
///
/// ```compile_fail,E0277
/// let (mut outer, mut other) = (sumac::Scope::global(), sumac::Scope::global());
/// outer.join(|_| other.join(|_| (), |_| ()), |_| ());
/// ```
///
/// ```compile_fail,E0277
/// let mut other = sumac::Scope::global();
/// sumac::join(|| (), || other.join(|_| (), |_| ()));
/// ```
///
/// ```
/// let mut outer = sumac::Scope::global();
/// outer.join(|_| sumac::Scope::global().join(|_| (), |_| ()), |_| ());
/// ```
mod scope_captured_by_a_half {}

/// Two scopes of one chain that change places. Were `Scope` covariant, this would compile.
///
/// ```compile_fail
/// fn swap(inner: &mut sumac::Scope<'_>, outer: &mut sumac::Scope<'_>) {
///     std::mem::swap(inner, outer);
/// }
/// ```
///
/// ```compile_fail
/// fn shorten<'a>(scope: sumac::Scope<'static>) -> sumac::Scope<'a> {
///     scope
/// }
/// ```
///
/// ```
/// fn take_turns(inner: &mut sumac::Scope<'_>, outer: &mut sumac::Scope<'_>) {
///     inner.join(|_| (), |_| ());
///     outer.join(|_| (), |_| ());
/// }
/// take_turns(&mut sumac::Scope::global(), &mut sumac::Scope::global());
/// ```
mod scopes_change_places {}

/// A lent scope that is replaced by an owned one. (With the scope of a pool that lives for ever it
/// can be; that is harmless, see the tests of replaced scopes.)
///
/// ```compile_fail
/// sumac::Scope::global().join(|scope| *scope = sumac::Scope::global(), |_| ());
/// ```
///
/// ```compile_fail
/// let pool = sumac::ThreadPool::new();
/// pool.scope().join(|scope| std::mem::swap(scope, &mut pool.scope()), |_| ());
/// ```
///
/// ```
/// let pool = sumac::ThreadPool::new();
/// pool.scope().join(|_| pool.scope().join(|_| (), |_| ()), |_| ());
/// ```
mod lent_scope_is_replaced {}

/// A task of a scope that borrows what ends before the scope.
///
/// ```compile_fail,E0597
/// sumac::scope_fifo(|s| {
///     let local = 1;
///     s.spawn_fifo(|_| assert_eq!(local, 1));
/// });
/// ```
///
/// ```compile_fail,E0597
/// sumac::scope(|s| {
///     let local = 1;
///     s.spawn_broadcast(|_, _| assert_eq!(local, 1));
/// });
/// ```
///
/// ```
/// let local = 1;
/// sumac::scope_fifo(|s| {
///     s.spawn_fifo(|_| assert_eq!(local, 1));
///     s.spawn_broadcast(|_, _| assert_eq!(local, 1));
/// });
/// ```
mod scope_outlives_what_its_tasks_borrow {}

/// A task that keeps its scope.
///
/// ```compile_fail,E0521
/// let kept = std::sync::Mutex::new(None);
/// sumac::scope_fifo(|s| s.spawn_fifo(|s| *kept.lock().unwrap() = Some(s)));
/// ```
///
/// ```
/// let kept = std::sync::Mutex::new(None);
/// sumac::scope_fifo(|s| s.spawn_fifo(|_| *kept.lock().unwrap() = Some(1)));
/// assert_eq!(*kept.lock().unwrap(), Some(1));
/// ```
mod task_keeps_its_scope {}

/// A broadcast whose closure two threads must not call at once, or that keeps its context.
///
/// ```compile_fail,E0277
/// let cell = std::cell::Cell::new(1);
/// sumac::spawn_broadcast(move |_| cell.set(2));
/// ```
///
/// ```compile_fail,E0277
/// let cell = std::cell::Cell::new(1);
/// sumac::scope(|s| s.spawn_broadcast(|_, _| cell.set(2)));
/// ```
///
/// ```compile_fail,E0373
/// let local = 1;
/// sumac::spawn_broadcast(|_| assert_eq!(local, 1));
/// ```
///
/// ```compile_fail,E0521
/// let kept = std::sync::Mutex::new(None);
/// sumac::scope(|s| s.spawn_broadcast(|_, context| *kept.lock().unwrap() = Some(context)));
/// ```
///
/// ```
/// let sum = std::sync::atomic::AtomicUsize::new(0);
/// sumac::spawn_broadcast(move |_| {
///     sum.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
/// });
/// ```
mod broadcast_that_is_not_sync {}

/// Results in order that borrow where nothing waits for their end, that leave the call which does,
/// or that go from thread to thread and must not.
///
/// ```compile_fail,E0373
/// use sumac::prelude::*;
/// let local = 1;
/// let _ = (0..3).par_map_ordered(2, |i| i + local);
/// ```
///
/// ```compile_fail,E0521
/// use sumac::prelude::*;
/// let mut kept = None;
/// (0..3).into_par_iter().iter_ordered(2, |items| kept = Some(items));
/// ```
///
/// ```compile_fail,E0277
/// use sumac::prelude::*;
/// let _ = (0..3).par_map_ordered(2, |i| std::rc::Rc::new(i));
/// ```
///
/// ```
/// use sumac::prelude::*;
/// let local = 1;
/// let sums = (0..3).par_map_ordered(2, move |i| i + local);
/// let mut kept = None;
/// (0..3).into_par_iter().iter_ordered(2, |mut items| kept = items.next());
/// assert_eq!((sums.sum::<i32>(), kept), (6, Some(0)));
/// ```
mod ordered_results_that_escape {}
