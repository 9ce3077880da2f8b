//! `for_each`.

use crate::shape::Sink;

pub(crate) struct ForEach<F> {
    pub(crate) f: F,
}

impl<T, F: Fn(T) + Sync> Sink<T> for ForEach<F> {
    type Acc = ();
    type Output = ();

    fn begin(&self, _: usize) {}

    #[inline]
    fn push_all<I: Iterator<Item = T>>(&self, (): &mut (), items: I) {
        items.for_each(&self.f);
    }

    fn finish(&self, (): ()) {}

    fn merge(&self, (): (), (): ()) {}
}
