//! Operations that need no batch, carried out by the first poll of their future.

use super::{
    futures::{Count, poll},
    in_time, until,
};
use std::{
    future::Future as _,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    task::{Context, Poll, Wake, Waker},
    thread::{self, ThreadId},
};
use sumac_batch::{BatchError, Batched, BatchedStructure, Plain, Reads, Request, TrySubmit};
use sumac_core::Scope;

/// A sum.
#[derive(Default)]
struct Sum {
    sum: i64,
    /// Which thread has led each batch.
    leaders: Vec<ThreadId>,
}

enum Op {
    /// Needs no batch.
    Add(i64),
    /// Needs no batch, and calls this.
    Call(Box<dyn FnOnce() + Send>),
    InBatch(i64),
    /// A read, which counts itself and lasts until it is told to end.
    Look(Arc<AtomicUsize>, Arc<AtomicBool>),
}

impl Sum {
    fn act(&mut self, op: Op) -> i64 {
        match op {
            Op::Add(n) | Op::InBatch(n) => self.sum += n,
            Op::Call(f) => f(),
            Op::Look(..) => {}
        }
        self.sum
    }
}

impl BatchedStructure for Sum {
    type Op = Op;
    type Answer = i64;

    const READS: Option<Reads<Self>> = Some(Reads::new(
        |op| matches!(op, Op::Look(..)),
        |sum, op| {
            if let Op::Look(there, ends) = op {
                there.fetch_add(1, SeqCst);
                until(|| ends.load(SeqCst));
            }
            sum.sum
        },
    ));

    fn run(&mut self, _: &mut Scope<'_>, batch: &mut [Request<Op, i64>]) {
        self.leaders.push(thread::current().id());
        for request in batch {
            let op = request.take_op();
            request.answer(self.act(op));
        }
    }

    fn run_one(&mut self, op: Op) -> Result<i64, Op> {
        match op {
            Op::InBatch(_) => Err(op),
            op => Ok(self.act(op)),
        }
    }
}

type Future<'b> = Pin<Box<TrySubmit<'b, Sum, Plain<Op>>>>;

fn submit(batched: &Batched<Sum>, op: Op) -> Future<'_> {
    Box::pin(batched.try_submit(Plain(op)))
}

fn look(future: &mut Future<'_>) -> Poll<Result<i64, BatchError>> {
    poll(future.as_mut(), &Arc::new(Count::default()))
}

/// The answer to an operation that is ready at once.
fn ready(batched: &Batched<Sum>, op: Op) -> Result<i64, BatchError> {
    match look(&mut submit(batched, op)) {
        Poll::Ready(result) => result,
        Poll::Pending => panic!("it needs no batch"),
    }
}

#[test]
fn where_the_structure_is_free() {
    in_time("operations at once", || {
        let batched = Batched::new(Sum::default());
        for sum in 1..4 {
            assert_eq!(ready(&batched, Op::Add(1)).unwrap(), sum);
        }
        assert_eq!(batched.with_mut(|sum| sum.leaders.len()), 0);

        let mut batch = submit(&batched, Op::InBatch(0));
        assert!(look(&mut batch).is_pending());
        until(|| matches!(look(&mut batch), Poll::Ready(Ok(3))));
        assert_eq!(batched.with_mut(|sum| sum.leaders.len()), 1);

        let mut waits = submit(&batched, Op::Add(1));
        let look_elsewhere = || look(&mut waits).is_pending();
        let elsewhere = || thread::scope(|s| s.spawn(look_elsewhere).join());
        assert!(batched.with_mut(|_| elsewhere()).unwrap());
        until(|| matches!(look(&mut waits), Poll::Ready(Ok(4))));
    });
}

#[test]
fn panics() {
    in_time("a panic at once", || {
        let batched = Batched::new(Sum::default());
        let panics = Op::Call(Box::new(|| std::panic::resume_unwind(Box::new("boom"))));
        assert!(ready(&batched, panics).unwrap_err().is_panic());
        assert!(ready(&batched, Op::Add(1)).unwrap_err().is_poisoned());
        assert!(ready(&batched, Op::InBatch(1)).unwrap_err().is_poisoned());
        batched.clear_poison();
        assert_eq!(ready(&batched, Op::Add(1)).unwrap(), 1);
    });
}

