//! Takes the samples of a program, and prints a line of a Markdown table for it.

use std::time::Instant;

use crate::input::Input;
use crate::programs::{CONTENDERS, Program};
use crate::times::Times;

/// The ratios of the programs so far.
pub(crate) struct Table {
    rows: Vec<Row>,
}

struct Row {
    name: &'static str,
    /// Time of rayon's, and sumac's, text without grains over the least of all parallel ones.
    rayon: f64,
    sumac: f64,
    /// Speed of sumac's without grains over rayon's tuned one.
    over: f64,
}

impl Table {
    /// Begins it.
    pub(crate) fn new(threads: usize) -> Self {
        println!(
            "Medians in ms on {threads} threads, ± half of what lies between the quartiles. Then \
             the time without grains over the best parallel one's, and rayon's tuned time over \
             sumac's without grains.\n"
        );
        println!(
            "| program | {} | rayon none / best | sumac none / best | rayon tuned / sumac none |",
            CONTENDERS.join(" | ")
        );
        println!("|---|{}", "--:|".repeat(CONTENDERS.len() + 3));
        Table { rows: Vec::new() }
    }

    /// Measures a program: the contenders take turns, and begin each round with the next one.
    pub(crate) fn add(
        &mut self,
        program: &Program,
        input: &Input,
        rounds: usize,
    ) -> Result<(), String> {
        let Program { name, texts } = program;
        let right = texts[0](input);
        let mut samples = CONTENDERS.map(|_| Vec::new());
        for round in 0..rounds {
            for turn in 0..texts.len() {
                let which = (round + turn) % texts.len();
                let start = Instant::now();
                let answer = texts[which](input);
                samples[which].push(start.elapsed().as_secs_f64() * 1e3);
                if answer != right {
                    return Err(format!("{name}: {} has a wrong answer", CONTENDERS[which]));
                }
            }
        }
        let times = samples.map(Times::new);
        let cells: Vec<_> = times.iter().map(Times::cell).collect();
        let [_, _, tuned, rayon, _, sumac] = times.each_ref().map(Times::median);
        let parallel = times[2..].iter().map(Times::median);
        let best = parallel.fold(f64::INFINITY, f64::min);
        let row = Row {
            name,
            rayon: rayon / best,
            sumac: sumac / best,
            over: tuned / sumac,
        };
        println!(
            "| {name} | {} | {:.2} | {:.2} | {:.2} |",
            cells.join(" | "),
            row.rayon,
            row.sumac,
            row.over
        );
        self.rows.push(row);
        Ok(())
    }

    /// Ends it: the goals.
    pub(crate) fn finish(&self) {
        let mean = |of: fn(&Row) -> f64| {
            let sum: f64 = self.rows.iter().map(|row| of(row).ln()).sum();
            (sum / self.rows.len() as f64).exp()
        };
        let most = |of: fn(&Row) -> f64| {
            let all = self.rows.iter().map(|row| (of(row), row.name));
            all.max_by(|a, b| a.0.total_cmp(&b.0))
                .unwrap_or((f64::NAN, "none"))
        };
        let verdict = |met: bool| if met { "met" } else { "missed" };
        let (rayon, sumac) = (most(|row| row.rayon), most(|row| row.sumac));
        let (slowest, least) = most(|row| -row.over);
        let (slowest, least) = (-slowest, least);
        let (average, over) = (mean(|row| row.sumac), mean(|row| row.over));
        println!(
            "\nWithout grains, geometric means over the best: rayon {:.2}, at worst {:.2} ({}); \
             sumac {average:.2} (goal 1.05: {}), at worst {:.2} ({}, goal 1.30: {}).\n\n\
             Sumac without grains is {over:.2} times as fast as tuned rayon (goal 1.10: {}), at \
             least {slowest:.2} ({least}, goal 0.98: {}).",
            mean(|row| row.rayon),
            rayon.0,
            rayon.1,
            verdict(average <= 1.05),
            sumac.0,
            sumac.1,
            verdict(sumac.0 <= 1.3),
            verdict(over >= 1.1),
            verdict(slowest >= 0.98),
        );
    }
}
