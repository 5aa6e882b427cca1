//! The complete state.

use crate::configurations::{Budget, Configuration};
use crate::network::{Message, Request, Response, When};
use crate::server::{Node, Server, Stored};
use raven_edge::offline::{Action, Queue};
use raven_edge_checker::Ranks;

/// Changes, and writes of others: one bit for each.
pub(crate) type Marks = u64;

/// An error describes the broken law.
pub(crate) type Kept = Result<(), String>;

/// A part of a change, as the shell stores it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PartText {
    pub(crate) document: u8,
    pub(crate) action: Action,
    /// What the document contained when the app began; `None`: it did not exist.
    pub(crate) base: Option<Marks>,
    /// What is written; `None`: nothing.
    pub(crate) text: Option<Marks>,
    /// The expected change vector; 0 for none.
    pub(crate) vector: u8,
    /// The server's document, while the app decides.
    pub(crate) theirs: Option<Stored>,
    /// Only for the laws: what the app has seen and overwrites, and whether it knows that the document was deleted, and
    /// has decided.
    pub(crate) seen: Marks,
    pub(crate) revived: bool,
    pub(crate) decided: bool,
    /// Only for the laws: whether it was made from the text of a refused change that was given up.
    pub(crate) corrects: bool,
}

/// A change, as the shell stores it. `mark` identifies it; it is 0 for none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Text {
    pub(crate) change: u32,
    pub(crate) mark: Marks,
    pub(crate) parts: Vec<PartText>,
}

/// What the device has stored for a user.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Store {
    pub(crate) queue: Queue,
    /// The id of the receipt, and its change vector.
    pub(crate) receipt: u8,
    pub(crate) vector: u8,
    pub(crate) texts: Vec<Text>,
    /// How many actions of its script the app has taken.
    pub(crate) taken: u8,
    /// Changes that were queued, and those whose end was reported to the app without being saved.
    pub(crate) queued: Marks,
    pub(crate) told: Marks,
    /// Changes that were reported as given up and not saved.
    pub(crate) given_up: Marks,
    /// The last incarnation in a response. Only for the laws.
    pub(crate) seen_incarnation: u8,
}

/// A device.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Device {
    pub(crate) stores: Vec<Store>,
    /// The user who is signed in.
    pub(crate) signed_in: u8,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct World {
    pub(crate) server: Server,
    pub(crate) devices: Vec<Device>,
    pub(crate) network: Vec<Message>,
    pub(crate) budget: Budget,
    /// Used ids of batches, of receipts, and marks of changes and of other writers.
    pub(crate) ids: u32,
    pub(crate) receipts: u8,
    pub(crate) marks: u8,
    pub(crate) foreign: u8,
    pub(crate) documents: u8,
    /// Whether another writer has written anything.
    pub(crate) disturbed: bool,
    /// Whether a device was cloned.
    pub(crate) cloned: bool,
}

/// The first mark of other writers.
pub(crate) const FOREIGN: u8 = 40;

impl World {
    pub(crate) fn new(configuration: &Configuration) -> World {
        let mut node = Node::default();
        for (document, vector) in node.documents.iter_mut().zip(1..).take(configuration.existing as usize) {
            *document = Some(Stored { vector, marks: 0 });
        }
        let users = configuration.scripts.len() as u8;
        let store = |device: u8, user: u8| Store {
            queue: Queue::new(u32::from(user)).with_variant(configuration.variant),
            receipt: device * users + user,
            vector: 0,
            texts: Vec::new(),
            taken: 0,
            queued: 0,
            told: 0,
            given_up: 0,
            seen_incarnation: 1,
        };
        let device = |device| Device { stores: (0..users).map(|user| store(device, user)).collect(), signed_in: 0 };
        World {
            server: Server { nodes: [node; 2], backup: None, incarnation: 1, clock: configuration.existing, ever: 0 },
            devices: (0..configuration.devices).map(device).collect(),
            network: Vec::new(),
            budget: configuration.faults,
            ids: 0,
            receipts: configuration.devices * users,
            marks: 0,
            foreign: 0,
            documents: configuration.documents,
            disturbed: configuration.devices > 1,
            cloned: false,
        }
    }

    /// Whether a device was cloned, or the server has gone back. Only then may the outcome of a change be unknown.
    pub(crate) fn is_disaster(&self) -> bool {
        self.cloned || self.server.incarnation > 1
    }

