//! That the two builds of a package differ by their scheduler and by nothing else: what cargo says
//! they are made of.

use std::collections::BTreeSet;
use std::path::Path;

use super::{Pair, SHIM, Under};
use crate::experiment::Failure;

/// What is replaced.
const CORE: &str = "rayon-core";
/// What the replacement is made of. A program may use some of it anyway.
const BELOW: [&str; 2] = ["sumac-core", "sumac-rayon"];

/// Whether a program said on standard error that sumac runs rayon in it.
pub(crate) fn announced(said: &str) -> bool {
    let says =
        |line: &str| line.starts_with("sumac ") && line.contains(" runs rayon: a pool with ");
    said.lines().any(says)
}

impl Pair {
    /// Compares what the two builds of a package are made of.
    ///
    /// # Errors
    ///
    /// They differ by more than the scheduler, or have the same.
    pub(crate) fn proof(&self, package: &str) -> Result<usize, Failure> {
        let [plain, patched] = [
            self.parts(Under::Rayon, package)?,
            self.parts(Under::Sumac, package)?,
        ];
        let own = self.parts(Under::Rayon, CORE)?;
        let shim = Path::new(SHIM).canonicalize().unwrap_or_default();
        let proof = compare(&plain, &patched, &own, &shim.display().to_string());
        proof.map_err(|why| Failure::Other(format!("{package}: {why}")))
    }

    /// The packages that one is made of, each as cargo names it, wherever the workspace is.
    fn parts(&self, under: Under, package: &str) -> Result<BTreeSet<String>, Failure> {
        let manifest = self.member(under, package).join("Cargo.toml");
        let manifest = manifest.display().to_string();
        let words = match package {
            CORE => ["tree", "--locked", "--quiet", "--package", CORE],
            _ => ["tree", "--locked", "--quiet", "--manifest-path", &manifest],
        };
        let format = ["--edges", "normal,build", "--prefix", "none", "--no-dedupe"];
        let said = self.said_by_cargo(under, &[&words[..], &format].concat())?;
        let here = self.workspace(under).canonicalize().unwrap_or_default();
        let here = here.display().to_string();
        let parts = said.lines().filter(|line| !line.is_empty());
        Ok(parts.map(|line| line.replace(&here, "")).collect())
    }
}

fn compare(
    plain: &BTreeSet<String>,
    patched: &BTreeSet<String>,
    own: &BTreeSet<String>,
    shim: &str,
) -> Result<usize, String> {
    let cores = |parts: &BTreeSet<String>| {
        let cores = parts.iter().filter(|part| name(part) == CORE);
        cores.cloned().collect::<Vec<_>>()
    };
    let (plain_core, patched_core) = match (&cores(plain)[..], &cores(patched)[..]) {
        ([plain], [patched]) => (plain.clone(), patched.clone()),
        ([], _) => return Err("it does not use rayon".into()),
        (plain, patched) => return Err(format!("rayon-core is {plain:?} and {patched:?}")),
    };
    if patched_core != format!("{plain_core} ({shim})") {
        return Err(format!("{patched_core} is not sumac's {plain_core}"));
    }
    let more: Vec<&String> = patched.difference(plain).collect();
    let expected = |part: &&String| **part == patched_core || BELOW.contains(&name(part));
    let has = |below: &&&str| plain.iter().any(|part| name(part) == **below);
    let below = BELOW.len() - BELOW.iter().filter(has).count();
    if more.len() != 1 + below || !more.iter().all(expected) {
        return Err(format!("with sumac it has, besides: {more:?}"));
    }
    // Rayon's scheduler takes along what only it needs.
    if let Some(less) = plain.difference(patched).find(|part| !own.contains(*part)) {
        return Err(format!("with sumac it lacks {less}"));
    }
    Ok(plain.intersection(patched).count())
}

fn name(part: &str) -> &str {
    part.split(' ').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(parts: &[&str]) -> BTreeSet<String> {
        parts.iter().map(|part| part.to_string()).collect()
    }

    #[test]
    fn builds_differ_by_the_scheduler_alone() {
        let own = set(&["rayon-core v1.13.0", "crossbeam-deque v0.8.8"]);
        let plain = set(&[
            "a v0.0.0 (/members/a)",
            "rayon v1.12.0",
            "rayon-core v1.13.0",
            "crossbeam-deque v0.8.8",
        ]);
        let core = "rayon-core v1.13.0 (/shim)";
        let good = [
            "a v0.0.0 (/members/a)",
            "rayon v1.12.0",
            core,
            "sumac-core v0.1.0 (/core)",
            "sumac-rayon v0.1.0 (/rayon)",
        ];
        let of = |patched: &[&str]| compare(&plain, &set(patched), &own, "/shim");
        let proof = of(&good).expect("they differ by the scheduler");
        assert_eq!(proof, 2);
        let [a, rayon, core, sumac, shim] = good;
        #[rustfmt::skip]
        let wrong = [
            (vec![a, rayon, "rayon-core v1.13.0", "crossbeam-deque v0.8.8"], "not sumac's"),
            (vec![a, rayon, "rayon-core v1.13.0 (/other)", sumac, shim], "not sumac's"),
            (vec![a, rayon, core, sumac], "besides"),
            (vec![a, "rayon v1.11.0", core, sumac, shim], "besides"),
            (vec![a, core, sumac, shim], "lacks rayon"),
            (vec![a, rayon, core, "rayon-core v1.12.0", sumac, shim], "rayon-core is"),
        ];
        for (patched, why) in wrong {
            let said = of(&patched).expect_err(why);
            assert!(said.contains(why), "{said}");
        }
        let said = compare(&set(&["a v1.0.0"]), &set(&["a v1.0.0"]), &own, "/shim");
        assert!(said.is_err_and(|why| why.contains("does not use rayon")));
    }

    #[test]
    fn the_announcement_is_a_line_of_its_own() {
        assert!(announced(
            "a\nsumac 0.1.0 runs rayon: a pool with 2 threads\n"
        ));
        assert!(!announced(
            "it says: sumac 0.1.0 runs rayon: a pool with 2 threads"
        ));
        assert!(!announced("sumac 0.1.0"));
    }
}
