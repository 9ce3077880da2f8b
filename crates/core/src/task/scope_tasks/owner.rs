//! How the owner of a scope runs its tasks, and waits for the threads that do.

use super::{ScopeTask, ScopeTasks, State};
use crate::{
    hooks,
    join::{
        job::Payload,
        lineage::Lineage,
        member::{GUEST, Member},
        wait::{self, Awaited},
    },
    policy::Policy,
    pool::{seat, shared::Shared, stall::WaitsFor},
    protocol::{
        parker::Parker,
        primitive::{Ordering, lock},
    },
    task::{TaskScope, Unstarted},
    unwind,
};
use std::{
    ptr::{self, NonNull},
    sync::Arc,
};

impl ScopeTasks {
    /// For the owner: runs tasks, waits until the scope is over, and returns the first panic of a
    /// task. It does not unwind (*nothing outlives the scope*). Panics of user code that runs
    /// inside (tasks, and the destructors of a pool's handlers when the owner takes a seat) are
    /// caught.
    pub(crate) fn finish(self: &Arc<Self>) -> Option<Payload> {
        let panic = unwind::abort_on_panic(|| {
            let pool = self.pool.upgrade();
            let pool = pool.filter(|pool| seat::is_outside(pool));
            let ended = pool.map(|pool| self.finish_at(None, Some(&pool)));
            ended.unwrap_or(Err(())).or_else(|()| {
                seat::inside(&self.pool, |me| {
                    let _at = me.and_then(|me| me.enters(self.line));
                    self.finish_at(me, None)
                })
            })
        });
        hooks::awaited(&self.ends);
        panic.expect("inside, the owner goes on to the end")
    }

    /// Fails if the owner, which is outside, has to run the tasks itself from now on.
    fn finish_at(
        self: &Arc<Self>,
        me: Option<&Member>,
        outside: Option<&Shared>,
    ) -> Result<Option<Payload>, ()> {
        let scope = TaskScope::of(Arc::clone(self));
        let waiting = AwaitedScope {
            tasks: self,
            pool: me.map(Member::shared),
            outside,
        };
        loop {
            if outside.is_some() && waiting.runs() {
                return Err(());
            }
            let mut state = lock(&self.state);
            let mut task = None;
            if outside.is_none() {
                task = self.take(&mut state, false);
            }
            let task = task.or_else(|| self.take_owners(&mut state, me));
            let is_over =
                state.tasks.is_empty() && state.active.is_empty() && state.calls.is_empty();
            if task.is_none() && is_over {
                let (panic, is_queued) = (state.panic.take(), state.queued);
                drop(state);
                if let Some(me) = me.filter(|_| is_queued) {
                    me.queues.tasks.remove(Arc::as_ptr(self).cast());
                }
                return Ok(panic);
            }
            drop(state);
            if let Some(task) = task {
                let at = me.and_then(|me| me.runs(Some(task.line)));
                self.inside(|| self.run_task(task, &scope));
                drop(at);
                me.inspect(|me| me.counters.looks.add_one());
                continue;
            }
            let help = me.is_some() && !std::thread::panicking();
            let policy = outside.map_or(Policy::DEFAULT, |pool| pool.policy);
            let entry = Arc::as_ptr(self).addr();
            let _lent = outside.and_then(|pool| pool.lend_permit(entry));
            wait::here(me, &policy, &waiting, help);
        }
    }

    /// For the owner, which sits on `me` or is outside: takes a call that no other thread answers.
    fn take_owners(&self, state: &mut State, me: Option<&Member>) -> Option<ScopeTask> {
        let mut task = state.take_call(GUEST);
        if task.is_none() && me.is_some_and(|me| me.shared().ending.is_terminating()) {
            task = state.calls.pop_front().map(|(_, task)| task);
        }
        self.count(state);
        task
    }
}

/// The owner of a scope, which waits for the threads that work on it.
struct AwaitedScope<'b> {
    tasks: &'b ScopeTasks,
    pool: Option<&'b Shared>,
    /// The pool, if the owner hands its work over to it.
    outside: Option<&'b Shared>,
}

impl AwaitedScope<'_> {
    /// Whether the owner runs tasks itself.
    fn runs(&self) -> bool {
        self.outside.is_none_or(|pool| !pool.hands_over())
    }

    /// Whether there are calls that possibly no worker answers any more.
    fn calls_in_vain(&self) -> bool {
        self.pool.is_some_and(|pool| pool.ending.is_terminating())
            && !lock(&self.tasks.state).calls.is_empty()
    }
}

impl Awaited for AwaitedScope<'_> {
    type Outcome = ();

    const IS: WaitsFor = WaitsFor::Scope;

    fn lineage(&self) -> &Lineage {
        &self.tasks.lineage
    }

    fn taker(&self, nth: usize) -> Option<(NonNull<Member>, u32)> {
        let state = lock(&self.tasks.state);
        let &(member, level) = state.active.get(nth)?;
        Some((member.0, level))
    }

    fn unstarted(&self) -> Option<Unstarted> {
        let pool = self.outside.filter(|_| !self.runs())?;
        let has_tasks = self.tasks.task_count.load(Ordering::Relaxed) > 0;
        has_tasks.then(|| Unstarted::new(pool, ptr::from_ref(self.tasks).addr()))
    }

    fn outcome(&self) -> Option<()> {
        let has_tasks = self.tasks.task_count.load(Ordering::Relaxed) > 0;
        let over = !has_tasks && self.tasks.workers.load(Ordering::Acquire) == 0;
        let runs = || self.runs() || lock(&self.tasks.state).owners_calls() > 0;
        (over || (has_tasks && runs()) || self.calls_in_vain()).then_some(())
    }

    fn sleep(&self, parker: &Arc<Parker>, park: impl FnOnce()) {
        Shared::sleep_outside(self.outside, parker, || {
            lock(&self.tasks.state).owner = Some(Arc::clone(parker));
            // A thread that changes something after this look unparks us.
            if self.outcome().is_none() {
                park();
            }
        });
    }
}
