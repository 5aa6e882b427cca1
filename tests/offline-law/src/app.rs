//! The actions of apps: what they queue.

use crate::configurations::Configuration;
use crate::shell::Writes;
use crate::world::{Kept, Marks, PartText, Text, World};
use raven_edge::offline::{Action, Event, Expects, Part};

/// What one call of `queueChanges` records. The numbers are documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Do {
    /// Creates a document, or changes it.
    Put(u8),
    /// Changes two documents.
    Both(u8, u8),
    /// Changes a document that was loaded before anything was queued.
    Old(u8),
    /// Changes a document whose change vector the session does not know.
    Unversioned(u8),
    /// Deletes a document.
    Delete(u8),
    /// Patches a document.
    Patch(u8),
    /// Changes one document and patches another one.
    PutAndPatch(u8, u8),
}

impl World {
    /// The app of a user takes the next action of its script.
    pub(crate) fn queue(&mut self, (d, u): (u8, u8), configuration: &Configuration) -> Kept {
        let store = &mut self.devices[d as usize].stores[u as usize];
        let script = configuration.scripts[u as usize][store.taken as usize];
        store.taken += 1;
        self.record((d, u), script, configuration)
    }

    /// The app of a user queues a change.
    pub(crate) fn record(&mut self, (d, u): (u8, u8), script: Do, configuration: &Configuration) -> Kept {
        // The app's own earlier change is like one of another writer then.
        self.disturbed |= matches!(script, Do::Old(_));
        let mark = 1 << self.marks;
        self.marks += 1;
        let mut text = Text { change: 0, mark, parts: Vec::new() };
        let mut parts = Vec::new();
        let mut put = |world: &World, document: u8, action: Action, old: bool| {
            let (mut part, kept) = world.part((d, u), document, action, mark, old);
            if matches!(script, Do::Unversioned(_)) && kept.base.is_some() {
                part.expects = Expects::Stale { conflict: false };
            }
            parts.push(part);
            text.parts.push(kept);
        };
        match script {
            Do::Put(document) | Do::Unversioned(document) => put(self, document, Action::Put, false),
            Do::Old(document) => put(self, document, Action::Put, true),
            Do::Delete(document) => put(self, document, Action::Delete, false),
            Do::Patch(document) => put(self, document, Action::Patch, false),
            Do::Both(first, second) => {
                put(self, first, Action::Put, false);
                put(self, second, Action::Put, false);
            }
            Do::PutAndPatch(first, second) => {
                put(self, first, Action::Put, false);
                put(self, second, Action::Patch, false);
            }
        }
        let event = Event::Add { bytes: 1, parts: &parts };
        self.report((d, u), event, Writes::New(text), configuration).map(drop)
    }

    /// A part on top of what the app sees: the server's document with the pending changes of this device laid over it.
    fn part(&self, (d, u): (u8, u8), document: u8, action: Action, mark: Marks, old: bool) -> (Part, PartText) {
        let store = &self.devices[d as usize].stores[u as usize];
        let stored = self.server.newest().documents[document as usize];
        let loaded = if old { Some(0) } else { stored.map(|stored| stored.marks) };
        let vector = if old { u8::MAX } else { stored.map_or(0, |stored| stored.vector) };
        let pending = || store.texts.iter().rev().flat_map(|text| &text.parts).filter(|part| part.document == document);
        // The effect of a patch is not known before it is carried out.
        let overlay = pending().find(|part| part.action != Action::Patch).map(|part| part.text);
        let base = if old { loaded } else { overlay.unwrap_or(loaded) };
        let continues = pending().next().is_some_and(|last| last.action != Action::Patch && last.text == base);
        let text = match action {
            Action::Put => Some(base.unwrap_or(0) | mark),
            Action::Delete => None,
            Action::Patch => Some(mark),
        };
        let expects = match (action, base) {
            (Action::Patch, _) => Expects::Any,
            (_, None) => Expects::Absent,
            (_, Some(_)) => Expects::Known,
        };
        let part = Part { document: u32::from(document) + 1, action, expects, continues };
        (
            part,
            PartText {
                document,
                action,
                base,
                text,
                vector,
                theirs: None,
                seen: 0,
                revived: false,
                decided: false,
                corrects: false,
            },
        )
    }
}
