//! The values that are set on a thread: its *regions*, and their moments (mod.rs).
//!
//! A region is the part of a call during which the same values are current: those of a call of
//! `set`, or of what carries values or runs on top of a wait inside of such. All values of a region
//! are in one allocation, so that a clone of one `Arc` is enough for a fork.
//!
//! Regions are a stack, sorted by the moments at which they began. The innermost is current.
//! Moments are never repeated on a thread; the end of a region begins none, since what was forked
//! in it has ended. Each region has a *mark*: an address between the stack frames outside and those
//! inside. So marks descend, unless a program has changed stacks in between, or runs where the
//! locals of a call do not lie below those of its caller: in Miri, and with the fake stacks of
//! AddressSanitizer.

use crate::{
    join::chain,
    unwind::{self, Finally},
};
use std::{
    any::Any,
    cell::{Cell, RefCell},
    fmt, hint,
    mem::{self, ManuallyDrop},
    ptr,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// A moment of the calling thread, see above.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(u64);

/// A value that is set, and the address of its key.
#[derive(Clone)]
pub(super) struct Value {
    pub(super) key: usize,
    pub(super) value: Arc<dyn Any + Send + Sync>,
}

/// All values of a region.
type Values = Arc<Vec<Value>>;

struct Region {
    began: Moment,
    mark: usize,
    /// The beginning of the outermost region from which to this one all marks descend.
    descends_from: Moment,
    /// Shared with calls that look at a value, so that it stays, whatever they do.
    values: Option<Rc<Values>>,
}

struct Regions {
    now: Cell<Moment>,
    /// Whether the innermost region has values.
    is_set: Cell<bool>,
    /// Empty at the end of the thread, and without memory: the thread-local needs no destructor,
    /// and so it is there in those of others. No user code runs while it is borrowed, also no
    /// allocator: it is taken out to be changed.
    stack: ManuallyDrop<RefCell<Vec<Region>>>,
}

thread_local! {
    static REGIONS: Regions = const {
        Regions {
            now: Cell::new(Moment(0)),
            is_set: Cell::new(false),
            stack: ManuallyDrop::new(RefCell::new(Vec::new())),
        }
    };
}

impl Regions {
    /// Puts the stack back, which has been taken out.
    fn put(&self, stack: Vec<Region>) {
        let innermost = stack.last();
        self.is_set
            .set(innermost.is_some_and(|region| region.values.is_some()));
        self.stack.replace(stack);
    }
}

impl Region {
    fn shared(&self) -> Option<Values> {
        self.values.as_deref().cloned()
    }
}

impl Moment {
    /// Returns the present moment.
    #[must_use]
    pub fn now() -> Moment {
        REGIONS.with(|regions| regions.now.get())
    }

    /// Begins a moment.
    ///
    /// # Cost
    /// Some nanoseconds for each plain join that is alive and has no stamp.
    #[must_use]
    pub fn begin() -> Moment {
        let before = Moment::now();
        chain::stamp(before);
        let moment = Moment(before.0 + 1);
        REGIONS.with(|regions| regions.now.set(moment));
        moment
    }

    /// Returns the moment of the join of a scope whose frame is at this address, and whose root was
    /// made in the moment `made`; a later one of the same region, maybe. `None` if addresses do not
    /// descend from there to this call.
    #[inline(never)]
    pub(super) fn inside(address: usize, made: Moment) -> Option<Moment> {
        let here = 0_u8;
        let here = ptr::from_ref(hint::black_box(&here)).addr();
        REGIONS.with(|regions| {
            let stack = regions.stack.borrow();
            let later = &stack[stack.partition_point(|region| region.began <= made)..];
            let (Some(first), Some(last)) = (later.first(), later.last()) else {
                return Some(regions.now.get());
            };
            if last.descends_from > first.began || last.mark.min(address) <= here {
                return None;
            }
            let outside = later.partition_point(|region| region.mark > address);
            let next = later.get(outside);
            Some(next.map_or(regions.now.get(), |region| Moment(region.began.0 - 1)))
        })
    }
}

/// The values of a region, to be seen elsewhere.
#[derive(Clone)]
pub struct Snapshot(Option<Values>);

impl Snapshot {
    /// No values.
    pub const NONE: Snapshot = Snapshot(None);

    /// Returns those that are current on the calling thread.
    #[must_use]
    pub fn here() -> Self {
        REGIONS.with(|regions| {
            let stack = regions.stack.borrow();
            Snapshot(stack.last().and_then(Region::shared))
        })
    }

    /// Returns those that were current in this moment of the calling thread, of those regions that
    /// have not ended.
    pub(super) fn of(moment: Moment) -> Self {
        REGIONS.with(|regions| {
            let stack = regions.stack.borrow();
            let began = stack.partition_point(|region| region.began <= moment);
            let region = began.checked_sub(1).map(|newest| &stack[newest]);
            Snapshot(region.and_then(Region::shared))
        })
    }

    /// Calls `f` where these values are current and no others.
    #[inline]
    pub fn around<R>(mut self, f: impl FnOnce() -> R) -> R {
        if self.is_current() {
            return f();
        }
        around(self.0.take(), f)
    }

    /// Returns whether nothing would change where these values are made current.
    #[inline]
    pub(super) fn is_current(&self) -> bool {
        match &self.0 {
            None => !is_set(),
            Some(values) => current().is_some_and(|current| Arc::ptr_eq(&current, values)),
        }
    }
}

impl Drop for Snapshot {
    #[inline]
    fn drop(&mut self) {
        if let Some(values) = self.0.take() {
            discard(values);
        }
    }
}

/// Drops values, if this is the last reference, where no others are current. Users' code; a panic
/// of one goes no further.
#[cold]
fn discard(values: Values) {
    let drop_each = |value| unwind::swallow(|| drop(value));
    if let Some(values) = Arc::into_inner(values) {
        Snapshot::NONE.around(|| values.into_iter().for_each(drop_each));
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").finish_non_exhaustive()
    }
}

/// Returns the values that are current on the calling thread.
pub(super) fn current() -> Option<Rc<Values>> {
    REGIONS.with(|regions| regions.stack.borrow().last()?.values.clone())
}

/// Returns whether any value is.
#[inline]
pub(super) fn is_set() -> bool {
    REGIONS.with(|regions| regions.is_set.get())
}

/// Whether a value has been set in this process.
static IS_USED: AtomicBool = AtomicBool::new(false);

pub(super) fn is_used() -> bool {
    IS_USED.load(Ordering::Relaxed)
}

/// Calls `f` where `value` is current, and what was before of other keys.
pub(super) fn with<R>(value: Value, f: impl FnOnce() -> R) -> R {
    IS_USED.store(true, Ordering::Relaxed);
    around(Some(added(value)), f)
}

/// Returns `value` and what is current of other keys.
fn added(value: Value) -> Values {
    let before = current();
    let others = before.iter().flat_map(|values| values.iter());
    let mut values: Vec<_> = others
        .filter(|other| other.key != value.key)
        .cloned()
        .collect();
    values.push(value);
    Arc::new(values)
}

/// Calls `f` in a region of its own.
#[inline(never)]
fn around<R>(values: Option<Values>, f: impl FnOnce() -> R) -> R {
    // Neither this nor `inside` is inlined.
    let mark = 0_u8;
    let mark = ptr::from_ref(hint::black_box(&mark)).addr();
    let _leave = enter(values, mark);
    inside(f)
}

/// Calls `f` in a stack frame of its own.
#[inline(never)]
fn inside<R>(f: impl FnOnce() -> R) -> R {
    f()
}

/// Begins a region, which ends when the result is dropped.
#[inline(never)]
fn enter(values: Option<Values>, mark: usize) -> Finally<impl FnMut()> {
    let began = Moment::begin();
    let values = values.map(Rc::new);
    REGIONS.with(|regions| {
        let mut stack = regions.stack.take();
        let outside = stack.last().filter(|outside| mark < outside.mark);
        let descends_from = outside.map_or(began, |outside| outside.descends_from);
        stack.push(Region {
            began,
            mark,
            descends_from,
            values,
        });
        regions.put(stack);
    });
    Finally(move || leave(began))
}

/// Ends the region that began in this moment.
#[inline(never)]
fn leave(began: Moment) {
    let left = REGIONS.with(|regions| {
        let mut stack = regions.stack.take();
        // The last, unless a coroutine was suspended inside.
        let at = stack.iter().rposition(|region| region.began == began);
        let left = at.map(|at| stack.remove(at));
        if stack.is_empty() {
            mem::take(&mut stack);
        }
        regions.put(stack);
        left
    });
    let values = left.and_then(|region| Rc::into_inner(region.values?));
    values.into_iter().for_each(discard);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        join::splitting::{Splitting, splitting},
        pool::builder::ThreadPoolBuilder,
    };

    crate::context! {
        static DEPTH: usize;
    }

    fn depth() -> Option<usize> {
        DEPTH.with(|depth| depth.copied())
    }

    fn values(depth: usize) -> Option<Values> {
        DEPTH.set(depth, Snapshot::here).0.take()
    }

    /// The depth at the fork of a frame at this address; `None` if it is not known.
    fn depth_at(address: usize, made: Moment) -> Option<Option<usize>> {
        let moment = Moment::inside(address, made)?;
        Some(Snapshot::of(moment).around(depth))
    }

    #[test]
    fn a_fork_is_in_the_regions_whose_marks_are_above_it() {
        const TOP: usize = usize::MAX;
        let made = Moment::now();
        let _one = enter(values(1), TOP - 10);
        let _two = enter(values(2), TOP - 20);
        let seen = [TOP - 5, TOP - 15, TOP - 25].map(|address| depth_at(address, made));
        assert_eq!(seen, [Some(None), Some(Some(1)), Some(Some(2))]);
        assert_eq!(depth_at(1, made), None, "on another stack than this call");
        let later = Moment::now();
        assert_eq!(depth_at(1, later), Some(Some(2)), "nothing has changed");

        let higher = enter(values(3), TOP - 15);
        assert_eq!(depth_at(TOP - 12, made), None);
        assert_eq!(depth_at(TOP - 12, later), Some(Some(2)));
        let inside = enter(values(4), TOP - 30);
        assert_eq!(depth_at(TOP - 25, made), None);
        assert_eq!(depth_at(TOP - 25, later), Some(Some(3)));
        drop((inside, higher));

        let lower = enter(values(3), 1);
        assert_eq!(depth_at(TOP - 5, made), None, "not below the last mark");
        drop(lower);
        assert_eq!(depth_at(TOP - 15, made), Some(Some(1)));
    }

    #[test]
    fn values_that_are_current_begin_no_region() {
        let begun = |values: Snapshot| {
            let before = Moment::now();
            values.around(Moment::now) != before
        };
        assert!(!begun(Snapshot::NONE));
        DEPTH.set(1, || {
            assert!(!begun(Snapshot::here()));
            assert!(begun(Snapshot::NONE));
        });
    }

    /// As an allocator that looks at values, and sets some.
    #[test]
    fn what_runs_while_regions_change_may_look() {
        DEPTH.set(1, || {
            let stack = REGIONS.with(|regions| regions.stack.take());
            let seen = (depth(), DEPTH.set(2, depth));
            REGIONS.with(|regions| regions.put(stack));
            assert_eq!((seen, depth()), ((None, Some(2)), Some(1)));
        });
    }

    #[test]
    fn a_plain_loop_around_another_offers_parts_from_there() {
        let pool = ThreadPoolBuilder::new().num_threads(1).build();
        let pool = pool.expect("a pool");
        let around = |outer: &mut Splitting<'_, (), ()>| {
            assert!(outer.has_given(), "a thread starts with work asked for");
            let before = pool.stats().promotions;
            // Its address would say nothing.
            let elsewhere = enter(None, 1);
            let offers = |_: &mut Splitting<'_, (), ()>| outer.keep_offering(usize::MAX);
            splitting(&|| None, &|(), _| (), offers);
            drop(elsewhere);
            assert!(pool.stats().promotions > before);
            while outer.take_back().is_some() {}
        };
        pool.install(|| {
            let parts = Cell::new(100_u32);
            let split = || {
                let left = parts.get().checked_sub(1)?;
                parts.set(left);
                Some(())
            };
            splitting(&split, &|(), _| (), around);
        });
    }
}
