//! `lab builds`: what a fork costs in each of the builds that users make, as one table.

use clap::Args;

use crate::builds;
use crate::cli;
use crate::experiment::{Failure, Record, Who};
use crate::progress::Progress;
use crate::report::{Report, Section};
use crate::stats::of_ratios;
use crate::table::{Table, ratio};
use crate::view::{SPREAD_NOTE, median_and_spread, spread_of};

/// The builds, in words, by the names that the package knows them under.
const BUILDS: [(&str, &str); 6] = [
    (builds::DEFAULT, "cargo's default release profile"),
    ("cdylib", "the same, a shared library loaded with dlopen"),
    ("fat", "lto = \"fat\", one codegen unit"),
    ("no-lto", "lto = \"off\", 16 codegen units"),
    ("o2", "opt-level = 2"),
    ("os", "opt-level = \"s\""),
];

/// Whose instructions are shown, with the heads of their columns.
const COUNTED: [(&str, &str); 6] = [
    ("plain", "plain"),
    ("scope", "`Scope::join`"),
    ("join", "`join`"),
    ("chili", "chili"),
    ("rayon", "rayon"),
    ("sum", "loop"),
];

/// Whose times are shown.
const TIMED: [(&str, &str); 4] = [
    ("chili", "chili"),
    ("plain", "plain"),
    ("scope", "`Scope::join`"),
    ("join", "`join`"),
];

/// How long, on how many threads.
#[derive(Args, Clone, Debug)]
pub(crate) struct BuildsArgs {
    /// Rounds, in each of which every contender runs once
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..), value_name = "N", default_value = "15")]
    rounds: u32,

    /// Numbers of threads
    #[arg(long, value_delimiter = ',', value_parser = cli::threads, value_name = "N,..", default_value = "1,32")]
    threads: Vec<usize>,

    /// One JSON document with all samples instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

/// Measures.
pub(crate) fn run(args: &BuildsArgs) -> Result<Report, Failure> {
    let progress = Progress::new(2);
    progress.begin("building, and counting instructions");
    let mut records = builds::instructions(&[])?;
    let counted = !records.is_empty();
    progress.end();
    progress.begin("times");
    records.extend(builds::times(args.rounds as usize, &args.threads)?);
    progress.end();
    let mut note = "The first columns are instructions under callgrind, a node of the 1,023-node tree each; `loop` is a whole \
         `par_iter().map().sum()` over ten numbers. The others are times of chili a node, and of the others over chili's \
         in the same process and round, on so many threads. "
        .to_string();
    if !counted {
        note += "There is no valgrind here, so nothing was counted. ";
    }
    let title = "a fork in each build";
    let table = table(&records, &args.threads);
    Ok(Report {
        sections: vec![Section::new(title, table, note + SPREAD_NOTE)],
        records,
        ..Report::default()
    })
}

fn table(records: &[Record], threads: &[usize]) -> Table {
    let mut head = vec!["build".to_string()];
    head.extend(COUNTED.map(|(_, name)| name.to_string()));
    for threads in threads {
        head.extend(TIMED.map(|(_, name)| format!("{name} ×{threads}")));
    }
    let mut table = Table::new(head);
    for (build, words) in BUILDS {
        let find = |mode, who, threads| {
            let place = (build, mode, Who::Named(who), threads);
            let is_there =
                |r: &&Record| (&*r.experiment, &*r.mode, r.contender, r.threads) == place;
            records.iter().find(is_there)
        };
        let mut row = vec![words.to_string()];
        row.extend(COUNTED.map(|(who, _)| {
            let count = find(builds::COUNTED, who, 1);
            count.map_or(String::new(), |count| format!("{:.1}", count.median()))
        }));
        for &threads in threads {
            let of = |who| find(builds::TIMED, who, threads);
            row.extend(TIMED.map(|(who, _)| cell(of(who), of("chili"))));
        }
        table.row(row);
    }
    table
}

/// The time of chili, or what it is over chili's, with its spread.
fn cell(own: Option<&Record>, chili: Option<&Record>) -> String {
    let (Some(own), Some(chili)) = (own, chili) else {
        return String::new();
    };
    if own.contender == chili.contender {
        return median_and_spread(own);
    }
    let over = of_ratios(&own.samples, &chili.samples);
    over.map_or(String::new(), |s| ratio(s.median) + &spread_of(&s))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(who: &'static str, mode: &str, threads: usize, samples: &[f64]) -> Record {
        Record::new(
            "cdylib",
            mode,
            (Who::Named(who), threads),
            1,
            samples.to_vec(),
        )
    }

    #[test]
    fn ratios_are_those_of_rounds() {
        let records = [
            record("chili", builds::COUNTED, 1, &[55.6]),
            record("scope", builds::COUNTED, 1, &[36.04]),
            record("chili", builds::TIMED, 32, &[4.0, 8.0, 2.0]),
            record("scope", builds::TIMED, 32, &[2.0, 4.0, 1.0]),
        ];
        let table = table(&records, &[1, 32]);
        let row = &table.rows()[1];
        assert_eq!(row.len(), table.head().len());
        assert_eq!(row[0], "the same, a shared library loaded with dlopen");
        assert_eq!(row[1..5], ["", "36.0", "", "55.6"]);
        assert!(
            row[7..11].iter().all(String::is_empty),
            "one thread was not measured"
        );
        assert_eq!(row[11..15], ["4.00 ns ±60%", "", "0.50× ±0%", ""]);
    }
}
