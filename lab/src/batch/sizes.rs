//! How large the batches are that form by themselves: one repetition each, after one that does not
//! count.

use std::sync::Arc;

use sumac::batch::{Batched, Counter};
use sumac_record::{Cell, Line, Measured, Outcome};

use super::maps::{INSERTS, List, fill, shared};
use super::place::Pools;
use super::rounds;
use super::{Drive, Place, counters};
use crate::experiment::Failure;
use crate::progress::tell;
use crate::structure::map::{Owned, Stock};
use crate::structure::work::{Kind, Preset, Work};
use crate::table::{Table, digits, grouped};

/// The threads that the batches are formed on.
const THREADS: usize = 2;
/// How operations come in. The predecessor published its sizes for 128 and 4,096 tasks.
const DRIVES: [Drive; 5] = [
    Drive::Loop,
    Drive::Tasks(128),
    Drive::Tasks(1_000),
    Drive::Tasks(4_096),
    Drive::Tasks(10_000),
];

/// Measures.
pub(crate) fn measure(quick: bool) -> Result<Vec<Line>, Failure> {
    tell("sizes of batches");
    let (increments, kind) = match quick {
        true => (
            10_000,
            Kind {
                preset: 1_000,
                operations: 10_000,
                ..INSERTS
            },
        ),
        false => (1_000_000, INSERTS),
    };
    let mut records = Vec::new();
    let mut twice = |name: String, operations: usize, repeat: &mut Repeat<'_>| {
        for drive in DRIVES {
            repeat(drive, 0)?;
            let outcome = repeat(drive, 1)?;
            records.extend(line(&name, drive, operations, outcome));
        }
        Ok::<_, Failure>(())
    };
    let mut pools = Pools::default();
    let name = format!("a counter, {} increments", grouped(increments as u64));
    twice(name, increments, &mut |drive, _| {
        let pool = pools.get(drive, THREADS)?;
        counters::repeat::<Batched<Counter>>(pool, drive, increments)
    })?;
    let mut preset = Arc::new(Preset::new(kind.preset));
    let mut stock = Stock::default();
    fill::<List>(&mut stock, &preset);
    let who = <List as Owned>::NAME;
    let (keys, inserts) = (grouped(kind.preset as u64), grouped(kind.operations as u64));
    let name = format!("a {who} of {keys} keys, {inserts} insertions");
    twice(name, kind.operations, &mut |drive, round| {
        let place = Place {
            who,
            drive,
            threads: THREADS,
        };
        let work = Arc::new(Work::new(kind, &mut preset, round));
        shared::<Batched<List>>(&mut stock, &mut pools, place, &work)
    })?;
    Ok(records)
}

/// A repetition whose operations come in so, in the round of this number.
type Repeat<'r> = dyn FnMut(Drive, usize) -> Result<rounds::Outcome, Failure> + 'r;

/// A repetition as a line of a result file: the time of an operation, and how many batches had each
/// size.
fn line(
    of: &str,
    drive: Drive,
    operations: usize,
    (lasted, stats): rounds::Outcome,
) -> Option<Line> {
    let cell = Cell {
        parameters: drive.to_string(),
        ..Cell::of(format!("batches of {of}"), "sumac", THREADS)
    };
    let batches = stats?.sizes.into_iter().map(|class| {
        let (from, to) = class.sizes.into_inner();
        (format!("{from} to {to}"), class.batches as f64)
    });
    let measured = Measured {
        pieces: 1,
        batch: 1,
        samples: vec![lasted.as_nanos() as f64 / operations as f64],
        further: batches.collect(),
        ..Measured::default()
    };
    Some(Line::new("", cell, measured))
}

/// How many batches there were of which size, a row for each way in which operations came.
pub(crate) fn table(lines: &[Line]) -> Table {
    let mut table = Table::headed("operations from|ops/ms|size of batch|batches");
    for line in lines {
        let Outcome::Measured(measured) = &line.outcome else {
            continue;
        };
        let mut classes: Vec<(u64, u64, f64)> = Vec::new();
        for (class, batches) in &measured.further {
            let ends = class
                .split_once(" to ")
                .and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
            classes.extend(ends.map(|(from, to)| (from, to, *batches)));
        }
        classes.sort_unstable_by_key(|class| class.0);
        let place = format!("{} ×{}", line.cell.parameters, line.cell.threads);
        let mut first = [place, digits(1e6 / measured.samples[0])];
        for (from, to, batches) in classes {
            let sizes = match from == to {
                true => grouped(from),
                false => format!("{}–{}", grouped(from), grouped(to)),
            };
            let cells = [sizes, grouped(batches as u64)];
            table.row(std::mem::take(&mut first).into_iter().chain(cells));
        }
    }
    table
}
