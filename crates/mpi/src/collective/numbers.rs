//! Elementwise sums, minima and maxima of vectors of numbers, by MPI's own reduction if there is
//! one and they are long.

use crate::{
    Communicator, Error,
    error::ErrorKind,
    transport::{Collective, Numbers, Tag},
    tree::Tree,
};
use bytemuck::Pod;
use std::ops::Range;

/// Shorter vectors, in bytes, go up the tree: MPI's reduction gains less than checking that all
/// ranks do the same costs.
const LONG: usize = 1 << 14;

/// The operation that combines [`Number`]s of all ranks.
///
/// ```
/// use sumac_mpi::{Operation, World};
///
/// # fn main() -> Result<(), sumac_mpi::Error> {
/// let least = World::threads(3).run(|comm| {
///     let mut pair = [comm.rank() as u64, 10 - comm.rank() as u64];
///     comm.all_reduce_each(&mut pair, Operation::Min)?;
///     Ok(pair)
/// })?;
/// assert_eq!(least, [[0, 8]; 3]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// The sum; of integers, modulo their range.
    Sum,
    /// The least.
    Min,
    /// The greatest.
    Max,
}

/// A number that ranks can add and compare: an integer or a float of 32 or 64 bits.
pub trait Number: Pod + sealed::Sealed {
    /// Combines two numbers.
    #[doc(hidden)]
    fn combine(operation: Operation, a: Self, b: Self) -> Self;

    #[doc(hidden)]
    fn numbers(values: &mut [Self]) -> sealed::Vector<'_>;
}

mod sealed {
    /// Not implemented by other crates.
    pub trait Sealed {}

    /// A vector of any type of number.
    #[derive(Debug)]
    pub struct Vector<'a>(pub(crate) super::Numbers<'a>);
}

macro_rules! number {
    ($($type:ident $variant:ident $add:expr;)*) => {$(
        impl sealed::Sealed for $type {}

        impl Number for $type {
            fn combine(operation: Operation, a: Self, b: Self) -> Self {
                match operation {
                    Operation::Sum => $add(a, b),
                    Operation::Min => a.min(b),
                    Operation::Max => a.max(b),
                }
            }

            fn numbers(values: &mut [Self]) -> sealed::Vector<'_> {
                sealed::Vector(Numbers::$variant(values))
            }
        }
    )*};
}

number! {
    u32 U32 u32::wrapping_add;
    i32 I32 i32::wrapping_add;
    u64 U64 u64::wrapping_add;
    i64 I64 i64::wrapping_add;
    f32 F32 |a, b| a + b;
    f64 F64 |a, b| a + b;
}

impl Communicator<'_> {
    /// Replaces each element by the sum, least or greatest of all ranks' elements at that index.
    /// Collective.
    ///
    /// If a rank's element is NaN, so is the sum; the least and the greatest are unspecified.
    ///
    /// # Examples
    /// ```
    /// use sumac_mpi::{Operation, World};
    ///
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// let sums = World::threads(3).run(|comm| {
    ///     let mut v = [1, comm.rank() as u64];
    ///     comm.all_reduce_each(&mut v, Operation::Sum)?;
    ///     Ok(v)
    /// })?;
    /// assert_eq!(sums, [[3, 3]; 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Cost
    /// For long vectors under MPI, that of MPI's own reduction; then sums of floating-point numbers
    /// depend on the order that MPI chooses. Otherwise the vector goes up and down a tree of depth
    /// ⌈log₂ k⌉.
    ///
    /// # Errors
    /// As [`barrier`](Self::barrier); if vectors have different lengths or types, or if ranks pass
    /// different operations.
    pub fn all_reduce_each<T: Number>(
        &self,
        values: &mut [T],
        operation: Operation,
    ) -> Result<(), Error> {
        let bytes = size_of_val(values);
        let sealed::Vector(numbers) = T::numbers(values);
        let tag = self.next(Collective::Each(operation, numbers.place()));
        let long = self.transport.has_native() && bytes >= LONG;
        if !long {
            return self.up_and_down(tag, values, operation);
        }
        // MPI need not detect different lengths. Ranks with short vectors do something else, and
        // get an error here.
        self.meet_at(tag)?;
        self.same("a vector of the length", values.len())?;
        for range in pieces(values.len(), self.transport.limit() / size_of::<T>()) {
            let sealed::Vector(numbers) = T::numbers(&mut values[range]);
            self.transport().native(numbers, operation)?;
        }
        Ok(())
    }

    fn up_and_down<T: Number>(
        &self,
        tag: Tag,
        values: &mut [T],
        operation: Operation,
    ) -> Result<(), Error> {
        let tree = Tree::new(self.rank(), self.size());
        let len = size_of_val(values);
        for &child in &tree.children {
            let mut bytes = Vec::new();
            self.exchange(tag, &[], &mut [(child, &mut bytes)])?;
            if bytes.len() != len {
                let (child, other) = (self.name(child), bytes.len());
                let message = format!("has {len} bytes of numbers, but rank {child} has {other}");
                return self.remembered(Err(Error::new(ErrorKind::Length, message)));
            }
            for (value, other) in values.iter_mut().zip(bytemuck::pod_collect_to_vec(&bytes)) {
                *value = T::combine(operation, *value, other);
            }
        }
        if let Some(parent) = tree.parent {
            self.exchange(tag, &[(parent, bytemuck::cast_slice(values))], &mut [])?;
        }
        let all = bytemuck::cast_slice(values).to_vec();
        let tag = self.next(Collective::Broadcast);
        let all = self.spread(tag, 0, tree, (self.rank() == 0).then_some(all))?;
        bytemuck::cast_slice_mut(values).copy_from_slice(&all);
        Ok(())
    }
}

fn pieces(len: usize, longest: usize) -> impl Iterator<Item = Range<usize>> {
    let longest = longest.max(1);
    (0..len)
        .step_by(longest)
        .map(move |start| start..len.min(start + longest))
}
