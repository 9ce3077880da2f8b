//! The tables that most commands are made of: one contender a row, or contenders side by side.

use crate::experiment::{Record, Records, Seat, distinct};
use crate::table::{Table, digits, ratio, time};

/// One contender a column: in each row, its cell of another experiment.
pub(crate) fn side_by_side(
    first: &str,
    rows: &[(String, Records)],
    seats: &[Seat],
    cell: impl Fn(&Record) -> String,
) -> Table {
    let names = seats.iter().map(|seat| seat.id.to_string());
    let mut table = Table::new(std::iter::once(first.to_string()).chain(names));
    for (name, records) in rows {
        table.across(name, seats, |seat| {
            records.get(seat.id, seat.threads).map(&cell)
        });
    }
    table
}

/// A contender a row, a way of being used a column: operations per millisecond.
pub(crate) fn throughputs<'r>(records: impl IntoIterator<Item = &'r Record>) -> Table {
    let records: Vec<&Record> = records.into_iter().collect();
    let way = |record: &Record| how(&record.mode, record.threads);
    let columns = distinct(records.iter().copied().map(way));
    let mut table = Table::new(["ops/ms".to_string()].into_iter().chain(columns.clone()));
    for who in distinct(records.iter().map(|record| record.contender)) {
        table.across(who, &columns, |column| {
            let mut mine = records.iter().filter(|r| r.contender == who);
            let record = mine.find(|r| way(r) == *column)?;
            Some(digits(1e6 / record.median()) + &spread(record))
        });
    }
    table
}

/// The way in which operations come in, and on how many threads.
pub(crate) fn how(mode: &str, threads: usize) -> String {
    match mode {
        "alone" => mode.into(),
        _ => format!("{mode} ×{threads}"),
    }
}

/// A median and how far the samples are spread.
pub(crate) fn median_and_spread(record: &Record) -> String {
    time(record.median()) + &spread(record)
}

/// The time over the baseline's, and how far the samples are spread.
pub(crate) fn overhead_and_spread(record: &Record) -> String {
    over_baseline(record) + &spread(record)
}

fn over_baseline(record: &Record) -> String {
    record.over_baseline.map_or("".into(), ratio)
}

/// Half the distance from the 10th to the 90th percentile of a record.
pub(crate) fn spread(record: &Record) -> String {
    record.summary.spread()
}

/// What a spread is.
pub(crate) const SPREAD_NOTE: &str =
    "± is half of the distance from the 10th to the 90th percentile of the samples.";
