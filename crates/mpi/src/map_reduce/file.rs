//! A file of which each rank reads its own part in chunks, and maps one chunk while it reads the
//! next.

use super::{Total, elements};
use crate::{Communicator, Error, Partition, Value, error::ErrorKind};
use bytemuck::Pod;
use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    mem,
    ops::Range,
    path::Path,
};

/// Chunks of files are longer than those of messages: reading has no latency to hide behind the
/// first.
const CHUNKS_OF_MESSAGES: usize = 4;

impl Communicator<'_> {
    /// Reads this rank's part of a file, as [`scatter`](Self::scatter) would distribute its
    /// elements. Collective.
    ///
    /// `len` is the required number of elements; `None` accepts any number.
    ///
    /// # Examples
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let file = tempfile::NamedTempFile::new()?;
    /// std::fs::write(&file, [1, 2, 3, 4])?;
    /// let parts =
    ///     sumac_mpi::World::threads(3).run(|comm| comm.read_part::<u8>(file.path(), None))?;
    /// assert_eq!(parts, [vec![1, 2], vec![3], vec![4]]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// If elements have no size.
    ///
    /// # Errors
    /// On all ranks, if at any of them the file is missing, is no regular file, cannot be read, or
    /// has another length; and those of [`barrier`](Self::barrier).
    pub fn read_part<T: Pod>(&self, path: &Path, len: Option<u64>) -> Result<Vec<T>, Error> {
        let (mut file, own) = self.open::<T>(path, len)?;
        let mut part = vec![T::zeroed(); own.len()];
        let read = read_at(&mut file, path, own.start, &mut part);
        self.agree(read)?;
        Ok(part)
    }

    /// Maps blocks of a file, of which each rank reads its own part, and combines the results at
    /// rank 0; the others get `None`. Collective.
    ///
    /// `len` is the required number of elements of the file; `None` accepts any number. The other
    /// arguments are those of [`map_reduce`](Self::map_reduce).
    ///
    /// # Examples
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let file = tempfile::NamedTempFile::new()?;
    /// std::fs::write(&file, [7; 1000])?;
    /// let sums = sumac_mpi::World::threads(3).run(|comm| {
    ///     let sum = |part: &[u8]| part.iter().map(|x| u64::from(*x)).sum();
    ///     comm.map_reduce_file(file.path(), Some(1000), 0, sum, |a: u64, b| a + b)
    /// })?;
    /// assert_eq!(sums[0], Some(7000));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Cost
    /// Each rank reads its part once, and has two chunks of it in memory, each of four times
    /// [`World::chunk`](crate::World::chunk) bytes.
    ///
    /// # Panics
    /// If `map` or `op` panics, or if elements have no size.
    ///
    /// # Errors
    /// As [`read_part`](Self::read_part) and [`reduce`](Self::reduce).
    pub fn map_reduce_file<T, R, M, O>(
        &self,
        path: &Path,
        len: Option<u64>,
        identity: R,
        map: M,
        op: O,
    ) -> Result<Option<R>, Error>
    where
        T: Pod + Send + Sync,
        R: Value + Send,
        M: Fn(&[T]) -> R + Sync,
        O: Fn(R, R) -> R + Sync,
    {
        let (mut file, own) = self.open::<T>(path, len)?;
        let block = elements::<T>(self.settings.block);
        let mut total = Total::new(self.pool(), block, identity, &map, &op);
        let chunk = elements::<T>(self.settings.chunk.saturating_mul(CHUNKS_OF_MESSAGES));
        let chunk = chunk.min(own.len());
        let (mut here, mut next) = (vec![T::zeroed(); chunk], vec![T::zeroed(); chunk]);
        let (mut filled, mut position, mut read) = (0, own.start, Ok(()));
        while read.is_ok() && (filled > 0 || position < own.end) {
            let coming = chunk.min(own.end - position);
            let (_, result) = self.pool().join(
                || total.add(&here[..filled]),
                || read_at(&mut file, path, position, &mut next[..coming]),
            );
            read = result;
            mem::swap(&mut here, &mut next);
            (filled, position) = (coming, position + coming);
        }
        self.agree(read)?;
        match total.finish() {
            Some(value) => self.reduce(0, value, op),
            None => Ok(None),
        }
    }

    /// Opens the file on all ranks, checks its length, and returns the range of this rank's
    /// elements.
    fn open<T: Pod>(&self, path: &Path, len: Option<u64>) -> Result<(File, Range<usize>), Error> {
        let size = size_of::<T>() as u64;
        assert!(size > 0, "elements must have a size above zero");
        let opened = regular(path).and_then(|file| {
            let bytes = file.metadata()?.len();
            Ok((file, bytes))
        });
        let opened = opened.map_err(|error| failed(path, &error));
        let opened = opened.and_then(|(file, bytes)| match len.map(|len| len.checked_mul(size)) {
            None if bytes % size == 0 => Ok((file, bytes / size)),
            None => Err(wrong_length(path, bytes, &format!("multiples of {size}"))),
            Some(expected) if expected == Some(bytes) => Ok((file, bytes / size)),
            Some(Some(expected)) => Err(wrong_length(path, bytes, &expected.to_string())),
            Some(None) => Err(wrong_length(path, bytes, "more than 2^64")),
        });
        let (file, len) = self.agree(opened)?;
        // Hosts may have different files of that name.
        self.same(&format!("{} of the length", path.display()), len)?;
        let own = self.indices(Partition::new(len, self.size()).range(self.rank()));
        Ok((file, self.agree(own)?))
    }
}

/// Opens a regular file, and no other: opening a pipe would wait for a program that writes to it.
fn regular(path: &Path) -> io::Result<File> {
    match path.metadata()?.is_file() {
        true => File::open(path),
        false => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        )),
    }
}

/// Reads elements from the given one on.
fn read_at<T: Pod>(file: &mut File, path: &Path, from: usize, into: &mut [T]) -> Result<(), Error> {
    let offset = from as u64 * size_of::<T>() as u64;
    let sought = file.seek(SeekFrom::Start(offset));
    let read = sought.and_then(|_| file.read_exact(bytemuck::cast_slice_mut(into)));
    read.map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            let end = offset + size_of_val(into) as u64;
            let message = format!("{}: became shorter than {end} bytes", path.display());
            Error::new(ErrorKind::File, message)
        }
        _ => failed(path, &error),
    })
}

fn failed(path: &Path, error: &io::Error) -> Error {
    Error::new(ErrorKind::File, format_args!("{}: {error}", path.display()))
}

fn wrong_length(path: &Path, bytes: u64, expected: &str) -> Error {
    let message = format!("{}: has {bytes} bytes, expected {expected}", path.display());
    Error::new(ErrorKind::File, message)
}
