//! A pool's scheduling choices as text, for experiments: `interval=20000,spin=3000`.
//!
//! Times are in nanoseconds. Choices that are not named keep their defaults. Every value is safe: a
//! bad choice makes a pool slow or busy, never wrong.

use crate::policy::{Policy, SLOTS};
use std::{error::Error, fmt, ops::RangeInclusive, str::FromStr};

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

/// Returns the values that a choice may have.
fn range_of(name: &str) -> RangeInclusive<u64> {
    match name {
        "slots" => 1..=SLOTS.into(),
        _ => 0..=u64::MAX,
    }
}

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
            let Some((_, field)) = CHOICES.iter().find(|(choice, _)| *choice == name) else {
                let names = CHOICES.map(|(name, _)| name).join(", ");
                return Err(TuningError(format!(
                    "unknown choice `{name}`; there are {names}"
                )));
            };
            let range = range_of(name);
            let parsed = value.replace('_', "").parse().ok();
            *field(&mut policy) = parsed.filter(|n| range.contains(n)).ok_or_else(|| {
                let (least, most) = range.into_inner();
                TuningError(format!(
                    "`{name}` is a whole number from {least} to {most}, not `{value}`"
                ))
            })?;
        }
        Ok(Tuning(policy))
    }
}

/// Prints the choices that differ from the defaults.
impl fmt::Display for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut policy, mut default) = (self.0, Policy::DEFAULT);
        let mut separator = "";
        for (name, field) in CHOICES {
            let value = *field(&mut policy);
            if value != *field(&mut default) {
                write!(f, "{separator}{name}={value}")?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        join::hot_path::join,
        pool::{builder::ThreadPoolBuilder, thread_pool::ThreadPool},
    };

    #[test]
    fn texts_and_choices_are_two_forms_of_the_same() {
        let text = "interval=20000,slots=4,nap_max=0";
        let tuning: Tuning = text.parse().unwrap();
        assert_eq!(tuning.to_string(), text);
        assert_eq!(tuning.policy().interval, 20_000);
        assert_eq!("".parse::<Tuning>().unwrap(), Tuning::default());
        assert_eq!(
            " slots = 4, interval=20_000 ,nap_max=0,"
                .parse::<Tuning>()
                .unwrap(),
            tuning
        );
        assert_eq!(Tuning::default().to_string(), "");
    }

    #[test]
    fn every_choice_sets_its_own_field() {
        for (name, _) in CHOICES {
            let tuning: Tuning = format!("{name}=7").parse().unwrap();
            assert_eq!(tuning.to_string(), format!("{name}=7"));
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
        let mut texts = vec![Tuning::default().to_string()];
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
