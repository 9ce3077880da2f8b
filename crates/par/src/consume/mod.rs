//! Consumers: the sinks that loops end in.

pub(crate) mod collect;
pub(crate) mod for_each;
pub(crate) mod slots;
pub(crate) mod sum;
