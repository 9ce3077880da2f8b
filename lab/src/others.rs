//! What everybody else on the machine did meanwhile: a measurement beside a busy neighbour is not
//! worth much, and should say so. Linux only, from `/proc/stat` and `/proc/self/stat`.

use std::fs;

use crate::machine;

/// Ticks of CPU time so far.
#[derive(Clone, Copy)]
struct Ticks {
    /// All that passed, on all cores.
    passed: u64,
    /// Those in which some program ran.
    busy: u64,
    /// Those in which this process or its children ran.
    own: u64,
}

/// A stretch of time that has begun.
pub(crate) struct Watch(Option<Ticks>);

impl Watch {
    /// It begins now.
    pub(crate) fn start() -> Watch {
        Watch(read())
    }

    /// How many cores other programs have used since, on average.
    pub(crate) fn cores_of_others(&self) -> Option<f64> {
        let (before, now) = (self.0?, read()?);
        let passed = now.passed.checked_sub(before.passed).filter(|&p| p > 0)?;
        let busy = now.busy.saturating_sub(before.busy);
        let others = busy.saturating_sub(now.own.saturating_sub(before.own));
        Some(others as f64 / passed as f64 * machine::cores() as f64)
    }
}

fn read() -> Option<Ticks> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let line = stat.lines().next()?.strip_prefix("cpu ")?;
    // user nice system idle iowait irq softirq steal; guests are in user already.
    let all = numbers(line);
    let passed = all.get(..8)?.iter().sum();
    let idle: u64 = all[3..5].iter().sum();

    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The fields after the name, of which 11 to 14 are utime, stime, cutime and cstime.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let own = numbers(&fields.get(11..15)?.join(" ")).iter().sum();
    Some(Ticks {
        passed,
        busy: passed - idle,
        own,
    })
}

fn numbers(text: &str) -> Vec<u64> {
    let words = text.split_whitespace();
    words.filter_map(|word| word.parse().ok()).collect()
}
