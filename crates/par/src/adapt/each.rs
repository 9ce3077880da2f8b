//! An iterator that does something to each item, where std's `Map` will not do because its closure would have no name.

/// What is done to each item.
pub trait Do<T> {
    /// What an item becomes.
    type Output;

    /// Does it.
    fn to(&mut self, item: T) -> Self::Output;
}

/// What `action` makes of each of `items`.
#[derive(Clone, Debug)]
pub struct Each<J, A> {
    pub(crate) items: J,
    pub(crate) action: A,
}

impl<J: Iterator, A: Do<J::Item>> Iterator for Each<J, A> {
    type Item = A::Output;

    #[inline]
    fn next(&mut self) -> Option<A::Output> {
        self.items.next().map(|item| self.action.to(item))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.items.size_hint()
    }

    #[inline]
    fn fold<B, F: FnMut(B, A::Output) -> B>(mut self, init: B, mut f: F) -> B {
        self.items
            .fold(init, |acc, item| f(acc, self.action.to(item)))
    }
}

impl<J: DoubleEndedIterator, A: Do<J::Item>> DoubleEndedIterator for Each<J, A> {
    #[inline]
    fn next_back(&mut self) -> Option<A::Output> {
        self.items.next_back().map(|item| self.action.to(item))
    }

    #[inline]
    fn rfold<B, F: FnMut(B, A::Output) -> B>(mut self, init: B, mut f: F) -> B {
        self.items
            .rfold(init, |acc, item| f(acc, self.action.to(item)))
    }
}

impl<J: ExactSizeIterator, A: Do<J::Item>> ExactSizeIterator for Each<J, A> {}
