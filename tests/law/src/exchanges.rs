//! The steps of requests and responses. The execution of a lease and the read of its document are two steps; other
//! events may occur in between.

use crate::network::{Granted, Leg};
use crate::server::Vector;
use crate::turn::{Kept, Turn};
use crate::variants::Variant;
use raven_edge::hilo::Event;

impl Turn<'_> {
    /// `hilo/next` of a client's request.
    pub(crate) fn lease(&mut self, at: usize, node: u32, size: u64) -> Kept {
        let exchange = &mut self.world.network.exchanges[at];
        let Leg::Lease { above } = exchange.leg else { return Ok(()) };
        let range = self.world.server.grant(node, above, size);
        let granted = Granted { range, node, incarnation: self.world.server.incarnation, lease: None };
        exchange.leg = Leg::Leased { granted };
        let name = self.configuration.places[exchange.client].name;
        self.say(|| format!("server: grants {} to {name}", granted.ids()));
        Ok(())
    }

    /// Both parts of a lease's request in one step.
    pub(crate) fn lease_and_read(&mut self, at: usize, node: u32, size: u64, with_fence: bool) -> Kept {
        self.lease(at, node, size)?;
        self.read(at, node)?;
        if !with_fence && let Leg::Grant { fence, single, .. } = &mut self.world.network.exchanges[at].leg {
            (*fence, *single) = (None, false);
            self.world.budget.unfenced -= 1;
            self.say(|| "  but another client leased in between, or the document could not be read: no fence".into());
        }
        Ok(())
    }

    /// The counter document is read, for the fence of a lease or to read a fence again.
    pub(crate) fn read(&mut self, at: usize, node: u32) -> Kept {
        let server = &self.world.server;
        let exchange = &mut self.world.network.exchanges[at];
        let variant = self.configuration.variant;
        exchange.leg = match exchange.leg {
            Leg::Leased { granted } => {
                let reading = server.read(node, granted.node);
                // A database that was recreated in between returns its own counter, not that of the grant.
                let same = reading.max == granted.range.high() && server.incarnation == granted.incarnation;
                let fence = same.then_some(reading.fence);
                let single = fence.is_some() && (reading.single || variant == Some(Variant::MergeAnyway));
                Leg::Grant { granted, fence, single }
            }
            Leg::Read { owner } => {
                let mut reading = server.read(node, owner);
                reading.single |= variant == Some(Variant::RefenceAnyway);
                Leg::Document { reading, node, incarnation: server.incarnation }
            }
            other => other,
        };
        let leg = exchange.leg;
        self.say(|| format!("server: reads the counter: {leg:?}"));
        Ok(())
    }

    /// A response arrives.
    pub(crate) fn receive(&mut self, at: usize) -> Kept {
        let exchange = self.world.network.exchanges.remove(at);
        let (c, request, under) = (exchange.client, exchange.request, exchange.under);
        self.say(|| format!("{} gets a response: {:?}", self.configuration.places[c].name, exchange.leg));
        match exchange.leg {
            Leg::Grant { granted, fence, single } => {
                self.take_incarnation(c, under, granted.incarnation)?;
                self.granted(c, request, granted, fence, single)
            }
            Leg::Found { attempt, incarnation } => {
                self.take_incarnation(c, under, incarnation)?;
                self.send(c, request, Leg::Put { attempt });
                Ok(())
            }
            Leg::Written { attempt, vector, incarnation } => {
                self.take_incarnation(c, under, incarnation)?;
                self.written(c, request, attempt, (vector, incarnation))
            }
            Leg::Document { reading, node, incarnation } => {
                self.take_incarnation(c, under, incarnation)?;
                let known =
                    !self.is_foreign(c, incarnation) || self.configuration.variant == Some(Variant::ForeignFence);
                let found = known.then_some((reading.max, reading.fence, reading.single, node));
                self.refenced(c, request, found)
            }
            Leg::Lease { .. } | Leg::Leased { .. } | Leg::Read { .. } | Leg::Wanted { .. } | Leg::Put { .. } => Ok(()),
        }
    }

    /// The numbers of a lease reach the ledger.
    pub(crate) fn granted(
        &mut self,
        c: usize,
        request: u32,
        granted: Granted,
        fence: Option<Vector>,
        single: bool,
    ) -> Kept {
        if self.is_foreign(c, granted.incarnation) {
            return self.event(c, Event::Failed { request });
        }
        // A token of a gateway is no change vector: it never names a single node.
        let sealed = self.place(c).sealed;
        if let (true, Some(fence)) = (sealed, fence) {
            self.world.tokens.push((granted.range, granted.node, fence));
        }
        let lease = self.enter(c, granted, fence, single && !sealed);
        let admit = self.place(c).pool.is_some();
        let hand = self.configuration.hand;
        self.event(c, Event::Granted { request, lease, admit, hand })?;
        if !self.world.clients[c].ledger.knows(lease.id) {
            // Refused as a regression; discarded numbers have left memory already.
            let client = self.client(c);
            client.memory = client.memory.without(granted.ids());
        }
        Ok(())
    }

    /// Whether another response has meanwhile reported another incarnation: it is unknown which of them is older.
    fn is_foreign(&self, c: usize, incarnation: u8) -> bool {
        self.world.clients[c].incarnation != Some(incarnation)
    }

    /// The client abandons a request; what the server still does with it is a stray lease.
    pub(crate) fn late_answer(&mut self, at: usize) -> Kept {
        self.world.budget.late -= 1;
        let exchange = self.world.network.exchanges.remove(at);
        let c = exchange.client;
        self.say(|| format!("{} gives up its request {:?}", self.configuration.places[c].name, exchange.leg));
        self.world.network.abandon(exchange.leg);
        match exchange.leg {
            Leg::Read { .. } | Leg::Document { .. } => self.refenced(c, exchange.request, None),
            _ => self.event(c, Event::Failed { request: exchange.request }),
        }
    }

    /// A fence was read again, or cannot be obtained. As in the driver, the lease's details take it first.
    fn refenced(&mut self, c: usize, request: u32, found: Option<(u64, Vector, bool, u32)>) -> Kept {
        let client = self.client(c);
        let Some(at) = client.fencing.iter().position(|(of, _)| *of == request) else { return Ok(()) };
        let (_, lease) = client.fencing.remove(at);
        let Some(text) = client.texts.iter_mut().find(|text| text.lease == lease) else { return Ok(()) };
        if let Some((_, fence, single, node)) = found {
            (text.fence, text.single, text.node) = (Some(fence), single, node);
        }
        let found = found.map(|(max, _, single, _)| (max, single));
        self.event(c, Event::Refenced { request, found })
    }

    /// A return is delivered. It stays pending: a proxy may repeat it as long as it can have an effect.
    pub(crate) fn deliver_return(&mut self, at: usize) -> Kept {
        let back = &mut self.world.network.returns[at];
        let server = &mut self.world.server;
        let applied = if self.configuration.variant == Some(Variant::UnfencedReturn) {
            back.copies -= 1;
            server.give_back_unfenced(back.node, back.high, back.last)
        } else if self.configuration.variant == Some(Variant::RereadThroughGateway) {
            back.copies -= 1;
            // The gateway reads the counter again, and gives a fresh fence to whoever names its `Max`.
            let fresh = server.read(back.node, back.owner).fence;
            server.give_back(back.node, fresh, back.high, back.last)
        } else {
            server.give_back(back.node, back.fence, back.high, back.last)
        };
        let back = *back;
        self.world.network.returns.retain(|back| back.copies > 0);
        let outcome = if applied { "applied" } else { "refused" };
        self.say(|| format!("server: the return of {} under fence {} is {outcome}", back.ids(), back.fence));
        Ok(())
    }

    /// A lease whose response no client uses.
    pub(crate) fn stray(&mut self, node: u32, size: u64) -> Kept {
        self.world.budget.strays -= 1;
        let range = self.world.server.grant(node, 0, size);
        self.say(|| format!("server: executes a lease that no client uses: {range:?}"));
        Ok(())
    }

    /// A node's counter document goes to the other node.
    pub(crate) fn replicate(&mut self, from: usize) -> Kept {
        self.world.server.replicate(from);
        let nodes = &self.world.server.nodes;
        let text = self.trace.is_some().then(|| {
            nodes.iter().map(|node| format!("Max {} under {}", node.max, node.vector)).collect::<Vec<_>>().join(", ")
        });
        self.say(|| format!("replication from node {from}: {}", text.unwrap_or_default()));
        Ok(())
    }
}
