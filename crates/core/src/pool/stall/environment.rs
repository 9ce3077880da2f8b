//! `SUMAC_STALL`, which says what to do about stalls of pools without a handler.

use super::{OnStall, Stall, watch::Handler};
use std::{
    env,
    ffi::OsStr,
    io::{self, Write},
    sync::{Arc, OnceLock},
    time::Duration,
};

/// Returns what the environment asks for: after which time, and what is done then. If that is
/// nonsense, says so once.
pub(in crate::pool) fn asked() -> Option<(Duration, Handler)> {
    static ASKED: OnceLock<Option<(Duration, OnStall)>> = OnceLock::new();
    if cfg!(explore) {
        return None;
    }
    let asked = ASKED.get_or_init(|| {
        let asked = env::var_os("SUMAC_STALL").filter(|asked| !asked.is_empty())?;
        let parsed = parse(&asked);
        if parsed.is_none() {
            print(&format!(
                "sumac: SUMAC_STALL is {asked:?}, which is ignored: it should be a number of \
                 seconds, such as 5 or 0.5, or that and a word: 5,add\n"
            ));
        }
        parsed.filter(|(after, _)| !after.is_zero())
    });
    let &(after, answer) = asked.as_ref()?;
    let handler = move |stall: &Stall| {
        print(&stall.to_string());
        answer
    };
    Some((after, Arc::new(handler)))
}

fn parse(asked: &OsStr) -> Option<(Duration, OnStall)> {
    let asked = asked.to_str()?.trim_ascii();
    let (seconds, answer) = match asked.split_once(',') {
        None => (asked, OnStall::Wait),
        Some((seconds, word)) if word.trim_ascii() == "add" => (seconds, OnStall::AddThread),
        Some(_) => return None,
    };
    Some((duration(seconds.trim_ascii())?, answer))
}

/// Returns so many seconds. Not by way of a float, since std's code for these is large.
fn duration(seconds: &str) -> Option<Duration> {
    let (whole, part) = seconds.split_once('.').unwrap_or((seconds, ""));
    let (mut nanos, mut unit) = (0, 1_000_000_000);
    for digit in part.chars() {
        unit /= 10;
        nanos += digit.to_digit(10)? * unit;
    }
    let whole = match whole {
        "" if !part.is_empty() => 0,
        whole => whole.parse().ok()?,
    };
    Some(Duration::new(whole, nanos))
}

/// Prints to standard error. A program that has closed it does not care.
pub(in crate::pool) fn print(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_environment_may_say() {
        let asks = |asked: &str| parse(OsStr::new(asked));
        let seconds = Duration::from_secs_f64;
        assert_eq!(asks("5"), Some((seconds(5.0), OnStall::Wait)));
        assert_eq!(
            asks(" 0.5 , add "),
            Some((seconds(0.5), OnStall::AddThread))
        );
        assert_eq!(asks("0"), Some((Duration::ZERO, OnStall::Wait)));
        assert_eq!(asks(".5"), Some((seconds(0.5), OnStall::Wait)));
        let exact = Duration::new(12, 345_678_901);
        assert_eq!(asks("12.3456789019"), Some((exact, OnStall::Wait)));
        let bad = [
            "",
            " ",
            "nan",
            "inf",
            "-inf",
            "-1",
            "1e30",
            "five",
            "5s",
            "5,",
            ",add",
            "5,add,add",
            "5,dump",
            "5 add",
            "0x5",
            ".",
            "0.x",
            "1.-5",
        ];
        for bad in bad {
            assert_eq!(asks(bad), None, "{bad:?}");
        }
    }
}
