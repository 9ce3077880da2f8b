//! Packages that are built twice, with rayon's own scheduler and with sumac under rayon: the same
//! sources, versions, features and profile, in two workspaces that differ in the two lines of
//! `docs/under-rayon.md` and in nothing else. Both have one target folder, where cargo keeps what
//! does not depend on rayon-core once and everything else twice.
//!
//! The versions are those of one `Cargo.lock`. Cargo itself rewrites rayon-core's entry for the
//! patched workspace; `Pair::proof` compares what the two builds are made of.

mod proof;

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use strum::Display;

use crate::cells::run_process;
use crate::experiment::Failure;
use crate::file::{self, save};
use crate::machine;
use crate::tied;

pub(crate) use proof::announced;

/// The crate that takes the place of rayon-core.
const SHIM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/rayon-core");
/// Where such programs are built.
const BUILT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/lab");
/// After which copying a package has failed.
const COPY_LIMIT: Duration = Duration::from_secs(60);
/// What the environment must hold for `announced` to find something.
pub(crate) const ANNOUNCE: &str = "SUMAC_ANNOUNCE";

/// Which scheduler is under rayon.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Display, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(crate) enum Under {
    /// Its own.
    Rayon,
    /// This project's.
    Sumac,
}

impl Under {
    /// Both.
    pub(crate) const BOTH: [Under; 2] = [Under::Rayon, Under::Sumac];
}

/// A package that is to be built.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    /// Its name, which is also its program's.
    pub(crate) name: String,
    /// What it is made of.
    pub(crate) source: Source,
}

impl Member {
    /// The folder it is in. That of another version is another one.
    fn place(&self) -> String {
        match &self.source {
            Source::Program { .. } => self.name.clone(),
            Source::Package { folder } => {
                let name = folder.file_name().unwrap_or_default();
                name.to_string_lossy().into_owned()
            }
        }
    }
}

/// What a package is made of.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// One file, an absolute path, on dependencies as a `Cargo.toml` has them, line by line.
    Program { main: PathBuf, dependencies: String },
    /// A folder of cargo's with a package of this name, which is copied; its own name has the
    /// version.
    Package { folder: PathBuf },
}

/// Two workspaces with the same members.
#[derive(Debug)]
pub(crate) struct Pair {
    folder: PathBuf,
    /// Where a member of this name is, if its folder has another one.
    places: BTreeMap<String, String>,
    /// After which a build has failed.
    limit: Duration,
}

/// The programs of a package that has been built, or those that test it, by the names of their
/// targets.
pub(crate) type Built = Vec<(String, PathBuf)>;

impl Pair {
    /// Lays both workspaces out in a folder, with the versions of `lock` if that is given, where
    /// those that it lacks are kept. What is there already and is the same stays, so that it need
    /// not be compiled again.
    ///
    /// # Errors
    ///
    /// A file cannot be written, or cargo cannot find versions that fit.
    pub(crate) fn lay_out(
        folder: &Path,
        members: &[Member],
        lock: Option<&Path>,
        limit: Duration,
    ) -> Result<Pair, Failure> {
        let place = |member: &Member| (member.name.clone(), format!("members/{}", member.place()));
        let pair = Pair {
            folder: folder.to_path_buf(),
            places: members.iter().map(place).collect(),
            limit,
        };
        for under in Under::BOTH {
            pair.lay_out_one(under, members)
                .map_err(|why| Failure::Other(format!("{}: {why}", folder.display())))?;
        }
        pair.with_versions(lock)
    }

    /// Lays a workspace out both ways that the user has cloned: its last commit, without what it
    /// tells cargo about profiles.
    ///
    /// # Errors
    ///
    /// It is no clone, or cargo cannot find versions that fit.
    pub(crate) fn of_clone(
        folder: &Path,
        clone: &Path,
        lock: &Path,
        limit: Duration,
    ) -> Result<Pair, Failure> {
        let pair = Pair {
            folder: folder.to_path_buf(),
            places: BTreeMap::new(),
            limit,
        };
        let new = commit_of(clone)?;
        let manifest = git(clone, &["show".as_ref(), "HEAD:Cargo.toml".as_ref()])?;
        for under in Under::BOTH {
            let root = pair.workspace(under);
            let exists = root.exists();
            if !exists || commit_of(&root)? != new {
                if exists {
                    fs::remove_dir_all(&root)?;
                }
                fs::create_dir_all(folder)?;
                let clone = clone.canonicalize()?;
                let words = ["clone".as_ref(), "--quiet".as_ref(), clone.as_os_str()];
                git(folder, &[&words[..], &[root.as_os_str()]].concat())?;
            }
            if root.join(".cargo").exists() {
                fs::remove_dir_all(root.join(".cargo"))?;
            }
            replace(
                &root.join("Cargo.toml"),
                &(manifest.clone() + &patch(under)?),
            )?;
        }
        pair.with_versions(Some(lock))
    }

