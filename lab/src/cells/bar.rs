//! How far a run has come, and how long it still takes: by what earlier visits to the same cell
//! took, or to its like. A bar on a terminal, drawn between visits only; elsewhere a line now and
//! then.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::interrupt;
use crate::results::Cell;

/// How often there is a line where there is no terminal.
const NOW_AND_THEN: Duration = Duration::from_secs(30);

/// The bar, and what it knows.
pub(super) struct Bar {
    bar: ProgressBar,
    /// Visits that are to be made, in order; the first `made` of them are.
    cells: Vec<Cell>,
    made: usize,
    /// Time and number of the visits made, by cell and by problem and size.
    took: HashMap<Cell, (Duration, u32)>,
    told: Instant,
}

impl Bar {
    /// A bar for visits to these cells.
    pub(super) fn new(cells: Vec<Cell>) -> Bar {
        let bar = ProgressBar::new(cells.len() as u64);
        let style = ProgressStyle::with_template("{bar:30.cyan/blue} {pos}/{len} {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let handle = bar.clone();
        interrupt::set_eraser(move || handle.finish_and_clear());
        Bar {
            bar,
            cells,
            made: 0,
            took: HashMap::new(),
            told: Instant::now(),
        }
    }

    /// The next visit begins.
    pub(super) fn begin(&mut self) {
        let Some(cell) = self.cells.get(self.made) else {
            return;
        };
        let left = self
            .left()
            .map_or(String::new(), |left| format!("{} left, ", words(left)));
        self.bar.set_message(format!("{left}{cell}"));
        self.bar.set_position(self.made as u64);
        self.bar.tick();
        if self.bar.is_hidden() && self.told.elapsed() >= NOW_AND_THEN {
            self.told = Instant::now();
            eprintln!(
                "lab: {} of {} visits, {left}{cell}",
                self.made,
                self.cells.len()
            );
        }
    }

    /// It took so long.
    pub(super) fn end(&mut self, time: Duration) {
        if let Some(cell) = self.cells.get(self.made) {
            for key in keys(cell) {
                let (total, visits) = self.took.entry(key).or_default();
                *total += time;
                *visits += 1;
            }
        }
        self.made += 1;
    }

    /// No further visits to a cell.
    pub(super) fn strike(&mut self, cell: &Cell) {
        let mut place = 0;
        let made = self.made;
        self.cells.retain(|planned| {
            place += 1;
            place <= made || planned != cell
        });
        self.bar.set_length(self.cells.len() as u64);
    }

    /// Says something above the bar.
    pub(super) fn say(&self, what: &str) {
        self.bar.suspend(|| eprintln!("lab: {what}"));
    }

    /// The time that is left, once anything is known.
    fn left(&self) -> Option<Duration> {
        let mean = |cell: &Cell| {
            let known = keys(cell).into_iter().find_map(|key| self.took.get(&key));
            known.map(|(total, visits)| *total / *visits)
        };
        let to_come = &self.cells[self.made..];
        (self.made > 0).then(|| to_come.iter().filter_map(mean).sum())
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// What a cell is like: itself, its problem in its size, anything.
fn keys(cell: &Cell) -> [Cell; 3] {
    let any = Cell {
        problem: String::new(),
        size: 0,
        parameters: String::new(),
        contender: String::new(),
        tuning: String::new(),
        threads: 0,
    };
    let like = Cell {
        problem: cell.problem.clone(),
        size: cell.size,
        ..any.clone()
    };
    [cell.clone(), like, any]
}

/// A time to be read at a glance.
fn words(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..100 => format!("{seconds} s"),
        seconds @ 100..6000 => format!("{} min", seconds.div_ceil(60)),
        seconds => format!("{:.1} h", seconds as f64 / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(size: u64, threads: usize) -> Cell {
        Cell {
            size,
            threads,
            ..keys(&keys_of_nothing())[2].clone()
        }
    }

    fn keys_of_nothing() -> Cell {
        serde_json::from_str(r#"{"problem":"tree","size":1,"contender":"rayon","threads":1}"#)
            .expect("a cell")
    }

    #[test]
    fn time_left_is_what_the_like_took() {
        let second = Duration::from_secs(1);
        let mut bar = Bar::new(vec![
            cell(1, 1),
            cell(1, 2),
            cell(1, 2),
            cell(2, 1),
            cell(1, 1),
        ]);
        assert_eq!(bar.left(), None);
        bar.end(second);
        assert_eq!(bar.left(), Some(4 * second));
        bar.end(3 * second);
        // The same cell: 3 s. Nothing like it: the mean, 2 s. The same cell: 1 s.
        assert_eq!(bar.left(), Some(6 * second));
        bar.strike(&cell(1, 2));
        assert_eq!(bar.left(), Some(3 * second));
    }

    #[test]
    fn times_are_short() {
        let words = [5, 99, 100, 5999, 9000].map(|s| words(Duration::from_secs(s)));
        assert_eq!(words, ["5 s", "99 s", "2 min", "100 min", "2.5 h"]);
    }
}
