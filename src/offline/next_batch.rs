//! Decides which queued changes are sealed into the next batch, in which order, and which must be made anew before.

use alloc::vec::Vec;

use super::change::{Change, Expects, State};
use super::flight::{Batch, Flight};
use super::{Effect, Queue, Variant};

/// The most changes whose documents are read at the same time.
const FETCHES: usize = 16;

impl Queue {
    /// Asks for the documents of changes that must be made anew and could be sent then.
    pub(super) fn fetch_stale(&self, out: &mut Vec<Effect>) {
        let stale = |change: &&Change| change.state == State::Queued && change.is_stale();
        let first = self.changes.iter().filter(stale).filter(|change| self.is_first(change));
        out.extend(first.take(FETCHES).map(|change| Effect::Fetch { change: change.number, node: self.node }));
    }

    /// Whether no earlier change is about one of its documents.
    fn is_first(&self, change: &Change) -> bool {
        let earlier = self.changes.iter().take_while(|earlier| earlier.number < change.number);
        !earlier.flat_map(|earlier| &earlier.parts).any(|part| change.part(part.document).is_some())
    }

    /// Seals the next batch, if a change can be sent.
    pub(super) fn seal(&mut self, node: u32, id: u32, (most, most_bytes): (u32, u32), out: &mut Vec<Effect>) {
        let mut members = Vec::new();
        let mut bytes = 0_u32;
        let mut blocked = Vec::new();
        for change in &self.changes {
            let is_free = !change.parts.iter().any(|part| blocked.contains(&part.document));
            let ready = change.state == State::Queued
                && change
                    .parts
                    .iter()
                    .all(|part| matches!(part.expects, Expects::Any | Expects::Absent | Expects::Known));
            if is_free
                && ready
                && (members.is_empty() || !change.alone && bytes.saturating_add(change.bytes) <= most_bytes)
            {
                members.push(change.number);
                bytes = bytes.saturating_add(change.bytes);
                if change.alone || members.len() >= most as usize {
                    break;
                }
            }
            if !self.breaks(Variant::OrderByChange) || ready {
                blocked.extend(change.parts.iter().map(|part| part.document));
            }
        }
        if members.is_empty() {
            return;
        }
        self.number += 1;
        for member in &members {
            self.set(*member, State::Sealed, out);
        }
        self.flight =
            Some(Flight { batch: Batch { number: self.number, id }, node, members, refusal: None, fence: None });
    }
}
