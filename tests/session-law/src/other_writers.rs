//! Other writers: programs that change the documents of sessions on the server.

use crate::network::{Command, Kind};
use crate::server::{Content, DOCUMENTS};
use crate::steps::Step;
use crate::world::World;

/// The bits that mark changes of other writers in a document's content.
pub(crate) const FOREIGN: u16 = 0xc000;

impl World {
    pub(crate) fn steps_of_other_writers(&self, out: &mut Vec<Step>) {
        for id in 0..DOCUMENTS as u8 {
            let there = self.server.nodes[0][id as usize].is_some();
            let exists = self.server.ids > id;
            if there && self.budget.adds > 0 {
                out.push(Step::Add(id));
            }
            if exists && self.budget.replaces > 0 {
                out.push(Step::Replace(id));
            }
            if there && self.budget.removes > 0 {
                out.push(Step::Remove(id));
            }
        }
    }

    /// Another writer adds a change to a document.
    pub(crate) fn add(&mut self, id: u8) {
        let old = self.server.nodes[0][id as usize].map_or(Content::default(), |stored| stored.content);
        self.foreign(id, Some(old.with(FOREIGN)));
    }

    /// Another writer writes a document, or deletes it.
    pub(crate) fn foreign(&mut self, id: u8, content: Option<Content>) {
        let old = self.server.nodes[0][id as usize].map_or(0, |stored| stored.content.real);
        let undone = old & !content.map_or(0, |content| content.real);
        self.release(undone);
        self.write(id, content);
    }

    /// Another writer writes what a request is about to write.
    pub(crate) fn echo(&mut self, r: usize) {
        let writes = |command: &&Command| command.kind == Kind::Put;
        let Some(command) = self.network[r].commands.iter().find(writes).copied() else { return };
        let Some(id) = command.id.filter(|id| self.server.nodes[0][*id as usize].is_some()) else { return };
        let old = self.server.nodes[0][id as usize].map_or(0, |stored| stored.content.real);
        self.foreign(id, Some(Content { text: command.content.text, real: old | FOREIGN }));
    }
}
