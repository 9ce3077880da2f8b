//! A closer look at a problem than a clock gives: its work and span, or what the threads did
//! meanwhile. sumac's thread-local join and its loops run it, once to be warm and once to be seen,
//! and the answers are checked.

use crate::contender::{Contender, Id, SumacJoin, once};
use crate::experiment::{Failure, Seat, pool};
use crate::problem::Problem;
use crate::sample::WrongAnswer;
use crate::workload::{Parameters, all, find};

/// How to look.
pub(crate) enum Instrument {
    /// For work and span.
    #[cfg(feature = "profile")]
    Profile(sumac::profile::Profiler),
    /// For what so many threads do.
    #[cfg(feature = "trace")]
    Trace(usize),
}

/// What was seen.
#[derive(Debug)]
pub(crate) enum Seen {
    /// Work and span.
    #[cfg(feature = "profile")]
    Profile(sumac::profile::Profile),
    /// What threads did.
    #[cfg(feature = "trace")]
    Trace(sumac::trace::Trace),
}

impl Instrument {
    /// On how many threads.
    fn seat(&self) -> Seat {
        let threads = match self {
            #[cfg(feature = "profile")]
            Instrument::Profile(_) => 1,
            #[cfg(feature = "trace")]
            Instrument::Trace(threads) => *threads,
        };
        Seat {
            id: Id::SumacJoin,
            threads,
        }
    }

    /// Looks at this problem.
    pub(crate) fn on<P: Problem>(&self, problem: &P) -> Result<Seen, Failure> {
        let seat = self.seat();
        let pool = pool::<SumacJoin>(seat)?;
        let solve = || pool.enter(|cx| once::<SumacJoin, P>(problem, cx));
        let check = |returned| {
            let (got, expected) = (problem.answer(returned), problem.expected());
            match got == expected {
                true => Ok(()),
                false => Err(Failure::Wrong(seat, WrongAnswer { got, expected })),
            }
        };
        problem.reset();
        check(solve())?;
        problem.reset();
        let (returned, seen) = match self {
            #[cfg(feature = "profile")]
            Instrument::Profile(profiler) => {
                let (returned, profile) = profiler.run(solve);
                (returned, Seen::Profile(profile))
            }
            #[cfg(feature = "trace")]
            Instrument::Trace(_) => {
                let (returned, trace) =
                    pool.enter(|cx| sumac::trace(|| once::<SumacJoin, P>(problem, cx)));
                (returned, Seen::Trace(trace))
            }
        };
        check(returned)?;
        Ok(seen)
    }

    /// Looks at a problem known by its name, and says what it was called.
    pub(crate) fn at(&self, name: &str, size: Option<u64>) -> Result<(String, Seen), Failure> {
        let problem = find(all(), name).map_err(Failure::Usage)?;
        let size = size.unwrap_or(match name {
            "tree" | "spine-left" | "spine-right" => (1 << 20) - 1,
            "fib" => 35,
            _ => problem.size as u64,
        });
        let fits = problem.check_size(size as usize);
        let fits = fits.and_then(|()| (problem.memory)(size as usize));
        fits.map_err(Failure::Usage)?;
        let made = (problem.make)(Parameters(""), size as usize);
        Ok((format!("{name}({size})"), made.look(self)?))
    }
}
