//! Published cases in which programs were slower with rayon than without it, or used processors
//! for nothing, retold: a file each, on rayon's public interface. `lab regressions` builds them on
//! rayon's scheduler and on sumac's, and compares four forms of each.
//!
//!     sumac-regressions                        names the cases, one a line: name, source, threads,
//!                                              what counts
//!     sumac-regressions CASE FORM SECONDS      repeats a case for so long; prints how many calls
//!                                              there were, the mean, the median and the 99th
//!                                              percentile of their nanoseconds, and the answer
//!
//! A form is `sequential`, `rayon`, or `sumac`: the same text with sumac's own loops.

#![forbid(unsafe_code)]

use std::env;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// The cases on rayon.
#[path = "cases"]
mod on_rayon {
    use rayon as library;

    #[path = "mod.rs"]
    mod cases;

    pub(super) use cases::{CASES, set_threads};
}

/// The same files on sumac.
#[expect(clippy::duplicate_mod, reason = "the same cases on another library")]
#[path = "cases"]
mod on_sumac {
    use sumac as library;

    #[path = "mod.rs"]
    mod cases;

    pub(super) use cases::{CASES, set_threads};
}

/// A case.
#[derive(Clone, Copy)]
struct Case {
    /// What it is called here.
    name: &'static str,
    /// Where it was reported.
    source: &'static str,
    /// How many threads the global pool has; none: the default.
    threads: Option<usize>,
    /// Whether the processors' time counts, not the clock's.
    is_about_cpu: bool,
    /// Prepares the work, and returns what does it once and returns the answer.
    prepare: fn(Form) -> Call,
}

/// A call of a case's work.
type Call = Box<dyn FnMut() -> u64>;

/// With threads or without.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Sequential,
    Parallel,
}

impl Form {
    /// The function of this form, on the data.
    fn call<D: 'static>(
        self,
        mut data: D,
        sequential: fn(&mut D) -> u64,
        parallel: fn(&mut D) -> u64,
    ) -> Call {
        let work = match self {
            Form::Sequential => sequential,
            Form::Parallel => parallel,
        };
        Box::new(move || work(&mut data))
    }
}

/// Some work: a step takes two or three nanoseconds.
fn compute(seed: u64, steps: u32) -> u64 {
    (0..steps).fold(seed, |x, step| {
        black_box(x.wrapping_mul(6_364_136_223_846_793_005)) ^ u64::from(step)
    })
}

/// A sum that may overflow.
fn wrapping(numbers: impl IntoIterator<Item = u64>) -> u64 {
    numbers.into_iter().fold(0, u64::wrapping_add)
}

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let Some([name, form, seconds]) = words.first_chunk() else {
        for case in &on_rayon::CASES {
            let threads = case.threads.map_or("-".into(), |n| n.to_string());
            let counts = if case.is_about_cpu { "cpu" } else { "time" };
            println!("{}\t{}\t{threads}\t{counts}", case.name, case.source);
        }
        return;
    };
    let on_rayon = (&on_rayon::CASES, on_rayon::set_threads as fn(usize));
    let on_sumac = (&on_sumac::CASES, on_sumac::set_threads as fn(usize));
    let ((cases, set_threads), form) = match &**form {
        "sequential" => (on_rayon, Form::Sequential),
        "rayon" => (on_rayon, Form::Parallel),
        "sumac" => (on_sumac, Form::Parallel),
        _ => panic!("{form} is no form"),
    };
    let case = cases.iter().find(|case| case.name == name);
    let case = case.expect("the name of a case");
    let seconds = Duration::from_secs_f64(seconds.parse().expect("seconds"));
    case.threads.into_iter().for_each(set_threads);
    let mut call = (case.prepare)(form);
    let answer = call();
    let begin = Instant::now();
    let mut times = Vec::new();
    while begin.elapsed() < seconds {
        let begin = Instant::now();
        assert_eq!(call(), answer, "calls have different answers");
        times.push(begin.elapsed().as_nanos());
    }
    let mean = begin.elapsed().as_nanos() / times.len() as u128;
    times.sort_unstable();
    let quantile = |part: usize| times[(times.len() - 1) * part / 100];
    let (median, late) = (quantile(50), quantile(99));
    println!("{}\t{mean}\t{median}\t{late}\t{answer}", times.len());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_have_the_same_answer() {
        for (on_rayon, on_sumac) in on_rayon::CASES.iter().zip(&on_sumac::CASES) {
            let expected = (on_rayon.prepare)(Form::Sequential)();
            for case in [on_rayon, on_sumac] {
                let answer = (case.prepare)(Form::Parallel)();
                assert_eq!(answer, expected, "{}", case.name);
            }
        }
    }
}
