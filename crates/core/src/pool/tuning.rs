//! A pool's scheduling choices as text, for experiments: `interval=20000,spin=3000`.
//!
//! Times are in nanoseconds. Choices that are not named keep their defaults. Every value is safe: a
//! bad choice makes a pool slow or busy, never wrong.

use super::error::ThreadPoolBuildError;
use crate::policy::{Policy, REST_MAX, SLOTS};
use std::{ops::RangeInclusive, str::FromStr};

/// Scheduling choices, see [`ThreadPoolBuilder::tuning`](crate::ThreadPoolBuilder::tuning).
///
/// # Examples
///
/// ```
/// use sumac::{ThreadPoolBuilder, Tuning, join};
///
/// let tuning: Tuning = "interval=20000,slots=4".parse()?;
/// let pool = ThreadPoolBuilder::new().num_threads(2).tuning(tuning).build()?;
/// assert_eq!(pool.install(|| join(|| 1, || 2)), (1, 2));
/// assert!("intervall=1".parse::<Tuning>().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tuning(pub(super) Policy);

/// The field of a choice.
type Field = fn(&mut Policy) -> &mut u64;

/// The choices by name.
const CHOICES: [(&str, Field); 8] = [
    ("interval", |policy| &mut policy.interval),
    ("slots", |policy| &mut policy.slots),
    ("tiny", |policy| &mut policy.tiny),
    ("short", |policy| &mut policy.short),
    ("spin_tiny", |policy| &mut policy.spin_tiny),
    ("spin", |policy| &mut policy.spin),
    ("nap", |policy| &mut policy.nap),
    ("nap_max", |policy| &mut policy.nap_max),
];

/// Returns the values that a choice may have. Rests and naps take at most a second: then a worker
/// looks for work that only it may be able to do.
fn range_of(name: &str) -> RangeInclusive<u64> {
    match name {
        "slots" => 1..=SLOTS.into(),
        "spin" | "nap" | "nap_max" => 0..=REST_MAX,
        _ => 0..=u64::MAX,
    }
}

impl FromStr for Tuning {
    type Err = ThreadPoolBuildError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = |why: String| ThreadPoolBuildError(why.into());
        let mut policy = Policy::DEFAULT;
        for part in text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            let (name, value) = part
                .split_once('=')
                .ok_or_else(|| error(format!("`{part}` is not of the form name=number")))?;
            let (name, value) = (name.trim(), value.trim());
            let Some((_, field)) = CHOICES.iter().find(|(choice, _)| *choice == name) else {
                let names = CHOICES.map(|(name, _)| name).join(", ");
                return Err(error(format!("unknown choice `{name}`; there are {names}")));
            };
            let range = range_of(name);
            let parsed = value.replace('_', "").parse().ok();
            *field(&mut policy) = parsed.filter(|n| range.contains(n)).ok_or_else(|| {
                let (least, most) = range.into_inner();
                error(format!(
                    "`{name}` is a whole number from {least} to {most}, not `{value}`"
                ))
            })?;
        }
        Ok(Tuning(policy))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        join::hot_path::join,
        pool::{builder::ThreadPoolBuilder, thread_pool::ThreadPool},
    };

    #[test]
    fn each_choice_sets_its_own_field() {
        let parse = |text: &str| text.parse::<Tuning>().expect("choices");
        assert_eq!(parse(""), Tuning::default());
        let spaced = parse(" slots = 4, interval=20_000 ,nap_max=0,");
        assert_eq!(spaced, parse("interval=20000,slots=4,nap_max=0"));
        let expected = Policy {
            interval: 20_000,
            slots: 4,
            nap_max: 0,
            ..Policy::DEFAULT
        };
        assert_eq!(spaced.0, expected);
        for (name, field) in CHOICES {
            let mut expected = Policy::DEFAULT;
            *field(&mut expected) = 7;
            assert_eq!(parse(&format!("{name}=7")).0, expected);
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (bad, because) in [
            ("naps=3", "unknown choice `naps`; there are interval, "),
            ("nap", "`nap` is not of the form"),
            (
                "nap=",
                "`nap` is a whole number from 0 to 1000000000, not ``",
            ),
            ("nap=-1", "not `-1`"),
            ("nap=1.5", "not `1.5`"),
            ("nap=18446744073709551616", "`nap` is"),
            ("slots=0", "`slots` is a whole number from 1 to 16, not `0`"),
            ("slots=17", "not `17`"),
            ("credit=1", "unknown choice `credit`"),
        ] {
            let error = bad.parse::<Tuning>().unwrap_err().to_string();
            assert!(error.contains(because), "{bad}: {error}");
        }
    }

    fn fib(n: u64) -> u64 {
        if n < 2 {
            return n;
        }
        let (a, b) = join(|| fib(n - 1), || fib(n - 2));
        a + b
    }

    fn pool_of(threads: usize, tuning: Tuning) -> ThreadPool {
        let builder = ThreadPoolBuilder::new().num_threads(threads);
        builder.tuning(tuning).build().unwrap()
    }

    #[test]
    fn pools_compute_and_end_whatever_the_choices() {
        let mut texts = vec![String::new()];
        let extremes = CHOICES.map(|(name, _)| {
            let (least, most) = range_of(name).into_inner();
            [format!("{name}={least}"), format!("{name}={most}")]
        });
        texts.extend(extremes.iter().flatten().cloned());
        texts
            .extend([0, 1].map(|end| extremes.clone().map(|choice| choice[end].clone()).join(",")));
        // The extremes alone, and little to compute.
        let (first, n, sum) = if cfg!(miri) {
            (texts.len() - 2, 7, 13)
        } else {
            (0, 18, 2584)
        };
        for text in texts.drain(first..) {
            let tuning = text.parse().unwrap();
            let pool = pool_of(3, tuning);
            for _ in 0..3 {
                assert_eq!(pool.install(|| fib(n)), sum, "{text}");
                let promise = pool.spawn(|| 5);
                assert_eq!(promise.join(), 5, "{text}");
            }
            // Nor is a task that no thread waits for forgotten.
            for threads in [1, 3] {
                let pool = pool_of(threads, tuning);
                for _ in 0..3 {
                    let (done, is_done) = std::sync::mpsc::channel();
                    drop(pool.spawn(move || done.send(())));
                    let patience = std::time::Duration::from_secs(60);
                    assert!(is_done.recv_timeout(patience).is_ok(), "{text}");
                }
            }
        }
    }
}
