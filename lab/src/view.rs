//! The tables that most commands are made of: one contender a row, or contenders side by side.

use crate::experiment::{Record, Records, Seat, distinct};
use crate::stats::Summary;
use crate::table::{Table, digits, ratio, time};

/// A column of a table of records: its name, and what is in it.
pub(crate) type Column<'c> = (&'c str, &'c dyn Fn(&Record) -> String);

/// Who, on how many threads, how long.
pub(crate) const TIMES: [Column<'_>; 5] = [
    ("contender", &|r| r.contender.to_string()),
    ("threads", &|r| r.threads.to_string()),
    ("median", &|r| time(r.median())),
    ("p10", &|r| time(r.summary.p10)),
    ("p90", &|r| time(r.summary.p90)),
];
pub(crate) const MIN: Column<'_> = ("min", &|r| time(r.summary.min));
pub(crate) const OVER_BASELINE: Column<'_> = ("over baseline", &over_baseline);
pub(crate) const SPEED_UP: Column<'_> = ("speed-up", &speed_up);
pub(crate) const AGAINST_RAYON: Column<'_> = ("against rayon", &|r| {
    r.against_rayon.map_or("".into(), ratio)
});

/// A record a row.
pub(crate) fn listed<'r>(
    records: impl IntoIterator<Item = &'r Record>,
    columns: &[Column<'_>],
) -> Table {
    let mut table = Table::new(columns.iter().map(|(name, _)| *name));
    for record in records {
        table.row(columns.iter().map(|(_, cell)| cell(record)));
    }
    table
}

/// One contender a row, with everything that is known about it.
pub(crate) fn detail(records: &Records) -> Table {
    let columns = [&TIMES[..], &[MIN, OVER_BASELINE, SPEED_UP]].concat();
    listed(records.iter(), &columns)
}

/// What `detail` compares with what.
pub(crate) const DETAIL_NOTE: &str = "Over baseline: median over the left-first baseline's, less is better. \
     Speed-up: the better sequential order's median over this one, more is better.";

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

fn speed_up(record: &Record) -> String {
    record.speed_up.map_or("".into(), ratio)
}

fn over_baseline(record: &Record) -> String {
    record.over_baseline.map_or("".into(), ratio)
}

/// Half the distance from the 10th to the 90th percentile of a record.
pub(crate) fn spread(record: &Record) -> String {
    spread_of(&record.summary)
}

/// Half the distance from the 10th to the 90th percentile, as a part of the median.
pub(crate) fn spread_of(s: &Summary) -> String {
    format!(" ±{:.0}%", (s.p90 - s.p10) / 2.0 / s.median * 100.0)
}

/// What `spread_of` says.
pub(crate) const SPREAD_NOTE: &str =
    "± is half of the distance from the 10th to the 90th percentile of the samples.";
