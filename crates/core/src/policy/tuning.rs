//! A pool's scheduling choices as text, for experiments: `interval=20000,spin=3000`.
//!
//! Times are in nanoseconds. Choices that are not named keep their defaults. Every value is safe: a
//! bad choice makes a pool slow or busy, never wrong.

use super::{Policy, SLOTS};
use std::{error::Error, fmt, str::FromStr};

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
pub struct Tuning(Policy);

/// The reason why a text is no [`Tuning`].
#[derive(Clone, PartialEq, Eq)]
pub struct TuningError(String);

/// A choice by name, with its getter and setter.
struct Choice {
    name: &'static str,
    get: fn(&Policy) -> u64,
    set: fn(&mut Policy, u64),
    most: u64,
}

macro_rules! choices {
    ($($name:literal: $field:ident, $type:ty, $most:expr;)*) => {
        [$(Choice {
            name: $name,
            get: |policy| u64::from(policy.$field),
            set: |policy, value| policy.$field = <$type>::try_from(value).unwrap_or(<$type>::MAX),
            most: $most,
        }),*]
    };
}

const CHOICES: [Choice; 21] = choices! {
    "interval": interval_min, u64, u64::MAX;
    "interval_max": interval_max, u64, u64::MAX;
    "slots": slots, u32, SLOTS as u64;
    "credit": credit, u32, u32::MAX as u64;
    "tiny": tiny, u64, u64::MAX;
    "long": long, u64, u64::MAX;
    "spin": spin, u64, u64::MAX;
    "spin_tiny": spin_tiny, u64, u64::MAX;
    "spin_after_nap": spin_after_nap, u64, u64::MAX;
    "nap": nap, u64, u64::MAX;
    "nap_max": nap_max, u64, u64::MAX;
    "deputy_nap": deputy_nap, u64, u64::MAX;
    "leader_lost": leader_lost, u64, u64::MAX;
    "dormant_after": dormant_after, u64, u64::MAX;
    "wait_patience": wait_patience, u64, u64::MAX;
    "wait_spin": wait_spin, u64, u64::MAX;
    "wait_yield": wait_yield, u64, u64::MAX;
    "wait_nap_min": wait_nap_min, u64, u64::MAX;
    "wait_nap_max": wait_nap_max, u64, u64::MAX;
    "short_task": short_task, u64, u64::MAX;
    "task_rest_max": task_rest_max, u64, u64::MAX;
};

impl Tuning {
    /// Returns the policy.
    pub(crate) fn policy(&self) -> Policy {
        self.0
    }
}

impl FromStr for Tuning {
    type Err = TuningError;

    fn from_str(text: &str) -> Result<Self, TuningError> {
        let mut policy = Policy::DEFAULT;
        for part in text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            let (name, value) = part
                .split_once('=')
                .ok_or_else(|| TuningError(format!("`{part}` is not of the form name=number")))?;
            let (name, value) = (name.trim(), value.trim());
            let Some(choice) = CHOICES.iter().find(|choice| choice.name == name) else {
                let names: Vec<_> = CHOICES.iter().map(|choice| choice.name).collect();
                let names = names.join(", ");
                return Err(TuningError(format!(
                    "unknown choice `{name}`; there are {names}"
                )));
            };
            let least = u64::from(name == "slots");
            let value = value
                .replace('_', "")
                .parse()
                .ok()
                .filter(|value| (least..=choice.most).contains(value))
                .ok_or_else(|| {
                    let most = choice.most;
                    TuningError(format!(
                        "`{name}` is a whole number from {least} to {most}, not `{value}`"
                    ))
                })?;
            (choice.set)(&mut policy, value);
        }
        Ok(Tuning(policy))
    }
}

/// Prints the choices that differ from the defaults.
impl fmt::Display for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for choice in &CHOICES {
            let value = (choice.get)(&self.0);
            if value != (choice.get)(&Policy::DEFAULT) {
                write!(f, "{separator}{}={value}", choice.name)?;
                separator = ",";
            }
        }
        Ok(())
    }
}

impl fmt::Display for TuningError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for TuningError {
    /// As it is displayed, which is what a `main` that returns it prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for TuningError {}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::{ThreadPool, ThreadPoolBuilder, join};

    #[test]
    fn texts_and_choices_are_two_forms_of_the_same() {
        let text = "interval=20000,slots=4,wait_nap_max=0";
        let tuning: Tuning = text.parse().unwrap();
        assert_eq!(tuning.to_string(), text);
        assert_eq!(tuning.policy().interval_min, 20_000);
        assert_eq!("".parse::<Tuning>().unwrap(), Tuning::default());
        assert_eq!(
            " slots = 4, interval=20_000 ,wait_nap_max=0,"
                .parse::<Tuning>()
                .unwrap(),
            tuning
        );
        assert_eq!(Tuning::default().to_string(), "");
    }

    #[test]
    fn every_choice_sets_its_own_field() {
        for choice in &CHOICES {
            let tuning: Tuning = format!("{}=7", choice.name).parse().unwrap();
            assert_eq!(tuning.to_string(), format!("{}=7", choice.name));
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (bad, because) in [
            ("naps=3", "unknown choice `naps`; there are interval, "),
            ("nap", "`nap` is not of the form"),
            (
                "nap=",
                "`nap` is a whole number from 0 to 18446744073709551615, not ``",
            ),
            ("nap=-1", "not `-1`"),
            ("nap=1.5", "not `1.5`"),
            ("nap=18446744073709551616", "`nap` is"),
            ("slots=0", "`slots` is a whole number from 1 to 16, not `0`"),
            ("slots=17", "not `17`"),
            ("credit=4294967296", "from 0 to 4294967295"),
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
        let mut texts = vec![Tuning::default().to_string()];
        for choice in &CHOICES {
            let least = u64::from(choice.name == "slots");
            texts.extend([least, choice.most].map(|value| format!("{}={value}", choice.name)));
        }
        let all = |pick: fn(&Choice) -> u64| {
            let parts = CHOICES.iter().map(|c| format!("{}={}", c.name, pick(c)));
            parts.collect::<Vec<_>>().join(",")
        };
        texts.push(all(|c| u64::from(c.name == "slots")));
        texts.push(all(|c| c.most));
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
