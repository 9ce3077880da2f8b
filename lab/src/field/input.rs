//! Folders that programs look at. For those that count and measure files, a tree: folders in
//! folders, sources of many lengths, the same in every run.

use std::fs;
use std::io;
use std::path::Path;

/// How many folders, with how many files each.
const FOLDERS: usize = 400;
const FILES: usize = 40;

/// Fills this folder, unless it is complete.
///
/// # Errors
///
/// A file cannot be written.
pub(super) fn make(folder: &Path, fill: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    // Says that it is complete, beside it: what is in it counts.
    let stamp = folder.with_extension("complete");
    if stamp.exists() {
        return Ok(());
    }
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fill(folder)?;
    fs::write(stamp, "")
}

/// Writes the tree.
///
/// # Errors
///
/// A file cannot be written.
pub(super) fn tree(tree: &Path) -> io::Result<()> {
    for folder in 0..FOLDERS {
        let place = tree.join(format!(
            "part{}/section{}/unit{folder}",
            folder % 7,
            folder % 31
        ));
        fs::create_dir_all(&place)?;
        for file in 0..FILES {
            fs::write(
                place.join(format!("file{file}.{}", ending(file))),
                text(folder * FILES + file),
            )?;
        }
    }
    Ok(())
}

fn ending(file: usize) -> &'static str {
    ["rs", "c", "py", "toml"][file % 4]
}

/// Lines of code, comments and nothing, as many as the number says.
fn text(number: usize) -> String {
    let lines = 5 + number * number % 97;
    let line = |line: usize| match (line + number) % 5 {
        0 => "\n".to_string(),
        1 => format!("// {number} {line}\n"),
        _ => format!("let value_{line} = {};\n", number * line),
    };
    (0..lines).map(line).collect()
}
