//! Keys, values and wakers whose code does all that user code can do, wherever a batch runs it: in
//! comparisons, clones and destructors, and in what wakes. Nothing hangs, and the structures can be
//! used afterwards.

use super::{in_time, until};
use std::{
    cell::Cell,
    cmp::Ordering,
    collections::HashSet,
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    pin::{Pin, pin},
    sync::{
        Arc, Mutex, OnceLock, Weak,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    task::{Context, Poll, Wake, Waker},
    thread::{self, ThreadId},
    time::{Duration, Instant},
};
use sumac_batch::{
    Add, Batched, BatchedStructure, Counter, First, Get, Insert, Len, Operation, OrderedMap, Peek,
    Pop, PriorityQueue, Push, Range, Remove, SkipList, Successor, Tree,
};
use sumac_core::{ThreadPool, join};
use sumac_test_support::pool;

/// What hostile code uses.
struct World {
    pools: [ThreadPool; 2],
    counter: Batched<Counter>,
    /// Uses the structure under test, and drops a future of it that is entered.
    own: OnceLock<Box<dyn Fn() + Send + Sync>>,
    events: AtomicUsize,
    acts: [AtomicUsize; ACTS],
}

const ACTS: usize = 7;

thread_local! {
    /// Hostile code is not hostile to itself.
    static ACTING: Cell<bool> = const { Cell::new(false) };
}

impl World {
    fn new() -> Arc<Self> {
        let pools = [pool(2), pool(2)];
        Arc::new(World {
            counter: Batched::new_in(&pools[1], Counter::new(0)),
            pools,
            own: OnceLock::new(),
            events: AtomicUsize::new(0),
            acts: Default::default(),
        })
    }

    /// Some code of the user's runs: now and then it does something.
    fn act(&self) {
        let event = self.events.fetch_add(1, SeqCst);
        if event % 19 != 0 || ACTING.get() {
            return;
        }
        let act = event / 19 % ACTS;
        self.acts[act].fetch_add(1, SeqCst);
        if act == 0 {
            if event % 5 == 0 && !thread::panicking() {
                resume_unwind(Box::new("hostile"));
            }
            return;
        }
        ACTING.set(true);
        let _ = catch_unwind(AssertUnwindSafe(|| match act {
            1 => {
                join(|| self.use_counter(), || self.use_counter());
            }
            2 => {
                let both = || join(|| self.use_counter(), thread::yield_now);
                self.pools[1].install(both);
            }
            3 => self.pools[1].spawn(|| ()).join(),
            4 => self.pools[0].spawn(|| ()).join(),
            5 => self.use_counter(),
            // A panic in a panic would be told at length.
            _ if thread::panicking() => {}
            _ => self.own.get().map_or((), |own| own()),
        }));
        ACTING.set(false);
    }

    fn use_counter(&self) {
        self.counter.apply(Add(1));
    }
}

struct Key(u64, Arc<World>);

impl Clone for Key {
    fn clone(&self) -> Self {
        self.1.act();
        Key(self.0, Arc::clone(&self.1))
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        self.1.act();
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        self.1.act();
        self.0.cmp(&other.0)
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Key {}

struct Alarm(Arc<World>);

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.0.act();
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        self.0.act();
    }
}

fn poll<F: Future>(future: Pin<&mut F>, world: &Arc<World>) -> Poll<F::Output> {
    let waker = Waker::from(Arc::new(Alarm(Arc::clone(world))));
    future.poll(&mut Context::from_waker(&waker))
}

/// The answer, or nothing where a panic has come instead.
fn settle<D, O>(batched: &Batched<D>, op: O, world: &Arc<World>, wait: bool)
where
    D: BatchedStructure + 'static,
    O: Operation<D>,
{
    let done = catch_unwind(AssertUnwindSafe(|| {
        if wait {
            drop(batched.try_apply(op));
        } else {
            let mut future = pin!(batched.try_submit(op));
            // Some are dropped while they are under way.
            let mut polls = 0;
            until(|| {
                polls += 1;
                polls > 20 || poll(future.as_mut(), world).is_ready()
            });
        }
    }));
    drop(done);
    batched.clear_poison();
}

fn storm<D: BatchedStructure + 'static>(
    what: &'static str,
    structure: fn() -> D,
    step: fn(&Batched<D>, u64, &Arc<World>),
) {
    in_time(what, move || {
        let world = World::new();
        let batched = Arc::new(Batched::new_in(&world.pools[0], structure()));
        let own: Weak<Batched<D>> = Arc::downgrade(&batched);
        let use_own = move || {
            if let Some(own) = own.upgrade() {
                let _ = own.try_with_mut(|_| ());
            }
        };
        assert!(world.own.set(Box::new(use_own)).is_ok());
        thread::scope(|s| {
            for thread in 0..3 {
                let (batched, world) = (&batched, &world);
                s.spawn(move || {
                    for i in 0..400_u64 {
                        step(
                            batched,
                            (i * 3 + thread).wrapping_mul(0x9E37_79B9) % 251,
                            world,
                        );
                    }
                });
            }
        });
        let acts: Vec<_> = world.acts.iter().map(|count| count.load(SeqCst)).collect();
        assert!(acts.iter().all(|&count| count > 10), "{acts:?}");
        batched.clear_poison();
        assert_eq!(batched.try_with_mut(|_| 5).ok(), Some(5));
        // With all keys, whose destructors may panic.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(batched)));
    });
}

