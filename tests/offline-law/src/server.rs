//! The server: documents and receipts on one or two nodes, and batches, each of which is one transaction.

use crate::network::{Batch, Command, Response, When};
use crate::world::{Kept, Marks, World};
use raven_edge::offline::Action;

/// Number of documents, including those whose ids are made when a conflict is resolved.
pub(crate) const DOCUMENTS: usize = 8;
/// Number of receipts.
pub(crate) const RECEIPTS: usize = 16;

/// A document: its change vector, which is never used twice, and one bit for each change that it contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Stored {
    pub(crate) vector: u8,
    pub(crate) marks: Marks,
}

/// A receipt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Signed {
    pub(crate) vector: u8,
    pub(crate) last: u32,
    pub(crate) id: u32,
}

/// What a node has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Node {
    pub(crate) documents: [Option<Stored>; DOCUMENTS],
    pub(crate) receipts: [Option<Signed>; RECEIPTS],
    /// The changes that were carried out, as bits; only for the laws.
    pub(crate) done: Marks,
}

/// The server.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Server {
    pub(crate) nodes: [Node; 2],
    pub(crate) backup: Option<Node>,
    pub(crate) incarnation: u8,
    pub(crate) clock: u8,
    /// The changes that were carried out in any incarnation.
    pub(crate) ever: Marks,
}

impl Node {
    /// The greatest change vector. Writes to both nodes form one history, because each expects the receipt that the last one left.
    fn newest(&self) -> u8 {
        let documents = self.documents.iter().flatten().map(|stored| stored.vector);
        documents.chain(self.receipts.iter().flatten().map(|signed| signed.vector)).max().unwrap_or(0)
    }
}

impl Server {
    pub(crate) fn tick(&mut self) -> u8 {
        self.clock += 1;
        self.clock
    }

    /// Another writer changes a document, creates or deletes it.
    pub(crate) fn write(&mut self, document: usize, marks: Option<Marks>) {
        let vector = self.tick();
        self.nodes[0].documents[document] = marks.map(|marks| Stored { vector, marks });
    }

    /// The node with the last write.
    pub(crate) fn newest(&self) -> &Node {
        let [a, b] = &self.nodes;
        if a.newest() >= b.newest() { a } else { b }
    }

    /// The node that lags behind catches up.
    pub(crate) fn replicate(&mut self) {
        self.nodes = [*self.newest(); 2];
    }

    /// The database is deleted and recreated, or restored from a backup.
    pub(crate) fn replace(&mut self, by: Node) {
        self.incarnation += 1;
        self.nodes = [by, by];
    }
}

impl World {
    /// A node executes a batch.
    pub(crate) fn execute(&mut self, batch: &Batch) -> Result<Response, String> {
        if batch.cookie != batch.user {
            return Ok(Response::Unauthorized);
        }
        let node = self.server.nodes[batch.node as usize];
        let receipt = node.receipts[batch.receipt as usize];
        if receipt.map(|receipt| receipt.vector) != batch.expects {
            return Ok(Response::ReceiptConflict);
        }
        for command in &batch.commands {
            if !fits(&node, command) {
                return Ok(Response::Conflict(command.document));
            }
        }
        let vector = self.server.tick();
        let mut results = Vec::new();
        let at = batch.node as usize;
        let undone = self.undone(batch);
        self.server.nodes[at].receipts[batch.receipt as usize] =
            Some(Signed { vector, last: batch.number, id: batch.id });
        for command in &batch.commands {
            let new = self.carry_out(at, batch, command)?;
            results.push((command.document, new));
        }
        let marks = batch.commands.iter().fold(0, |all, command| all | command.mark);
        if self.devices[batch.device as usize].stores.iter().any(|store| store.given_up & marks != 0) {
            return Err("a change is carried out after it was reported as given up".into());
        }
        let nodes = self.server.nodes;
        if (nodes[0].done | nodes[1].done) & marks & !undone != 0 {
            return Err("a change is carried out twice".into());
        }
        self.server.nodes[at].done |= marks;
        self.server.ever |= marks;
        Ok(Response::Applied { receipt: vector, results })
    }

    /// Changes of a batch that others have undone, or for which the app has decided. Only a cloned device may make them again:
    /// `docs/offline-law.md`.
    fn undone(&self, batch: &Batch) -> Marks {
        let documents = &self.server.nodes[batch.node as usize].documents;
        let there = |command: &Command| {
            let stored = documents[command.document as usize];
            !command.decided && stored.is_some_and(|stored| stored.marks & command.mark != 0)
        };
        let kept = batch.commands.iter().filter(|command| command.action == Action::Patch || there(command));
        let kept = kept.fold(0, |all, command| all | command.mark);
        if self.cloned { !kept } else { 0 }
    }

    fn carry_out(&mut self, at: usize, batch: &Batch, command: &Command) -> Result<u8, String> {
        self.assert_owner(batch, command)?;
        self.assert_order(batch, command)?;
        let stored = self.server.nodes[at].documents[command.document as usize];
        let old = stored.map_or(0, |stored| stored.marks);
        let new = match command.action {
            Action::Put => Some(command.text),
            Action::Delete => None,
            Action::Patch => stored.map(|stored| stored.marks | command.mark),
        };
        let seen = command.seen | new.unwrap_or(0);
        if old & !seen != 0 {
            return Err(format!("writes {:#b} that the app has not seen are overwritten", old & !seen));
        }
        if new.is_some() && stored.is_none() && command.revives {
            return Err("a document that another writer has deleted comes back unseen".into());
        }
        let vector = self.server.tick();
        self.server.nodes[at].documents[command.document as usize] = new.map(|marks| Stored { vector, marks });
        Ok(vector)
    }

    /// Invariant: changes are carried out as their user.
    fn assert_owner(&self, batch: &Batch, command: &Command) -> Kept {
        if command.owner == batch.cookie { Ok(()) } else { Err("a change is sent as another user".into()) }
    }

    /// Invariant: earlier changes of the document are no longer in the queue, or are carried out already.
    fn assert_order(&self, batch: &Batch, command: &Command) -> Kept {
        let store = &self.devices[batch.device as usize].stores[command.owner as usize];
        let waits = store.texts.iter().any(|text| {
            text.mark < command.mark
                && text.mark & self.server.ever == 0
                && text.parts.iter().any(|part| part.document == command.document)
        });
        let waits = waits && store.texts.iter().any(|text| text.mark == command.mark);
        if waits { Err("a change is carried out before an earlier one of its document".into()) } else { Ok(()) }
    }
}

/// Whether the document is in the state that a command expects.
fn fits(node: &Node, command: &Command) -> bool {
    let stored = node.documents[command.document as usize];
    match command.when {
        When::Any => true,
        When::Absent => stored.is_none(),
        When::Vector(vector) => stored.is_some_and(|stored| stored.vector == vector),
    }
}
