//! Merges of documents that were read, and what the app decides about conflicts.

use crate::configurations::Configuration;
use crate::server::{DOCUMENTS, Stored};
use crate::shell::Writes;
use crate::world::{Kept, PartText, Text, World};
use raven_edge::offline::{Action, Event, Expects, How, Part, Remade, State};

impl World {
    /// Makes the stale parts of a change anew from the documents that were read.
    pub(crate) fn remake(
        &mut self,
        (d, u): (u8, u8),
        (number, version): (u32, u32),
        documents: &[Option<Stored>],
        configuration: &Configuration,
    ) -> Kept {
        let store = &self.devices[d as usize].stores[u as usize];
        let Some(change) = store.queue.change(number) else { return Ok(()) };
        let Some(mut text) = store.texts.iter().find(|text| text.change == number).cloned() else { return Ok(()) };
        let mut remade = Vec::new();
        for Part { document, expects, .. } in &change.parts {
            let Expects::Stale { conflict } = *expects else { continue };
            let theirs = documents[*document as usize - 1];
            let Some(part) = text.part(*document) else { continue };
            let before = part.text.unwrap_or(0);
            let how = part.merge(theirs, conflict && !configuration.merges);
            if part.corrects && how != How::Drop && before & !part.text.unwrap_or(0) != 0 {
                return Err(format!("what the app has made of a refused change is lost: change {number}"));
            }
            remade.push(Remade { document: *document, how });
        }
        text.drop_parts(&remade);
        let event = Event::Remake { change: number, version, parts: &remade };
        self.report((d, u), event, Writes::Remade(text), configuration).map(drop)
    }

    /// The app resolves a conflict.
    pub(crate) fn resolve(&mut self, of: (u8, u8), number: u32, choice: Choice, configuration: &Configuration) -> Kept {
        let (d, u) = of;
        // Later changes of the document did not begin with what the app chooses now.
        self.disturbed = true;
        let store = &self.devices[d as usize].stores[u as usize];
        let Some(change) = store.queue.change(number) else { return Ok(()) };
        let Some(mut text) = store.texts.iter().find(|text| text.change == number).cloned() else { return Ok(()) };
        let mut remade = Vec::new();
        let mut documents = self.documents;
        for Part { document, expects, .. } in &change.parts {
            let Some(part) = text.part(*document).filter(|_| matches!(expects, Expects::Stale { .. })) else {
                continue;
            };
            let theirs = part.theirs.take();
            let new = Some(documents).filter(|new| choice == Choice::Rename && (*new as usize) < DOCUMENTS);
            let how = match (choice, new) {
                (Choice::Theirs, _) => How::Drop,
                (Choice::Rename, Some(to)) if part.base.is_none() && theirs.is_some() => {
                    documents += 1;
                    How::Rename(u32::from(to) + 1)
                }
                _ => {
                    part.vector = theirs.map_or(0, |theirs| theirs.vector);
                    part.seen |= theirs.map_or(0, |theirs| theirs.marks);
                    part.revived |= theirs.is_none();
                    part.decided = true;
                    let before = part.text;
                    if choice == Choice::Merged {
                        part.text = part.text.map(|text| text | theirs.map_or(0, |theirs| theirs.marks));
                    }
                    part.base = theirs.map(|theirs| theirs.marks);
                    if part.text.is_none() && theirs.is_none() {
                        How::Drop
                    } else {
                        How::Write { absent: theirs.is_none(), same: before == part.text }
                    }
                }
            };
            remade.push(Remade { document: *document, how });
        }
        text.drop_parts(&remade);
        let event = Event::Remake { change: number, version: change.version, parts: &remade };
        self.report(of, event, Writes::Remade(text), configuration)?;
        self.documents = documents;
        Ok(())
    }

    /// Changes for which the app must decide.
    pub(crate) fn conflicts(&self, (d, u): (u8, u8)) -> Vec<u32> {
        let changes = self.devices[d as usize].stores[u as usize].queue.changes().iter();
        changes.filter(|change| change.state == State::Conflict).map(|change| change.number).collect()
    }
}

/// How the app resolves a conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    Mine,
    Theirs,
    Merged,
    /// "Mine" for a new document whose id is taken.
    Rename,
}

impl Text {
    fn part(&mut self, document: u32) -> Option<&mut PartText> {
        self.parts.iter_mut().find(|part| u32::from(part.document) + 1 == document)
    }

    fn drop_parts(&mut self, remade: &[Remade]) {
        for Remade { document, how } in remade {
            match how {
                How::Drop => self.parts.retain(|part| u32::from(part.document) + 1 != *document),
                How::Rename(to) => {
                    if let Some(part) = self.part(*document) {
                        (part.document, part.vector) = ((to - 1) as u8, 0);
                    }
                }
                How::Write { .. } | How::Ask => {}
            }
        }
    }
}

impl PartText {
    /// Three-way merge over the server's document.
    fn merge(&mut self, theirs: Option<Stored>, asks: bool) -> How {
        let marks = theirs.map(|theirs| theirs.marks);
        let own = self.text.unwrap_or(0) & !self.base.unwrap_or(0);
        let how = match (self.action, marks) {
            (Action::Delete, None) => How::Drop,
            (Action::Delete, marks) if marks == self.base => How::Write { absent: false, same: true },
            (Action::Put, Some(marks)) if marks & own == own => How::Drop,
            (Action::Put, None) if self.base.is_none() => How::Write { absent: true, same: true },
            (Action::Put, Some(marks)) if !asks && self.base.is_some() => {
                let merged = Some(marks | own);
                let same = merged == self.text;
                self.text = merged;
                How::Write { absent: false, same }
            }
            _ => How::Ask,
        };
        if how == How::Ask {
            self.theirs = theirs;
        } else {
            self.base = marks;
            self.vector = theirs.map_or(0, |theirs| theirs.vector);
        }
        how
    }
}
