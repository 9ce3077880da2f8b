//! Words that all ranks change, under the lock of the mailboxes.

use super::Endpoint;
use crate::{Error, transport::Words};

/// One rank's access to the words of all ranks.
pub(super) struct Shared<'a> {
    endpoint: &'a Endpoint,
    /// The number of the window.
    number: u64,
    /// The number of words of each rank.
    len: usize,
}

impl<'a> Shared<'a> {
    pub(super) fn new(endpoint: &'a Endpoint, number: u64, len: usize) -> Result<Self, Error> {
        let ranks = endpoint.mailboxes.settings.ranks;
        let mut state = endpoint.look()?;
        let words = state.words.entry(number);
        words.or_insert_with(|| (vec![0; ranks * len], ranks));
        drop(state);
        Ok(Self {
            endpoint,
            number,
            len,
        })
    }
}

impl Words for Shared<'_> {
    fn compare_and_swap(
        &self,
        rank: usize,
        index: usize,
        current: u64,
        new: u64,
    ) -> Result<u64, Error> {
        let mut state = self.endpoint.look()?;
        let window = state.words.get_mut(&self.number);
        let (words, _) = window.expect("words that all ranks have dropped");
        let word = &mut words[rank * self.len + index];
        let found = *word;
        if found == current {
            *word = new;
        }
        Ok(found)
    }
}

impl Drop for Shared<'_> {
    fn drop(&mut self) {
        let mut state = self.endpoint.mailboxes.lock();
        if let Some((_, users)) = state.words.get_mut(&self.number) {
            *users -= 1;
            if *users == 0 {
                state.words.remove(&self.number);
            }
        }
    }
}
