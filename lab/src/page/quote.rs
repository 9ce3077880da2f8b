//! Figures in sentences: what stands between two marks in a line of a document is what the results
//! say. The marks are comments, which no reader of the document sees:
//!
//! ```text
//! took <!--= time overhead tree 1023 rayon x2 -->7.11 µs<!--/=-->
//! ```
//!
//! The first word says which figure, the second of which experiment, the others are the cell as
//! `lab run --only` knows it. `pays` belongs to all units of work, not to one cell: it is followed
//! by a contender and its threads only.

use super::cases::BASELINE;
use super::facts::Facts;
use super::load::Loaded;
use super::summary::pays;
use crate::table::{digits, time};

const OPEN: &str = "<!--=";
const END: &str = "-->";
const CLOSE: &str = "<!--/=-->";

/// The line with its figures made anew, and how many they are.
pub(super) fn fill(line: &str, loaded: &Loaded) -> Result<(String, usize), String> {
    let (mut out, mut rest, mut filled) = (String::new(), line, 0);
    while let Some((before, marked)) = rest.split_once(OPEN) {
        let (key, text) = marked
            .split_once(END)
            .ok_or_else(|| format!("`{OPEN}` without `{END}`"))?;
        let (_, after) = text
            .split_once(CLOSE)
            .filter(|(old, _)| !old.contains(OPEN))
            .ok_or_else(|| format!("`{OPEN}{key}{END}` without `{CLOSE}`"))?;
        let new = figure(key.trim(), loaded).map_err(|why| format!("`{}`: {why}", key.trim()))?;
        out += &format!("{before}{OPEN}{key}{END}{new}{CLOSE}");
        (rest, filled) = (after, filled + 1);
    }
    Ok((out + rest, filled))
}

fn figure(key: &str, loaded: &Loaded) -> Result<String, String> {
    let mut words = key.splitn(3, ' ');
    let [what, experiment, cell] = [(); 3].map(|()| words.next().unwrap_or(""));
    let named = || loaded.experiments.iter().filter(|e| e.name == experiment);
    if what == "pays" {
        let unit = cell.rsplit_once(" x").and_then(|(contender, threads)| {
            let threads = threads.parse().ok()?;
            named().find_map(|e| pays(&e.groups(), contender, threads))
        });
        return unit.map(time).ok_or("it pays for no unit of work".into());
    }
    let found = named().find_map(|e| {
        e.groups().iter().find_map(|group| {
            let (_, own) = group.cells.iter().find(|(c, _)| c.to_string() == cell)?;
            Some((own.facts.clone()?, group.baseline().cloned()))
        })
    });
    let (own, baseline) = found.ok_or("there is no such cell")?;
    let baseline = || {
        baseline
            .as_ref()
            .ok_or(format!("no {BASELINE} to compare with"))
    };
    say(what, &own, baseline)
}

fn say<'f>(
    what: &str,
    own: &Facts,
    baseline: impl Fn() -> Result<&'f Facts, String>,
) -> Result<String, String> {
    let over = || Ok::<_, String>(own.per_piece() - baseline()?.per_piece());
    let median = own.summary.median;
    Ok(match what {
        // Medians of calls and of pieces, with unit; nanoseconds of a piece, without.
        "time" => time(median),
        "piece" => time(own.per_piece()),
        "ns" => digits(own.per_piece()),
        // Nanoseconds per piece beyond the baseline, and the same in per cent of it.
        "over" => digits(over()?),
        "percent" => digits(over()? / baseline()?.per_piece() * 100.0),
        // How often it fits into the baseline, what part of it it is, and what part the slowest
        // tenth is.
        "speed-up" => digits(baseline()?.summary.median / median),
        "part" => digits(median / baseline()?.summary.median),
        "late" => digits(own.summary.p90 / baseline()?.summary.median),
        // Cores kept busy.
        "busy" => digits(own.busy().ok_or("the clocks of the CPU were not read")?),
        _ => return Err(format!("no figure is called `{what}`")),
    })
}
