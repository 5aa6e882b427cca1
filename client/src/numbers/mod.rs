//! Ids of one counter.

mod counter;

pub use counter::CurrentLease;
pub(crate) use counter::{Counter, Taken};

use std::ops::RangeInclusive;
use std::sync::Arc;

use raven_edge::hilo::At;
use raven_edge::hilo::waiters::{Event as Happened, Want};
use raven_edge::protocol::limit;
use tokio::sync::oneshot;

use crate::runtime::within;
use crate::store::{Handle, Served};
use crate::{Error, Result};

/// The ids of a counter: `orders/1-A`, `orders/2-A`, … An id is never issued twice, by whatever client of the database.
#[derive(Clone)]
pub struct HiLo {
    handle: Arc<Handle>,
    tag: u32,
}

/// The numbers of a counter that this store has.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HiLoStatus {
    /// How many numbers are in memory.
    pub at_hand: u64,
    /// How many numbers are parked on the device, in pages.
    pub parked: u64,
    /// These numbers, in the order in which they will be issued.
    pub held: Vec<RangeInclusive<u64>>,
    /// Whether a request of the counter is under way.
    pub leasing: bool,
    /// The lease that the next id comes from.
    pub lease: Option<CurrentLease>,
}

impl HiLo {
    pub(crate) fn new(handle: Arc<Handle>, name: &str) -> Result<HiLo> {
        let tag = handle.tag(&mut handle.inner.state(), name)?;
        Ok(HiLo { handle, tag })
    }

    /// The next id if one is in memory. The store then has the next ones ahead of need.
    pub fn take(&self) -> Option<String> {
        let tag = self.tag;
        self.handle.inner.enter(|state, calls| {
            if state.is_disposed {
                return None;
            }
            let taken = calls.take(state, tag);
            if state.tags.get(tag as usize).is_none_or(|tag| tag.counter.rest() == 0) {
                calls.core(state, |core, host| core.taken(host, tag, taken.is_none()));
                calls.perform(state);
            }
            taken.map(|taken| taken.id)
        })
    }

    /// The next id. Numbers are leased if none is in memory; callers of the same moment share a lease.
    ///
    /// A future that is dropped takes no number.
    ///
    /// # Errors
    ///
    /// [`Error::Timeout`]: none was leased in time. [`Error::Disposed`], and errors of the server.
    pub async fn next(&self) -> Result<String> {
        let inner = &self.handle.inner;
        inner.assert_open()?;
        let asked = inner.enter(|state, calls| {
            if state.is_disposed {
                return Err(Error::disposed());
            }
            if let Some(taken) = calls.take(state, self.tag) {
                return Ok(Err(taken.id));
            }
            Ok(Ok(calls.ask(state, self.tag, Want::Id)))
        });
        match asked? {
            Err(id) => Ok(id),
            Ok(asked) => self.wait(asked).await?.map(|taken| taken.id).ok_or_else(Error::disposed),
        }
    }

    /// Leases numbers ahead of need: into memory, so that `take` has them; in pages onto the device, so that they outlive the page. 0:
    /// returns those that are in memory, and parked ones beyond [`Builder::keep`](crate::Builder::keep).
    ///
    /// # Errors
    ///
    /// As [`HiLo::next`]. [`Error::InvalidArgument`]: more than 1,048,576.
    pub async fn reserve(&self, count: u64) -> Result<()> {
        if count > u64::from(limit::RANGE) {
            return Err(Error::argument(format!("reserve takes a whole number from 0 to {}", limit::RANGE)));
        }
        self.handle.inner.assert_open()?;
        if count == 0 {
            self.handle.inner.let_go(self.tag, None).await;
            self.handle.inner.give_back(false).await;
            return Ok(());
        }
        let asked = self.handle.inner.enter(|state, calls| calls.ask(state, self.tag, Want::Numbers(count)));
        self.wait(asked).await.map(drop)
    }

    /// Brings some of the numbers that are parked on the device into memory, so that `take` has them. Leases none.
    ///
    /// # Errors
    ///
    /// As [`HiLo::next`].
    pub async fn ready(&self) -> Result<()> {
        self.handle.inner.assert_open()?;
        let asked = self.handle.inner.enter(|state, calls| calls.ask(state, self.tag, Want::Ready));
        self.wait(asked).await.map(drop)
    }

    async fn wait(&self, (number, receiver): (u32, oneshot::Receiver<Served>)) -> Served {
        let mut waiting = Waiting { hilo: self, number, receiver };
        let inner = &self.handle.inner;
        let served = match within(inner.timeout, &mut waiting.receiver).await {
            Some(served) => served,
            None => {
                inner.notify(waiting.at(), Happened::Expired(number));
                (&mut waiting.receiver).await
            }
        };
        served.unwrap_or_else(|_| Err(Error::disposed()))
    }

    /// The numbers in memory.
    pub fn status(&self) -> HiLoStatus {
        let mut state = self.handle.inner.state();
        let mut held = Vec::new();
        let Some(tag) = state.tags.get(self.tag as usize) else {
            return HiLoStatus { at_hand: 0, parked: 0, held, leasing: false, lease: None };
        };
        let (leasing, lease) = (tag.running > 0, tag.counter.lease.clone());
        held.extend(tag.counter.left().map(|(low, high)| low..=high));
        for at in 0.. {
            let Some(range) = state.core.core().tail(self.tag, at) else { break };
            held.push(range.low()..=range.high());
        }
        let at_hand = held.iter().map(|range| range.end() - range.start() + 1).sum();
        let parked = state.core.core().parked(self.tag).unwrap_or(0);
        HiLoStatus { at_hand, parked, held, leasing, lease }
    }
}

/// A caller that waits. Dropping it removes the caller alone; an id that it did not get is issued to another one.
struct Waiting<'a> {
    hilo: &'a HiLo,
    number: u32,
    receiver: oneshot::Receiver<Served>,
}

impl Waiting<'_> {
    fn at(&self) -> At {
        At { tag: self.hilo.tag, group: 0 }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if self.receiver.is_terminated() {
            return;
        }
        self.receiver.close();
        let unused = self.receiver.try_recv();
        let (at, number) = (self.at(), self.number);
        self.hilo.handle.inner.enter(|state, calls| match unused {
            Ok(Ok(Some(taken))) => {
                if let Some(tag) = state.tags.get_mut(at.tag as usize) {
                    tag.counter.undo(&taken);
                }
            }
            Ok(_) => {}
            Err(_) => calls.notify(state, at, Happened::Expired(number)),
        });
    }
}
