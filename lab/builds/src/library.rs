//! The two ends of the shared library: the function that it exports, and the one that loads it.
//!
//! **What is loaded** is the library beside the program, made by the same call of cargo from this
//! same file: its `sumac_builds_measure` is the one below. Both sides have one type for it,
//! `Measure`. A person who can put another library there can replace the program as well.

#![allow(unsafe_code)]

use std::env;
use std::error::Error;
use std::mem;

use libloading::Library;

use crate::sums::{self, Measure, Work};

/// `measure` for programs that load the library.
// SAFETY: no other symbol in this package or its dependencies has the name, which bears the
// package's.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn sumac_builds_measure(work: Work) -> u64 {
    sums::measure(work)
}

/// The shared library's `measure`. It stays loaded to the end of the process.
///
/// # Errors
///
/// There is no library beside the program, or it cannot be loaded.
pub fn load() -> Result<Measure, Box<dyn Error + Send + Sync>> {
    let path = env::current_exe()?.with_file_name(libloading::library_filename("sumac_builds"));
    // SAFETY: by "what is loaded" what runs on loading are the initialisers of a Rust library,
    // which has no conditions.
    let library = unsafe { Library::new(path) }?;
    // SAFETY: by "what is loaded" the symbol is the function above, which is a `Measure`.
    let symbol = unsafe { library.get::<Measure>(b"sumac_builds_measure\0") }?;
    let measure = *symbol;
    // Pools' threads and thread-locals may run the library's code at any time from now on, and so
    // may our caller.
    mem::forget(library);
    Ok(measure)
}
