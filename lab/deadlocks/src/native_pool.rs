//! To keep the parallel parts of native functions off the pool that executes transactions, each
//! got a pool of its own to install them in. A thread that waits for `install` still takes tasks
//! of the pool that it belongs to: here one that wants the state that the waiting one has locked.
//!
//! <https://github.com/aptos-labs/aptos-core/pull/19615>

use std::sync::{LazyLock, Mutex};

use rayon::{Scope, ThreadPool};

use crate::{Case, Owner};

pub(crate) const CASE: Case = Case {
    name: "native-pool",
    source: "aptos-labs/aptos-core#19615",
    waits: "task: mutex held by the task below, during `install`",
    rounds: 100,
    round,
};

static POOL: LazyLock<ThreadPool> = LazyLock::new(|| {
    let builder = rayon::ThreadPoolBuilder::new();
    builder.num_threads(1).build().expect("a pool")
});

fn round() {
    let state = Mutex::new(0);
    rayon::scope(|scope| transaction(scope, &state, 8));
    assert_eq!(state.into_inner().expect("no panics"), 9);
}

/// Changes the state, after others have been started that will.
fn transaction<'s>(scope: &Scope<'s>, state: &'s Mutex<u32>, others: u32) {
    let mut state_now = state.lock().expect("no panics");
    (0..others).for_each(|_| scope.spawn(|scope| transaction(scope, state, 0)));
    let owner = Owner::here();
    POOL.install(|| owner.part());
    *state_now += 1;
}
