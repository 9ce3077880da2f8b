//! Who adds, and how each is started: what `adders/build.sh` made, by itself with a number of
//! threads, or under `mpiexec` with a number of ranks.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cells::Plan;
use crate::results::Cell;
use crate::tied;
use crate::workload::Workload;

/// An adder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Adder {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its program, and the mode in which that runs.
    program: (&'static str, &'static str),
    /// Whether its kernels are ranks, not threads.
    has_ranks: bool,
}

/// All adders. Those by the first comparison's method are for `lab adders few`, and for when they
/// are named; the floor is no adder: threads that only read.
#[rustfmt::skip]
pub(crate) const ADDERS: [Adder; 15] = [
    Adder { name: "c", program: ("c", "tree"), has_ranks: true },
    Adder { name: "c-first", program: ("c-first", "first"), has_ranks: true },
    Adder { name: "rust-mpi-binding", program: ("rust-mpi-binding", "tree"), has_ranks: true },
    Adder { name: "rust-mpi-abi", program: ("rust-mpi-abi", "tree"), has_ranks: true },
    Adder { name: "rust-mpi-wrapper", program: ("rust-mpi-wrapper", "tree"), has_ranks: true },
    Adder { name: "rust-rayon", program: ("rust-rayon", "tree"), has_ranks: false },
    Adder { name: "julia", program: ("julia", "tree"), has_ranks: true },
    Adder { name: "sumac", program: ("sumac", "tree"), has_ranks: false },
    Adder { name: "sumac-mpi", program: ("sumac-mpi", "shared"), has_ranks: true },
    Adder { name: "sumac-mpi-messages", program: ("sumac-mpi", "messages"), has_ranks: true },
    Adder { name: FLOOR, program: (FLOOR, "tree"), has_ranks: false },
    Adder { name: "rust-mpi-binding-first", program: ("rust-mpi-binding", "first"), has_ranks: true },
    Adder { name: "rust-mpi-abi-first", program: ("rust-mpi-abi", "first"), has_ranks: true },
    Adder { name: "rust-mpi-wrapper-first", program: ("rust-mpi-wrapper", "first"), has_ranks: true },
    Adder { name: "julia-first", program: ("julia", "first"), has_ranks: true },
];

/// What they do, in experiments.
pub(crate) const BYTES: Workload = Workload {
    sizes: 0..=usize::MAX,
    programs: || ADDERS.iter().map(|adder| adder.name).collect(),
    parameters: &[],
    ..Workload::new("bytes", [1 << 20, 1 << 18, 0], &[], |_, _| {
        unreachable!("it is not measured in a process of the lab")
    })
};

/// What only reads: a yardstick for the adders.
pub(crate) const FLOOR: &str = "floor";

impl Adder {
    /// The one of this name.
    pub(crate) fn named(name: &str) -> Option<Adder> {
        ADDERS.into_iter().find(|adder| adder.name == name)
    }
}

/// Where the programs are.
#[derive(Debug)]
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

    /// Leaves out of a plan which adders cannot take part here; answers who, and why.
    pub(crate) fn leave_out(&self, plan: &mut Plan) -> Vec<(&'static str, String)> {
        let mut missing = Vec::new();
        for adder in &ADDERS {
            let (Some(why), all) = (self.lacks(adder), plan.cells()) else {
                continue;
            };
            let is_its =
                |cell: &Cell| (&*cell.problem, &*cell.contender) == (BYTES.name, adder.name);
            plan.retain(|planned| !is_its(&planned.cell));
            if plan.cells() < all {
                missing.push((adder.name, why));
            }
        }
        missing
    }

    /// Why this adder cannot take part here, and what to do about it; nothing if it can.
    fn lacks(&self, adder: &Adder) -> Option<String> {
        let launcher = adder.has_ranks.then_some("mpiexec");
        let mut needed = launcher.into_iter().chain([adder.program.0]);
        let missing = needed.find(|name| !self.folder.join(name).exists())?;
        let folder = self.folder.display();
        Some(format!(
            "no {missing} in {folder}: run `adders/build.sh`, which says what it lacks"
        ))
    }

    /// What runs this adder with so many kernels on the file.
    pub(crate) fn command(&self, adder: &Adder, kernels: usize, file: &Path, size: u64) -> Command {
        let (program, mode) = adder.program;
        let program = self.folder.join(program);
        let mut command = if adder.has_ranks {
            let mut command = tied::command(self.folder.join("mpiexec"));
            command.arg("-n").arg(kernels.to_string()).arg(program);
            command
        } else {
            tied::command(program)
        };
        // A rank is a thread here, so that kernels are comparable.
        let threads = if adder.has_ranks { 1 } else { kernels };
        command.arg(file).arg(size.to_string());
        command.env("ADDER_THREADS", threads.to_string());
        command.env("ADDER_MODE", mode);
        command
    }
}
