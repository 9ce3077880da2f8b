//! Tasks of a program that is profiled: each has a recorder of its own, which begins where the task
//! was spawned.

use super::{
    dag::Piece,
    recorder::{Path, Recording, Session, between},
};
use std::sync::{Arc, Mutex, PoisonError};

/// The ends of tasks that are waited for together, by profile: several threads that profile may
/// spawn in one scope.
#[derive(Debug, Default)]
pub(crate) struct Ends(Mutex<Vec<EndsOf>>);

#[derive(Debug)]
struct EndsOf {
    session: Arc<Session>,
    latest: Path,
    pieces: Vec<Piece>,
}

impl Ends {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<EndsOf>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, session: &Arc<Session>, end: Path, piece: Option<Piece>) {
        let mut all = self.lock();
        // Nobody asks for those of a profile that has ended.
        all.retain(|ends| Arc::strong_count(&ends.session) > 1);
        match all.iter_mut().find(|e| Arc::ptr_eq(&e.session, session)) {
            Some(ends) => {
                ends.latest = ends.latest.later(end);
                ends.pieces.extend(piece);
            }
            None => all.push(EndsOf {
                session: Arc::clone(session),
                latest: end,
                pieces: piece.into_iter().collect(),
            }),
        }
    }

    fn take(&self, session: &Arc<Session>) -> Option<EndsOf> {
        let mut all = self.lock();
        let at = all.iter().position(|e| Arc::ptr_eq(&e.session, session))?;
        Some(all.swap_remove(at))
    }
}

/// What a task that was spawned has to know to be measured where it runs: nothing if whoever
/// spawned it does not profile.
pub(crate) struct Spawned(Option<(Arc<Session>, Path, Arc<Ends>)>);

impl Spawned {
    /// The calling thread spawns a task.
    pub(crate) fn new(ends: &Arc<Ends>) -> Self {
        Spawned(between(|recorder| {
            let session = Arc::clone(&recorder.session);
            session.totals().tasks += 1;
            let start = recorder.path.burdened_by(session.burden);
            (session, start, Arc::clone(ends))
        }))
    }

    /// Runs the task.
    pub(crate) fn run<R>(self, f: impl FnOnce() -> R) -> R {
        let _measured = self.0.map(|(session, start, ends)| Measured {
            recording: Some(Recording::begin(Arc::clone(&session), start)),
            session,
            ends,
        });
        f()
    }
}

/// A task that is being measured, also if it unwinds.
struct Measured {
    recording: Option<Recording>,
    session: Arc<Session>,
    ends: Arc<Ends>,
}

impl Drop for Measured {
    fn drop(&mut self) {
        let Some((end, piece, outer)) = self.recording.take().and_then(Recording::end) else {
            return;
        };
        self.session.totals().ended += 1;
        self.ends.add(&self.session, end, piece);
        drop(outer);
    }
}

/// The calling thread has waited for those tasks.
pub(crate) fn joined(ends: &Ends) {
    between(|recorder| {
        let Some(EndsOf { latest, pieces, .. }) = ends.take(&recorder.session) else {
            return;
        };
        recorder.path = recorder.path.later(latest);
        if let Some(dag) = &mut recorder.dag {
            dag.tasks(pieces);
        }
    });
}
