//! Repetitions, interleaved: a round visits every place once, and who comes after whom changes. The
//! first round is the warm-up and does not count.

use std::thread;
use std::time::{Duration, Instant};

use super::Place;
use sumac::batch::BatchStats;

use super::record::BatchRecord;
use crate::experiment::{Failure, Limits, SETTLE, order};
use crate::progress::Progress;

/// Rounds that count even if time is up.
const LEAST_ROUNDS: usize = 3;

/// How long a repetition lasted, and what its batches were like.
pub(super) type Outcome = (Duration, Option<BatchStats>);

/// One repetition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// How long it lasted.
    pub(super) lasted: Duration,
    /// How many operations it had.
    pub(super) operations: usize,
}

/// Repeats each place's operations. `repeat` gets the number of the round and of the place; it
/// checks what came of it, and says what was wrong.
pub(super) fn rounds(
    name: &str,
    places: &[Place],
    limits: Limits,
    progress: &Progress,
    mut repeat: impl FnMut(usize, usize) -> Result<Sample, Failure>,
) -> Result<Vec<BatchRecord>, Failure> {
    progress.begin(name);
    let mut samples = vec![Vec::new(); places.len()];
    let mut operations = vec![0; places.len()];
    let start = Instant::now();
    for round in 0..=limits.rounds {
        let spent = start.elapsed().as_secs_f64() / limits.time.as_secs_f64();
        if round > LEAST_ROUNDS && spent >= 1.0 {
            break;
        }
        for (visit, place) in order(places.len(), round).enumerate() {
            let rounds = round as f64 + visit as f64 / places.len() as f64;
            progress.reached(spent.max(rounds / (limits.rounds + 1) as f64));
            thread::sleep(SETTLE);
            let sample = repeat(round, place).map_err(|failure| {
                let place = format!("{name}: {}", places[place]);
                Failure::In(place, Box::new(failure))
            })?;
            operations[place] = sample.operations;
            if round > 0 {
                samples[place].push(sample.lasted.as_nanos() as f64 / sample.operations as f64);
            }
        }
    }
    progress.end();
    let records = places.iter().zip(operations).zip(samples);
    let records = records
        .map(|((&place, operations), samples)| BatchRecord::new(name, place, operations, samples));
    Ok(records.collect())
}
