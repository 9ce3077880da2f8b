//! Words and tables of records.

use crate::experiment::{Record, distinct};
use crate::table::{Table, digits, time};

/// Operations per millisecond: a row for each structure, a column for each way in which they come.
pub(crate) fn throughputs<'r>(records: impl IntoIterator<Item = &'r Record>) -> Table {
    let records: Vec<&Record> = records.into_iter().collect();
    let way = |record: &Record| how(&record.cell.parameters, record.cell.threads);
    let columns = distinct(records.iter().copied().map(way));
    let mut table = Table::new(["ops/ms".to_string()].into_iter().chain(columns.clone()));
    for who in distinct(records.iter().map(|record| &record.cell.contender)) {
        table.across(who, &columns, |column| {
            let mut mine = records.iter().filter(|r| r.cell.contender == *who);
            let record = mine.find(|r| way(r) == *column)?;
            Some(digits(1e6 / record.median()) + &record.summary.spread())
        });
    }
    table
}

/// How operations came, on how many threads.
pub(crate) fn how(mode: &str, threads: usize) -> String {
    match mode {
        "alone" => mode.into(),
        _ => format!("{mode} ×{threads}"),
    }
}

/// The median time with its spread.
pub(crate) fn median_and_spread(record: &Record) -> String {
    time(record.median()) + &record.summary.spread()
}

/// What the spread is.
pub(crate) const SPREAD_NOTE: &str =
    "± is half of the distance from the 10th to the 90th percentile of the samples.";
