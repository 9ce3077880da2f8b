//! `flat_map` and `flatten`: loops inside a loop, with the same sink.
//!
//! All runs of an inner loop begin at the position of the run of the outer loop that it belongs to:
//! positions stay *monotone*. The outputs of inner loops are merged in order; if one of them found
//! the sink full, so does the outer run.

use super::at::{At, Start};
use crate::{
    iter::{IntoParallelIterator, ParallelIterator},
    shape::{Order, Sink},
};

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
struct Run<O> {
    position: usize,
    output: Option<O>,
    full: bool,
    /// What is left of its items is not needed, if the loop goes backward.
    last: bool,
}

/// What two neighbours come to, if there are two.
fn merged<O>(left: Option<O>, right: Option<O>, merge: impl FnOnce(O, O) -> O) -> Option<O> {
    match (left, right) {
        (Some(left), Some(right)) => Some(merge(left, right)),
        (left, right) => left.or(right),
    }
}

impl<T, R, S, F> Sink<T> for FlatMapSink<'_, S, F>
where
    R: IntoParallelIterator,
    S: Sink<R::Item>,
    F: Fn(T) -> R + Sync,
{
    type Acc = Run<S::Output>;
    type Output = S::Output;

    const ORDER: Order = S::ORDER;

    fn begin(&self, position: usize) -> Run<S::Output> {
        Run {
            position,
            output: None,
            full: false,
            last: false,
        }
    }

    fn push_all<J: Iterator<Item = T>>(&self, run: &mut Run<S::Output>, items: J) {
        let merge = |left, right| self.base.merge(left, right);
        let mut block = None;
        for item in items {
            let sink = At::new(self.base, Start::Here(run.position));
            let inner = (self.f)(item).into_par_iter().drive(&sink);
            block = merged(block, Some(inner), merge);
            run.full = sink.was_full();
            run.last |= sink.had_last();
            if run.full {
                break;
            }
        }
        // From left to right, whatever the sink wants: it is not known here how the loop goes. If
        // that is backward, what came before has found nothing, or the loop were over (`Order`).
        run.output = merged(run.output.take(), block, merge);
    }

    fn finish(&self, run: Run<S::Output>) -> S::Output {
        match run.output {
            Some(output) => output,
            None => self.base.finish(self.base.begin(run.position)),
        }
    }

    fn merge(&self, left: S::Output, right: S::Output) -> S::Output {
        self.base.merge(left, right)
    }

    fn is_full(&self, run: &Run<S::Output>) -> bool {
        run.full
    }

    fn has_last(&self, run: &Run<S::Output>) -> bool {
        run.last
    }
}
