//! A tree of files, for programs that count and measure those: folders in folders, sources of many
//! lengths, the same in every run.

use std::fs;
use std::io;
use std::path::Path;

/// How many folders, with how many files each.
const FOLDERS: usize = 400;
const FILES: usize = 40;

/// Makes the tree in this folder, unless it is there.
///
/// # Errors
///
/// A file cannot be written.
pub(super) fn make(tree: &Path) -> io::Result<()> {
    // Says that the tree is complete, beside it: what is in it counts.
    let stamp = tree.with_extension("complete");
    if stamp.exists() {
        return Ok(());
    }
    if tree.exists() {
        fs::remove_dir_all(tree)?;
    }
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
    fs::write(stamp, "")
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
