//! The machine and the versions that a result belongs to.

use std::collections::BTreeMap;
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
    pub profile: String,
    /// The contenders' versions.
    pub versions: Versions,
}

/// The triple that the program is compiled for.
pub const TARGET: &str = env!("LAB_TARGET");

/// Versions by name: this library's with its last commit, and those of the packages that it is
/// compared with.
pub type Versions = BTreeMap<String, String>;

impl Machine {
    /// Whether results may stand side by side, whatever memory and kernel are.
    pub fn is_as(&self, other: &Machine) -> bool {
        let like = Machine {
            memory_mib: other.memory_mib,
            kernel: other.kernel.clone(),
            ..self.clone()
        };
        like == *other
    }

    /// It in a sentence.
    pub fn in_short(&self) -> String {
        let rustc = self.rustc.split(" (").next().unwrap_or_default();
        format!(
            "{}, {} cores, {}, {rustc}",
            self.cpu, self.cores, self.kernel
        )
    }

    /// The folder of its results: its processor and cores, such as `amd-epyc-2`.
    pub fn folder(&self) -> String {
        let cpu = self
            .cpu
            .to_lowercase()
            .replace("(r)", " ")
            .replace("(tm)", " ");
        let model = cpu.split('@').next().unwrap_or_default();
        let words = model.split(|c: char| !c.is_ascii_alphanumeric());
        let telling = words.filter(|word| !["", "cpu", "processor"].contains(word));
        format!("{}-{}", telling.collect::<Vec<_>>().join("-"), self.cores)
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
            versions: versions(env!("LAB_VERSIONS")),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gib = self.memory_mib as f64 / 1024.0;
        let cores = plural(self.cores, "core");
        writeln!(f, "{}, {cores}, {gib:.0} GiB", self.cpu)?;
        writeln!(
            f,
            "{}, {}, profile {}",
            self.kernel, self.rustc, self.profile
        )?;
        let versions = self.versions.iter();
        let versions: Vec<_> = versions
            .map(|(name, version)| format!("{name} {version}"))
            .collect();
        write!(f, "{}", versions.join(", "))?;
        if !self.optimised {
            write!(
                f,
                "\n\n**Built without optimisation: these numbers mean nothing.**"
            )?;
        }
        Ok(())
    }
}

/// Of a list `name=version;..`.
fn versions(list: &str) -> Versions {
    let pairs = list.split(';').filter_map(|pair| pair.split_once('='));
    pairs
        .map(|(name, version)| (name.into(), version.into()))
        .collect()
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
