//! N-queens: in how many ways can n queens stand on a board, none attacking another? A join at
//! every free square of a row: a queen here, or one further to the right. Known: 8: 92, 10: 724,
//! 12: 14,200.

use crate::contender::Contender;
use crate::problem::Problem;

/// How many ways there are on a board of 0, 1, 2.. rows.
const WAYS: [u64; 15] = [
    1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14_200, 73_712, 365_596,
];

/// The largest board whose answer is known here.
pub(crate) const MOST: usize = WAYS.len() - 1;

/// A board of so many rows.
pub(crate) struct Queens(pub(crate) usize);

/// The columns and diagonals that are attacked in the next row, a bit each.
#[derive(Clone, Copy)]
struct Attacked {
    columns: u32,
    left: u32,
    right: u32,
}

impl Attacked {
    /// In the row after one with a queen at this bit.
    fn after(self, queen: u32) -> Attacked {
        Attacked {
            columns: self.columns | queen,
            left: (self.left | queen) << 1,
            right: (self.right | queen) >> 1,
        }
    }
}

/// Ways to fill the rows that are left.
fn rows<C: Contender>(board: u32, attacked: Attacked, cx: &mut C::Cx<'_>) -> u64 {
    if attacked.columns == board {
        return 1;
    }
    let free = board & !(attacked.columns | attacked.left | attacked.right);
    squares::<C>(board, attacked, free, cx)
}

/// Ways with the next row's queen on one of these squares.
fn squares<C: Contender>(board: u32, attacked: Attacked, free: u32, cx: &mut C::Cx<'_>) -> u64 {
    if free == 0 {
        return 0;
    }
    let queen = free & free.wrapping_neg();
    if free == queen {
        return rows::<C>(board, attacked.after(queen), cx);
    }
    let (here, further) = C::join(
        cx,
        |cx| rows::<C>(board, attacked.after(queen), cx),
        |cx| squares::<C>(board, attacked, free ^ queen, cx),
    );
    here + further
}

impl Problem for Queens {
    fn solve<C: Contender>(&self, cx: &mut C::Cx<'_>) -> u64 {
        let nothing = Attacked {
            columns: 0,
            left: 0,
            right: 0,
        };
        rows::<C>((1 << self.0) - 1, nothing, cx)
    }

    fn expected(&self) -> u64 {
        WAYS[self.0]
    }
}
