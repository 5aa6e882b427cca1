//! What the stores of a device know of each other, and do about it: the real [`Presence`](raven_edge::pool::Presence) of two or
//! three pages that come, leave, crash, ask and end in every order, while what they say to each other is on its way.
//!
//! Numbers are modelled coarsely here (memory holds a block, or a tail, too; the pool has some, or none): that none is issued twice
//! whatever siblings know of each other is what the other configurations of this crate show. The laws are about waste:
//!
//! 1. Nothing is in memory when a page has left; it gives back once for each time that it leaves, and its channel is closed.
//! 2. Pages that are there know of each other once what they said has arrived.
//! 3. Nobody counts as a sibling who has said goodbye, or has said nothing to a question.
//! 4. While siblings share the pool, memory holds no tail.
//! 5. Whoever ends leaves the pool to siblings that are there, and leaves nothing parked if it is the last one.
//! 6. A device that has failed changes nothing: nobody parks there, or waits for others to lease.

mod configurations;
mod steps;
mod world;

pub(crate) use configurations::jobs;
