//! Statuses that mean an outage: another node, or the same one later, may carry out the request.

/// 410 Gone: the database was moved from this node to others. The node has not carried out the request.
pub const GONE: u16 = 410;

/// Whether a status means an outage or overload, not a fault of the request.
pub fn is_outage_status(status: u16) -> bool {
    matches!(status, GONE | 429 | 502..=504 | 520..=527 | 530)
}
