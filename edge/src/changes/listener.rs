//! One listener: what it watches, what it has got, and how far it lags behind.

use super::effect::{Limits, WatchId};
use crate::prelude::*;
use alloc::collections::BTreeSet;

/// What becomes of something that is to be delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passage {
    /// It is sent; `asks`: with the request to acknowledge it.
    Sent { asks: bool },
    /// It is not sent, because the listener is behind: a resync is owed. `asks`: the request to acknowledge is sent alone.
    Withheld { asks: bool },
}

/// A connection to the hub.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Listener {
    /// Whether its connection has begun: before, it waits for the connection to RavenDB.
    pub(super) accepted: bool,
    pub(super) watches: BTreeSet<WatchId>,
    /// Commands that begin a watch and wait for RavenDB's confirmation.
    pub(super) pending: Vec<(u64, WatchId)>,
    /// Whether it may have missed changes.
    pub(super) owed: bool,
    /// Whether changes are withheld until it acknowledges.
    pub(super) behind: bool,
    /// Changes and messages since those that it has acknowledged.
    lag: u32,
    /// Of these, the ones after the request to acknowledge that it has not answered.
    asked: Option<u32>,
    /// Seconds since it got something.
    quiet: u32,
    /// Seconds since it fell behind.
    late: u32,
}

impl Listener {
    pub(super) fn new(accepted: bool) -> Self {
        Self { accepted, ..Self::default() }
    }

    /// A listener whose connection began with an earlier instance of the hub.
    pub(super) fn restored() -> Self {
        Self { accepted: true, owed: true, ..Self::default() }
    }

    /// Counts changes before they are delivered.
    pub(super) fn pass(&mut self, changes: u32, limits: &Limits) -> Passage {
        if !self.behind && self.lag.saturating_add(changes) <= limits.lag {
            return Passage::Sent { asks: self.count(changes, limits) };
        }
        self.behind = true;
        self.owed = true;
        let asks = self.asked.is_none();
        if asks {
            self.asked = Some(0);
        }
        Passage::Withheld { asks }
    }

    /// Counts a message that is sent in any case; whether it contains a request to acknowledge.
    pub(super) fn count(&mut self, weight: u32, limits: &Limits) -> bool {
        self.quiet = 0;
        self.lag += weight;
        if let Some(later) = &mut self.asked {
            *later += weight;
            return false;
        }
        let asks = self.lag >= limits.ask;
        if asks {
            self.asked = Some(0);
        }
        asks
    }

    /// It has read everything up to the request to acknowledge. Without such a request this means nothing.
    pub(super) fn acknowledge(&mut self) {
        if let Some(later) = self.asked.take() {
            self.lag = later;
            self.behind = false;
            self.late = 0;
        }
    }

    /// A second has passed; whether it is time to send something, so that the listener knows that its connection works.
    pub(super) fn tick(&mut self, limits: &Limits) -> bool {
        self.quiet = limits.quiet.min(self.quiet + 1);
        self.late = if self.behind { self.late + 1 } else { 0 };
        self.quiet == limits.quiet && !self.behind
    }

    /// Whether it does not read what it gets.
    pub(super) const fn is_lost(&self, limits: &Limits) -> bool {
        self.late >= limits.grace || self.lag > 2 * limits.lag
    }
}
