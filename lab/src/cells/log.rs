//! A result file that is written: only ever appended to, each line with its newline in one write,
//! so that after an interruption at most the last line is half there. That one is cut off before
//! going on.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
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

/// What becomes of results that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    /// They are gone on with.
    GoneOn,
    /// They are put aside.
    Aside,
    /// They are removed: a quick run before made them, for nothing but to see that it works.
    Removed,
}

impl Before {
    /// As the arguments of a command say.
    pub(crate) fn of(is_made_anew: bool, restart: bool) -> Before {
        match (is_made_anew, restart) {
            (true, _) => Before::Removed,
            (_, true) => Before::Aside,
            _ => Before::GoneOn,
        }
    }

    fn carried_out(self, path: &Path) -> io::Result<()> {
        match self {
            Before::Aside if path.exists() => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let numbered = (1..).map(|n| path.with_file_name(format!("{name}.old{n}")));
                let free = numbered.into_iter().find(|aside| !aside.exists());
                let aside = free.expect("there are numbers enough");
                eprintln!("lab: {} is now {}", path.display(), aside.display());
                fs::rename(path, aside)
            }
            Before::Removed if path.exists() => fs::remove_file(path),
            _ => Ok(()),
        }
    }
}

impl Log {
    /// Opens a file, made if need be; answers what it held. If its end was cut off, that is said.
    ///
    /// # Errors
    ///
    /// The file cannot be read or written, or a line before the last one is damaged: then it is
    /// left as it is.
    pub(crate) fn open(path: &Path, before: Before) -> Result<(Log, Vec<Line>), String> {
        let cannot = |error| format!("cannot write {}: {error}", path.display());
        before.carried_out(path).map_err(cannot)?;
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
        if let Some(warning) = &contents.warning {
            eprintln!("lab: {warning}");
            file.set_len(contents.whole).map_err(cannot)?;
        }
        let path = path.to_path_buf();
        Ok((Log { path, file }, contents.lines))
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
