//! Tasks of a profiled program: each has a recorder of its own, which starts where the task was
//! spawned.

use super::recorder::{Path, Recording, Session, between};
use std::sync::{Arc, Mutex, PoisonError};
use sumac_core::hooks::{Begin, TaskEnds};

/// The ends of tasks that are waited for together, by profile, since several profiling threads may
/// spawn in one scope.
#[derive(Debug, Default)]
struct All(Mutex<Vec<EndsOf>>);

#[derive(Debug)]
struct EndsOf {
    session: Arc<Session>,
    latest: Path,
}

impl All {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<EndsOf>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, session: &Arc<Session>, end: Path) {
        let mut all = self.lock();
        // Ends of profiles that have ended are no longer needed.
        all.retain(|ends| Arc::strong_count(&ends.session) > 1);
        match all.iter_mut().find(|e| Arc::ptr_eq(&e.session, session)) {
            Some(ends) => ends.latest = ends.latest.later(end),
            None => all.push(EndsOf {
                session: Arc::clone(session),
                latest: end,
            }),
        }
    }

    fn take(&self, session: &Arc<Session>) -> Option<Path> {
        let mut all = self.lock();
        let at = all.iter().position(|e| Arc::ptr_eq(&e.session, session))?;
        Some(all.swap_remove(at).latest)
    }
}

/// Returns what a task spawned by the calling thread does at its start, if the thread profiles.
pub(super) fn spawned(ends: &Arc<TaskEnds>) -> Option<Begin> {
    let (session, start) = between(|recorder| {
        let session = Arc::clone(&recorder.session);
        session.totals().tasks += 1;
        let start = recorder.path.burdened_by(session.burden);
        (session, start)
    })?;
    let ends = Arc::clone(ends);
    Some(Box::new(move || {
        Box::new(Measured {
            recording: Some(Recording::begin(Arc::clone(&session), start)),
            session,
            ends,
        })
    }))
}

/// A task that is being measured, also if it unwinds.
struct Measured {
    recording: Option<Recording>,
    session: Arc<Session>,
    ends: Arc<TaskEnds>,
}

impl Drop for Measured {
    fn drop(&mut self) {
        let Some((end, outer)) = self.recording.take().and_then(Recording::end) else {
            return;
        };
        self.session.totals().ended += 1;
        if let Some(all) = self.ends.get::<All>() {
            all.add(&self.session, end);
        }
        drop(outer);
    }
}

/// Records that the calling thread has waited for tasks.
pub(super) fn joined(ends: &TaskEnds) {
    let Some(all) = ends.get::<All>() else {
        return;
    };
    between(|recorder| {
        if let Some(latest) = all.take(&recorder.session) {
            recorder.path = recorder.path.later(latest);
        }
    });
}
