//! A result file that is written: only ever appended to, each line with its newline in one write,
//! so that after an interruption at most the last line is half there. That one is cut off before
//! going on.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::file::{Locked, locked};
use crate::interrupt;
use crate::results::{self, Line};

/// An open result file.
#[derive(Debug)]
pub(crate) struct Log {
    path: PathBuf,
    file: Locked,
}

impl Log {
    /// Opens a file to go on with, made if need be; answers what it held, and a warning if its end
    /// was cut off.
    ///
    /// # Errors
    ///
    /// The file cannot be read or written, or a line before the last one is damaged: then it is
    /// left as it is.
    pub(crate) fn open(path: &Path) -> Result<(Log, Vec<Line>, Option<String>), String> {
        let cannot = |error| format!("cannot write {}: {error}", path.display());
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(cannot)?;
        }
        let mut options = OpenOptions::new();
        let file = options
            .append(true)
            .create(true)
            .open(path)
            .map_err(cannot)?;
        let file = locked(file).map_err(cannot)?;
        let contents = results::read(path)?;
        if contents.warning.is_some() {
            file.set_len(contents.whole).map_err(cannot)?;
        }
        let path = path.to_path_buf();
        Ok((Log { path, file }, contents.lines, contents.warning))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a line.
    pub(crate) fn append(&mut self, line: &Line) -> Result<(), String> {
        let cannot = |why: String| format!("cannot write {}: {why}", self.path.display());
        let mut text = serde_json::to_vec(line).map_err(|error| cannot(error.to_string()))?;
        text.push(b'\n');
        let write = || self.file.write_all(&text).and_then(|()| self.file.flush());
        interrupt::undisturbed(write).map_err(|error| cannot(error.to_string()))
    }
}
