//! Puts what a result must name into the binary: the compiler's version, the contenders' and the
//! profile; and the target.

use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::Command;

/// What a build is identified by: the last commit to these, and the changes since.
const MEASURED: [&str; 4] = ["Cargo.lock", "Cargo.toml", "crates", "lab"];
/// Whose versions records name, besides those of the contenders that have a file here.
const PEERS: [&str; 2] = ["crossbeam-skiplist", "orx-parallel"];
const CONTENDERS: &str = "lab/src/contender";

fn main() {
    let manifest = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let root = Path::new(&manifest).join("../..");
    let lock = root.join("Cargo.lock");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", lock.display());

    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let version = Command::new(rustc).arg("--version").output();
    let version = version.map_or_else(
        |_| "rustc of unknown version".into(),
        |out| String::from_utf8_lossy(&out.stdout).trim().to_string(),
    );
    println!("cargo::rustc-env=LAB_RUSTC={version}");
    println!("cargo::rustc-env=LAB_PROFILE={}", profile());
    let target = env::var("TARGET").unwrap_or_default();
    println!("cargo::rustc-env=LAB_TARGET={target}");

    let lock = fs::read_to_string(lock).unwrap_or_default();
    let folder = root.join(CONTENDERS);
    println!("cargo::rerun-if-changed={}", folder.display());
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = files
        .filter_map(|file| Some(file.path().file_stem()?.to_str()?.to_string()))
        .collect();
    names.extend(PEERS.map(String::from));
    names.sort();
    names.insert(0, "sumac".into());
    let mut versions = Vec::new();
    for name in &names {
        let Some(version) = locked_version(&lock, name) else {
            continue;
        };
        let commit = (*name == "sumac").then(|| commit(&root)).flatten();
        let commit = commit.map_or(String::new(), |commit| format!("+{commit}"));
        versions.push(format!("{}={version}{commit}", name.replace('-', "_")));
    }
    println!("cargo::rustc-env=LAB_VERSIONS={}", versions.join(";"));
}

/// The profile's name, and what is not cargo's default in it: `release`, or `fat (lto = "fat")`.
/// Line tables do not decide about times.
fn profile() -> String {
    // OUT_DIR is TARGET/PROFILE/build/PACKAGE/out.
    let out = env::var("OUT_DIR").unwrap_or_default();
    let folder = Path::new(&out).ancestors().nth(3).and_then(Path::file_name);
    let name = match folder.map_or("unknown".into(), |name| name.to_string_lossy()) {
        name if name == "debug" => "dev".into(),
        name => name,
    };
    let mut settings = Vec::new();
    for key in [
        "OPT_LEVEL",
        "LTO",
        "CODEGEN_UNITS",
        "DEBUG_ASSERTIONS",
        "PANIC",
    ] {
        let variable = name.to_ascii_uppercase().replace('-', "_");
        let variable = format!("CARGO_PROFILE_{variable}_{key}");
        println!("cargo::rerun-if-env-changed={variable}");
        settings.extend(env::var(&variable).map(|value| format!("{variable}={value}")));
    }
    match settings.as_slice() {
        [] => name.into(),
        settings => format!("{name} ({})", settings.join(", ")),
    }
}

/// The last commit that changed what is measured, and a digest of what was changed since.
fn commit(root: &Path) -> Option<String> {
    for path in MEASURED {
        println!("cargo::rerun-if-changed={}", root.join(path).display());
    }
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(root)
            .args(arguments)
            .arg("--")
            .args(MEASURED);
        let out = git.output().ok().filter(|out| out.status.success())?;
        String::from_utf8(out.stdout).ok()
    };
    // Another commit may become the last one without a change of any file.
    let folder = Command::new("git")
        .current_dir(root)
        .args(["rev-parse", "--absolute-git-dir"])
        .output();
    let folder = String::from_utf8(folder.ok()?.stdout).ok()?;
    let log = Path::new(folder.trim()).join("logs/HEAD");
    if log.exists() {
        println!("cargo::rerun-if-changed={}", log.display());
    }
    let commit = git(&["log", "-1", "--format=%h", "--abbrev=9"])?;
    let changes = git(&["diff", "HEAD"])?;
    match (commit.trim(), changes.as_str()) {
        ("", _) => None,
        (commit, "") => Some(commit.into()),
        (commit, changes) => {
            let mut hasher = DefaultHasher::new();
            changes.hash(&mut hasher);
            Some(format!("{commit}.changed.{:08x}", hasher.finish() as u32))
        }
    }
}

/// The version that follows the name in a lock file.
fn locked_version<'a>(lock: &'a str, name: &str) -> Option<&'a str> {
    let entry = lock.split_once(&format!("name = \"{name}\"\nversion = \""))?;
    entry.1.split('"').next()
}
