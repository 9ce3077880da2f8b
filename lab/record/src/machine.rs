//! The machine and the versions that a result belongs to.

use std::fmt;
use std::fs;
use std::thread;

use serde::{Deserialize, Serialize};

use crate::table::plural;

/// Where and with what a result was made.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name.
    pub cpu: String,
    /// Cores this process may use.
    pub cores: usize,
    /// Memory, in MiB.
    pub memory_mib: u64,
    /// The kernel.
    pub kernel: String,
    /// The compiler.
    pub rustc: String,
    /// Whether the compiler optimised.
    pub optimised: bool,
    /// Cargo's profile, and what in it is not cargo's default.
    #[serde(default = "first_profile")]
    pub profile: String,
    /// The contenders' versions.
    pub versions: Versions,
}

/// The profile of records that do not say it: all were made with the first one.
fn first_profile() -> String {
    "fat LTO, one unit".into()
}

/// The triple that the program is compiled for.
pub const TARGET: &str = env!("LAB_TARGET");

/// The contenders' versions.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Versions {
    /// This library's.
    pub sumac: String,
    /// rayon's.
    pub rayon: String,
    /// chili's.
    pub chili: String,
    /// forte's, in a build that has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forte: Option<String>,
    /// crossbeam's skip list's.
    pub crossbeam_skiplist: String,
}

impl Machine {
    /// What decides about results, by name: the machine, then the build.
    pub fn facts(&self) -> [(&'static str, String); 11] {
        let versions = &self.versions;
        [
            ("processor", self.cpu.clone()),
            ("cores", self.cores.to_string()),
            ("memory (GiB)", (self.memory_mib / 1024).to_string()),
            ("kernel", self.kernel.clone()),
            ("compiler", self.rustc.clone()),
            ("optimised", self.optimised.to_string()),
            ("profile", self.profile.clone()),
            ("sumac", versions.sumac.clone()),
            ("rayon", versions.rayon.clone()),
            ("chili", versions.chili.clone()),
            ("crossbeam-skiplist", versions.crossbeam_skiplist.clone()),
        ]
    }

    /// In what the other one differs: in nothing if results may stand side by side, whatever memory
    /// and kernel are.
    pub fn difference(&self, other: &Machine) -> Option<String> {
        let both = self.facts().into_iter().zip(other.facts());
        let differ = both
            .filter(|(own, other)| own != other && !["memory (GiB)", "kernel"].contains(&own.0));
        let words = differ.map(|((name, own), (_, other))| format!("{name}: {other}, not {own}"));
        let words: Vec<String> = words.collect();
        (!words.is_empty()).then(|| words.join("; "))
    }

    /// It in a sentence.
    pub fn in_short(&self) -> String {
        let rustc = self.rustc.split(" (").next().unwrap_or_default();
        format!(
            "{}, {} cores, {}, {rustc}",
            self.cpu, self.cores, self.kernel
        )
    }

    /// This one.
    pub fn this() -> Machine {
        Machine {
            cpu: field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown CPU".into()),
            cores: cores(),
            memory_mib: kibibytes("MemTotal").unwrap_or(0) / 1024,
            kernel: kernel(),
            rustc: env!("LAB_RUSTC").into(),
            optimised: !cfg!(debug_assertions),
            profile: env!("LAB_PROFILE").into(),
            versions: Versions {
                sumac: env!("LAB_SUMAC").into(),
                rayon: env!("LAB_RAYON").into(),
                chili: env!("LAB_CHILI").into(),
                forte: cfg!(feature = "forte").then(|| env!("LAB_FORTE").into()),
                crossbeam_skiplist: env!("LAB_CROSSBEAM_SKIPLIST").into(),
            },
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Versions {
            sumac,
            rayon,
            chili,
            forte,
            crossbeam_skiplist,
        } = &self.versions;
        let gib = self.memory_mib as f64 / 1024.0;
        let cores = plural(self.cores, "core");
        writeln!(f, "{}, {cores}, {gib:.0} GiB", self.cpu)?;
        writeln!(
            f,
            "{}, {}, profile {}",
            self.kernel, self.rustc, self.profile
        )?;
        write!(
            f,
            "sumac {sumac}, rayon {rayon}, chili {chili}, crossbeam-skiplist {crossbeam_skiplist}"
        )?;
        if let Some(forte) = forte {
            write!(f, ", forte {forte}")?;
        }
        if !self.optimised {
            write!(
                f,
                "\n\n**Built without optimisation: these numbers mean nothing.**"
            )?;
        }
        Ok(())
    }
}

/// Cores this process may use.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Bytes that can be had without swapping, where the system says so.
pub fn available_bytes() -> Option<u64> {
    kibibytes("MemAvailable").map(|kib| kib * 1024)
}

fn kibibytes(name: &str) -> Option<u64> {
    let value = field("/proc/meminfo", name)?;
    value.split_whitespace().next()?.parse().ok()
}

fn kernel() -> String {
    let read = |file| fs::read_to_string(file).unwrap_or_default();
    let name = read("/proc/sys/kernel/ostype");
    let release = read("/proc/sys/kernel/osrelease");
    match name.trim() {
        "" => std::env::consts::OS.into(),
        name => format!("{name} {}", release.trim()),
    }
}

/// The value of the first line `name : value` of a file.
fn field(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_string())
}
