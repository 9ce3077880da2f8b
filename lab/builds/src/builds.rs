//! The builds: their names, how cargo makes them, and how callgrind counts in them.

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

use sumac_builds::{CONTENDERS, calls_of, pieces_of};

/// Why a build cannot be made or measured.
pub(crate) type Failure = Box<dyn Error + Send + Sync>;

/// A build.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Build {
    /// Its name in what is printed.
    pub(crate) name: &'static str,
    /// The profile, of the workspace's Cargo.toml.
    profile: &'static str,
    /// Whether the program loads what is measured as a shared library; else it is linked to it.
    pub(crate) is_loaded: bool,
}

/// All of them.
pub(crate) const BUILDS: [Build; 6] = [
    Build::new("default", "release", false),
    Build::new("cdylib", "release", true),
    Build::new("fat", "fat", false),
    Build::new("no-lto", "no-lto", false),
    Build::new("o2", "o2", false),
    Build::new("os", "os", false),
];

/// The calls of two runs, which differ by the instructions of so many calls and nothing else.
const CALLS: [u64; 2] = [20, 120];

impl Build {
    const fn new(name: &'static str, profile: &'static str, is_loaded: bool) -> Build {
        Build {
            name,
            profile,
            is_loaded,
        }
    }

    /// The one of this name.
    pub(crate) fn named(name: &str) -> Result<Build, String> {
        let build = BUILDS.into_iter().find(|build| build.name == name);
        build.ok_or_else(|| format!("no build {name}"))
    }

    /// Makes it; answers where the program is.
    pub(crate) fn program(self) -> Result<PathBuf, Failure> {
        let own = env::current_exe()?;
        let target = own.parent().and_then(Path::parent).ok_or("no folder")?;
        let cargo = env::var_os("CARGO").unwrap_or("cargo".into());
        let mut command = Command::new(&cargo);
        command
            .args(["build", "--quiet", "--package", env!("CARGO_PKG_NAME")])
            .args(["--profile", self.profile, "--manifest-path"])
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
            .arg("--target-dir")
            .arg(target);
        // What the caller changes of a profile is not what the profile's name says.
        for (name, _) in env::vars_os() {
            if name.to_string_lossy().starts_with("CARGO_PROFILE_") {
                command.env_remove(name);
            }
        }
        match command.status() {
            Ok(status) if status.success() => Ok(target
                .join(self.profile)
                .join(own.file_name().ok_or("no name")?)),
            Ok(_) => Err(format!("cargo cannot make the build {}", self.name).into()),
            Err(error) => {
                Err(format!("the builds are made by cargo, which does not run: {error}").into())
            }
        }
    }

    /// Instructions per node of each contender.
    pub(crate) fn instructions(self) -> Result<Vec<(&'static str, f64)>, Failure> {
        let program = self.program()?;
        let mut counts = Vec::new();
        for contender in CONTENDERS {
            let [few, many] = CALLS.map(|calls| self.collected(&program, contender, calls));
            let pieces = (CALLS[1] - CALLS[0]) * calls_of(contender, 1) * pieces_of(contender);
            counts.push((contender, (many? - few?) / pieces as f64));
        }
        Ok(counts)
    }

    /// The instructions of a whole run, from callgrind's line `Collected : N`.
    fn collected(self, program: &Path, contender: &str, calls: u64) -> Result<f64, Failure> {
        let output = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(program)
            .args(["call", self.name, contender])
            .arg(calls_of(contender, calls).to_string())
            .output()
            .map_err(|error| {
                format!("instructions are counted by valgrind, which does not run: {error}")
            })?;
        let text = String::from_utf8_lossy(&output.stderr);
        let count = text
            .lines()
            .find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok());
        count
            .filter(|_| output.status.success())
            .ok_or_else(|| text.into_owned().into())
    }
}

/// What a program prints.
pub(crate) fn output(program: &Path, words: &[&str]) -> Result<String, Failure> {
    let output = Command::new(program).args(words).output()?;
    if output.status.success() {
        return Ok(String::from_utf8(output.stdout)?);
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned().into())
}
