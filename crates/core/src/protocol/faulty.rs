//! Steps that go wrong, for models and the schedule explorer: a use of an atomic, a fence or a
//! lock of the process, named by its file, its function and a part of its text. The code itself
//! says nothing of them: each use passes on where it is (`#[track_caller]`).
//!
//! The crate of batches has this file, too.

use std::{fmt, fs, panic::Location, path::Path, str::FromStr};

/// A step, and what is wrong with it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    /// Below `src`.
    file: &'static str,
    lines: &'static [u32],
    wrong: Wrong,
}

/// What is wrong with a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// It orders nothing.
    Relaxed,
    /// It reads, then writes what follows from that: what another thread does in between is lost.
    Apart,
    /// It does nothing. What it returns is what was there.
    LeftOut,
}

impl Step {
    /// The lines of a function of this crate that contain `text`.
    pub(crate) fn new(wrong: Wrong, file: &'static str, function: &str, text: &str) -> Step {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(file);
        let source = fs::read_to_string(path).expect("tests run beside their sources");
        let heads = ["(", "<"].map(|end| format!("fn {function}{end}"));
        let mut end = None;
        let mut lines = Vec::new();
        for (line, number) in source.lines().zip(1..) {
            if heads.iter().any(|head| line.contains(head)) {
                end = Some(line.len() - line.trim_start().len());
            }
            if let Some(indent) = end {
                if line.contains(text) {
                    lines.push(number);
                }
                if line == format!("{}}}", " ".repeat(indent)) {
                    end = None;
                }
            }
        }
        assert!(!lines.is_empty(), "{file}: {function} has no {text}");
        let lines = lines.leak();
        Step { file, lines, wrong }
    }

    /// What is wrong here, if this is the step.
    pub(crate) fn wrong_at(self, here: &Location<'_>) -> Option<Wrong> {
        let is_here = self.lines.contains(&here.line()) && here.file().ends_with(self.file);
        is_here.then_some(self.wrong)
    }
}

/// `FILE LINE,LINE WRONG`, which can be read back.
impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.lines.iter().map(u32::to_string).collect();
        write!(f, "{} {} {:?}", self.file, lines.join(","), self.wrong)
    }
}

impl FromStr for Step {
    type Err = ();

    fn from_str(text: &str) -> Result<Step, ()> {
        let mut words = text.split(' ');
        let (Some(file), Some(lines), Some(wrong)) = (words.next(), words.next(), words.next())
        else {
            return Err(());
        };
        let all = [Wrong::Relaxed, Wrong::Apart, Wrong::LeftOut];
        let wrong = all.into_iter().find(|one| format!("{one:?}") == wrong);
        let lines: Result<Vec<u32>, _> = lines.split(',').map(str::parse).collect();
        Ok(Step {
            file: file.to_owned().leak(),
            lines: lines.map_err(drop)?.leak(),
            wrong: wrong.ok_or(())?,
        })
    }
}
