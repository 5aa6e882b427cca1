//! The bytes of one attachment that is stored.

use crate::gateway::refusal::{Kind, Refusal, refused};

/// A content that may have so many more bytes.
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
