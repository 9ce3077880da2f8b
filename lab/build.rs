//! Puts what a result must name into the binary: the compiler's version and the contenders'.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

const CONTENDERS: [&str; 4] = ["sumac", "rayon", "chili", "crossbeam-skiplist"];

fn main() {
    let manifest = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let lock = Path::new(&manifest).join("../Cargo.lock");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", lock.display());

    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let version = Command::new(rustc).arg("--version").output();
    let version = version.map_or_else(
        |_| "rustc of unknown version".into(),
        |out| String::from_utf8_lossy(&out.stdout).trim().to_string(),
    );
    println!("cargo::rustc-env=LAB_RUSTC={version}");

    let lock = fs::read_to_string(lock).unwrap_or_default();
    for name in CONTENDERS {
        let version = locked_version(&lock, name).unwrap_or("of unknown version");
        println!(
            "cargo::rustc-env=LAB_{}={version}",
            name.to_ascii_uppercase().replace('-', "_")
        );
    }
}

/// The version that follows the name in a lock file.
fn locked_version<'a>(lock: &'a str, name: &str) -> Option<&'a str> {
    let entry = lock.split_once(&format!("name = \"{name}\"\nversion = \""))?;
    entry.1.split('"').next()
}
