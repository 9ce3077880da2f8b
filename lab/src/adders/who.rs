//! Who adds, and how each is started: what `adders/build.sh` made, by itself with a number of
//! threads, or under `mpiexec` with a number of ranks.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::ValueEnum;
use strum::{Display, IntoStaticStr};

use crate::tied;

/// An adder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Display, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Adder {
    /// MPI in C
    C,
    /// MPI in C, as in the first comparison
    CFirst,
    /// MPI's C interface in Rust
    RustMpiBinding,
    /// The `mpi` crate
    RustMpiWrapper,
    /// rayon's threads
    RustRayon,
    /// MPI in Julia
    Julia,
    /// sumac's threads
    Sumac,
    /// sumac's ranks, the bytes in memory that they share
    SumacMpi,
    /// sumac's ranks, the bytes at rank 0
    SumacMpiMessages,
    /// No adder: threads that only read
    Floor,
    /// MPI's C interface in Rust, as in the first comparison
    RustMpiBindingFirst,
    /// The `mpi` crate, as in the first comparison
    RustMpiWrapperFirst,
    /// MPI in Julia, as in the first comparison
    JuliaFirst,
}

impl Adder {
    /// All of them.
    pub(crate) fn all() -> Vec<Adder> {
        Self::value_variants().to_vec()
    }

    /// Those that can take part in any cell.
    pub(crate) fn usual() -> Vec<Adder> {
        let usual = Self::value_variants().iter().copied();
        usual.filter(|adder| !adder.is_first()).collect()
    }

    /// Those by the first comparison's method. They are for the goals, and for when they are named.
    pub(crate) fn is_first(self) -> bool {
        self.program().1 == "first"
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }

    /// Who is called so.
    pub(crate) fn named(name: &str) -> Option<Adder> {
        Adder::from_str(name, false).ok()
    }

    /// Its program, and the mode in which that runs.
    fn program(self) -> (&'static str, &'static str) {
        match self {
            Adder::CFirst => ("c-first", "first"),
            Adder::RustMpiBindingFirst => ("rust-mpi-binding", "first"),
            Adder::RustMpiWrapperFirst => ("rust-mpi-wrapper", "first"),
            Adder::JuliaFirst => ("julia", "first"),
            Adder::SumacMpi => ("sumac-mpi", "shared"),
            Adder::SumacMpiMessages => ("sumac-mpi", "messages"),
            other => (other.name(), "tree"),
        }
    }

    /// Whether its kernels are ranks, not threads.
    fn has_ranks(self) -> bool {
        !matches!(self, Adder::RustRayon | Adder::Sumac | Adder::Floor)
    }
}

/// Where the programs are.
#[derive(Clone, Debug)]
pub(crate) struct Workshop {
    folder: PathBuf,
}

impl Workshop {
    /// The folder named, else `adders` in the build's target folder.
    pub(crate) fn new(folder: Option<PathBuf>) -> Workshop {
        let beside = || {
            let target = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
            let own = || Some(env::current_exe().ok()?.parent()?.parent()?.to_path_buf());
            let target = target.or_else(own).unwrap_or("target".into());
            target.join("adders")
        };
        Workshop {
            folder: folder.unwrap_or_else(beside),
        }
    }

    /// Why this adder cannot take part here, and what to do about it; nothing if it can.
    pub(crate) fn lacks(&self, adder: Adder) -> Option<String> {
        let has = |name: &str| self.folder.join(name).exists();
        let folder = self.folder.display();
        if adder.has_ranks() && !has("mpiexec") {
            return Some(format!(
                "no mpiexec in {folder}: install MPICH (Debian: mpich libmpich-dev libclang-dev) or let `adders/build.sh` \
                 unpack its wheel, which takes python3 with pip"
            ));
        }
        let (program, _) = adder.program();
        if has(program) {
            return None;
        }
        Some(match adder {
            Adder::Julia | Adder::JuliaFirst => format!(
                "no julia in {folder}: install Julia, or let `adders/build.sh` unpack Debian 11's, which takes apt-get and amd64; \
                 it needs MPICH, not Open MPI"
            ),
            _ => format!("no {program} in {folder}: run `adders/build.sh`"),
        })
    }

    /// What runs this adder with so many kernels on the file.
    pub(crate) fn command(&self, adder: Adder, kernels: usize, file: &Path, size: u64) -> Command {
        let (program, mode) = adder.program();
        let program = self.folder.join(program);
        let mut command = if adder.has_ranks() {
            let mut command = tied::command(self.folder.join("mpiexec"));
            command.arg("-n").arg(kernels.to_string()).arg(program);
            command
        } else {
            tied::command(program)
        };
        // A rank is a thread here, so that kernels are comparable.
        let threads = if adder.has_ranks() { 1 } else { kernels };
        command.arg(file).arg(size.to_string());
        command.env("ADDER_THREADS", threads.to_string());
        command.env("ADDER_MODE", mode);
        command
    }
}
