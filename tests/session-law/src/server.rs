//! The server: documents on one or two nodes, and batches that are one transaction, or one per shard.

use crate::network::{Command, Kind, Outgoing, Response, Results, When};
use crate::world::World;

/// Maximum number of documents.
pub(crate) const DOCUMENTS: usize = 6;

/// The content of a document: one bit per change. `real` says who made a change; if another writer writes the same
/// text, `text` has a bit that `real` lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Content {
    pub(crate) text: u16,
    pub(crate) real: u16,
}

impl Content {
    /// The content of one change.
    pub(crate) fn of(marks: u16) -> Content {
        Content { text: marks, real: marks }
    }

    pub(crate) fn with(self, marks: u16) -> Content {
        Content { text: self.text | marks, real: self.real | marks }
    }
}

/// A document: its content, and its change vector, which is never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Stored {
    pub(crate) vector: u8,
    pub(crate) content: Content,
}

/// A node's documents, by number.
pub(crate) type Node = [Option<Stored>; DOCUMENTS];

/// The server.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Server {
    /// The node that receives writes, and one that lags behind and is only read.
    pub(crate) nodes: [Node; 2],
    pub(crate) clock: u8,
    /// Ids that clients or the server have used.
    pub(crate) ids: u8,
    /// All changes that were ever written, and those of deferred commands that were carried out.
    pub(crate) ever: u16,
}

impl World {
    /// A new id; `None` if the model has no room for another document.
    pub(crate) fn new_id(&mut self) -> Option<u8> {
        let id = self.server.ids;
        ((id as usize) < DOCUMENTS).then(|| self.server.ids += 1)?;
        Some(id)
    }

    pub(crate) fn write(&mut self, id: u8, content: Option<Content>) {
        self.server.clock += 1;
        self.server.ever |= content.map_or(0, |content| content.real);
        let vector = self.server.clock;
        self.server.nodes[0][id as usize] = content.map(|content| Stored { vector, content });
    }

    /// These changes are not expected to exist any more.
    pub(crate) fn release(&mut self, marks: u16) {
        for session in &mut self.sessions {
            session.owed &= !marks;
        }
    }

    fn fits(&self, command: &Command) -> bool {
        let Some(id) = command.id else { return true };
        let stored = self.server.nodes[0][id as usize];
        match command.when {
            When::Any => true,
            When::Absent => stored.is_none(),
            When::Vector(vector) => stored.is_some_and(|stored| stored.vector == vector),
        }
    }

    /// Executes a request, as far as its conditions are met. `sharded`: documents with even and odd numbers are on
    /// different shards.
    pub(crate) fn execute(&mut self, request: &Outgoing, sharded: bool) -> Result<Response, String> {
        let mut results = Results::default();
        let shard = |command: &Command| if sharded { command.id.map_or(0, |id| id % 2) } else { 0 };
        let (mut conflict, mut refused) = (None, false);
        for this in [0, 1] {
            let commands = || request.commands.iter().filter(|command| shard(command) == this);
            if commands().count() == 0 {
                continue;
            }
            if let Some(unmet) = commands().find(|command| !self.fits(command)) {
                conflict.get_or_insert(unmet.slot);
                continue;
            }
            if commands().any(|command| self.lacks_document(command, request)) {
                refused = true;
                continue;
            }
            let version = 1 << request.version;
            self.sessions[request.session].executed |= version;
            for command in commands().copied().collect::<Vec<_>>() {
                self.carry_out(request.session, command, &mut results)?;
            }
        }
        Ok(match conflict {
            Some(slot) => Response::Conflict(slot),
            None if refused => Response::Refused,
            None => Response::Applied(results),
        })
    }

    /// Whether an attachment is for a document that does not exist.
    fn lacks_document(&self, command: &Command, request: &Outgoing) -> bool {
        let Some(id) = command.id.filter(|_| command.kind == Kind::Attach) else { return false };
        let is_put = |other: &Command| other.kind == Kind::Put && other.id == Some(id);
        self.server.nodes[0][id as usize].is_none() && !request.commands.iter().any(is_put)
    }

    fn carry_out(&mut self, session: usize, command: Command, results: &mut Results) -> Result<(), String> {
        if let Some(slot) = command.slot.and_then(|slot| self.sessions[session].slots[slot].as_mut()) {
            slot.sent |= command.kind == Kind::Put;
        }
        let old = |world: &World, id: u8| world.server.nodes[0][id as usize].map(|stored| stored.content);
        if command.slot.is_none() || command.kind == Kind::Attach {
            self.server.ever |= command.content.real;
        }
        match (command.kind, command.id) {
            (Kind::Put, Some(id)) => {
                let undone = old(self, id).map_or(0, |old| old.real) & !command.content.real;
                if undone != 0 && command.when != When::Any {
                    return Err(format!("a conditional write undoes changes {undone:#b} that its session never read"));
                }
                self.release(undone);
                self.write(id, Some(command.content));
                results.puts.extend(command.slot.map(|slot| (slot, id, self.server.clock)));
            }
            (Kind::Put, None) => {
                if let (Some(id), Some(slot)) = (self.new_id(), command.slot) {
                    self.write(id, Some(command.content));
                    results.puts.push((slot, id, self.server.clock));
                }
            }
            (Kind::Delete, Some(id)) => {
                let undone = old(self, id).map_or(0, |old| old.real);
                self.release(undone);
                self.write(id, None);
                if let Some(slot) = command.slot.and_then(|slot| self.sessions[session].slots[slot].as_mut()) {
                    slot.delete_executed |= slot.deleted;
                }
            }
            (Kind::Patch, Some(id)) => {
                if let Some(content) = old(self, id) {
                    if content.real & command.content.real & self.sessions[session].safe_patches != 0 {
                        return Err("a patch has run twice after the advice to save again".into());
                    }
                    let content = content.with(command.content.real);
                    self.write(id, Some(content));
                    results.patches.push((id, self.server.clock, content));
                }
            }
            // The change vector of a document that the batch has written is that of the write.
            (Kind::Attach, Some(id)) if command.slot.is_none() => {
                if let Some(content) = old(self, id) {
                    self.write(id, Some(content));
                    results.patches.push((id, self.server.clock, content));
                }
            }
            (Kind::Read | Kind::Attach, _) | (Kind::Delete | Kind::Patch, None) => {}
        }
        Ok(())
    }

    /// The lagging node catches up.
    pub(crate) fn replicate(&mut self) {
        self.server.nodes[1] = self.server.nodes[0];
    }
}
