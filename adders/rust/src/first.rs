//! The first comparison's method, beside which the adders' own is measured (`adders/c/first.c` has
//! it in C): a rank halves its bytes whatever the number of ranks, each half is one message, and
//! who receives one asks MPI for its length and takes new memory for it.

use crate::{Failure, Job};
use std::{env, ops::Range};

/// How bytes get to the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Over the halving tree, in messages of a length that both sides know (`tree.rs`).
    Tree,
    /// As in the first comparison.
    First,
}

impl Method {
    /// As the variable `ADDER_MODE` says, else the tree.
    ///
    /// # Errors
    /// It says something else.
    pub fn new() -> Result<Method, Failure> {
        match env::var("ADDER_MODE").as_deref() {
            Err(_) | Ok("tree") => Ok(Method::Tree),
            Ok("first") => Ok(Method::First),
            Ok(other) => Err(Failure(format!(
                "ADDER_MODE is neither tree nor first: {other}"
            ))),
        }
    }
}

/// A rank's place in the first comparison's tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct First {
    /// Who sends it bytes, and gets its sum. None for rank 0.
    pub parent: Option<usize>,
    /// Who gets half of what it still has, one after the other.
    pub children: Vec<usize>,
}

impl First {
    /// The place of `rank` among `ranks`, for the bytes of this job.
    ///
    /// # Errors
    /// The method knows neither fewer bytes than ranks nor more than MPI counts in one message.
    pub fn new(rank: usize, ranks: usize, job: &Job) -> Result<First, Failure> {
        if job.size < ranks as u64 || job.size > i32::MAX as u64 {
            let why = "SIZE is not between the number of ranks and 2^31-1";
            return Err(Failure(why.into()));
        }
        Ok(First::of(rank, ranks))
    }

    fn of(rank: usize, ranks: usize) -> First {
        // The first power of two above the rank: the lowest rank below it is that much further.
        let step = (rank + 1).next_power_of_two();
        let steps = (0..).map(|doubled| step << doubled);
        First {
            parent: rank.checked_sub((step / 2).max(1)),
            children: steps
                .map(|step| rank + step)
                .take_while(|child| *child < ranks)
                .collect(),
        }
    }

    /// Of so many bytes: which ones each child gets, and how many are kept.
    ///
    /// # Examples
    /// ```
    /// let job = sumac_adders::Job { path: "".into(), size: 9, warm: 0, chunk: 1 };
    /// let place = sumac_adders::First::new(0, 4, &job)?;
    /// assert_eq!(place.halves(9), (vec![(1, 4..9), (2, 2..4)], 2));
    /// # Ok::<(), sumac_adders::Failure>(())
    /// ```
    pub fn halves(&self, bytes: usize) -> (Vec<(usize, Range<usize>)>, usize) {
        let mut own = bytes;
        let give = |&child: &usize| {
            let kept = own / 2;
            let given = kept..own;
            own = kept;
            (child, given)
        };
        let given = self.children.iter().map(give).collect();
        (given, own)
    }
}

/// The sum of all bytes, one after the other.
pub fn sum_one_by_one(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |total, byte| total + u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::{First, sum_one_by_one};
    use crate::Job;

    #[test]
    fn parents_and_children_agree_and_nothing_is_lost() {
        for ranks in 1..=70 {
            let places: Vec<First> = (0..ranks).map(|rank| First::of(rank, ranks)).collect();
            for bytes in [ranks, 1000, 1001] {
                // A rank's parent has a lower number.
                let (mut has, mut own) = (vec![bytes; 1], 0);
                has.resize(ranks, 0);
                for (rank, place) in places.iter().enumerate() {
                    let (given, kept) = place.halves(has[rank]);
                    for (child, part) in given {
                        assert_eq!(places[child].parent, Some(rank), "{child} of {ranks}");
                        assert!(child > rank && part.end <= has[rank]);
                        has[child] = part.len();
                    }
                    own += kept;
                }
                assert_eq!(own, bytes, "{ranks} ranks");
            }
            let children: usize = places.iter().map(|place| place.children.len()).sum();
            assert_eq!((children, &places[0].parent), (ranks - 1, &None));
        }
    }

    #[test]
    fn what_the_method_does_not_know_is_refused() {
        let place = |size, ranks| {
            let job = Job {
                path: "".into(),
                size,
                warm: 0,
                chunk: 1,
            };
            First::new(0, ranks, &job).is_ok()
        };
        assert!(place(3, 3) && place(i32::MAX as u64, 3));
        assert!(!place(2, 3) && !place(1 << 31, 3));
    }

    #[test]
    fn bytes_add_up() {
        assert_eq!(sum_one_by_one(&[255; 1000]), 255_000);
    }
}
