//! Decides what the next queued change of a document expects, once an earlier one has left the queue or has another text.

use alloc::vec::Vec;

use super::change::{Action, Expects, Part};
use super::{Effect, Queue, Variant};

/// The state of a part's document on the server when its change is removed from the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaves {
    /// What the response says: the change vector of the text, or no document.
    Response,
    /// Unknown.
    Unknown,
}

impl Queue {
    /// A part of the change `from` has left the queue. Its document's next change gets the change vector passed on, or must be made
    /// anew from the server's document.
    pub(super) fn update_next_change(&mut self, from: u32, part: Part, leaves: Leaves, out: &mut Vec<Effect>) {
        let anyhow = self.breaks(Variant::PassedOnAfterPatch);
        let after = self.changes.partition_point(|change| change.number <= from);
        let (earlier, rest) = self.changes.split_at_mut(after);
        let is_first = !earlier.iter().any(|change| change.number < from && change.part(part.document).is_some());
        let Some(next) = rest.iter_mut().find(|change| change.part(part.document).is_some()) else { return };
        let to = next.number;
        let Some(follower) = next.part_mut(part.document) else { return };
        if follower.expects != Expects::Previous {
            return;
        }
        let exact = leaves == Leaves::Response && (follower.continues || anyhow);
        follower.expects = match part.action {
            Action::Put if exact => Expects::Known,
            Action::Patch if exact && anyhow => Expects::Known,
            Action::Delete if exact => Expects::Absent,
            _ if !is_first => Expects::Previous,
            _ => Expects::Stale { conflict: false },
        };
        follower.continues = false;
        let passed = follower.expects == Expects::Known;
        next.version += 1;
        if passed {
            out.push(Effect::Pass { from, to, document: part.document });
        }
        out.push(Effect::Store(to));
    }

    /// A change that the server has refused is given up. A next change that was made from its text replaces it: it expects what the
    /// refused one expected, and nothing of its text is lost.
    pub(super) fn inherit(&mut self, from: u32, out: &mut Vec<Effect>) {
        if self.breaks(Variant::RefusedIsBase) {
            return;
        }
        let after = self.changes.partition_point(|change| change.number <= from);
        let (earlier, rest) = self.changes.split_at_mut(after);
        let Some(refused) = earlier.last().filter(|change| change.number == from) else { return };
        for part in &refused.parts {
            let document = part.document;
            let Some(next) = rest.iter_mut().find(|change| change.part(document).is_some()) else { continue };
            let to = next.number;
            let Some(follower) = next.part_mut(document) else { continue };
            // Nothing is left to delete if the document was never created.
            let is_void = follower.action == Action::Delete && part.expects == Expects::Absent;
            if follower.expects != Expects::Previous || !follower.continues || is_void {
                continue;
            }
            follower.continues = part.continues;
            follower.expects = match part.expects {
                // The refused change would have overwritten whatever there is: this one must not.
                Expects::Any => Expects::Stale { conflict: false },
                other => other,
            };
            next.version += 1;
            out.extend([Effect::Inherit { from, to, document }, Effect::Store(to)]);
        }
    }

    /// A change no longer leaves the text with which the next change of the document began.
    pub(super) fn interrupt(&mut self, from: u32, document: u32, out: &mut Vec<Effect>) {
        let after = self.changes.partition_point(|change| change.number <= from);
        let rest = self.changes.get_mut(after..).unwrap_or_default();
        let Some(next) = rest.iter_mut().find(|change| change.part(document).is_some()) else { return };
        if let Some(part) = next.part_mut(document) {
            part.continues = false;
        }
        out.push(Effect::Store(next.number));
    }
}
