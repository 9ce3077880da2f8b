//! What jobs descend from: a job, a task, a scope of tasks or what a helper group's leader does.
//!
//! Invariant *one address*: a lineage stays where it is until nothing descends from it any more.
//! So its address tells it from all others (`JobRun::is_inside`).

use super::member::Member;
use crate::protocol::hint::Hint;

pub(crate) struct Lineage {
    /// Which member runs it, and how many stolen jobs deep, for waiters to help.
    pub(crate) taker: Hint<Member>,
}

impl Lineage {
    pub(crate) fn new() -> Self {
        Lineage { taker: Hint::new() }
    }
}
