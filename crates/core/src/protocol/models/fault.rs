//! The bugs that the protocols must not have, switched on one at a time to show that the models
//! find them: steps of the code that go wrong (faulty.rs), and faults of what a model does itself.

use crate::protocol::{faulty::Step, loom_atomics};

faults! {
    /// The leader goes dormant without looking at the slots again.
    SleepWithoutRescan,
    /// It raises the flags before it says that it is dormant.
    ArmBeforeDormant,
    /// A thread that offers something looks who leads, then whether the leader is dormant.
    LookBeforeWake,
    /// A thread joins without taking the waker out that a poll has left.
    JoinKeepsWaker,
    /// It takes the waker out, but does not look whether the task is done.
    JoinLooksOnce,
    /// A thread looks who waits for a queued task without the queue's lock.
    LookUnlocked,
    /// A tick that finds all slots full wakes no worker.
    FullWakesNobody,
    /// What a tick cannot give is no longer asked for.
    ForgetDemand,
    /// A worker gives its role up without unparking its heir.
    LeaveHeirAsleep,
    /// A leader that keeps the lead in a job leaves its deputy asleep.
    LeaveDeputyAsleep,
    /// A waiter whose turn ends does not unpark the next.
    LeaveNextAsleep,
    /// The taker looks at the record of a job after it has set the latch.
    TouchAfterFinish,
    /// The owner of a job sleeps without announcing it.
    SleepUnannounced,
    /// A leader looks whether the caller sleeps, then says that the deputy naps.
    LookBeforeNap,
    /// A thread that leaves a pool does not look what its others want.
    LeaveUnrenewed,
    /// A thread leaves without taking its flag back from the member.
    LeaveFlagBehind,
    /// A thread gives its seat back before it has left it.
    FreeSeatFirst,
    /// A worker enters a scope without looking, under the lock, whether there are tasks.
    EnterUnlooked,
}