    /// Gives both the versions of `lock`.
    fn with_versions(self, lock: Option<&Path>) -> Result<Pair, Failure> {
        let plain = self.lock_of(Under::Rayon);
        if let Some(lock) = lock {
            replace(&plain, &file::read(lock)?)?;
        }
        self.said_by_cargo(Under::Rayon, &["fetch", "--target", machine::TARGET])?;
        if let Some(lock) = lock {
            replace(lock, &file::read(&plain)?)?;
        }
        // Cargo keeps all that it can keep, and puts the other rayon-core in its place.
        replace(&self.lock_of(Under::Sumac), &file::read(&plain)?)?;
        self.said_by_cargo(Under::Sumac, &["tree", "--quiet", "--workspace"])?;
        Ok(self)
    }

    fn lay_out_one(&self, under: Under, members: &[Member]) -> Result<(), Failure> {
        let root = self.workspace(under);
        let mut manifest = "[workspace]\nresolver = \"2\"\nmembers = [\n".to_string();
        for member in members {
            let (name, place) = (&member.name, format!("members/{}", member.place()));
            manifest += &format!("    {place:?},\n");
            let folder = root.join(place);
            match &member.source {
                Source::Program { main, dependencies } => {
                    let text = format!(
                        "[package]\nname = {name:?}\nversion = \"0.0.0\"\nedition = \"2021\"\n\
                         [[bin]]\nname = {name:?}\npath = {main:?}\n\
                         [dependencies]\n{dependencies}\n"
                    );
                    replace(&folder.join("Cargo.toml"), &text)?;
                }
                Source::Package { folder: source } => copy_folder(source, &folder)?,
            }
        }
        manifest += "]\n";
        manifest += &patch(under)?;
        replace(&root.join("Cargo.toml"), &manifest)
    }

    /// The folder of one of them.
    pub(crate) fn workspace(&self, under: Under) -> PathBuf {
        self.folder.join(under.to_string())
    }

    /// The folder of a package in one of them.
    pub(crate) fn member(&self, under: Under, package: &str) -> PathBuf {
        let place = self.places.get(package).map_or(package, String::as_str);
        self.workspace(under).join(place)
    }

    /// The versions of one of them.
    pub(crate) fn lock_of(&self, under: Under) -> PathBuf {
        self.workspace(under).join("Cargo.lock")
    }

    /// Builds a package's programs, as users do.
    ///
    /// # Errors
    ///
    /// It cannot be built.
    pub(crate) fn build(&self, under: Under, package: &str) -> Result<Built, Failure> {
        let mut built = self.compile(under, package, &["build", "--release", "--bins"])?;
        let shelf = self.workspace(under).join("programs");
        // The target folder has one place for the programs of both.
        for (name, program) in &mut built {
            let own = shelf.join(&*name);
            let copied = fs::create_dir_all(&shelf).and_then(|()| fs::copy(&*program, &own));
            copied.map_err(|why| Failure::Other(format!("{}: {why}", own.display())))?;
            *program = own;
        }
        Ok(built)
    }

    /// Builds the programs that test a package, in the release profile, with further words.
    ///
    /// # Errors
    ///
    /// They cannot be built.
    pub(crate) fn build_tests(
        &self,
        under: Under,
        package: &str,
        words: &[String],
    ) -> Result<Built, Failure> {
        let mut all = vec!["test", "--no-run", "--release"];
        all.extend(words.iter().map(String::as_str));
        self.compile(under, package, &all)
    }

