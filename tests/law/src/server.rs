//! The server: one counter document on one or two replicating nodes, and the ids of saved documents.

use crate::ids::{Ids, TAGS};
use raven_edge::hilo::Range;
use std::fmt;

/// A document's change vector and time of change: together they are the fence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Vector {
    /// The incarnation of the database.
    pub(crate) incarnation: u8,
    /// The number of writes of each node that it includes.
    pub(crate) writes: [u8; 2],
    /// When it was written: times are unique, even if a restored copy repeats a change vector.
    pub(crate) time: u8,
}

impl Vector {
    /// A vector that no document can have; it matches nothing.
    pub(crate) const DEAD: Vector = Vector { incarnation: 0, writes: [0; 2], time: 0 };

    /// Whether the vector contains this node only.
    fn is_single(self, node: u32) -> bool {
        self.writes[1 - node as usize] == 0
    }

    /// Whether a document has the same state. A missing document has the same state in all incarnations.
    pub(crate) fn is_state_of(self, other: Vector) -> bool {
        let missing = |vector: Vector| vector.writes == [0; 2];
        self != Vector::DEAD && (self == other || missing(self) && missing(other))
    }

    fn covers(self, other: Vector) -> bool {
        self.writes.iter().zip(other.writes).all(|(own, other)| *own >= other)
    }
}

impl fmt::Display for Vector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = TAGS.iter().zip(self.writes).filter(|(_, writes)| *writes > 0);
        let parts: Vec<String> = parts.map(|(tag, writes)| format!("{tag}:{writes}")).collect();
        f.write_str(&if parts.is_empty() { "none".into() } else { parts.join(",") })?;
        if self.time > 0 { write!(f, " at {}", self.time) } else { Ok(()) }
    }
}

/// A node's counter document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Counter {
    pub(crate) max: u64,
    pub(crate) vector: Vector,
}

/// What a read of the document reports to the client that owns numbers of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Reading {
    pub(crate) max: u64,
    pub(crate) fence: Vector,
    /// Whether the change vector contains that node only.
    pub(crate) single: bool,
}

/// The contents of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Backup {
    counter: Counter,
    saved: Ids,
}

/// The server.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Server {
    pub(crate) nodes: Vec<Counter>,
    /// The incarnation of the database.
    pub(crate) incarnation: u8,
    /// Ids of saved documents, if the configuration saves.
    pub(crate) saved: Ids,
    pub(crate) backup: Option<Backup>,
    /// Counts writes; only a restored folder repeats a time.
    clock: u8,
}

impl Server {
    pub(crate) fn new(nodes: usize) -> Server {
        let vector = Vector { incarnation: 1, writes: [0; 2], time: 0 };
        Server {
            nodes: vec![Counter { max: 0, vector }; nodes],
            incarnation: 1,
            saved: Ids::default(),
            backup: None,
            clock: 0,
        }
    }

    fn write(&mut self, node: u32, max: u64) {
        let counter = &mut self.nodes[node as usize];
        counter.max = max;
        counter.vector.writes[node as usize] += 1;
        self.clock += 1;
        counter.vector.time = self.clock;
    }

    /// `GET hilo/next`: `size` numbers above `Max` and above `above`.
    pub(crate) fn grant(&mut self, node: u32, above: u64, size: u64) -> Range {
        let low = self.nodes[node as usize].max.max(above) + 1;
        let range = Range::new(low, low + size - 1).expect("a size above 0");
        self.write(node, range.high());
        range
    }

    /// The write of a lease of the source `document`; returns the new change vector.
    pub(crate) fn put(&mut self, max: u64) -> Vector {
        self.write(0, max);
        self.nodes[0].vector
    }

    /// `GET docs?id=Raven/Hilo/…` at a node, for numbers of the same or the other node.
    pub(crate) fn read(&self, node: u32, owner: u32) -> Reading {
        let Counter { max, vector } = self.nodes[node as usize];
        Reading { max, fence: vector, single: vector.is_single(owner) }
    }

    /// The script of a return; returns whether it was applied.
    pub(crate) fn give_back(&mut self, node: u32, fence: Vector, high: u64, last: u64) -> bool {
        let Counter { max, vector } = self.nodes[node as usize];
        let applies = vector == fence && max == high;
        if applies {
            self.write(node, last);
        }
        applies
    }

    /// RavenDB's own `PUT hilo/return`, which is not protected against a second delivery.
    pub(crate) fn give_back_unfenced(&mut self, node: u32, high: u64, last: u64) -> bool {
        let applies = self.nodes[node as usize].max == high;
        if applies {
            self.write(node, last);
        }
        applies
    }

    /// Replicates one node's document to the other; conflicts are resolved to the highest `Max`.
    pub(crate) fn replicate(&mut self, from: usize) {
        let (source, target) = (self.nodes[from], self.nodes[1 - from]);
        self.nodes[1 - from] = if target.vector.covers(source.vector) {
            target
        } else if source.vector.covers(target.vector) {
            source
        } else {
            let (own, other) = (target.vector.writes, source.vector.writes);
            let writes = [own[0].max(other[0]), own[1].max(other[1])];
            Counter { max: source.max.max(target.max), vector: Vector { writes, ..source.vector } }
        };
    }

    /// If times cannot repeat, they are not kept.
    pub(crate) fn forget_times(&mut self) {
        self.clock = 0;
    }

    /// Makes a copy of the data folder.
    pub(crate) fn back_up(&mut self) {
        self.backup = Some(Backup { counter: self.nodes[0], saved: self.saved });
    }

    /// Restores the copy: the count of changes is restored too, so that earlier fences may match again.
    pub(crate) fn put_back(&mut self) {
        if let Some(backup) = self.backup.take() {
            self.nodes[0] = backup.counter;
            self.saved = backup.saved;
        }
    }

    /// Another program writes a lower `Max` into the document.
    pub(crate) fn edit(&mut self, max: u64) {
        self.write(0, max);
    }

    /// Deletes and recreates the database.
    pub(crate) fn recreate(&mut self) {
        self.incarnation += 1;
        self.saved = Ids::default();
        self.nodes[0] = Counter { max: 0, vector: Vector { incarnation: self.incarnation, writes: [0; 2], time: 0 } };
    }
}
