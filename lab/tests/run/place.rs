//! A folder with an experiment in it, and commands that run there.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A folder with an experiment called `small` in it.
pub(crate) struct Place(pub(crate) TempDir);

/// One visit lasts some milliseconds.
pub(crate) const SHORT: &str = "samples = 3\nvisit_seconds = 0.01\nwarm_up_ms = 0\n";
/// Two rounds of two cells.
pub(crate) const SMALL: &str = "problem = 'tree'\nsizes = [100]\nthreads = [2]\nrounds = 2\n\
                     contenders = ['baseline', 'sumac-scope']\n";

impl Place {
    /// With one block.
    pub(crate) fn with(block: &str) -> Place {
        let place = Place(TempDir::new().expect("a folder for the test"));
        place.write(
            "small.toml",
            &format!("about = 'a test'\n[[cells]]\n{SHORT}{block}"),
        );
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// What it holds.
    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("the file is there")
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("the file is written");
    }

    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut lab = Command::new(env!("CARGO_BIN_EXE_lab"));
        lab.arg("run")
            .args(arguments.split_whitespace())
            .current_dir(&self.0)
            .env("LAB_PLANTED", "1")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        lab
    }

    pub(crate) fn run(&self, arguments: &str) -> Done {
        let output = self.command(arguments).output().expect("the lab starts");
        Done::from(output)
    }

    /// The result file's lines.
    pub(crate) fn lines(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.path("out.jsonl")).unwrap_or_default();
        assert!(text.is_empty() || text.ends_with('\n'), "the file is whole");
        let lines = text.lines();
        lines
            .map(|line| serde_json::from_str(line).expect("a line is JSON"))
            .collect()
    }
}

pub(crate) const RUN: &str = "small.toml --out out.jsonl";

/// A command that has ended.
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Done {
    fn from(output: Output) -> Done {
        let text = |bytes| String::from_utf8(bytes).expect("what is printed is text");
        Done {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

impl Done {
    #[track_caller]
    pub(crate) fn ended(self, code: i32) -> Done {
        assert_eq!(self.code, Some(code), "{}{}", self.stdout, self.stderr);
        assert!(!self.stderr.contains("panicked at lab"), "{}", self.stderr);
        self
    }

    #[track_caller]
    pub(crate) fn says(self, what: &str) -> Done {
        let all = format!("{}{}", self.stdout, self.stderr);
        assert!(all.contains(what), "no {what:?} in {all}");
        self
    }
}

/// The cells and rounds of lines, as `contender round`.
pub(crate) fn visits(lines: &[Value]) -> Vec<String> {
    let visit = |line: &Value| {
        let contender = line["cell"]["contender"].as_str().expect("a name");
        format!("{contender} {}", line["round"])
    };
    lines.iter().map(visit).collect()
}

pub(crate) fn kill(signal: &str, process: u32) {
    let mut kill = Command::new("kill");
    kill.args([signal, &process.to_string()]);
    assert!(kill.status().expect("kill starts").success());
}
