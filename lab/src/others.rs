//! What everybody else on the machine did meanwhile: a measurement beside a busy neighbour is not
//! worth much, and should say so. Linux only, from `/proc/stat` and `/proc/self/stat`.

use std::fs;

use crate::machine;

/// Ticks of CPU time so far: all that passed, on all cores; those in which some program ran; those
/// in which this process or its children ran.
type Ticks = [u64; 3];

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
        let [passed, busy, own] = [0, 1, 2].map(|of| now[of].saturating_sub(before[of]));
        let others = busy.saturating_sub(own);
        (passed > 0).then(|| others as f64 / passed as f64 * machine::cores() as f64)
    }
}

fn read() -> Option<Ticks> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let line = stat.lines().next()?.strip_prefix("cpu ")?;
    // user nice system idle iowait irq softirq steal; guests are in user already.
    let all = numbers(line);
    let passed: u64 = all.get(..8)?.iter().sum();
    let idle: u64 = all[3..5].iter().sum();

    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The fields after the name, of which 11 to 14 are utime, stime, cutime and cstime.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let own = numbers(&fields.get(11..15)?.join(" ")).iter().sum();
    Some([passed, passed - idle, own])
}

fn numbers(text: &str) -> Vec<u64> {
    let words = text.split_whitespace();
    words.filter_map(|word| word.parse().ok()).collect()
}
