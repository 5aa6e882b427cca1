//! A model of what the stores of a device know about each other: the real [`Presence`](raven_edge::pool::Presence) of two or three
//! pages that open, leave, crash, ask and end in every order, while their messages are in flight.
//!
//! Numbers are modelled coarsely (memory holds a block, and perhaps a tail; the pool has numbers or not). The other configurations of
//! this crate show that no number is issued twice, whatever siblings know about each other. The laws of this model are about waste:
//!
//! 1. When a page has left, its memory is empty and its channel is closed; each time it leaves it returns numbers once.
//! 2. Active pages know each other once their messages have arrived.
//! 3. A page that has sent BYE, or has not responded to a question, does not count as a sibling.
//! 4. While siblings share the pool, memory holds no tail.
//! 5. A store that ends leaves the pool to active siblings, and leaves nothing parked if it is the last one.
//! 6. A failed device has no effect: its page does not park, and does not wait for the leases of others.

mod configurations;
mod steps;
mod world;

pub(crate) use configurations::jobs;
