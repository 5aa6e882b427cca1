//! Ranges of ids: leases and returns, and the proof that a caller leased a range.

pub(crate) mod base64url;
pub(super) mod give_back;
pub(super) mod lease;
pub(super) mod token;