    /// A mark of another writer.
    pub(crate) fn foreign_mark(&mut self) -> Marks {
        self.foreign += 1;
        1 << (FOREIGN + self.foreign - 1)
    }

    /// Normalises whatever makes no difference, so that states that behave alike are equal: of change vectors only equality matters,
    /// and a late copy that no node can carry out any more does not exist.
    pub(crate) fn normalise(&mut self) {
        let Server { nodes, backup, .. } = &self.server;
        let places: Vec<&Node> = nodes.iter().chain(backup).collect();
        self.network.retain(|message| {
            message.by.is_some()
                || match &message.request {
                    Request::Batch(batch) if message.response.is_none() => places.iter().any(|node| {
                        node.receipts[batch.receipt as usize].map(|receipt| receipt.vector) == batch.expects
                    }),
                    _ => false,
                }
        });
        let key = |message: &Message| {
            let detail = match &message.request {
                Request::Batch(batch) => (0, batch.number, batch.id, batch.node),
                Request::Receipt { number, node } => (1, *number, 0, *node),
                Request::Fetch { change, version, node } => (2, *change, *version, *node),
            };
            (message.by, message.owner, detail, message.response.is_some())
        };
        self.network.sort_by_key(key);
        self.network.dedup_by(|a, b| a.by.is_none() && a == b);
        let mut used = Vec::new();
        self.vectors(|vector| used.push(*vector));
        let ranks = Ranks::of(used);
        self.vectors(|vector| *vector = ranks.rank(*vector));
        self.server.clock = ranks.count();
    }

    fn vectors(&mut self, mut of: impl FnMut(&mut u8)) {
        for node in self.server.nodes.iter_mut().chain(&mut self.server.backup) {
            node.documents.iter_mut().flatten().for_each(|stored| of(&mut stored.vector));
            node.receipts.iter_mut().flatten().for_each(|receipt| of(&mut receipt.vector));
        }
        for store in self.devices.iter_mut().flat_map(|device| &mut device.stores) {
            of(&mut store.vector);
            for part in store.texts.iter_mut().flat_map(|text| &mut text.parts) {
                of(&mut part.vector);
                part.theirs.iter_mut().for_each(|theirs| of(&mut theirs.vector));
            }
        }
        for message in &mut self.network {
            if let Request::Batch(batch) = &mut message.request {
                batch.expects.iter_mut().for_each(&mut of);
                for command in &mut batch.commands {
                    if let When::Vector(vector) = &mut command.when {
                        of(vector);
                    }
                }
            }
            match &mut message.response {
                Some(Response::Applied { receipt, results }) => {
                    of(receipt);
                    results.iter_mut().for_each(|(_, vector)| of(vector));
                }
                Some(Response::Receipt(Some(signed))) => of(&mut signed.vector),
                Some(Response::Documents(documents)) => {
                    documents.iter_mut().flatten().for_each(|stored| of(&mut stored.vector));
                }
                _ => {}
            }
        }
    }

    /// Describes the state, for a trace.
    pub(crate) fn describe(&self) -> Vec<String> {
        let node = |node: &Node| {
            let documents = node.documents.iter().enumerate().filter_map(|(id, stored)| Some((id, (*stored)?)));
            let documents = documents.map(|(id, Stored { vector, marks })| format!("{id}: {marks:#b} at {vector}"));
            let receipts = node.receipts.iter().flatten();
            let receipts = receipts.map(|signed| format!("{}/{} at {}", signed.last, signed.id, signed.vector));
            documents.chain(receipts).collect::<Vec<_>>().join("; ")
        };
        let mut lines = vec![format!("server {}: [{}]", self.server.incarnation, node(&self.server.nodes[0]))];
        if self.server.nodes[0] != self.server.nodes[1] {
            lines.push(format!("  second node: [{}]", node(&self.server.nodes[1])));
        }
        for (d, device) in self.devices.iter().enumerate() {
            for (u, store) in device.stores.iter().enumerate() {
                let change = |change: &raven_edge::offline::Change| {
                    let parts = change
                        .parts
                        .iter()
                        .map(|part| format!("{:?} {} {:?}", part.action, part.document - 1, part.expects));
                    format!("{} {:?} ({})", change.number, change.state, parts.collect::<Vec<_>>().join(", "))
                };
                let changes: Vec<String> = store.queue.changes().iter().map(change).collect();
                lines.push(format!("device {d}, user {u}: {}; {:?}", changes.join("; "), store.queue.flight()));
            }
        }
        lines
    }
}
