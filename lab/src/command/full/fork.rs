//! `lab fork`: the tables of the predecessor, a fork of domainslib with batching, in their shape.

use clap::Args;

use crate::batch::fork::{
    self, COUNTERS, INSERTIONS, PUBLISHED_INSERTIONS, PUBLISHED_SIZES, Published,
};
use crate::cli::{self, Common};
use crate::experiment::{Failure, Record};
use crate::report::Report;
use crate::table::{Table, digits, grouped, time};

/// How much of what.
#[derive(Args, Clone, Debug)]
pub(crate) struct ForkArgs {
    /// Numbers of threads
    #[arg(long, value_delimiter = ',', value_parser = cli::threads, value_name = "N,..", default_value = "1,2,3,4,5,6,7")]
    threads: Vec<usize>,

    /// Increments of each counter, of which so many hundred tell the sizes of batches
    #[arg(long, value_parser = some(10_000_000), value_name = "N", default_value = "10000")]
    increments: u64,

    /// The most operations of a batch, where sizes are told
    #[arg(long, value_parser = some(u32::MAX.into()), value_name = "N", default_value = "63")]
    limit: u64,

    /// Keys that skip lists begin with
    #[arg(long, value_delimiter = ',', value_parser = some(100_000_000), value_name = "N,..", default_value = "1000000")]
    preset: Vec<u64>,

    /// Operations on skip lists
    #[arg(long, value_parser = some(10_000_000), value_name = "N", default_value = "100000")]
    operations: u64,

    /// Insertions among a hundred operations on skip lists; the others search
    #[arg(long, value_parser = clap::value_parser!(u64).range(..=100), value_name = "N", default_value = "100")]
    mix: u64,

    #[command(flatten)]
    pub(crate) common: Common,
}

fn some(most: u64) -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(1..=most)
}

/// Tasks that increment, where sizes of batches are told: as many as were published for.
const TASKS: usize = 128;

/// Measures.
pub(crate) fn run(args: &ForkArgs) -> Result<Report, Failure> {
    let limits = args.common.limits(7, 30.0);
    let increments = args.increments as usize;
    let mut report = Report::default();

    let records = fork::counters(&args.threads, increments, limits)?;
    let mut table = headed("", &args.threads);
    for row in &COUNTERS {
        let who = format!("{} (`{}`)", row.name, row.here);
        table.across(who, &args.threads, |&n| {
            Some(time(
                on(&records, row.name, n)?.median() * increments as f64,
            ))
        });
        published(&mut table, row.name, &args.threads, &row.published);
    }
    let title = format!("counters, {} increments", grouped(args.increments));
    let note = "Published: of 10,000 increments on other hardware, in a unit that was not said.";
    report.add(title, table, note);
    report.keep(&records);

    let many = 100 * increments;
    let most = args.threads.iter().copied().max().unwrap_or(1);
    let sizes = fork::sizes((TASKS, most), many, args.limit as usize)?;
    let mut table = Table::headed("batch_size|bop performed|published");
    let told = PUBLISHED_SIZES.iter().map(|&(size, _)| size);
    let mut all: Vec<usize> = sizes.keys().copied().chain(told).collect();
    all.sort_unstable();
    all.dedup();
    for size in all {
        let here = sizes.get(&size).map_or(String::new(), |&n| grouped(n));
        let there = PUBLISHED_SIZES.iter().find(|(of, _)| *of == size);
        let there = there.map_or(String::new(), |&(_, n)| grouped(n));
        table.row([grouped(size as u64), here, there]);
    }
    let (many, limit) = (grouped(many as u64), grouped(args.limit));
    let title = format!("sizes of batches, {many} increments from {TASKS} tasks on {most} threads");
    let note = format!("A batch has at most {limit} operations here. Published: of a million.");
    report.add(title, table, note);

    for &preset in &args.preset {
        let kind = fork::kind(preset as usize, args.operations as usize, args.mix);
        let records = fork::insertions(kind, &args.threads, limits)?;
        let mut table = headed("ops/ms", &args.threads);
        for (name, _) in INSERTIONS {
            table.across(name, &args.threads, |&n| {
                Some(digits(1e6 / on(&records, name, n)?.median()))
            });
        }
        let there = PUBLISHED_INSERTIONS.iter();
        if let Some((_, [alone, batched])) = there.clone().find(|(of, _)| *of == kind.preset) {
            published(&mut table, "Seq_ins", &args.threads, alone);
            published(&mut table, "Batched_ins", &args.threads, batched);
        }
        let title = format!("skip list, {kind}");
        report.add(
            title,
            table,
            "Published: of 100,000 insertions on other hardware.",
        );
        report.keep(&records);
    }
    Ok(report)
}

fn headed(unit: &str, threads: &[usize]) -> Table {
    let numbers = threads.iter().map(usize::to_string);
    Table::new(std::iter::once(format!("num_domains {unit}").trim().to_string()).chain(numbers))
}

/// What one contender came to on so many threads.
fn on<'r>(records: &'r [Record], who: &str, threads: usize) -> Option<&'r Record> {
    let mut records = records.iter();
    records.find(|r| r.cell.contender == who && r.cell.threads == threads)
}

/// A row of what was published for these numbers of domains.
fn published(table: &mut Table, name: &str, threads: &[usize], values: &Published) {
    let name = format!("{name}, published");
    table.across(name, threads, |n| values.get(n - 1).map(f64::to_string));
}
