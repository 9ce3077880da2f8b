//! How a worker runs tasks.

use super::Worker;
use crate::{
    hooks,
    join::{run::Outside, thread},
    pool::{find, queue::Queued},
    protocol::times::Phase,
};
use std::sync::Arc;

impl Worker<'_> {
    /// Takes the next task, unless tasks have been tiny and are left to their waiters for a while.
    pub(super) fn find_task(&self) -> Option<Arc<dyn Queued>> {
        if self.task_rest > 0 && !self.takes_tasks(self.shared.now()) {
            return None;
        }
        find::next(self.me)
    }

    pub(super) fn takes_tasks(&self, now: u64) -> bool {
        now >= self.tasks_from || self.may_leave()
    }

    /// Runs a task, and more tasks for a while if it was short.
    pub(super) fn run_tasks(&mut self, task: Arc<dyn Queued>) {
        self.become_busy();
        self.me.cpu.note();
        // Tasks may take long, or block, so others do not wait for this one.
        let hands_on = !self.short_tasks || self.shared.members.have_tasks();
        self.settle_role(hands_on, Some(task), &mut |worker, mut next, relies| {
            let start = worker.shared.now();
            worker.me.enter(Phase::Working, start);
            let worked = worker.me.times.worked(start);
            while let Some(task) = next {
                if worker.shared.idle.count() > 0 {
                    worker.me.demand.leave(worker.shared.demand());
                    thread::raise_attention();
                }
                worker.me.note(hooks::Event::Task);
                let may_be_late = task.may_be_late();
                task.run(worker.thread, worker.me, Outside::Promoted);
                let now = worker.shared.now();
                let took = now.saturating_sub(start);
                worker.short_tasks = took < worker.shared.policy.short;
                let works = worker.me.times.worked(now);
                worker.rest(took, works.saturating_sub(worked));
                let rest = if may_be_late { worker.task_rest } else { 0 };
                worker.tasks_from = now.saturating_add(rest);
                // The caller that we rely on polls for the end of one task only.
                let goes_on = worker.short_tasks && !relies && worker.keeps_permit();
                let goes_on = goes_on && worker.me.queues.inbox.is_empty();
                next = if goes_on { find::next(worker.me) } else { None };
                if next.is_none() {
                    worker.me.enter(Phase::Searching, now);
                }
            }
            // Not as long as after jobs: we may be the only thread that runs tasks. After a pause the
            // next task is far off, too, and naps until then cost more than its wake-up.
            let policy = &worker.shared.policy;
            worker.nap = match worker.task_rest {
                0 => {
                    worker.cut_after = policy.short;
                    0
                }
                _ if policy.is_pause(worker.last_idle) => 0,
                rest => policy.leader_nap(0).max(rest),
            };
        });
    }

    /// Decides how long to leave tasks alone, from tasks that took so long together, of which this
    /// thread worked and did not wait for so long. If callers wait, other workers alone run their
    /// tasks; then it leaves only tasks alone that wait for each other, to a worker that is busy.
    pub(super) fn rest(&mut self, took: u64, worked: u64) {
        let rest = self.shared.policy.task_rest(self.task_rest, worked);
        let (first, end) = self.shared.threads.running_workers();
        let others_work = || self.shared.idle.count() + 1 < end - first;
        let waits = || worked < took / 2;
        let may_rest = !self.shared.hands_over() || (waits() && others_work());
        self.task_rest = if may_rest { rest } else { 0 };
    }
}
