//! Numbers: ranges, the ledger that knows where each number lives, how many to ask for, and the driver of one tag.

mod device;
mod driver;
mod effect;
mod ledger;
mod range;
mod sizing;

pub use driver::{Driver, Plan};
pub use effect::{Effect, Event, Hand, Lease};
pub use ledger::Ledger;
pub use range::Range;
pub use sizing::Sizing;
