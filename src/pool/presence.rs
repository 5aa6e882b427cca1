//! A store and the other stores of the same database on its device (*siblings*): which siblings exist, and what the store does
//! because of them.
//!
//! | situation | numbers in memory | leases | `dispose()` and `release()` |
//! |---|---|---|---|
//! | a page without siblings | all that are not parked; the page returns them when it is closed | at once | take all numbers out of the pool and return them |
//! | siblings exist (*crowded*), or there is no page that could return numbers | those that callers wait for; the rest is parked | one store at a time | park the numbers in memory, for the siblings |
//! | the device has failed | all | at once | return the numbers in memory |
//!
//! Knowledge about siblings is only a hint. If it is wrong, numbers are burnt or a request is wasted, but no id is issued twice:
//! numbers leave the pool in one transaction, and returns are fenced.
//!
//! The package sends the messages between siblings, listens to page events, and runs the timers (`pkg/src/device/page-events-and-tabs`).

use crate::hilo::Conditions;
use crate::protocol::{presence, todo};
use alloc::vec::Vec;

/// How many numbers of a tag stay parked per number that the device has used, unless the app has chosen `keep`.
const KEEP: u64 = 8;

/// How many numbers of a tag to keep parked and how many to lease: the app's options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeepOptions {
    /// How many numbers stay parked; `u64::MAX`: all.
    pub keep: u64,
    /// Whether `keep` counts per number that the device has used.
    pub grow: bool,
    /// The size of ranges to lease; 0: follows demand.
    pub capacity: u64,
}

impl KeepOptions {
    /// `keep`: the app's option; `None`: the default, which grows with usage.
    pub fn new(keep: Option<u64>, capacity: u64) -> KeepOptions {
        KeepOptions { keep: keep.unwrap_or(KEEP), grow: keep.is_none(), capacity }
    }
}

/// Where the remaining numbers go when a store is disposed or releases its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rest {
    /// There is no pool: return what memory holds.
    Memory,
    /// Park what memory holds, for the siblings.
    Park,
    /// No sibling needs the pool: take everything out and return it along with memory.
    TakeOut,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Sibling {
    name: u32,
    /// The value of `questions` when its last message arrived.
    last_message: u32,
}

/// A store's place on its device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Presence {
    /// Whether numbers of the store's source can be parked.
    scoped: bool,
    /// Whether numbers can be parked. False before the store begins.
    usable: bool,
    /// Whether there is a page, which can return what memory holds when it leaves. A worker ends without an event.
    page: bool,
    /// Whether siblings can reach this store. False while its page is away.
    present: bool,
    siblings: Vec<Sibling>,
    /// How many times this store has asked its siblings to report.
    questions: u32,
    /// How many of these questions have timed out. All have the same time limit, so they time out in order.
    questions_over: u32,
}

impl Presence {
    /// The presence of a store that has no device yet. `scoped`: whether numbers of the store's source can be parked.
    pub fn new(scoped: bool) -> Presence {
        Presence { scoped, ..Presence::default() }
    }

    /// Processes an event of [`presence`]. `detail`: the name of the sibling that sent a message; for `BEGUN`, 1 if there is a page.
    /// Returns what to do, as bits of [`mod@todo`].
    pub fn on(&mut self, event: u8, detail: u32) -> u8 {
        let mut todo = 0;
        match event {
            presence::BEGUN => (self.usable, self.page) = (self.scoped, detail > 0),
            // Often reported twice: by `resume` and `pageshow`.
            presence::BACK if !self.present => {
                self.present = true;
                todo = todo::RESUME | todo::HELLO;
            }
            // Often reported twice: by `pagehide` and `freeze`.
            presence::LEFT | presence::ENDED if self.present => {
                self.present = false;
                self.siblings.clear();
                todo = if event == presence::LEFT { todo::GIVE_BACK | todo::BYE } else { todo::BYE };
            }
            // Messages are ignored while the page is away.
            presence::HELLO | presence::HERE | presence::BYE if self.present => {
                let before = self.crowded();
                self.forget(0, u64::from(detail));
                if event != presence::BYE {
                    self.siblings.push(Sibling { name: detail, last_message: self.questions });
                    todo = if event == presence::HELLO { todo::HERE } else { 0 };
                    if self.usable && !before {
                        todo |= todo::PARK;
                    }
                }
            }
            // Among siblings one store leases at a time. Asking finds the siblings that ended without a message.
            presence::ASKED | presence::TURN
                if self.present && self.usable && (event == presence::ASKED || self.crowded()) =>
            {
                self.questions += 1;
                todo = todo::HELLO | todo::WAIT;
            }
            // Siblings that sent no message since this question was asked have ended.
            presence::OVER if self.questions_over < self.questions => {
                self.questions_over += 1;
                self.forget(self.questions_over, u64::MAX);
            }
            presence::FAILED => self.usable = false,
            _ => {}
        }
        todo
    }

    /// Whether numbers can be parked.
    pub fn usable(&self) -> bool {
        super::PRESENT && self.usable
    }

    /// Whether siblings use the pool: then one store leases at a time, and memory holds only what callers wait for.
    pub fn crowded(&self) -> bool {
        self.usable() && !self.siblings.is_empty()
    }

    /// The conditions for a tag's driver. `returnable`: whether numbers can be returned to the source.
    pub fn conditions(&self, options: KeepOptions, returnable: bool) -> Conditions {
        let KeepOptions { keep, grow, capacity } = options;
        if !super::PRESENT {
            return Conditions { capacity, ..Conditions::default() };
        }
        let alone = self.page && self.siblings.is_empty() && keep < u64::MAX;
        // Numbers that cannot be returned must not be held in memory, where they are lost with the page.
        let hold = returnable && (alone || !self.usable());
        Conditions { waiting: 0, missed: 0, reserved: 0, pooled: self.usable(), hold, keep, grow, capacity }
    }

    /// Where the remaining numbers go.
    pub fn rest(&self) -> Rest {
        match (self.usable(), self.crowded()) {
            (false, _) => Rest::Memory,
            (true, true) => Rest::Park,
            (true, false) => Rest::TakeOut,
        }
    }

    /// Forgets the sibling `name`, and those whose last message is older than `question`. A loop: `retain` adds more code to the
    /// module.
    fn forget(&mut self, question: u32, name: u64) {
        let mut at = 0;
        while let Some(sibling) = self.siblings.get(at) {
            if sibling.last_message < question || u64::from(sibling.name) == name {
                self.siblings.swap_remove(at);
            } else {
                at += 1;
            }
        }
    }
}

#[cfg(test)]
#[path = "presence_tests.rs"]
mod tests;
