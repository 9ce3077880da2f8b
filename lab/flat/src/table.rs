//! Takes the samples of a row, and prints a line of a Markdown table for it.

use std::time::{Duration, Instant};

use crate::rows::{Call, Row};
use crate::times::Times;

/// A visit to a library lasts about so long.
const VISIT: Duration = Duration::from_millis(4);

/// The table so far.
pub(crate) struct Table {
    /// Of each row, how many times faster than the better one of rayon and orx-parallel sumac is,
    /// and than rayon.
    speeds: Vec<(f64, f64)>,
    slowest: Option<(String, f64)>,
}

impl Table {
    /// Begins it.
    pub(crate) fn new(threads: usize) -> Self {
        println!(
            "Medians in µs on {threads} threads, ± half of what lies between the quartiles.\n"
        );
        println!(
            "| loop | items | sumac | rayon | orx-parallel | paralight | sumac over the better of rayon and orx |"
        );
        println!("|---|--:|--:|--:|--:|--:|--:|");
        Table {
            speeds: Vec::new(),
            slowest: None,
        }
    }

    /// Measures a row: the libraries take turns, and begin each round with the next one.
    pub(crate) fn add(&mut self, row: Row<'_>, items: usize, rounds: usize) -> Result<(), String> {
        let Row {
            name,
            sumac,
            rayon,
            orx,
            paralight,
        } = row;
        let mut calls: Vec<Call<'_>> = [sumac, rayon, orx].into_iter().chain(paralight).collect();
        let answers: Vec<_> = calls.iter_mut().map(|call| call().in_order()).collect();
        if answers.iter().any(|answer| *answer != answers[0]) {
            return Err(format!("{name}, {items} items: the answers differ"));
        }
        drop(answers);
        let mut samples = vec![Vec::new(); calls.len()];
        for round in 0..rounds {
            for turn in 0..calls.len() {
                let who = (round + turn) % calls.len();
                samples[who].push(visit(&mut calls[who]));
            }
        }
        let times: Vec<_> = samples.into_iter().map(Times::new).collect();
        let [sumac, rayon, orx, paralight @ ..] = &times[..] else {
            unreachable!("three libraries take part at least");
        };
        let over_rayon = rayon.median() / sumac.median();
        let over = over_rayon.min(orx.median() / sumac.median());
        let fourth = paralight.first().map_or("".into(), Times::cell);
        println!(
            "| {name} | {items} | {} | {} | {} | {fourth} | {over:.2} |",
            sumac.cell(),
            rayon.cell(),
            orx.cell(),
        );
        self.speeds.push((over, over_rayon));
        if self.slowest.as_ref().is_none_or(|(_, least)| over < *least) {
            self.slowest = Some((format!("{name} of {items}"), over));
        }
        Ok(())
    }

    /// Ends it: the goals.
    pub(crate) fn finish(self) -> Result<(), String> {
        let (slowest, least) = self.slowest.ok_or("no such row")?;
        let count = self.speeds.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| {
            (self.speeds.iter().map(|both| of(both).ln()).sum::<f64>() / count).exp()
        };
        let verdict = |met: bool| if met { "met" } else { "missed" };
        let better = mean(|both| both.0);
        println!(
            "\nGeometric mean: {better:.2} times the better one's speed (goal 1.00: {}), {:.2} times \
             rayon's. Least: {least:.2}, {slowest} (goal 0.90: {}).",
            verdict(better >= 1.0),
            mean(|both| both.1),
            verdict(least >= 0.9),
        );
        Ok(())
    }
}

/// Microseconds of a call, on average of as many as a visit has time for.
fn visit(call: &mut Call<'_>) -> f64 {
    let start = Instant::now();
    let mut calls = 0_u32;
    while start.elapsed() < VISIT || calls == 0 {
        drop(call());
        calls += 1;
    }
    start.elapsed().as_secs_f64() * 1e6 / f64::from(calls)
}
