//! The complete state; and its normal form with the smallest numbers that distinguish it.

use crate::configurations::{Budget, Configuration, History};
use crate::device::{Move, Pool};
use crate::document::Attempt;
use crate::ids::Ids;
use crate::network::{Leg, Network};
use crate::server::{Server, Vector};
use crate::variants::Variant;
use raven_edge::hilo::{Ledger, Range};
use std::hash::{BuildHasher, Hash, Hasher};
use std::rc::Rc;

/// The phase of a client's life, as its adapter knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Stage {
    #[default]
    Open,
    /// Between `pagehide` and `pageshow`.
    Away,
    /// Dispose is running; whether it has begun to empty the pool.
    Closing {
        out: bool,
    },
    Closed,
}

/// The counter's block: `next..=last` have not been issued yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Block {
    pub(crate) node: u32,
    pub(crate) incarnation: u8,
    pub(crate) next: u64,
    pub(crate) last: u64,
}

impl Block {
    pub(crate) fn ids(self) -> Ids {
        Ids::run(self.node, self.next, self.last)
    }
}

/// The driver's details of a lease, under the ledger's number for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Text {
    pub(crate) lease: u32,
    pub(crate) range: Range,
    /// The node tag of the numbers.
    pub(crate) owner: u32,
    /// The only node that may receive the return.
    pub(crate) node: u32,
    pub(crate) fence: Option<Vector>,
    pub(crate) single: bool,
    pub(crate) incarnation: u8,
}

/// A store's client of the one tag: the real ledger, and the state of its adapter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Client {
    pub(crate) ledger: Ledger,
    pub(crate) counter: Option<Block>,
    pub(crate) texts: Vec<Text>,
    pub(crate) stage: Stage,
    /// Whether `release()` or `reserve(0)` has taken the rest of the counter and has not returned memory yet.
    pub(crate) releasing: bool,
    /// Requests for a fence, and the leases that wait for them.
    pub(crate) fencing: Vec<(u32, u32)>,
    /// The incarnation of its numbers: the last reported one, or the device's.
    pub(crate) incarnation: Option<u8>,
    /// The incarnation that responses have reported; kept only if it can change.
    pub(crate) reported: Option<u8>,
    /// The numbers that it holds besides the counter, tracked independently of the ledger.
    pub(crate) memory: Ids,
    /// The numbers that it has issued since it learned of another incarnation; kept only if the server is rolled
    /// back.
    pub(crate) issued: Ids,
    /// The highest number that the device marks as issued, as far as this client knows, and the highest that was known to be issued when
    /// the last lease was requested; kept only if leases leave early.
    pub(crate) marked: u64,
    pub(crate) known_at_lease: u64,
    /// The range of the last lease, if it was an early one.
    pub(crate) early: Option<Range>,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct World {
    pub(crate) server: Server,
    pub(crate) pools: Rc<Vec<Pool>>,
    pub(crate) clients: Vec<Rc<Client>>,
    /// The clients that this step has changed, one bit each.
    pub(crate) touched: u32,
    pub(crate) moves: Vec<Move>,
    pub(crate) network: Network,
    /// What the tokens of a gateway contain: lease, node and fence.
    pub(crate) tokens: Vec<(Range, u32, Vector)>,
    /// Up to here no number will be granted or used again, so it does not matter which were issued or lost.
    pub(crate) unreachable: u64,
    /// All ids that apps got; if the database is recreated, those of its present incarnation.
    pub(crate) issued: Ids,
    /// The numbers that each pool durably knows as issued; kept only if the server is rolled back.
    pub(crate) known: [Ids; 2],
    pub(crate) budget: Budget,
}

impl World {
    /// A pool, for changes.
    pub(crate) fn pool(&mut self, pool: usize) -> &mut Pool {
        &mut Rc::make_mut(&mut self.pools)[pool]
    }

    /// The initial state.
    pub(crate) fn new(configuration: &Configuration) -> World {
        let pools = configuration.places.iter().filter_map(|place| place.pool).max().map_or(0, |last| last + 1);
        World {
            server: Server::new(configuration.nodes),
            pools: Rc::new(vec![Pool::new(configuration); pools]),
            clients: vec![Rc::default(); configuration.places.len()],
            touched: 0,
            moves: Vec::new(),
            network: Network::default(),
            tokens: Vec::new(),
            unreachable: 0,
            issued: Ids::default(),
            known: Default::default(),
            budget: configuration.budget,
        }
    }

    /// Normalises whatever makes no difference any more, so that states that behave alike are equal.
    pub(crate) fn normalise(&mut self, configuration: &Configuration) {
        for (client, number) in self.clients.iter_mut().zip(0..) {
            if self.touched >> number & 1 == 0 {
                continue;
            }
            let client = Rc::make_mut(client);
            let old = client.ledger.renumber(self.unreachable);
            let new = |request: u32| old.iter().zip(1..).find(|(old, _)| **old == request).map_or(0, |(_, new)| new);
            let exchanges = self.network.exchanges.iter_mut().filter(|exchange| exchange.client == number);
            exchanges.for_each(|exchange| exchange.request = new(exchange.request));
            client.fencing.iter_mut().for_each(|(request, _)| *request = new(*request));
            client.fencing.retain(|(request, _)| *request > 0);
            let moves = self.moves.iter_mut().filter(|known| known.client == Some(number));
            moves.for_each(|known| known.request = new(known.request));
        }
        self.touched = 0;
        // A copy of the data folder restores old change vectors; otherwise a fence that does not match never will
        // again.
        let returning =
            configuration.history == History::PutBack && (self.budget.disasters > 0 || self.server.backup.is_some());
        if !returning {
            self.forget_dead_fences(configuration);
        }
        self.network.exchanges.sort_unstable();
        self.network.returns.sort_unstable();
        self.network.returns.dedup();
        self.network.abandoned.sort_unstable();
        self.network.abandoned.dedup();
        self.moves.sort_unstable();
    }

