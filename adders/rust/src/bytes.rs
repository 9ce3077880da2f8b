//! Memory for bytes that are to be read fast: in huge pages where the system has them for those who
//! ask (Linux, `madvise`).
//!
//! It is not only that reading them misses fewer addresses. An MPI that copies from one rank's
//! memory into another's in one go has the kernel look up page after page, and looking up 4 KiB
//! takes longer than copying them: messages are two to three times as fast from huge pages.

use crate::Failure;
#[cfg(target_os = "linux")]
use memmap2::Advice;
use memmap2::MmapMut;
use std::{
    io,
    ops::{Deref, DerefMut},
};

/// A number of bytes, zeros at first.
///
/// # Examples
/// ```
/// let mut bytes = sumac_adders::Bytes::new(3)?;
/// bytes[2] = 7;
/// assert_eq!(*bytes, [0, 0, 7]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Bytes(Option<MmapMut>);

impl Bytes {
    /// So many.
    ///
    /// # Errors
    /// There is no such memory.
    pub fn new(len: usize) -> io::Result<Self> {
        if len == 0 {
            return Ok(Self(None));
        }
        let memory = MmapMut::map_anon(len)?;
        // A system that has no huge pages says so, and gives the others.
        #[cfg(target_os = "linux")]
        drop(memory.advise(Advice::HugePage));
        Ok(Self(Some(memory)))
    }

    /// Makes them at least so many: new ones, if they are fewer.
    ///
    /// # Errors
    /// There is no such memory.
    pub fn provide(&mut self, len: usize) -> Result<(), Failure> {
        if self.len() < len {
            *self = Self::new(len).map_err(|error| Failure(error.to_string()))?;
        }
        Ok(())
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl DerefMut for Bytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        self.0.as_deref_mut().unwrap_or_default()
    }
}
