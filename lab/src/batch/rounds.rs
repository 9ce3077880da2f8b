//! Repetitions, interleaved: a round visits every place once, and who comes after whom changes. The
//! first round is the warm-up and does not count.

use std::time::Duration;

use super::Place;
use sumac_record::Cell;

use crate::experiment::{Failure, Limits, Record, rounds as rounds_of};
use crate::progress::tell;

/// Repeats each place's operations. `repeat` gets the number of the round and of the place; it
/// checks what came of it, says what was wrong, or how long so many operations lasted.
pub(super) fn rounds(
    name: &str,
    places: &[Place],
    limits: Limits,
    mut repeat: impl FnMut(usize, usize) -> Result<(Duration, usize), Failure>,
) -> Result<Vec<Record>, Failure> {
    tell(name);
    let cell = |place: &Place| Cell {
        parameters: place.drive.to_string(),
        ..Cell::of(name, place.who, place.threads)
    };
    let mut operations = vec![0; places.len()];
    let samples = rounds_of(places.len(), limits, 1, |round, place| {
        let (lasted, count) =
            repeat(round, place).map_err(|why| why.of(cell(&places[place]).to_string()))?;
        operations[place] = count;
        Ok(vec![lasted.as_nanos() as f64 / count as f64])
    })?;
    let records = places.iter().zip(operations).zip(samples);
    let records = records
        .map(|((place, operations), samples)| Record::new(cell(place), operations as u32, samples));
    Ok(records.collect())
}
