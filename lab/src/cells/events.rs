//! The processor's own counters: cycles, instructions, cache misses, in user mode, of this thread
//! and of all threads it makes afterwards. Many machines, virtual ones above all, have none or
//! forbid them; then it is said why.

use std::io::{self, ErrorKind};

use crate::results::{Counted, Events};

/// One kind of event.
trait Counter {
    fn enable(&mut self) -> io::Result<()>;
    fn disable(&mut self) -> io::Result<()>;
    fn read(&mut self) -> io::Result<Count>;
}

/// What a counter says. Where there are more counters than the processor can run at once, each
/// runs for a part of the time.
#[derive(Clone, Copy, Debug)]
struct Count {
    events: u64,
    enabled_ns: u64,
    running_ns: u64,
}

impl Count {
    /// The events of the whole time, from those of the part in which it ran.
    fn of_all(self) -> io::Result<u64> {
        match self.running_ns {
            0 => Err(io::Error::other("the counter never ran")),
            running => {
                let events = u128::from(self.events) * u128::from(self.enabled_ns);
                Ok(u64::try_from(events / u128::from(running)).unwrap_or(u64::MAX))
            }
        }
    }
}

type Opened = io::Result<Box<dyn Counter + Send>>;

/// Cycles, instructions and cache misses, as far as they can be counted.
pub(super) struct Counters([Opened; 3]);

impl Counters {
    /// Opens them. Threads that are made from now on are counted too.
    pub(super) fn open() -> Counters {
        Counters(system::open())
    }

    /// Counting begins.
    pub(super) fn enable(&mut self) {
        self.each(|counter| counter.enable());
    }

    /// Counting ends.
    pub(super) fn disable(&mut self) {
        self.each(|counter| counter.disable());
    }

    /// What was counted, or why nothing was.
    pub(super) fn read(&mut self) -> Events {
        let mut refusal = None;
        let counts = self.0.each_mut().map(|counter| -> Counted {
            let count = match counter {
                Ok(counter) => counter.read().and_then(Count::of_all),
                Err(error) => Err(copy(error)),
            };
            count
                .map_err(|error| refusal.get_or_insert(error).kind())
                .ok()
        });
        let [cycles, instructions, cache_misses] = counts;
        let missing = match counts {
            [None, None, None] => refusal.map(|error| format!("not available: {}", why(&error))),
            _ => None,
        };
        Events {
            missing,
            cycles,
            instructions,
            cache_misses,
        }
    }

    /// A counter that fails once is not asked again.
    fn each(&mut self, act: impl Fn(&mut dyn Counter) -> io::Result<()>) {
        for counter in &mut self.0 {
            if let Ok(open) = counter {
                if let Err(error) = act(&mut **open) {
                    *counter = Err(error);
                }
            }
        }
    }
}

fn copy(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}

/// The refusal in words.
fn why(error: &io::Error) -> String {
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

    use perf_event::Builder;
    use perf_event::events::Hardware;

    use super::{Count, Counter, Opened};

    pub(super) fn open() -> [Opened; 3] {
        let events = [
            Hardware::CPU_CYCLES,
            Hardware::INSTRUCTIONS,
            Hardware::CACHE_MISSES,
        ];
        events.map(|event| {
            let counter = Builder::new(event).inherit(true).build()?;
            Ok(Box::new(counter) as _)
        })
    }

    impl Counter for perf_event::Counter {
        fn enable(&mut self) -> io::Result<()> {
            self.enable()
        }

        fn disable(&mut self) -> io::Result<()> {
            self.disable()
        }

        fn read(&mut self) -> io::Result<Count> {
            let data = self.read_full()?;
            let ns = |time: Option<Duration>| {
                u64::try_from(time.unwrap_or_default().as_nanos()).unwrap_or(u64::MAX)
            };
            Ok(Count {
                events: data.count(),
                enabled_ns: ns(data.time_enabled()),
                running_ns: ns(data.time_running()),
            })
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::io;

    use super::Opened;

    pub(super) fn open() -> [Opened; 3] {
        [0; 3].map(|_| Err(io::Error::other("only Linux is asked")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts a fixed number, or fails at the reading.
    struct Fake(io::Result<Count>);

    impl Counter for Fake {
        fn enable(&mut self) -> io::Result<()> {
            Ok(())
        }

        fn disable(&mut self) -> io::Result<()> {
            Ok(())
        }

        fn read(&mut self) -> io::Result<Count> {
            self.0.as_ref().copied().map_err(copy)
        }
    }

    fn counting(events: u64, enabled_ns: u64, running_ns: u64) -> Opened {
        let count = Count {
            events,
            enabled_ns,
            running_ns,
        };
        Ok(Box::new(Fake(Ok(count))))
    }

    fn read(counters: [Opened; 3]) -> Events {
        let mut counters = Counters(counters);
        counters.enable();
        counters.disable();
        counters.read()
    }

    #[test]
    fn counts_are_read_and_scaled() {
        let events = read([
            counting(1000, 50, 50),
            counting(300, 60, 20),
            counting(u64::MAX, 9, 3),
        ]);
        assert_eq!(events.missing, None);
        assert_eq!(events.cycles, Some(1000));
        assert_eq!(events.instructions, Some(900));
        assert_eq!(events.cache_misses, Some(u64::MAX));
    }

    #[test]
    fn some_may_be_missing() {
        let refused = Err(ErrorKind::NotFound.into());
        let broken = Ok(Box::new(Fake(Err(ErrorKind::InvalidData.into()))) as _);
        let events = read([counting(7, 1, 1), refused, broken]);
        assert_eq!((events.cycles, events.missing), (Some(7), None));
        assert_eq!((events.instructions, events.cache_misses), (None, None));
    }

    #[test]
    fn where_all_are_missing_it_is_said_why() {
        let refused = |kind: ErrorKind| [(); 3].map(|()| Err(kind.into()));
        let missing = |counters| read(counters).missing.expect("nothing was counted");
        let text = missing(refused(ErrorKind::PermissionDenied));
        assert!(
            text.starts_with("not available: the kernel forbids it"),
            "{text}"
        );
        let text = missing(refused(ErrorKind::NotFound));
        assert!(text.contains("has no such counters"), "{text}");
        let text = missing([(); 3].map(|()| counting(5, 10, 0)));
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
