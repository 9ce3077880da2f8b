//! Messages that were put into a mailbox, until they need not stay there.

use super::{Endpoint, FULL, State, Wait};
use crate::{
    Error,
    transport::{Flight, Tag},
};
use std::time::Instant;

/// A message in a mailbox.
pub(super) struct Posted<'a> {
    pub(super) endpoint: &'a Endpoint,
    pub(super) tag: Tag,
    pub(super) to: usize,
    pub(super) number: usize,
}

impl Posted<'_> {
    /// Returns whether it need not stay: when it is taken, and but in a strict world also if there is
    /// no other, or the mailbox is not full.
    fn is_free(&self, state: &State) -> bool {
        let mailbox = state
            .boxes
            .get(&(self.endpoint.rank, self.to, self.tag.lane));
        mailbox.is_none_or(|mailbox| {
            let taken = mailbox.posted - mailbox.messages.len();
            let has_room = mailbox.messages.len() <= 1 || mailbox.bytes <= FULL;
            taken >= self.number || (has_room && !self.endpoint.mailboxes.settings.strict)
        })
    }
}

impl Flight for Posted<'_> {
    fn has_landed(&mut self) -> Result<bool, Error> {
        Ok(self.is_free(&*self.endpoint.look()?))
    }

    fn land(&mut self) -> Result<(), Error> {
        let (since, waits) = (Instant::now(), Wait::new(self.to, self.tag, true));
        loop {
            let state = self.endpoint.look()?;
            if self.is_free(&state) {
                return Ok(());
            }
            drop(self.endpoint.wait(state, waits, since)?);
        }
    }
}
