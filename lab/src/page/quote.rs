//! Figures in sentences: what stands between two marks in a line of a document is what the results
//! say. The marks are comments, which no reader of the document sees:
//!
//! ```text
//! took <!--= time overhead tree 1023 rayon x2 -->7.11 µs<!--/=-->
//! ```
//!
//! The first word says which figure, the second of which experiment, the others are the cell as
//! `lab run --only` knows it. `pays` belongs to all units of work, not to one cell: it is followed
//! by a contender and its threads only, and may be `none`. `mean` and `least` belong to all cases,
//! too: how many times faster one contender is than the best of others, in the geometric mean and
//! at least:
//!
//! ```text
//! <!--= mean flat sumac over rayon, orx x2 -->1.02<!--/=-->
//! ```
//!
//! Of several machines each has its figure, after a slash.

use super::cases::{BASELINE, Group};
use super::facts::Facts;
use super::load::Loaded;
use super::tables::pays;
use crate::stats::{Summary, geometric_mean};
use crate::table::{digits, grouped, time};

pub(super) const OPEN: &str = "<!--=";
const END: &str = "-->";
pub(super) const CLOSE: &str = "<!--/=-->";

/// The line with its figures made anew.
pub(super) fn fill(line: &str, machines: &[Loaded]) -> Result<String, String> {
    if line.trim_start().starts_with(OPEN) {
        // There a comment is a block of its own, and hides what stands behind it.
        return Err("a line must not begin with a figure".into());
    }
    let (mut out, mut rest) = (String::new(), line);
    while let Some((before, marked)) = rest.split_once(OPEN) {
        let (key, text) = marked
            .split_once(END)
            .ok_or_else(|| format!("`{OPEN}` without `{END}`"))?;
        let (_, after) = text
            .split_once(CLOSE)
            .filter(|(old, _)| !old.contains(OPEN))
            .ok_or_else(|| format!("`{OPEN}{key}{END}` without `{CLOSE}`"))?;
        let (what, only) = match key.trim().rsplit_once(" @") {
            Some((what, only)) => (what, Some(only)),
            None => (key.trim(), None),
        };
        let shown = machines
            .iter()
            .filter(|of| only.is_none_or(|only| of.machine == only));
        let all: Vec<_> = shown.map(|of| figure(what, of)).collect();
        let mut known: Vec<&str> = all.iter().flatten().map(String::as_str).collect();
        known.dedup();
        if let ([], Some(Err(why))) = (known.as_slice(), all.first()) {
            return Err(format!("`{}`: {why}", key.trim()));
        }
        out += &format!("{before}{OPEN}{key}{END}{}{CLOSE}", known.join(" / "));
        rest = after;
    }
    Ok(out + rest)
}

fn figure(key: &str, loaded: &Loaded) -> Result<String, String> {
    let mut words = key.splitn(3, ' ');
    let [what, experiment, cell] = [(); 3].map(|()| words.next().unwrap_or(""));
    let experiment = loaded.experiment(experiment);
    let groups = experiment.ok_or("there is no such record")?.groups();
    if what == "pays" {
        let who = cell
            .rsplit_once(" x")
            .and_then(|(contender, threads)| Some((contender, threads.parse().ok()?)));
        let (contender, threads) = who.ok_or("it names no contender and threads")?;
        let is_measured = groups
            .iter()
            .any(|group| group.facts(contender, threads).is_some());
        return match pays(&groups, contender, threads) {
            Some(unit) => Ok(time(unit)),
            None if is_measured => Ok("none".into()),
            None => Err("there is no such cell".into()),
        };
    }
    if ["mean", "least"].contains(&what) {
        let speeds = speeds(&groups, cell).unwrap_or_default();
        let found = match what {
            "mean" => geometric_mean(speeds),
            _ => speeds.into_iter().reduce(f64::min),
        };
        return found
            .map(digits)
            .ok_or("no case has these contenders".into());
    }
    let found = groups.iter().find_map(|group| {
        let (_, own) = group.cells.iter().find(|(c, _)| c.to_string() == cell)?;
        Some((own.facts.as_ref()?, group.baseline()))
    });
    let (own, baseline) = found.ok_or("there is no such cell")?;
    say(what, own, baseline)
}

/// Of each case, how many times faster a contender is than the best of others: `WHO over A, B xN`.
fn speeds(groups: &[Group<'_>], words: &str) -> Option<Vec<f64>> {
    let (pair, threads) = words.rsplit_once(" x")?;
    let (who, others) = pair.split_once(" over ")?;
    let threads = threads.parse().ok()?;
    let of = |group: &Group<'_>| {
        let median = |who: &str| Some(group.facts(who, threads)?.summary.median);
        let best = others
            .split(", ")
            .filter_map(median)
            .min_by(f64::total_cmp)?;
        Some(best / median(who)?)
    };
    Some(groups.iter().filter_map(of).collect())
}

/// A figure of a cell, given its case's baseline.
pub(super) fn say(what: &str, own: &Facts, baseline: Option<&Facts>) -> Result<String, String> {
    let baseline = || baseline.ok_or(format!("no {BASELINE} to compare with"));
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
        // How often it fits into the baseline.
        "speed-up" => digits(baseline()?.summary.median / median),
        // Pieces per millisecond.
        "rate" if own.per_piece() < 1e3 => grouped((1e6 / own.per_piece()).round() as u64),
        "rate" => digits(1e6 / own.per_piece()),
        // What else was measured, such as instructions.
        _ => {
            let further = own.further.get(what).filter(|values| !values.is_empty());
            let further = further.ok_or(format!("no figure is called `{what}`"))?;
            let median = Summary::of(further).median;
            match ["p99", "longest", "user", "system", "first"].contains(&what) {
                true => time(median),
                false => digits(median),
            }
        }
    })
}