/// Polls operations that need no batch while the structure is in use: they come in the next batch.
fn enter<'b>(batched: &'b Batched<Sum>, mut futures: Vec<(Future<'b>, Waker)>) -> Vec<Future<'b>> {
    ready(batched, Op::Add(0)).unwrap();
    let mut poll_all = || {
        for (future, waker) in &mut futures {
            let looked = future.as_mut().poll(&mut Context::from_waker(waker));
            assert!(looked.is_pending());
        }
    };
    batched.with_mut(|_| thread::scope(|s| s.spawn(&mut poll_all).join().unwrap()));
    futures.into_iter().map(|(future, _)| future).collect()
}

/// When its waker is called, the structure is free for what its owner does next.
#[test]
fn a_waker_finds_the_structure_free() {
    struct Adds(Arc<Batched<Sum>>, AtomicUsize);
    impl Wake for Adds {
        fn wake(self: Arc<Self>) {
            let sum = ready(&self.0, Op::Add(1)).unwrap();
            self.1.store(sum as usize, SeqCst);
        }
    }
    in_time("a waker that uses the structure", || {
        let batched = Arc::new(Batched::new(Sum::default()));
        let adds = Arc::new(Adds(Arc::clone(&batched), AtomicUsize::new(0)));
        let add = submit(&batched, Op::Add(5));
        let mut entered = enter(&batched, vec![(add, Waker::from(Arc::clone(&adds)))]);
        until(|| adds.1.load(SeqCst) == 6);
        assert!(matches!(look(&mut entered[0]), Poll::Ready(Ok(5))));
    });
}

/// Those of the first part of a limited batch do not wait for the second.
#[test]
fn owners_are_woken_before_the_next_part() {
    in_time("a limited batch", || {
        let batched = Batched::new(Sum::default()).with_batch_limit(1);
        let count = Arc::new(Count::default());
        let waits = Arc::clone(&count);
        let call = Op::Call(Box::new(move || until(|| waits.number() == 1)));
        let both = vec![
            (
                submit(&batched, Op::Add(1)),
                Waker::from(Arc::clone(&count)),
            ),
            (submit(&batched, call), Waker::noop().clone()),
        ];
        for mut future in enter(&batched, both) {
            until(|| matches!(look(&mut future), Poll::Ready(Ok(1))));
        }
    });
}

/// Reads may take long; the thread that polls has other tasks.
#[test]
fn a_poll_waits_for_no_read() {
    in_time("a poll beside a read", || {
        let batched = Batched::new(Sum::default());
        let (there, ends) = (Arc::default(), Arc::default());
        let read = Op::Look(Arc::clone(&there), Arc::clone(&ends));
        thread::scope(|s| {
            s.spawn(|| batched.apply(Plain(read)));
            until(|| there.load(SeqCst) == 1);
            let mut waits = submit(&batched, Op::Add(1));
            assert!(look(&mut waits).is_pending());
            ends.store(true, SeqCst);
            until(|| matches!(look(&mut waits), Poll::Ready(Ok(1))));
        });
    });
}

/// Otherwise a poll might take as long as the operations of others, inside of what its thread does,
/// which these may not stand.
#[test]
fn a_poll_leads_no_batch() {
    in_time("a poll while another enters", || {
        let batched = Batched::new(Sum::default());
        let begun = Arc::new(AtomicBool::new(false));
        let entered = Arc::new(AtomicBool::new(false));
        let call = {
            let (begun, entered) = (Arc::clone(&begun), Arc::clone(&entered));
            Op::Call(Box::new(move || {
                begun.store(true, SeqCst);
                until(|| entered.load(SeqCst));
            }))
        };
        thread::scope(|s| {
            s.spawn(|| {
                until(|| begun.load(SeqCst));
                let mut other = submit(&batched, Op::Add(5));
                assert!(look(&mut other).is_pending());
                entered.store(true, SeqCst);
                until(|| matches!(look(&mut other), Poll::Ready(Ok(5))));
            });
            assert_eq!(ready(&batched, call).unwrap(), 0);
        });
        let leaders = batched.with_mut(|sum| sum.leaders.clone());
        assert_eq!(leaders.len(), 1);
        assert_ne!(leaders[0], thread::current().id());
    });
}
