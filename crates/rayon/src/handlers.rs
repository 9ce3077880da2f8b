//! The user's handlers, and what becomes of panics that nothing waits for.

use std::{
    any::Any,
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    process,
    sync::Arc,
};

pub(crate) type PanicHandler = Arc<dyn Fn(Box<dyn Any + Send>) + Send + Sync>;
pub(crate) type IndexHandler = Box<dyn Fn(usize) + Send + Sync>;

/// Ends the program when it is dropped, which a panic does.
struct AbortOnDrop(&'static str);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        eprintln!("rayon-core: {}; aborting", self.0);
        process::abort();
    }
}

/// A panic handler whose own panics end the program, as rayon has it.
pub(crate) fn last_resort(handler: PanicHandler) -> impl Fn(Box<dyn Any + Send>) + Send + Sync {
    move |payload| {
        let abort = AbortOnDrop("a panic handler panicked");
        handler(payload);
        mem::forget(abort);
    }
}

/// A start or exit handler whose panics go to the panic handler and, where there is none, end the
/// program.
pub(crate) fn guarded(
    handler: IndexHandler,
    panic: Option<PanicHandler>,
) -> impl Fn(usize) + Send + Sync {
    let panic = panic.map(last_resort);
    move |index| {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| handler(index))) {
            match &panic {
                Some(panic) => panic(payload),
                None => drop(AbortOnDrop("a start or exit handler panicked")),
            }
        }
    }
}
