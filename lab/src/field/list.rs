//! Which crates: `field/field.toml`, and which programs of RPB: `field/rpb/programs.toml`. What the
//! fields mean is in `field/README.md`.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::experiment::Failure;
use crate::file::read_toml;
use crate::names::unknown;
use crate::patched::{Member, Source};

/// The folder with the lists, the lock files and the programs.
pub(super) const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../field");

/// The file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct List {
    /// The crates, in order.
    pub(crate) crates: Vec<Entry>,
}

/// A crate, and what is done with it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Entry {
    /// As the registry knows it.
    pub(crate) name: String,
    /// This one and no other; of RPB the commit, which is not in the list.
    #[serde(default)]
    pub(crate) version: String,
    /// The package of RPB that has the program.
    package: Option<String>,
    #[serde(default)]
    features: Vec<String>,
    #[serde(default = "yes")]
    default_features: bool,
    /// What its program needs besides, as lines of a `Cargo.toml`.
    #[serde(default)]
    also: Vec<String>,
    /// The program that it installs; without it, ours in `programs` is run.
    pub(crate) binary: Option<String>,
    /// With what the program is run; `{inputs}` is the folder that the lab makes, `{output}` the
    /// file that is compared in place of what it prints.
    #[serde(default)]
    pub(crate) arguments: Vec<String>,
    /// The words for `cargo test` with which its own tests are run; without it none are.
    pub(crate) tests: Option<Vec<String>>,
    /// Whether it is one of the few that are built soon.
    #[serde(default)]
    sample: bool,
}

fn yes() -> bool {
    true
}

impl List {
    /// Reads the list.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub(crate) fn read() -> Result<List, Failure> {
        Ok(read_toml(&Path::new(FOLDER).join("field.toml"))?)
    }

    /// Reads the list of RPB's programs, which is at this commit.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub(crate) fn of_rpb(commit: &str) -> Result<List, Failure> {
        let mut list: List = read_toml(&Path::new(FOLDER).join("rpb/programs.toml"))?;
        for entry in &mut list.crates {
            entry.version = commit.into();
        }
        Ok(list)
    }

    /// The crates of these names, the sample, or all of them.
    ///
    /// # Errors
    ///
    /// No crate has that name.
    pub(crate) fn chosen(&self, names: &[String], sample: bool) -> Result<Vec<&Entry>, Failure> {
        let known = |name: &&String| self.crates.iter().any(|entry| entry.name == **name);
        if let Some(name) = names.iter().find(|name| !known(name)) {
            let all = self.crates.iter().map(|entry| &*entry.name);
            return Err(Failure::Usage(unknown("crate of the field", name, all)));
        }
        let wanted = |entry: &&Entry| match names {
            [] => entry.sample || !sample,
            _ => names.contains(&entry.name),
        };
        Ok(self.crates.iter().filter(wanted).collect())
    }
}

impl Entry {
    /// Its name and version.
    pub(crate) fn title(&self) -> String {
        format!("{} {}", self.name, self.version)
    }

    /// The package whose program is run.
    pub(crate) fn package(&self) -> String {
        match (&self.package, &self.binary) {
            (Some(package), _) => package.clone(),
            (_, Some(_)) => self.name.clone(),
            _ => format!("field-{}", self.name),
        }
    }

    /// The target whose program is run.
    pub(crate) fn target(&self) -> String {
        self.binary.clone().unwrap_or_else(|| self.package())
    }

    /// Whether it writes a file, and prints how long each of its rounds took.
    pub(super) fn writes(&self) -> bool {
        self.arguments.iter().any(|word| word.contains("{output}"))
    }

    /// Whether the package itself is needed, beside what depends on it.
    pub(super) fn is_copied(&self) -> bool {
        self.binary.is_some() || self.tests.is_some()
    }

    /// The packages that are built for it, given cargo's folder of its own.
    pub(super) fn members(&self, source: Option<PathBuf>) -> Vec<Member> {
        let own = source.map(|folder| Member {
            name: self.name.clone(),
            source: Source::Package { folder },
        });
        let program = self.binary.is_none().then(|| Member {
            name: self.package(),
            source: Source::Program {
                main: Path::new(FOLDER).join(format!("programs/{}.rs", self.name)),
                dependencies: self.dependencies(),
            },
        });
        own.into_iter().chain(program).collect()
    }

    fn dependencies(&self) -> String {
        let Entry {
            name,
            version,
            features,
            default_features,
            also,
            ..
        } = self;
        format!(
            "{name} = {{ version = \"={version}\", default-features = {default_features}, \
             features = {features:?} }}\n{}",
            also.join("\n")
        )
    }
}