fn map_step<M>(map: &Batched<M>, n: u64, world: &Arc<World>)
where
    M: OrderedMap<Key = Key, Value = Key> + 'static,
{
    let key = |n| Key(n, Arc::clone(world));
    let wait = n % 2 == 0;
    match n % 12 {
        0 => settle(map, Get(key(n)), world, wait),
        1 => settle(map, First, world, wait),
        2 => settle(map, Successor(key(n)), world, wait),
        3 | 4 => settle(map, Remove(key(n)), world, wait),
        5 => drop(catch_unwind(AssertUnwindSafe(|| {
            settle(map, Range::new(key(n)..), world, wait);
        }))),
        6 => drop(catch_unwind(AssertUnwindSafe(|| {
            settle(map, Range::new(key(n)..).take(3), world, wait);
        }))),
        7 => {
            let _ = catch_unwind(AssertUnwindSafe(|| {
                let ops = (0..50).map(|i| Insert(key(n + i), key(i))).collect();
                drop(map.try_apply_all(ops));
            }));
        }
        _ => settle(map, Insert(key(n), key(n)), world, wait),
    }
}

#[test]
fn in_a_tree() {
    storm("a tree of hostile keys", Tree::<Key, Key>::new, map_step);
}

#[test]
fn in_a_skip_list() {
    storm(
        "a list of hostile keys",
        SkipList::<Key, Key>::new,
        map_step,
    );
}

#[test]
fn in_a_priority_queue() {
    storm(
        "a queue of hostile elements",
        PriorityQueue::<Key>::new,
        |queue, n, world| {
            let wait = n % 2 == 0;
            match n % 5 {
                0 => settle(queue, Pop, world, wait),
                1 => settle(queue, Peek, world, wait),
                _ => settle(queue, Push(Key(n, Arc::clone(world))), world, wait),
            }
        },
    );
}

/// A single operation that forks: what it forks is inside of it, on whichever thread.
#[test]
fn a_range_whose_clones_use_the_map() {
    #[derive(Default)]
    struct Own {
        /// Whether it is refused.
        refuses: OnceLock<Box<dyn Fn() -> bool + Send + Sync>>,
        refused: AtomicUsize,
        cloners: Mutex<HashSet<ThreadId>>,
    }
    struct Value(Arc<Own>);
    impl Clone for Value {
        fn clone(&self) -> Self {
            let cloners = || {
                let mut cloners = self.0.cloners.lock().unwrap();
                cloners.insert(thread::current().id());
                cloners.len()
            };
            // Others may be asleep, and need a moment.
            let start = Instant::now();
            while cloners() < 2 && start.elapsed() < Duration::from_millis(5) {
                thread::yield_now();
            }
            let refused = self.0.refuses.get().is_some_and(|refuses| refuses());
            self.0.refused.fetch_add(usize::from(refused), SeqCst);
            Value(Arc::clone(&self.0))
        }
    }
    in_time("a range whose clones use the map", || {
        let pool = pool(2);
        let own = Arc::new(Own::default());
        let entries = (0..100_u64).map(|key| (key, Value(Arc::clone(&own))));
        let map = Arc::new(Batched::new_in(&pool, Tree::from_sorted(entries.collect())));
        let weak = Arc::downgrade(&map);
        let refuses = move || {
            let map = weak.upgrade().expect("it is in use");
            catch_unwind(AssertUnwindSafe(|| map.try_apply(Len))).is_err()
        };
        assert!(own.refuses.set(Box::new(refuses)).is_ok());
        for _ in 0..5 {
            let entries = pool.install(|| map.apply(Range::new(..)));
            assert_eq!(entries.len(), 100);
        }
        assert_eq!(own.refused.load(SeqCst), 500);
        let cloners = own.cloners.lock().unwrap().len();
        assert!(cloners > 1, "no other thread has taken part");
    });
}

/// An order that is one until it has been asked so often.
#[derive(Clone, Debug)]
struct Fickle(u64);

static SOUND: AtomicUsize = AtomicUsize::new(0);
/// What it says afterwards; at random if there is nothing.
static LATER: Mutex<Option<Ordering>> = Mutex::new(None);

impl Ord for Fickle {
    fn cmp(&self, other: &Self) -> Ordering {
        let sound = SOUND.fetch_sub(1, SeqCst) as isize;
        if sound > 0 {
            return self.0.cmp(&other.0);
        }
        let random = (sound.unsigned_abs().wrapping_mul(0x9E37_79B9) >> 7 & 3).cmp(&1);
        LATER.lock().unwrap().unwrap_or(random)
    }
}

impl PartialOrd for Fickle {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Fickle {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Fickle {}

/// Batches end, whatever the order: also where it changes after they have been sorted.
#[test]
fn an_order_that_changes() {
    fn check<M>(map: M, len: fn(&M) -> (usize, usize))
    where
        M: OrderedMap<Key = Fickle, Value = u64> + 'static,
    {
        let map = Batched::new(map);
        let answers = [
            None,
            Some(Ordering::Less),
            Some(Ordering::Equal),
            Some(Ordering::Greater),
        ];
        for (sound, later) in (0..30_000).step_by(211).zip(answers.iter().cycle()) {
            SOUND.store(sound, SeqCst);
            *LATER.lock().unwrap() = *later;
            let _ = catch_unwind(AssertUnwindSafe(|| {
                let ops = (0..900)
                    .map(|i| Insert(Fickle(i * 7919 % 1009), i))
                    .collect();
                drop(map.try_apply_all(ops));
            }));
            map.clear_poison();
            let (entries, len) = map.with_mut(|map| len(map));
            assert_eq!(entries, len);
        }
    }
    in_time("an order that changes", || {
        check(Tree::new(), |map| (map.iter().count(), map.len()));
        check(SkipList::new(), |map| (map.iter().count(), map.len()));
    });
}
