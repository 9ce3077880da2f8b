//! The one loop that takes samples of several contenders: in turns, round by round.

use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

/// Rounds that are run even if time is up.
const LEAST_ROUNDS: usize = 3;

/// How many rounds, in each of which every contender has one turn.
#[derive(Clone, Copy, Debug)]
pub struct Turns {
    /// Rounds that count, at most.
    pub rounds: usize,
    /// Rounds before them that do not count.
    pub warm_up: usize,
    /// After this time no further round begins, once there are three that count.
    pub time: Duration,
    /// Slept before each turn, so that the last contender's threads have gone to sleep.
    pub pause: Duration,
}

impl Turns {
    /// So many rounds, without a warm-up, a limit of time or a pause.
    pub const fn of(rounds: usize) -> Turns {
        Turns {
            rounds,
            warm_up: 0,
            time: Duration::MAX,
            pause: Duration::ZERO,
        }
    }

    /// Calls `turn` with the number of the round and of the contender, and puts the samples of each
    /// contender together.
    ///
    /// # Errors
    /// The first one of `turn`.
    pub fn take<S, E>(
        self,
        contenders: usize,
        mut turn: impl FnMut(usize, usize) -> Result<Vec<S>, E>,
    ) -> Result<Vec<Vec<S>>, E> {
        let most = self.rounds + self.warm_up;
        let mut samples: Vec<Vec<S>> = (0..contenders).map(|_| Vec::new()).collect();
        let start = Instant::now();
        for round in 0..most {
            if round >= LEAST_ROUNDS + self.warm_up && start.elapsed() >= self.time {
                break;
            }
            for who in order(contenders, round) {
                thread::sleep(self.pause);
                clear_registers();
                let taken = turn(round, who)?;
                if round >= self.warm_up {
                    samples[who].extend(taken);
                }
            }
        }
        Ok(samples)
    }
}

/// Clears the upper halves of the calling thread's vector registers.
///
/// On AMD's Zen 5, code that uses the lower halves only (what is compiled for any x86-64, and SHA
/// instructions) is much slower or faster while the upper halves are in use. Functions of the
/// system may leave them so, and then each switch of threads restores it, until a function clears
/// them. So without this a turn is fast or slow by chance, more so on the program's thread than on
/// workers.
///
/// Safe code has no instruction for it, but the search in `memchr` ends with it where it uses whole
/// registers.
pub fn clear_registers() {
    black_box(memchr::memchr(1, black_box(&[0; 256])));
}

/// The order of a round. Each starts one place further on, and every other one goes backwards.
pub fn order(len: usize, round: usize) -> impl Iterator<Item = usize> {
    (0..len).map(move |i| {
        let place = (i + round / 2) % len;
        if round % 2 == 0 {
            place
        } else {
            len - 1 - place
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_changes_from_round_to_round() {
        let orders: Vec<Vec<usize>> = (0..4).map(|round| order(3, round).collect()).collect();
        assert_eq!(orders, [[0, 1, 2], [2, 1, 0], [1, 2, 0], [1, 0, 2]]);
    }

    #[test]
    fn warm_up_does_not_count_and_three_rounds_are_run_though_time_is_up() {
        let turns = Turns {
            warm_up: 1,
            time: Duration::from_nanos(1),
            ..Turns::of(9)
        };
        let taken = turns.take(2, |round, who| Ok::<_, ()>(vec![(round, who)]));
        let samples = |who| (1..4).map(|round| (round, who)).collect::<Vec<_>>();
        assert_eq!(taken, Ok(vec![samples(0), samples(1)]));
    }

    #[test]
    fn an_error_ends_it() {
        let fails = |round, who| match (round, who) {
            (1, 1) => Err("no"),
            _ => Ok(vec![()]),
        };
        assert_eq!(Turns::of(3).take(2, fails), Err("no"));
    }
}
