//! Which scheduler runs, for those who ask.

use std::{
    env,
    io::{self, Write},
};

/// Says on standard error that there is a pool, if the environment asks for it.
pub(crate) fn pool(threads: usize) {
    if env::var_os("SUMAC_ANNOUNCE").is_none() {
        return;
    }
    let line = format!(
        "sumac {} runs rayon: a pool with {threads} threads\n",
        sumac_core::VERSION
    );
    // A program whose standard error is closed does not care.
    let _ = io::stderr().write_all(line.as_bytes());
}