    /// Lets cargo compile, and reads from its messages what came of it.
    fn compile(&self, under: Under, package: &str, words: &[&str]) -> Result<Built, Failure> {
        let manifest = self.member(under, package).join("Cargo.toml");
        let manifest = manifest.display().to_string();
        let more = ["--manifest-path", &manifest, "--locked", "--quiet"];
        let words = [words, &more, &["--message-format=json"]].concat();
        let said = self.said_by_cargo(under, &words)?;
        let mut programs = Vec::new();
        for line in said.lines().filter(|line| line.starts_with('{')) {
            let message: Value = serde_json::from_str(line)?;
            let (name, program) = (&message["target"]["name"], &message["executable"]);
            if let (Some(name), Some(program)) = (name.as_str(), program.as_str()) {
                programs.push((name.into(), program.into()));
            }
        }
        Ok(programs)
    }

    /// What cargo prints in one of the workspaces.
    fn said_by_cargo(&self, under: Under, words: &[&str]) -> Result<String, Failure> {
        let mut command = cargo();
        command
            .current_dir(self.workspace(under))
            .env("CARGO_TARGET_DIR", self.folder.join("target"))
            .args(words);
        said(command, self.limit)
    }
}

/// A program of one file on rayon's scheduler, and on sumac's.
///
/// # Errors
///
/// It cannot be built, or the two differ in more than that.
pub(crate) fn built_twice(
    name: &str,
    main: &str,
    dependencies: &str,
    limit: Duration,
) -> Result<[PathBuf; 2], Failure> {
    let member = Member {
        name: name.into(),
        source: Source::Program {
            main: main.into(),
            dependencies: dependencies.into(),
        },
    };
    let folder = Path::new(BUILT).join(name);
    let pair = Pair::lay_out(&folder, &[member], None, limit)?;
    let mut programs = Vec::new();
    for under in Under::BOTH {
        programs.extend(pair.build(under, name)?);
    }
    pair.proof(name)?;
    let programs: Vec<PathBuf> = programs.into_iter().map(|(_, program)| program).collect();
    programs
        .try_into()
        .map_err(|programs| Failure::Other(format!("cargo has built {programs:?}")))
}

/// The commit that a clone is at, in short.
///
/// # Errors
///
/// It is no clone.
pub(crate) fn commit_of(clone: &Path) -> Result<String, Failure> {
    let words = ["rev-parse", "--short=9", "HEAD"];
    let said = git(clone, &words.map(OsStr::new))?;
    Ok(said.trim().into())
}

/// What git says in a folder.
fn git(folder: &Path, words: &[&OsStr]) -> Result<String, Failure> {
    let mut command = tied::command("git");
    command.arg("-C").arg(folder).args(words);
    said(command, COPY_LIMIT)
}

/// The two lines for a workspace's manifest, if it gets them.
fn patch(under: Under) -> Result<String, Failure> {
    if under == Under::Rayon {
        return Ok(String::new());
    }
    let shim = Path::new(SHIM).canonicalize();
    let shim = shim.map_err(|why| Failure::Other(format!("{SHIM}: {why}")))?;
    Ok(format!(
        "[patch.crates-io]\nrayon-core = {{ path = {shim:?} }}\n"
    ))
}

/// The cargo that runs us, or the usual one.
pub(crate) fn cargo() -> Command {
    tied::command(env::var_os("CARGO").unwrap_or("cargo".into()))
}

/// What a command prints.
///
/// # Errors
///
/// It does not end in time, or fails.
pub(crate) fn said(command: Command, limit: Duration) -> Result<String, Failure> {
    let words: Vec<_> = command
        .get_args()
        .map(|word| word.to_string_lossy())
        .collect();
    let words = words.join(" ");
    let ended = run_process(command, &[], limit);
    let said = ended.and_then(|ended| Ok(String::from_utf8_lossy(ended.output()?).into_owned()));
    said.map_err(|why| why.of(words))
}

/// Writes a file, unless it is there and the same: cargo looks at times.
fn replace(file: &Path, text: &str) -> Result<(), Failure> {
    match fs::read_to_string(file) {
        Ok(there) if there == text => Ok(()),
        _ => Ok(save(file, text.as_bytes())?),
    }
}

/// Copies a package that is not there; those of one version never change.
fn copy_folder(from: &Path, to: &Path) -> Result<(), Failure> {
    if !to.exists() {
        let new = to.with_extension("new");
        fs::create_dir_all(&new)?;
        let mut copy = tied::command("cp");
        copy.args(["-R", "."]).arg(&new).current_dir(from);
        said(copy, COPY_LIMIT)?;
        fs::rename(new, to)?;
    }
    Ok(())
}
