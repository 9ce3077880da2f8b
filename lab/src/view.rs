//! Words about records.

use crate::experiment::Record;
use crate::table::time;

/// The median time with its spread.
pub(crate) fn median_and_spread(record: &Record) -> String {
    time(record.median()) + &record.summary.spread()
}

/// What the spread is.
pub(crate) const SPREAD_NOTE: &str =
    "± is half of the distance from the 10th to the 90th percentile of the samples.";
