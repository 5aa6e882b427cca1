//! HiLo numbers: ranges, the ledger that records where each number is, the sizes of leases, the driver of one tag, waiting
//! callers, and the store of all tags.

mod driver;
mod events;
mod grant;
mod ledger;
mod pool_view;
mod range;
mod shared_state;
mod shell;
mod sizing;
mod store;
mod tag;
mod task;
pub mod waiters;

pub use driver::{Conditions, Demand, Driver};
pub use events::{Effect, Event, Hand, Lease};
pub use grant::{Ask, CounterState, Echo, Grant, NO_DATABASE, Return, Size, Source};
pub use ledger::Ledger;
pub use range::Range;
pub use shell::{At, Order, Shell};
pub use sizing::Sizing;
pub use store::{Call, Store};
pub use task::{Moving, Purpose, Task, Unfenced, Wait};
pub use waiters::Waiters;
