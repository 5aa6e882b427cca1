//! Counts the bytes of one attachment while it is being stored.

use crate::gateway::refusal::{Kind, Refusal, refused};
use crate::prelude::*;

/// The content of one attachment, and how many more bytes it may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Content {
    most: usize,
    left: usize,
}

impl Content {
    pub(super) fn new(most: usize) -> Self {
        Self { most, left: most }
    }

    /// Counts bytes of the content.
    pub(super) fn take(&mut self, count: usize) -> Result<(), Refusal> {
        let too_large =
            || refused(Kind::Limit, format!("an attachment of this collection has at most {} bytes", self.most));
        self.left = self.left.checked_sub(count).ok_or_else(too_large)?;
        Ok(())
    }
}
