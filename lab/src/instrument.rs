//! A closer look at a problem than a clock gives: its work and span, or what the threads did
//! meanwhile. sumac's thread-local join and its loops run it, once to be warm and once to be seen,
//! and the answers are checked.

use crate::contender::{Contender, Id, SumacJoin, once};
use crate::experiment::{Failure, Seat, pool};
use crate::problem::Problem;
use crate::sample::WrongAnswer;
use crate::workload::{Parameters, all, find};

/// How to look: on how many threads, and what is around the call that is to be seen.
pub(crate) struct Look<'l> {
    pub(crate) threads: usize,
    pub(crate) around: &'l mut (dyn FnMut(&mut dyn FnMut()) + Send),
}

impl Look<'_> {
    /// Looks at this problem.
    pub(crate) fn on<P: Problem>(&mut self, problem: &P) -> Result<(), Failure> {
        let (id, threads) = (Id::SumacJoin, self.threads);
        let seat = Seat { id, threads };
        let pool = pool::<SumacJoin>(seat)?;
        let check = |returned| {
            let (got, expected) = (problem.answer(returned), problem.expected());
            match got == expected {
                true => Ok(()),
                false => Err(Failure::Wrong(seat, WrongAnswer { got, expected })),
            }
        };
        problem.reset();
        check(pool.enter(|cx| once::<SumacJoin, P>(problem, cx)))?;
        problem.reset();
        let mut returned = 0;
        pool.enter(|cx| (self.around)(&mut || returned = once::<SumacJoin, P>(problem, cx)));
        check(returned)
    }

    /// Looks at a problem known by its name, and says what it was called.
    pub(crate) fn at(&mut self, name: &str, size: Option<u64>) -> Result<String, Failure> {
        let problem = find(all(), name).map_err(Failure::Usage)?;
        let size = size.unwrap_or(match name {
            "tree" | "spine-left" | "spine-right" => (1 << 20) - 1,
            "fib" => 35,
            _ => problem.size as u64,
        });
        let fits = problem.check_size(size as usize);
        let fits = fits.and_then(|()| (problem.memory)(size as usize));
        fits.map_err(Failure::Usage)?;
        (problem.make)(Parameters(""), size as usize).look(self)?;
        Ok(format!("{name}({size})"))
    }
}
