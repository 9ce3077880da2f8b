//! What `worker.js` calls, and what it gives to each instance.

#![allow(unsafe_code)] // exported names, and what scripts say of memory

use std::{
    alloc::{Layout, alloc_zeroed},
    ffi::c_void,
    panic, slice, str,
    sync::Mutex,
    thread::{self, ThreadId},
    time::Duration,
};
use sumac::{ThreadBuilder, ThreadPoolBuilder, prelude::*};

#[link(wasm_import_module = "env")]
unsafe extern "C" {
    /// Milliseconds since some moment, the same one for all threads.
    safe fn milliseconds() -> f64;

    /// Has a worker call [`run`] with this.
    safe fn start(thread: *mut c_void);

    /// Throws the message of a panic, which so becomes that of the worker's `error` event.
    safe fn fail(message: *const u8, length: usize) -> !;
}

/// Builds the global pool, with so many threads beside the calling one. False if it could not.
#[unsafe(no_mangle)]
pub extern "C" fn build(threads: usize) -> bool {
    sumac::set_clock(|| Duration::from_secs_f64(milliseconds() / 1e3));
    panic::set_hook(Box::new(|panic| {
        let message = panic.to_string();
        fail(message.as_ptr(), message.len());
    }));
    let pool = ThreadPoolBuilder::new().num_threads(threads + 1);
    let pool = pool.spawn_handler(|thread| {
        start(Box::into_raw(Box::new(thread)).cast());
        Ok(())
    });
    pool.build_global().is_ok()
}

/// Is a thread of the pool, until that ends.
///
/// # Safety
/// `thread` was given to [`start`], and comes here once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn run(thread: *mut c_void) {
    // SAFETY: boxed by `build`, and ours (contract). What users' code of the thread does comes later.
    let thread = unsafe { Box::from_raw(thread.cast::<ThreadBuilder>()) };
    thread.run();
}

/// Memory for good: for a thread's stack and thread-locals, or for a text.
///
/// # Safety
/// `align` is a power of two, and `size` is neither 0 nor more than half of the memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn allocate(size: usize, align: usize) -> *mut u8 {
    // SAFETY: the caller's. No users' code runs here.
    let layout = unsafe { Layout::from_size_align_unchecked(size, align) };
    // SAFETY: not of size 0 (contract).
    unsafe { alloc_zeroed(layout) }
}

/// How often `x` occurs in the expression at `text`, see `walk::count`; -1 if it is none.
///
/// # Safety
/// There are `length` bytes at `text` that do not change.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn count(text: *const u8, length: usize) -> isize {
    // SAFETY: the caller's. Users' code, which reads them only, may run on several threads.
    let text = unsafe { slice::from_raw_parts(text, length) };
    let counted = str::from_utf8(text)
        .ok()
        .and_then(|text| walk::count(text, "x").ok());
    counted.map_or(-1, |n| n as isize)
}

/// On how many threads a loop ran, which goes on until those are `wanted`, or for so many
/// milliseconds.
#[unsafe(no_mangle)]
pub extern "C" fn threads(wanted: usize, limit: f64) -> usize {
    let seen = Mutex::new(Vec::<ThreadId>::new());
    let number = || seen.lock().map_or(0, |seen| seen.len());
    let end = milliseconds() + limit;
    while number() < wanted && milliseconds() < end {
        let sum: u64 = (0..100_000_u64)
            .into_par_iter()
            .inspect(|_| note(&seen))
            .sum();
        assert_eq!(sum, 4_999_950_000);
    }
    number()
}

fn note(seen: &Mutex<Vec<ThreadId>>) {
    let me = thread::current().id();
    if let Ok(mut seen) = seen.lock() {
        if !seen.contains(&me) {
            seen.push(me);
        }
    }
}
