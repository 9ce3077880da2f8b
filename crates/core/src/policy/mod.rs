//! The scheduler's decisions: whom to ask and for how much, how long to look and to sleep, the
//! roles of workers. Pure functions of numbers, without threads and clocks.
//!
//! **What each choice is for.** The hints and roles here were left out, and `tiny`, `short` and
//! `spin_tiny` set to other values, one at a time, on simulated machines of two to sixteen workers:
//! trees, lists, leaves of many lengths with tiny ones and pauses between, tasks, calls. Without
//! it, or with another value, some of these became slower by a tenth, or cost more of what is
//! named:
//!
//! | choice | without it |
//! |---|---|
//! | `credit` | loops that fork only when they start, with tiny ones between |
//! | `taken_by` (member.rs), `HOPS` (wait.rs) | `join(leaf, rest)`, whose rest is further down |
//! | keeping the lead (cycle.rs) | wake-ups; small trees on many workers |
//! | `cut_after` | halves of some tens of microseconds among tiny ones and pauses; wake-ups |
//! | asking before a nap (lead.rs) | leaves with pauses between |
//! | relying on a caller (nap.rs) | short calls after pauses |
//! | waiting for two long jobs; long as twice `tiny` | leaves among tiny ones; small trees |
//! | the interval that adapts | small trees, on many workers |
//! | the epoch of a victim, in `learn` | small trees; tiny calls |
//! | asking for many after a tiny job (`want`) | lists whose heads are tiny |
//! | asking again on a take (`refill`), for a share of the idle | `join(rest, leaf)` |
//! | forgetting experience when dormant | short calls after pauses |
//! | asking for the next computation (settle.rs) | calls, leaves with pauses |
//! | more tasks after a short one; `short_tasks` | tasks of scopes; tasks, calls |
//! | `spin_of` | calls; time spent looking |
//! | `spin_after` | time spent looking |
//! | short looks where they gain little (`gains_little`) | time spent looking, between bursts |
//! | no naps after a tiny task that came after a pause | time spent napping |
//! | `spin` of 100 µs, not of 50 | lists on 16 and more workers, up to twice; nothing on two |
//! | longer and longer naps of waiters, not long ones from the first | leaves of random lengths |
//! | the deputy (idle.rs) | nothing is slower; tasks behind a leader that is stuck in a job wait |
//! | `tiny`, `short`, `spin_tiny` | small trees, lists; all programs; lists, tiny calls |
//!
//! `lab run tuning` measures `interval`, `slots`, `spin` and `nap`. Simulations show no use of
//! rests after tiny tasks; on real processors, where threads contend for the queue, `spawn` of the
//! experiment `loops` is several times slower without them. There a `nap_max` above `nap` saves
//! processor time, between bursts and single tasks; simulations show no use of it, nor of short
//! first naps. Nothing was found for `LOOKS`, which simulations, where no thread is preempted, do
//! not reach.

mod decisions;
pub(crate) mod roles;

pub(crate) use self::decisions::*;
