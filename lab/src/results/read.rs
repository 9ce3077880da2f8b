//! Reads result files back. The last line may be half-written, since the writer was interrupted: it
//! is dropped with a warning, and nothing else is lost. Damage anywhere else is an error that names
//! the line.

use std::fs;
use std::io;
use std::path::Path;

use super::Line;

/// What a result file held.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    /// Its lines in order.
    pub(crate) lines: Vec<Line>,
    /// What was wrong with its end.
    pub(crate) warning: Option<String>,
    /// How many bytes of it are whole lines: where appending may go on.
    pub(crate) whole: u64,
}

/// Reads a result file; one that does not exist is empty.
///
/// # Errors
///
/// The file cannot be read, or a line before the last one is not a result.
pub(crate) fn read(path: &Path) -> Result<Contents, String> {
    let name = path.display();
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Contents::default()),
        Err(error) => return Err(format!("cannot read {name}: {error}")),
    };
    let mut contents = Contents::default();
    for (index, bytes) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let number = index + 1;
        if bytes.last() != Some(&b'\n') {
            contents.warning = Some(format!(
                "{name}: line {number} is half-written and was dropped"
            ));
            break;
        }
        contents.whole += bytes.len() as u64;
        if bytes.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let line = serde_json::from_slice(bytes)
            .map_err(|error| format!("{name}: line {number} is not a result: {error}"))?;
        contents.lines.push(line);
    }
    Ok(contents)
}
