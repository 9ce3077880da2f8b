//! Files that are written as a whole: to a new file in the same folder, which takes the old one's
//! place when all of it is on the disk. So a full disk, a crash or Ctrl-C leaves the old file as it
//! was. Results that grow line by line are `cells/log.rs`'s.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use crate::interrupt;

/// Writes a file, and makes its folder.
///
/// # Errors
///
/// It cannot be written: then what was there still is.
pub(crate) fn save(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let replaced = interrupt::undisturbed(|| replace(path, bytes));
    replaced.map_err(|error| format!("cannot write {}: {error}", path.display()))
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Where a link leads.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder)?;
    let mut new = tempfile::Builder::new();
    #[cfg(unix)]
    new.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = new.tempfile_in(folder)?;
    file.write_all(bytes)?;
    if let Ok(old) = fs::metadata(&target) {
        file.as_file().set_permissions(old.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(&target)?;
    Ok(())
}

/// The files of a folder whose names end so, in order; none if there is no such folder.
pub(crate) fn ending(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let own = paths.filter(|path| path.extension().is_some_and(|end| end == ending));
    let mut files: Vec<PathBuf> = own.collect();
    files.sort();
    files
}

/// The text of a file.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// What a TOML file holds.
pub(crate) fn read_toml<T: DeserializeOwned>(path: &Path) -> Result<T, String> {
    let wrong =
        |why: toml::de::Error| format!("{}: {}", path.display(), why.to_string().trim_end());
    toml::from_str(&read(path)?).map_err(wrong)
}

/// A file or folder that no other run of the lab writes to.
#[cfg(target_os = "linux")]
pub(crate) type Locked = nix::fcntl::Flock<File>;

/// Locks it for as long as it is open.
#[cfg(target_os = "linux")]
pub(crate) fn locked(file: File) -> io::Result<Locked> {
    use nix::fcntl::{Flock, FlockArg};

    let lock = Flock::lock(file, FlockArg::LockExclusiveNonblock);
    lock.map_err(|(_, error)| match error {
        nix::Error::EAGAIN => io::Error::other("another run is writing to it"),
        error => error.into(),
    })
}

#[cfg(not(target_os = "linux"))]
pub(crate) type Locked = File;

#[cfg(not(target_os = "linux"))]
pub(crate) fn locked(file: File) -> io::Result<Locked> {
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_or_not_at_all() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let file = folder.path().join("deep/results.json");
        save(&file, b"old").expect("the folder is made");
        save(&file, b"new").expect("it is replaced");
        assert_eq!(fs::read(&file).expect("it is there"), b"new");
        let names = fs::read_dir(folder.path().join("deep")).expect("a folder");
        assert_eq!(names.count(), 1, "nothing else is left");
        // A folder cannot be replaced by a file.
        let why = save(&folder.path().join("deep"), b"x").expect_err("a folder");
        assert!(why.contains("cannot write"), "{why}");
        assert_eq!(fs::read(&file).expect("it is there"), b"new");
    }
}
