//! A loop as a source: its positions, one by one.

use crate::shape::Producer;

/// The positions of a producer, one by one.
pub(crate) struct Positions<P>(Option<P>);

impl<P: Producer> Positions<P> {
    pub(crate) fn of(producer: P) -> Self {
        Positions(Some(producer))
    }
}

impl<P: Producer> Iterator for Positions<P> {
    type Item = P;

    fn next(&mut self) -> Option<P> {
        let rest = self.0.take()?;
        match rest.len() {
            0 => None,
            1 => Some(rest),
            _ => {
                let (first, rest) = rest.split_at(1);
                self.0 = Some(rest);
                Some(first)
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.0.as_ref().map_or(0, Producer::len);
        (len, Some(len))
    }
}

/// Returns the item of a single position.
pub(crate) fn item_of<P: Producer>(position: P) -> P::Item {
    let state = position.state();
    let item = position.iter(&state).next();
    item.expect("exact producers have an item at each position")
}
