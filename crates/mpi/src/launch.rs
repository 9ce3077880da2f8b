//! `Launcher`: finds the launcher, for programs and tests that start others under MPI.

use crate::{Error, error::ErrorKind};
use std::{
    env,
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    process::Command,
};

/// An `mpiexec`, and how to call it.
///
/// # Examples
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let status = sumac_mpi::Launcher::find()?.command(4, "target/release/adder").status()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launcher {
    path: PathBuf,
    version: String,
}

impl Launcher {
    /// Finds the launcher that the environment variable `MPIEXEC` names, or else `mpiexec` as the
    /// shell does.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let launcher = sumac_mpi::Launcher::find()?;
    /// println!("{}: {}", launcher.path().display(), launcher.version());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Setup`] if there is none, or if it does not run.
    pub fn find() -> Result<Self, Error> {
        let named = env::var_os("MPIEXEC").filter(|path| !path.is_empty());
        Self::at(named.unwrap_or_else(|| "mpiexec".into()))
    }

    /// Returns the launcher at a path or of a name.
    ///
    /// # Examples
    /// ```
    /// let error = sumac_mpi::Launcher::at("/nowhere/mpiexec").unwrap_err();
    /// assert!(error.to_string().starts_with("/nowhere/mpiexec: not found"));
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Setup`] if there is none, or if it does not run.
    pub fn at(path: impl Into<PathBuf>) -> Result<Self, Error> {
        let path = path.into();
        let failed =
            |what: String| Error::new(ErrorKind::Setup, format!("{}: {what}", path.display()));
        let output = Command::new(&path).arg("--version").output();
        let output = output.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => failed(
                "not found; install MPICH or Open MPI, or name another launcher in MPIEXEC".into(),
            ),
            _ => failed(error.to_string()),
        })?;
        let version = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() || version.trim().is_empty() {
            return Err(failed(format!(
                "`--version` failed or printed nothing ({})",
                output.status
            )));
        }
        Ok(Self { path, version })
    }

    /// Returns the path or name of the launcher.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the launcher's version, in one line.
    pub fn version(&self) -> &str {
        let lines = self.version.lines();
        let mut telling = lines.filter(|line| line.contains(|c: char| c.is_ascii_digit()));
        telling.next().unwrap_or_default().trim()
    }

    /// Returns whether it is Open MPI's.
    pub fn is_open_mpi(&self) -> bool {
        ["Open MPI", "OpenRTE", "prte", "PRRTE"]
            .iter()
            .any(|name| self.version.contains(name))
    }

    /// Creates the command that runs `program` as `ranks` ranks on this machine, also with more
    /// ranks than processors, and also as root.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let output = sumac_mpi::Launcher::find()?.command(2, "hostname").output()?;
    /// assert_eq!(output.stdout.split(|&byte| byte == b'\n').count(), 3); // two lines
    /// # Ok(())
    /// # }
    /// ```
    pub fn command(&self, ranks: usize, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(&self.path);
        if self.is_open_mpi() {
            command.args(["--allow-run-as-root", "--oversubscribe"]);
            command.env("OMPI_MCA_mpi_yield_when_idle", "1");
        }
        command.arg("-n").arg(ranks.to_string()).arg(program);
        command
    }
}
