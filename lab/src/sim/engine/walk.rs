//! How a worker goes through a program: it begins nodes, piles up what is left to do, offers joins,
//! and comes back to what lies on top of its stack.

use super::super::dag::{Node, Parts};
use super::{At, Doing, Engine, Frame, Job, Offered, Scheduler};

impl Engine<'_> {
    /// Begins a node: as a whole, or up to its first poll if attention is raised.
    pub(super) fn begin(&mut self, worker: usize, node: Node) {
        if !self.workers[worker].raised {
            let time = self.dag.time(node, self.join);
            return self.piece(worker, At::Node(node, self.units), time);
        }
        self.step_into(worker, node);
    }

    fn step_into(&mut self, worker: usize, mut node: Node) {
        loop {
            match self.dag.parts(node) {
                Parts::Strand(units) => return self.piece(worker, At::Plain, units),
                Parts::Fork { before, .. } => {
                    return self.piece(worker, At::Before(node), before + self.join);
                }
                Parts::Series(first, then) => {
                    self.workers[worker].stack.push(Frame::Next(then));
                    node = first;
                }
            }
        }
    }

    /// Tells a worker's next poll to its scheduler.
    pub(crate) fn raise(&mut self, worker: usize) {
        if std::mem::replace(&mut self.workers[worker].raised, true) {
            return;
        }
        self.locate(worker);
    }

    /// Makes the frames exist that a worker has by now, if it is in the middle of a piece.
    pub(crate) fn locate(&mut self, worker: usize) {
        let w = &self.workers[worker];
        let At::Node(mut node, since) = w.at else {
            return;
        };
        if w.doing != Doing::Working {
            return;
        }
        let mut passed = self.units.saturating_sub(since);
        loop {
            match self.dag.parts(node) {
                Parts::Strand(units) => {
                    return self.piece(worker, At::Plain, units.saturating_sub(passed));
                }
                Parts::Series(first, then) => {
                    let time = self.dag.time(first, self.join);
                    if passed < time {
                        self.workers[worker].stack.push(Frame::Next(then));
                        node = first;
                    } else {
                        passed -= time;
                        node = then;
                    }
                }
                Parts::Fork {
                    before,
                    a,
                    b,
                    after,
                } => {
                    let lead = before + self.join;
                    if passed < lead {
                        return self.piece(worker, At::Before(node), lead - passed);
                    }
                    passed -= lead;
                    let (ta, tb) = (self.dag.time(a, self.join), self.dag.time(b, self.join));
                    if passed < ta {
                        self.push_fork(worker, b, after);
                        node = a;
                        continue;
                    }
                    passed -= ta;
                    if passed < tb {
                        self.push_after(worker, after);
                        node = b;
                        continue;
                    }
                    let left = (tb + after).saturating_sub(passed);
                    return self.piece(worker, At::Plain, left);
                }
            }
        }
    }

    fn push_fork(&mut self, worker: usize, b: Node, after: u64) {
        let w = &mut self.workers[worker];
        let job = None;
        w.stack.push(Frame::Fork { b, after, job });
        *w.joins.last_mut().expect("outside of all jobs") += 1;
    }

    fn push_after(&mut self, worker: usize, after: u64) {
        if after > 0 {
            self.workers[worker].stack.push(Frame::After(after));
        }
    }

    /// The worker goes on after its scheduler has held it up.
    pub(crate) fn resume<S: Scheduler>(&mut self, scheduler: &mut S, worker: usize) {
        self.proceed(scheduler, worker);
    }

    /// Begins the second half of a join in place.
    pub(crate) fn run_back<S: Scheduler>(
        &mut self,
        scheduler: &mut S,
        worker: usize,
        offered: Offered,
    ) {
        self.push_after(worker, offered.after);
        self.poll_then(scheduler, worker, offered.b);
    }

    /// What the worker was at has ended.
    pub(super) fn proceed<S: Scheduler>(&mut self, scheduler: &mut S, worker: usize) {
        match self.workers[worker].at {
            At::Enter(node) => self.begin(worker, node),
            At::Before(node) => {
                let Parts::Fork { a, b, after, .. } = self.dag.parts(node) else {
                    unreachable!("only joins have something before them");
                };
                self.push_fork(worker, b, after);
                self.poll_then(scheduler, worker, a);
            }
            At::Node(..) | At::Plain => self.unwind(scheduler, worker),
        }
    }

    fn poll_then<S: Scheduler>(&mut self, scheduler: &mut S, worker: usize, node: Node) {
        if self.workers[worker].raised {
            self.workers[worker].at = At::Enter(node);
            if scheduler.poll(self, worker) {
                return;
            }
        }
        self.begin(worker, node);
    }

    /// Goes on with what is on top of the stack.
    pub(crate) fn unwind<S: Scheduler>(&mut self, scheduler: &mut S, worker: usize) {
        self.workers[worker].at = At::Plain;
        let Some(frame) = self.workers[worker].stack.pop() else {
            self.ended = true;
            return;
        };
        let w = &mut self.workers[worker];
        w.given = w.given.min(w.stack.len());
        match frame {
            Frame::After(units) => self.piece(worker, At::Plain, units),
            Frame::Next(node) => self.begin(worker, node),
            Frame::Fork { b, after, job } => {
                let joins = w.joins.last_mut().expect("outside of all jobs");
                *joins -= 1;
                let outermost = *joins == 0;
                let Some(job) = job else {
                    self.push_after(worker, after);
                    return self.poll_then(scheduler, worker, b);
                };
                let offered = Offered {
                    job,
                    b,
                    after,
                    outermost,
                };
                scheduler.settle(self, worker, offered);
            }
            Frame::Run(job) => {
                w.joins.pop();
                w.runs.pop();
                self.jobs[job].done = true;
                scheduler.finished(self, worker, job);
            }
            Frame::Waiting { .. } => unreachable!("who waits has nothing above"),
        }
    }

    /// The worker waits for the job, above which others may come.
    pub(crate) fn wait(&mut self, worker: usize, job: usize, after: u64) {
        let stack = &mut self.workers[worker].stack;
        stack.push(Frame::Waiting { job, after });
    }

    /// Which job the worker waits for, if that is what it does.
    pub(crate) fn waits_for(&self, worker: usize) -> Option<usize> {
        match self.workers[worker].stack.last() {
            Some(&Frame::Waiting { job, .. }) => Some(job),
            _ => None,
        }
    }

    /// The job that the worker waited for is done.
    pub(crate) fn waited<S: Scheduler>(&mut self, scheduler: &mut S, worker: usize) {
        let Some(Frame::Waiting { after, .. }) = self.workers[worker].stack.pop() else {
            unreachable!("the worker waits");
        };
        self.push_after(worker, after);
        self.unwind(scheduler, worker);
    }

    /// Begins a job that the worker has taken.
    pub(crate) fn run_job(&mut self, worker: usize, job: usize) {
        let level = self.workers[worker].runs.len() as u32 + 1;
        self.jobs[job].taker = Some((worker, level));
        let w = &mut self.workers[worker];
        w.stack.push(Frame::Run(job));
        w.joins.push(0);
        let place = w.stack.len() - 1;
        w.runs.push((job, place));
        self.begin(worker, self.jobs[job].node);
    }

    /// Makes the oldest join of a worker that has not been offered a job; the newest if so wanted.
    pub(crate) fn promote(&mut self, worker: usize, newest: bool) -> Option<usize> {
        let is_free = |frame: &Frame| matches!(frame, Frame::Fork { job: None, .. });
        let w = &mut self.workers[worker];
        let fresh = &w.stack[w.given..];
        let place = if newest {
            fresh.iter().rposition(is_free)
        } else {
            fresh.iter().position(is_free)
        };
        let Some(place) = place.map(|place| w.given + place) else {
            w.given = w.stack.len();
            return None;
        };
        if !newest {
            w.given = place + 1;
        }
        let level = w.runs.partition_point(|&(_, begins)| begins < place);
        let parent = level.checked_sub(1).map(|at| w.runs[at].0);
        let number = self.jobs.len();
        let Frame::Fork { b, job, .. } = &mut w.stack[place] else {
            unreachable!("just found");
        };
        *job = Some(number);
        self.jobs.push(Job {
            owner: worker,
            node: *b,
            parent,
            level: level as u32,
            taker: None,
            done: false,
        });
        self.counts.promotions += 1;
        Some(number)
    }

    /// Whether one job lies in another.
    pub(crate) fn descends(&self, job: usize, from: usize) -> bool {
        let mut at = self.jobs[job].parent;
        while let Some(number) = at {
            if number == from {
                return true;
            }
            let above = &self.jobs[number];
            at = above.parent;
        }
        false
    }
}
