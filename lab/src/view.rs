//! Records as tables: one experiment in detail, or many side by side with a column per contender.

use crate::experiment::{Record, Records, Seat};
use crate::stats::Summary;
use crate::table::{Table, ratio, time};

/// One experiment, one contender a row.
pub(crate) fn detail(records: &Records) -> Table {
    let mut table = Table::new([
        "contender",
        "threads",
        "median",
        "p10",
        "p90",
        "min",
        "over baseline",
        "speed-up",
    ]);
    for record in records.iter() {
        let s = record.summary;
        table.row([
            record.contender.to_string(),
            record.threads.to_string(),
            time(s.median),
            time(s.p10),
            time(s.p90),
            time(s.min),
            record.over_baseline.map_or("".into(), ratio),
            record.speed_up.map_or("".into(), ratio),
        ]);
    }
    table
}

/// What `detail` leaves open.
pub(crate) const DETAIL_NOTE: &str = "Over baseline: median over the left-first baseline's, less is better. \
     Speed-up: the better sequential order's median over this one, more is better.";

/// Many experiments, one a row; the contenders are the columns.
pub(crate) fn side_by_side(
    first: &str,
    rows: &[(String, Records)],
    seats: &[Seat],
    cell: impl Fn(&Record) -> String,
) -> Table {
    let names = seats.iter().map(|seat| seat.id.to_string());
    let mut table = Table::new(std::iter::once(first.to_string()).chain(names));
    for (name, records) in rows {
        let cells = seats.iter().map(|seat| {
            let record = records.get(seat.id, seat.threads);
            record.map_or("".into(), &cell)
        });
        table.row(std::iter::once(name.clone()).chain(cells));
    }
    table
}

/// The median and how far most samples stray from it.
pub(crate) fn median_and_spread(record: &Record) -> String {
    format!("{}{}", time(record.median()), spread(record))
}

/// The speed-up and how far most samples stray.
pub(crate) fn speed_up_and_spread(record: &Record) -> String {
    let speed_up = record.speed_up.map_or("".into(), ratio);
    format!("{speed_up}{}", spread(record))
}

/// The time over the baseline's and how far most samples stray.
pub(crate) fn overhead_and_spread(record: &Record) -> String {
    let over = record.over_baseline.map_or("".into(), ratio);
    format!("{over}{}", spread(record))
}

/// Half of the distance from p10 to p90, as a part of the median.
pub(crate) fn spread(record: &Record) -> String {
    spread_of(&record.summary)
}

/// The same of any summary.
pub(crate) fn spread_of(s: &Summary) -> String {
    format!(" ±{:.0}%", (s.p90 - s.p10) / 2.0 / s.median * 100.0)
}

/// What a spread is.
pub(crate) const SPREAD_NOTE: &str =
    "± is half of the distance from the 10th to the 90th percentile of the samples.";
