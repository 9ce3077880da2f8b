//! Random bytes from a seed, in a file, and their sum: what all adders read, and what they must
//! find. A file is made anew if it is not there, and never trusted: its sum is taken from it each
//! time.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use rand::Rng;

use crate::experiment::Failure;
use crate::interrupt::Temporary;
use crate::program::random::Random;

/// Bytes that are made at a time.
const BLOCK: u64 = 1 << 20;

/// A file of bytes, removed when it is no longer needed.
#[derive(Debug)]
pub(crate) struct Input {
    file: Temporary,
    pub(crate) size: u64,
    /// The sum of its bytes, one by one.
    pub(crate) sum: u64,
}

impl Input {
    /// Makes one in a folder, where there must be room for it.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub(crate) fn new(folder: &Path, size: u64, seed: u64) -> Result<Input, Failure> {
        let name = format!("adders-{}-{size}-{seed}.bytes", std::process::id());
        let path = folder.join(name);
        let cannot = |error| Failure::Other(format!("cannot write {}: {error}", path.display()));
        let (file, open) = Temporary::create(path.clone()).map_err(cannot)?;
        let sum = write(open, size, seed).map_err(cannot)?;
        Ok(Input { file, size, sum })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }
}

fn write(file: File, size: u64, seed: u64) -> io::Result<u64> {
    let mut file = BufWriter::new(file);
    let mut random = Random::at(seed.wrapping_mul(1 << 40) ^ size);
    let (mut left, mut sum) = (size, 0);
    while left > 0 {
        let mut block = vec![0; left.min(BLOCK) as usize];
        random.fill_bytes(&mut block);
        sum += block.iter().map(|&byte| u64::from(byte)).sum::<u64>();
        file.write_all(&block)?;
        left -= block.len() as u64;
    }
    file.flush()?;
    Ok(sum)
}
