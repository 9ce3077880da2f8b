//! One text of loops, many libraries: rayon and sumac have the same interface, so a text is written
//! once and instantiated for each. The plain text with the same name stands beside it.

use super::work::Work;
use crate::contender::Contender;
use crate::problem::Problem;

/// Instantiates the items for rayon and for sumac. In them the library's prelude is imported, and
/// so is everything around.
macro_rules! each_library {
    ($($text:item)*) => {
        mod with_rayon {
            #[allow(unused_imports)]
            use super::*;
            #[allow(unused_imports)]
            use ::rayon::prelude::*;
            $($text)*
        }

        mod with_sumac {
            #[allow(unused_imports)]
            use super::*;
            #[allow(unused_imports)]
            use ::sumac::prelude::*;
            $($text)*
        }
    };
}
pub(crate) use each_library;

/// The instances of a text, in the order of `Loops`.
macro_rules! texts {
    ($text:ident) => {
        [$text, with_rayon::$text, with_sumac::$text]
    };
}
pub(crate) use texts;

/// A loop that leaves its input as it is.
pub(crate) struct Loop<I: ?Sized> {
    input: Box<I>,
    texts: [fn(&I) -> u64; 3],
    /// What a part of it comes to, of so many, where it is divided by hand.
    part: Option<fn(&I, usize, usize) -> u64>,
    expected: u64,
}

impl<I: ?Sized> Loop<I> {
    pub(super) fn new(
        input: impl Into<Box<I>>,
        texts: [fn(&I) -> u64; 3],
        expected: u64,
    ) -> Loop<I> {
        Loop {
            input: input.into(),
            texts,
            part: None,
            expected,
        }
    }

    pub(super) fn divided(self, part: fn(&I, usize, usize) -> u64) -> Loop<I> {
        Loop {
            part: Some(part),
            ..self
        }
    }
}

impl<I: ?Sized + Sync> Problem for Loop<I> {
    fn solve<C: Contender>(&self, _cx: &mut C::Cx<'_>) -> u64 {
        self.texts[C::LOOPS as usize](&self.input)
    }

    fn part(&self, part: usize, parts: usize) -> u64 {
        match self.part {
            Some(of) => of(&self.input, part, parts),
            None => 0,
        }
    }

    fn expected(&self) -> u64 {
        self.expected
    }
}

/// A loop that changes its input. The answer is a digest of what it has become.
pub(crate) struct InPlace<T: ?Sized> {
    pub(super) work: Work<Box<T>>,
    texts: [fn(&mut T); 3],
    digest: fn(&T) -> u64,
    expected: u64,
}

impl<T: ?Sized> InPlace<T>
where
    Box<T>: Clone,
{
    pub(super) fn new(
        input: impl Into<Box<T>>,
        texts: [fn(&mut T); 3],
        digest: fn(&T) -> u64,
        expected: u64,
    ) -> InPlace<T> {
        InPlace {
            work: Work::new(input.into()),
            texts,
            digest,
            expected,
        }
    }
}

impl<T: ?Sized + Send + Sync> Problem for InPlace<T>
where
    Box<T>: Clone,
{
    fn solve<C: Contender>(&self, _cx: &mut C::Cx<'_>) -> u64 {
        self.texts[C::LOOPS as usize](&mut self.work.lock());
        0
    }

    fn expected(&self) -> u64 {
        self.expected
    }

    fn reset(&self) -> bool {
        self.work.reset();
        true
    }

    fn answer(&self, _returned: u64) -> u64 {
        (self.digest)(&self.work.lock())
    }
}
