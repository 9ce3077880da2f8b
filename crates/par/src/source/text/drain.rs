//! Draining a `String`.

use super::Chars;
use crate::{
    iter::{ParallelDrainRange, ParallelIterator},
    shape::Sink,
    source::bounds,
};
use std::{marker::PhantomData, ops::RangeBounds};

/// A parallel iterator that moves a range of `char`s out of a string.
#[derive(Debug)]
#[must_use = "iterators are lazy"]
pub struct Drain<'a> {
    drained: String,
    string: PhantomData<&'a mut String>,
}

impl<'a> ParallelDrainRange<usize> for &'a mut String {
    type Iter = Drain<'a>;
    type Item = char;

    fn par_drain<R: RangeBounds<usize>>(self, range: R) -> Drain<'a> {
        let range = bounds::within(&range, self.len());
        Drain {
            drained: self.drain(range).collect(),
            string: PhantomData,
        }
    }
}

impl ParallelIterator for Drain<'_> {
    type Item = char;

    fn drive<S: Sink<char>>(self, sink: &S) -> S::Output {
        let text = &self.drained;
        Chars { text }.drive(sink)
    }
}
