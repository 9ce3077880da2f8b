//! Tasks of a program that is profiled: each has a recorder of its own, which begins where the task was spawned.

use super::{
    dag::Piece,
    recorder::{Path, Recording, Session, between},
};
use std::sync::{Arc, Mutex, PoisonError};

/// The ends of tasks that are waited for together.
#[derive(Debug, Default)]
pub(crate) struct Ends(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Of which profile they are; those of others are not its concern.
    session: Option<Arc<Session>>,
    latest: Path,
    pieces: Vec<Piece>,
}

impl Ends {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a task that was spawned has to know to be measured where it runs: nothing if whoever spawned it does not profile.
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
        {
            let mut state = self.ends.state();
            let same = state.session.as_ref();
            if same.is_none_or(|same| !Arc::ptr_eq(same, &self.session)) {
                *state = State {
                    session: Some(Arc::clone(&self.session)),
                    ..State::default()
                };
            }
            state.latest = state.latest.later(end);
            state.pieces.extend(piece);
        }
        drop(outer);
    }
}

/// The calling thread has waited for those tasks.
pub(crate) fn joined(ends: &Ends) {
    between(|recorder| {
        let mut state = ends.state();
        let same = state.session.as_ref();
        if !same.is_some_and(|same| Arc::ptr_eq(same, &recorder.session)) {
            return;
        }
        recorder.path = recorder.path.later(state.latest);
        let pieces = std::mem::take(&mut state.pieces);
        if let Some(dag) = &mut recorder.dag {
            dag.tasks(pieces);
        }
    });
}