    /// Forgets numbers that are in no place any more, below all that are in one.
    pub(crate) fn forget_numbers(&mut self, unreachable: u64) {
        if self.unreachable == unreachable {
            return;
        }
        self.unreachable = unreachable;
        for node in [0, 1] {
            self.issued = self.issued.with(Ids::run(node, 1, unreachable));
        }
        self.touched = u32::MAX;
        let pools = Rc::make_mut(&mut self.pools);
        pools.iter_mut().flat_map(|pool| &mut pool.writes).for_each(|disk| disk.forget_marks(unreachable));
        self.moves.iter_mut().for_each(|known| known.issued.retain(|(_, highest)| *highest > unreachable));
    }

    /// A hash that identifies the state.
    pub(crate) fn fingerprint(&self, configuration: &Configuration, hasher: &impl BuildHasher) -> u64 {
        let of_client = |c: usize| {
            let mut hash = hasher.build_hasher();
            self.clients[c].hash(&mut hash);
            let exchanges = self.network.exchanges.iter().filter(|exchange| exchange.client == c);
            exchanges.for_each(|exchange| (exchange.request, exchange.under, exchange.leg).hash(&mut hash));
            let moves = self.moves.iter().filter(|known| known.is_of(c));
            moves.for_each(|known| known.without_client().hash(&mut hash));
            hash.finish()
        };
        let mut clients: [u64; 3] = std::array::from_fn(|c| if c < self.clients.len() { of_client(c) } else { 0 });
        if configuration.twins {
            clients[..2].sort_unstable();
        }
        let World { server, pools, tokens, unreachable, issued, known, budget, .. } = self;
        let mut hash = hasher.build_hasher();
        (server, pools, tokens, unreachable, issued, known, budget, clients).hash(&mut hash);
        (&self.network.returns, &self.network.abandoned).hash(&mut hash);
        let orphans = self.moves.iter().filter(|known| known.client.is_none() && known.of.is_none());
        orphans.for_each(|orphan| orphan.hash(&mut hash));
        hash.finish()
    }

    fn forget_dead_fences(&mut self, configuration: &Configuration) {
        let nodes: Vec<Vector> = self.server.nodes.iter().map(|node| node.vector).collect();
        // Only the order of write counts matters, and whether they are 0.
        let ranked = |vector: Vector| {
            let mut writes = [0; 2];
            for (place, write) in writes.iter_mut().enumerate() {
                let own = vector.writes[place];
                let below = |than: &Vector| than.writes[place] < own && than.writes[place] > 0;
                let mut lower: Vec<u8> =
                    nodes.iter().filter(|node| below(node)).map(|node| node.writes[place]).collect();
                lower.dedup();
                *write = if own == 0 { 0 } else { lower.len() as u8 + 1 };
            }
            Vector { writes, time: 0, ..vector }
        };
        let alive = |node: u32, fence: &mut Vector| {
            *fence = if nodes[node as usize] == *fence { ranked(*fence) } else { Vector::DEAD };
        };
        let possible = |attempt: &mut Attempt| {
            let vector = &mut attempt.read.vector;
            *vector = if vector.is_state_of(nodes[0]) { ranked(nodes[0]) } else { Vector::DEAD };
        };
        for client in self.clients.iter_mut().filter(|client| !client.texts.is_empty()) {
            let texts = client.texts.iter().map(|text| {
                let mut text = *text;
                text.fence.iter_mut().for_each(|fence| alive(text.node, fence));
                text
            });
            let texts: Vec<Text> = texts.collect();
            if texts != client.texts {
                Rc::make_mut(client).texts = texts;
            }
        }
        for exchange in &mut self.network.exchanges {
            match &mut exchange.leg {
                Leg::Grant { granted, fence: Some(fence), .. } => alive(granted.node, fence),
                Leg::Document { reading, node, .. } => alive(*node, &mut reading.fence),
                Leg::Found { attempt, .. } | Leg::Put { attempt } => possible(attempt),
                Leg::Written { attempt, vector, .. } => {
                    possible(attempt);
                    vector.iter_mut().for_each(|vector| alive(0, vector));
                }
                _ => {}
            }
        }
        for (_, node, fence) in &mut self.tokens {
            alive(*node, fence);
        }
        self.tokens.retain(|(.., fence)| *fence != Vector::DEAD);
        for back in &mut self.network.returns {
            alive(back.node, &mut back.fence);
        }
        self.network.abandoned.iter_mut().for_each(possible);
        self.network.abandoned.retain(|attempt| attempt.read.vector != Vector::DEAD);
        let unfenced = matches!(configuration.variant, Some(Variant::UnfencedReturn | Variant::RereadThroughGateway));
        self.network.returns.retain(|back| unfenced || back.fence != Vector::DEAD);
        self.server.forget_times();
        for node in &mut self.server.nodes {
            node.vector = ranked(node.vector);
        }
    }
}
