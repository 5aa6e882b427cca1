//! Leases that leave before there is a core: the server carries one out before the ledger asks. The host hands its response over to the
//! first request of the ledger for a lease, once, unless a move has found a record on the device meanwhile.

use crate::configurations::Configuration;
use crate::network::{Exchange, Leg};
use crate::turn::{Broken, Kept, Turn};
use crate::variants::Variant;
use crate::world::{Client, World};
use raven_edge::hilo::Range;

/// The number of an early lease among the requests of its client: the ledger has not asked yet.
pub(crate) const EARLY: u32 = 0;

impl Exchange {
    pub(crate) fn is_early(&self) -> bool {
        self.request == EARLY
    }
}

impl World {
    /// Whether a lease of this client has left before its core came.
    pub(crate) fn has_early(&self, c: usize) -> bool {
        self.network.exchanges.iter().any(|exchange| exchange.client == c && exchange.is_early())
    }

    /// Whether a lease may leave: the page has no core yet. Whether the device has a record makes no difference, because the hint that
    /// there is none may be wrong.
    pub(crate) fn may_lease_early(&self, configuration: &Configuration, c: usize) -> bool {
        let is_new = *self.clients[c] == Client::default() && !self.has_early(c);
        self.budget.early > 0 && is_new && !configuration.places[c].document
    }
}

impl Turn<'_> {
    pub(crate) fn lease_early(&mut self, c: usize) -> Kept {
        self.world.budget.early -= 1;
        self.say(|| format!("{} sends a lease before its core is there", self.configuration.places[c].name));
        self.send(c, EARLY, Leg::Lease { above: 0 });
        Ok(())
    }

    /// The ledger asks for a lease: hands the early one over if there is one. Returns whether it did.
    pub(crate) fn hand_over(&mut self, c: usize, request: u32, above: u64) -> bool {
        let early = |exchange: &Exchange| exchange.client == c && exchange.is_early();
        let Some(at) = self.world.network.exchanges.iter().position(early).filter(|_| above == 0) else { return false };
        let exchange = self.world.network.exchanges[at];
        if self.configuration.variant == Some(Variant::HandedOverTwice) {
            self.world.network.exchanges.push(exchange);
        }
        self.world.network.exchanges[at].request = request;
        if let Leg::Grant { granted, .. } = exchange.leg {
            self.client(c).early = Some(granted.range);
        }
        self.say(|| format!("{} gets its early lease: {:?}", self.configuration.places[c].name, exchange.leg));
        true
    }

    /// The response of an early lease will not be used: its numbers are lost.
    pub(crate) fn drop_early(&mut self, c: usize) {
        self.world.network.exchanges.retain(|exchange| exchange.client != c || !exchange.is_early());
    }

    /// A move of a client has read its record; `highest`: the highest number that is marked as issued, `None` without a record.
    pub(crate) fn record_found(&mut self, c: usize, highest: Option<u64>) {
        let Some(highest) = highest else { return };
        if self.configuration.variant != Some(Variant::UsedAfterRecord) {
            self.drop_early(c);
        }
        if self.configuration.budget.early > 0 {
            let client = self.client(c);
            client.marked = client.marked.max(highest);
        }
    }

    /// Notes what is known to be issued when a lease is requested, as the driver does.
    pub(crate) fn note_known(&mut self, c: usize) {
        if self.configuration.budget.early == 0 {
            return;
        }
        let client = self.client(c);
        let issued = client.ledger.issued().iter().map(|(_, highest)| *highest).fold(client.marked, u64::max);
        client.early = None;
        client.known_at_lease = client.counter.map_or(issued, |block| issued.max(block.last));
    }

    /// A grant was refused. An early one can only have been overtaken by later grants of its device. Other grants are not judged here: the
    /// model returns numbers that a caller has been given, so they may rightly come again.
    pub(crate) fn regressed(&self, c: usize, range: Range) -> Kept {
        let client = &self.world.clients[c];
        let is_reported = client.early == Some(range) && range.low() <= client.known_at_lease;
        // This variant goes on until an id is issued twice.
        if is_reported && self.is_honest() && self.configuration.variant != Some(Variant::HandedOverTwice) {
            return Err(Broken(format!("{range:?} is reported as a regression although the server never went back")));
        }
        Ok(())
    }
}
