//! Collective operations.

mod bulk;
mod numbers;
mod values;

pub use self::numbers::{Number, Operation};

use crate::{
    Communicator, Error, Value,
    error::ErrorKind,
    transport::{Collective, Tag},
    tree::Tree,
};
use serde::Serialize;

impl Communicator<'_> {
    /// Waits until all ranks have called this.
    ///
    /// # Examples
    /// ```
    /// # fn main() -> Result<(), sumac_mpi::Error> {
    /// use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    ///
    /// let come = AtomicUsize::new(0);
    /// sumac_mpi::World::threads(3).run(|comm| {
    ///     come.fetch_add(1, Relaxed);
    ///     comm.barrier()?;
    ///     assert_eq!(come.load(Relaxed), 3);
    ///     Ok(())
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Cost
    /// Two rounds of empty messages for up to 16 ranks, ⌈log₂ k⌉ for more.
    ///
    /// # Errors
    /// As all collective methods: if a rank fails, panics, or calls another operation than the
    /// others, or if one waits longer than the time-out.
    pub fn barrier(&self) -> Result<(), Error> {
        self.meet(Collective::Barrier)
    }

    pub(crate) fn meet(&self, kind: Collective) -> Result<(), Error> {
        self.meet_at(self.next(kind))
    }

    fn meet_at(&self, tag: Tag) -> Result<(), Error> {
        let (rank, size) = (self.rank(), self.size());
        if Tree::is_flat::<()>(size) {
            return self.meet_at_root(tag, &Tree::of::<()>(rank, size));
        }
        let mut distance = 1;
        while distance < size {
            let (to, from) = ((rank + distance) % size, (rank + size - distance) % size);
            self.exchange(tag, &[(to, &[])], &mut [(from, &mut Vec::new())])?;
            distance *= 2;
        }
        Ok(())
    }

    /// All send to the root, which answers when the last message has arrived.
    fn meet_at_root(&self, tag: Tag, neighbours: &Tree) -> Result<(), Error> {
        if let Some(root) = neighbours.parent {
            return self.exchange(tag, &[(root, &[])], &mut [(root, &mut Vec::new())]);
        }
        let mut come = vec![Vec::new(); neighbours.children.len()];
        let others = neighbours.children.iter().copied();
        let mut come: Vec<_> = others.clone().zip(&mut come).collect();
        self.exchange(tag, &[], &mut come)?;
        let go: Vec<_> = others.map(|rank| (rank, &[][..])).collect();
        self.exchange(tag, &go, &mut [])
    }

    /// Shares errors: all ranks get their own value, or all get the error of the first rank that
    /// has one. Collective.
    ///
    /// Use it after an operation that may fail at some ranks only.
    ///
    /// # Examples
    /// ```
    /// use sumac_mpi::{Error, World};
    ///
    /// let errors = World::threads(4).run(|comm| {
    ///     let found = if comm.rank() == 2 { Err(Error::other("not found")) } else { Ok(()) };
    ///     Ok(comm.agree(found).unwrap_err().to_string())
    /// });
    /// assert_eq!(errors.unwrap(), ["rank 2: not found"; 4]);
    /// ```
    ///
    /// # Errors
    /// That error, or those of [`barrier`](Self::barrier).
    pub fn agree<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        let (value, error) = match result {
            Ok(value) => (Some(value), None),
            Err(error) => (None, Some(error.at(self.name(self.rank())))),
        };
        let first = self.all_reduce(error, Option::or)?;
        // A rank without a value has an error itself, so there is a first one.
        value.filter(|_| first.is_none()).ok_or_else(|| {
            first.unwrap_or_else(|| Error::new(ErrorKind::Disagreement, "an error was lost"))
        })
    }

    /// Checks that all ranks pass the same value.
    pub(crate) fn same<T>(&self, what: &str, value: T) -> Result<(), Error>
    where
        T: Value + PartialEq + std::fmt::Debug + Clone,
    {
        let first = self.broadcast(0, (self.rank() == 0).then(|| value.clone()))?;
        self.agree(if first == value {
            Ok(())
        } else {
            Err(Error::new(
                ErrorKind::Disagreement,
                format_args!("has {what} {value:?}, but rank 0 has {first:?}"),
            ))
        })
    }

    /// Sends bytes from the root to all others, down the tree.
    fn spread(
        &self,
        tag: Tag,
        root: usize,
        tree: Tree,
        bytes: Option<Vec<u8>>,
    ) -> Result<Vec<u8>, Error> {
        let bytes = match (tree.parent, bytes) {
            (Some(parent), _) => {
                let mut bytes = Vec::new();
                self.exchange(tag, &[], &mut [(parent, &mut bytes)])?;
                bytes
            }
            (None, Some(bytes)) => bytes,
            (None, None) => return Err(self.nothing(root)),
        };
        // The largest subtree first.
        let messages = tree.children.iter().rev();
        let messages: Vec<_> = messages.map(|child| (*child, &bytes[..])).collect();
        self.exchange(tag, &messages, &mut [])?;
        Ok(bytes)
    }

    /// Returns this rank's neighbours in the tree for values of a type with that root.
    fn rooted<T>(&self, root: usize) -> Tree {
        assert!(
            root < self.size(),
            "no rank {root}: there are {} ranks",
            self.size()
        );
        Tree::rooted::<T>(root, self.rank(), self.size())
    }

    /// Returns the error of a root that passed no value.
    pub(crate) fn nothing(&self, root: usize) -> Error {
        let root = self.name(root);
        let message = format!("is the root, {root}, but gave `None`");
        Error::new(ErrorKind::Disagreement, message).at(self.name(self.rank()))
    }

    pub(crate) fn encode<T: Serialize + ?Sized>(&self, value: &T) -> Result<Vec<u8>, Error> {
        bitcode::serialize(value)
            .map_err(|error| Error::new(ErrorKind::Format, error).at(self.name(self.rank())))
    }
}
