//! `flat_map` and `flatten`: loops inside a loop, with the same sink.
//!
//! All runs of an inner loop start at the position of the outer run it belongs to: positions stay
//! *monotone*. The outputs of inner loops are merged in order; if one of them found the sink full,
//! so does the outer run.
//!
//! An inner loop of few items is not run as a loop: its items go into the accumulator of the outer
//! run. *Few* is the size of a block at the pace of the run's inner items so far (block.rs), and
//! one before that is known.

use super::at::{At, Start};
use crate::{
    block,
    iter::{IntoParallelIterator, ParallelIterator},
    shape::{Order, Seal, Sink},
};
use sumac_core::coarse_nanos;

/// See [`ParallelIterator::flat_map`].
#[derive(Clone)]
#[must_use = "iterator adaptors are lazy"]
pub struct FlatMap<I, F> {
    pub(crate) base: I,
    pub(crate) f: F,
}

crate::debug::debug! { FlatMap [I, F] [I] base = base }

impl<I, F, R> ParallelIterator for FlatMap<I, F>
where
    I: ParallelIterator,
    F: Fn(I::Item) -> R + Sync + Send,
    R: IntoParallelIterator,
{
    type Item = R::Item;

    fn drive<S: Sink<R::Item>>(self, sink: &S) -> S::Output {
        self.base.drive(&FlatMapSink {
            base: sink,
            f: &self.f,
        })
    }
}

/// See [`ParallelIterator::flatten`].
#[derive(Clone, Debug)]
#[must_use = "iterator adaptors are lazy"]
pub struct Flatten<I> {
    pub(crate) base: I,
}

impl<I> ParallelIterator for Flatten<I>
where
    I: ParallelIterator<Item: IntoParallelIterator>,
{
    type Item = <I::Item as IntoParallelIterator>::Item;

    fn drive<S: Sink<Self::Item>>(self, sink: &S) -> S::Output {
        self.base.drive(&FlatMapSink {
            base: sink,
            f: &|item| item,
        })
    }
}

struct FlatMapSink<'a, S, F> {
    base: &'a S,
    f: &'a F,
}

/// A run of the outer loop.
struct Run<A, O> {
    position: usize,
    /// The merged output of inner loops.
    output: Option<O>,
    /// The items since then, of loops of few items.
    acc: Option<A>,
    /// The number of items that are few.
    few: usize,
    full: bool,
    /// Whether its remaining items are not needed, if the loop goes backward.
    last: bool,
}

impl<S, F> FlatMapSink<'_, S, F> {
    /// Appends an output to that of the run.
    fn append<T>(&self, run: &mut Run<S::Acc, S::Output>, output: S::Output)
    where
        S: Sink<T>,
    {
        run.output = Some(match run.output.take() {
            Some(before) => self.base.merge(before, output),
            None => output,
        });
    }

    /// Ends the run's accumulator.
    #[inline]
    fn flush<T>(&self, run: &mut Run<S::Acc, S::Output>)
    where
        S: Sink<T>,
    {
        if let Some(acc) = run.acc.take() {
            self.append(run, self.base.finish(acc));
        }
    }
}

impl<T, R, S, F> Sink<T> for FlatMapSink<'_, S, F>
where
    R: IntoParallelIterator,
    S: Sink<R::Item>,
    F: Fn(T) -> R + Sync,
{
    type Acc = Run<S::Acc, S::Output>;
    type Output = S::Output;

    const ORDER: Order = S::ORDER;

    fn begin(&self, position: usize) -> Self::Acc {
        Run {
            position,
            output: None,
            acc: None,
            few: 1,
            full: false,
            last: false,
        }
    }

    // From left to right for each `Order`, since the direction of the loop is unknown here. If it
    // is backward, earlier items have found nothing, or the loop would be over (`Order`).
    fn push_all<J: Iterator<Item = T>>(&self, run: &mut Self::Acc, items: J) {
        let mut count = 0_usize;
        let since = coarse_nanos();
        for item in items {
            let mut inner = (self.f)(item).into_par_iter();
            if const { matches!(S::ORDER, Order::Forward) } {
                let few = |len| {
                    count = count.saturating_add(len);
                    len <= run.few
                };
                let (acc, position) = (&mut run.acc, run.position);
                let Some(left) = inner.push_few(self.base, acc, position, few, Seal(())) else {
                    run.full = acc.as_ref().is_some_and(|acc| self.base.is_full(acc));
                    if run.full {
                        break;
                    }
                    continue;
                };
                inner = left;
            }
            self.flush(run);
            let sink = At::new(self.base, Start::Here(run.position));
            let output = inner.drive(&sink);
            self.append(run, output);
            run.full = sink.was_full();
            run.last |= sink.had_last();
            if run.full {
                break;
            }
        }
        if count > 0 {
            run.few = block::next(count, coarse_nanos().saturating_sub(since));
        }
    }

    fn finish(&self, mut run: Self::Acc) -> S::Output {
        self.flush(&mut run);
        match run.output {
            Some(output) => output,
            None => self.base.finish(self.base.begin(run.position)),
        }
    }

    fn merge(&self, left: S::Output, right: S::Output) -> S::Output {
        self.base.merge(left, right)
    }

    fn is_full(&self, run: &Self::Acc) -> bool {
        run.full
    }

    fn has_last(&self, run: &Self::Acc) -> bool {
        run.last
    }
}
