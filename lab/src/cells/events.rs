//! The processor's own counters: cycles, instructions, cache misses, in user mode, of this thread
//! and of all threads it makes afterwards. Many machines, virtual ones above all, have none or
//! forbid them; then it is said why.

use std::io::{self, ErrorKind};
use std::time::Duration;

use system::Counter;

use crate::results::Events;

/// Cycles, instructions and cache misses: their counters, or why there are none.
pub(super) struct Counters([Result<Counter, String>; 3]);

impl Counters {
    /// Opens them. Threads that are made from now on are counted too.
    pub(super) fn open() -> Counters {
        Counters(system::open().map(|opened| opened.map_err(why)))
    }

    /// Counting begins.
    pub(super) fn enable(&mut self) {
        self.each(Counter::enable);
    }

    /// Counting ends.
    pub(super) fn disable(&mut self) {
        self.each(Counter::disable);
    }

    /// What was counted, or why nothing was.
    pub(super) fn read(&mut self) -> Events {
        events(self.0.each_mut().map(|counter| {
            let counter = counter.as_mut().map_err(|why| why.clone())?;
            let (events, enabled, running) = system::read(counter).map_err(why)?;
            of_all(events, enabled, running)
        }))
    }

    /// A counter that fails once is not asked again.
    fn each(&mut self, act: fn(&mut Counter) -> io::Result<()>) {
        for counter in &mut self.0 {
            if let Err(error) = counter.as_mut().map_or(Ok(()), act) {
                *counter = Err(why(error));
            }
        }
    }
}

fn events(counts: [Result<u64, String>; 3]) -> Events {
    let missing = match &counts {
        [Err(why), Err(_), Err(_)] => Some(format!("not available: {why}")),
        _ => None,
    };
    let [cycles, instructions, cache_misses] = counts.map(Result::ok);
    Events {
        missing,
        cycles,
        instructions,
        cache_misses,
    }
}

/// The events of the whole time. Where there are more counters than the processor can run at once,
/// each runs for a part of the time.
fn of_all(events: u64, enabled: Duration, running: Duration) -> Result<u64, String> {
    let of_all = (u128::from(events) * enabled.as_nanos()).checked_div(running.as_nanos());
    let of_all = of_all.ok_or("the counter never ran")?;
    Ok(u64::try_from(of_all).unwrap_or(u64::MAX))
}

/// The refusal in words.
fn why(error: io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "this machine has no such counters, as many virtual ones".into(),
        ErrorKind::PermissionDenied => {
            "the kernel forbids it, see kernel.perf_event_paranoid".into()
        }
        _ => error.to_string(),
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::io;
    use std::time::Duration;

    pub(super) use perf_event::Counter;
    use perf_event::{Builder, events::Hardware};

    pub(super) fn open() -> [io::Result<Counter>; 3] {
        let events = [
            Hardware::CPU_CYCLES,
            Hardware::INSTRUCTIONS,
            Hardware::CACHE_MISSES,
        ];
        events.map(|event| Builder::new(event).inherit(true).build())
    }

    /// The events, how long they were to be counted, and how long they were.
    pub(super) fn read(counter: &mut Counter) -> io::Result<(u64, Duration, Duration)> {
        let data = counter.read_full()?;
        let time = Option::unwrap_or_default;
        Ok((
            data.count(),
            time(data.time_enabled()),
            time(data.time_running()),
        ))
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::io;
    use std::time::Duration;

    /// There is none.
    pub(super) enum Counter {}

    impl Counter {
        pub(super) fn enable(&mut self) -> io::Result<()> {
            match *self {}
        }

        pub(super) fn disable(&mut self) -> io::Result<()> {
            match *self {}
        }
    }

    pub(super) fn open() -> [io::Result<Counter>; 3] {
        [0; 3].map(|_| Err(io::Error::other("only Linux is asked")))
    }

    pub(super) fn read(counter: &mut Counter) -> io::Result<(u64, Duration, Duration)> {
        match *counter {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(events: u64, enabled: u64, running: u64) -> Result<u64, String> {
        let time = Duration::from_nanos;
        of_all(events, time(enabled), time(running))
    }

    #[test]
    fn counts_are_scaled() {
        assert_eq!(counted(1000, 50, 50), Ok(1000));
        assert_eq!(counted(300, 60, 20), Ok(900));
        assert_eq!(counted(u64::MAX, 9, 3), Ok(u64::MAX));
    }

    #[test]
    fn some_may_be_missing() {
        let refused = || Err(why(ErrorKind::NotFound.into()));
        let events = events([counted(7, 1, 1), refused(), refused()]);
        assert_eq!((events.cycles, events.missing), (Some(7), None));
        assert_eq!((events.instructions, events.cache_misses), (None, None));
    }

    #[test]
    fn where_all_are_missing_it_is_said_why() {
        let missing = |count: Result<u64, String>| {
            let counts = [(); 3].map(|()| count.clone());
            events(counts).missing.expect("nothing was counted")
        };
        let text = missing(Err(why(ErrorKind::PermissionDenied.into())));
        assert!(
            text.starts_with("not available: the kernel forbids it"),
            "{text}"
        );
        let text = missing(Err(why(ErrorKind::NotFound.into())));
        assert!(text.contains("has no such counters"), "{text}");
        let text = missing(counted(5, 10, 0));
        assert_eq!(text, "not available: the counter never ran");
    }

    #[test]
    fn this_machine_counts_or_says_why_not() {
        let mut counters = Counters::open();
        counters.enable();
        let sum: u64 = std::hint::black_box(0..100_000u64).sum();
        assert!(sum > 0);
        counters.disable();
        let events = counters.read();
        let counted = [events.cycles, events.instructions, events.cache_misses];
        assert_eq!(events.missing.is_some(), counted == [None; 3], "{events:?}");
        assert!(events.instructions.is_none_or(|n| n > 10_000), "{events:?}");
    }
}
