//! Numbers: ranges, the ledger that knows where each number lives, how many to ask for, the driver of one tag, and who waits for ids.

mod device;
mod driver;
mod effect;
mod ledger;
mod range;
mod sizing;
pub mod waiters;

pub use driver::{Demand, Driver, Plan};
pub use effect::{Effect, Event, Hand, Lease};
pub use ledger::Ledger;
pub use range::Range;
pub use sizing::Sizing;
pub use waiters::Waiters;
