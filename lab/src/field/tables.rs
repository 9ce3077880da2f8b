//! What was found, as a table, and what is wrong.

use super::Found;
use super::visit::Taken;
use crate::patched::Under;
use crate::report::{Section, WORTH_SAYING};
use crate::stats::Summary;
use crate::table::{Table, digits, time};
use crate::view::{SPREAD_NOTE, spread_of};

/// From which part of rayon's time on a crate is called slower.
pub(super) const SLOWER: f64 = 1.05;

/// What the columns are.
const NOTE: &str = "Wall time of the program with rayon's own scheduler; then what sumac takes, \
    as parts of that: wall time, CPU time, memory at its peak, size of the program. Threads: the most at once. \
    Packages: those that both builds have in common, the schedulers aside. Tests: the crate's own \
    that pass, with rayon's and with sumac's. ";

/// The table, and what is wrong if something is.
pub(crate) fn sections(found: &[Found]) -> Vec<Section> {
    let note = format!("{NOTE}{SPREAD_NOTE} {}", average(found));
    let mut sections = vec![Section::new("the field", table(found), note)];
    let mut wrong = Table::headed("crate|what is wrong");
    for Found { name, failed, .. } in found {
        failed.iter().for_each(|why| wrong.row([name, why]));
    }
    if !wrong.is_empty() {
        sections.push(Section::new("WRONG", wrong, ""));
    }
    sections
}

/// The table in a document, if there is anything to say.
pub(crate) fn spliced(found: &[Found]) -> Option<String> {
    let machine = found.first()?.machine.in_short();
    let (table, average) = (table(found), average(found));
    Some(format!(
        "{table}\n{average} Made by `cargo run --release --features full -- field` on {machine}. \
         Spliced by `lab report --splice`.\n"
    ))
}

/// All crates as one table.
pub(super) fn table(found: &[Found]) -> Table {
    let head = [
        "crate", "packages", "rayon", "wall", "CPU", "memory", "threads", "size", "tests",
    ];
    let mut table = Table::new(head);
    for one in found {
        let both = |of: &dyn Fn(Under) -> Option<String>| {
            let both = Under::BOTH.map(of);
            both.map(|value| value.unwrap_or_default()).join("; ")
        };
        let wall = match one.ratio(WALL) {
            _ if !one.failed.is_empty() => "**FAILED**".into(),
            Some(ratio) if ratio.median > SLOWER => format!("**{}**", part(&ratio)),
            ratio => ratio.as_ref().map_or(String::new(), part),
        };
        let tests = match one.ready.tests.is_empty() {
            true => String::new(),
            false => both(&|under| Some(one.ready.tests.get(&under)?.passed.to_string())),
        };
        let plain = one.summary(Under::Rayon, WALL);
        let of = |figure: fn(&Taken) -> f64| one.ratio(figure).as_ref().map_or(String::new(), part);
        let bytes =
            Under::BOTH.map(|under| one.ready.bytes.get(&under).copied().unwrap_or(0) as f64);
        table.row([
            format!("{} {}", one.name, one.version),
            one.ready.common.to_string(),
            plain.map_or(String::new(), |s| time(s.median * 1e9) + &spread_of(&s)),
            wall,
            of(|taken| taken.cpu),
            one.ratio(|taken| taken.memory as f64)
                .map_or(String::new(), |s| digits(s.median)),
            both(&|under| Some(one.threads.get(&under)?.to_string())),
            digits(bytes[1] / bytes[0]),
            tests,
        ]);
    }
    table
}

/// The time that a run took.
pub(super) const WALL: fn(&Taken) -> f64 = |taken| taken.wall;

fn part(ratio: &Summary) -> String {
    digits(ratio.median) + &spread_of(ratio)
}

/// What all of them say together.
pub(super) fn average(found: &[Found]) -> String {
    let mean = |of: fn(&Taken) -> f64| {
        let ratios = found
            .iter()
            .filter_map(|one| Some(one.ratio(of)?.median.ln()));
        let logarithms: Vec<f64> = ratios.filter(|log| log.is_finite()).collect();
        (logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64).exp()
    };
    let slower = found
        .iter()
        .filter(|one| one.ratio(WALL).is_some_and(|r| r.median > SLOWER));
    let others = found.iter().filter_map(|one| one.cores_of_others);
    let disturbed = others.filter(|&cores| cores > WORTH_SAYING).count();
    let mut said = format!(
        "Geometric means: {} of the wall time, {} of the CPU time; {} of {} crates take more than \
         {SLOWER} of the wall time.",
        digits(mean(WALL)),
        digits(mean(|taken| taken.cpu)),
        slower.count(),
        found.len()
    );
    if disturbed > 0 {
        said += &format!(" Other programs ran beside {disturbed} of them.");
    }
    said
}
