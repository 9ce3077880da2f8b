//! The origin of jobs: a job, a task, a scope of tasks or the work of a helper group's leader.
//!
//! Invariant *one address*: a lineage does not move until nothing descends from it any more. So its
//! address identifies it (`JobRun::is_inside`).

use super::member::Member;
use crate::protocol::hint::Hint;

/// The member that runs it, and how many stolen jobs deep, for waiters that help.
pub(crate) type Lineage = Hint<Member>;
