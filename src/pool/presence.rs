//! A store on a device that it may share with other stores (*siblings*) of the same database: who is there, and what that changes.
//!
//! | | what memory holds | who leases | `dispose()` and `release()` |
//! |---|---|---|---|
//! | a page without siblings | all that is not kept parked: the page gives it back as it leaves | at once | the pool comes into memory and goes back |
//! | siblings are there (*crowded*), or no page that could give back | what callers wait for; the rest is parked | one of them at a time | memory is parked: siblings go on with it |
//! | the device fails | everything | at once | memory goes back |
//!
//! Siblings are a hint. A wrong one costs numbers or a request, and never issues an id twice: what is taken out of the pool is
//! taken out by one transaction, and what goes back is fenced.
//!
//! The package sends what siblings say to each other, listens to the page, and keeps time (`pkg/src/device/parked-numbers`).

use crate::hilo::Conditions;
use crate::protocol::{presence, todo};
use alloc::vec::Vec;

/// How many numbers of a tag stay parked for each that the device has used, where the app has not chosen.
const KEEP: u64 = 8;

/// What the app has chosen for a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeepOptions {
    /// How many numbers stay parked; `u64::MAX`: all.
    pub keep: u64,
    /// Whether so many stay for each number that the device has used.
    pub grow: bool,
    /// How many numbers a range has; 0: as demand wants.
    pub capacity: u64,
}

impl KeepOptions {
    /// `keep`: what the app has said.
    pub fn new(keep: Option<u64>, capacity: u64) -> KeepOptions {
        KeepOptions { keep: keep.unwrap_or(KEEP), grow: keep.is_none(), capacity }
    }
}

/// What becomes of the numbers of a store that ends, or that the app wants to hold none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rest {
    /// There is no pool: memory goes back.
    Memory,
    /// Memory goes to the pool, for the siblings.
    Park,
    /// Nobody else needs the pool: it comes into memory, and goes back with it.
    TakeOut,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Sibling {
    name: u32,
    /// How many questions had been asked when it last spoke.
    heard: u32,
}

/// A store's place on its device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Presence {
    /// Whether numbers of the store's source can be parked.
    scoped: bool,
    /// Whether numbers can be parked; not before the store begins.
    usable: bool,
    /// A page leaves, and can give back what memory holds; a worker ends without a word.
    page: bool,
    /// Whether siblings can hear of it: not while its page is away.
    there: bool,
    siblings: Vec<Sibling>,
    /// How many questions were asked, and how many of them are over. Each is given as much time, so they end in order.
    asked: u32,
    over: u32,
}

impl Presence {
    /// Of a store that has no device yet.
    pub fn new(scoped: bool) -> Presence {
        Presence { scoped, ..Presence::default() }
    }

    /// Takes in one of [`presence`], with a sibling's name if it is about one, and whether there is a page when it begins. Says what
    /// is to be done: bits of [`mod@todo`].
    pub fn on(&mut self, event: u8, detail: u32) -> u8 {
        let mut todo = 0;
        match event {
            presence::BEGUN => (self.usable, self.page) = (self.scoped, detail > 0),
            // Often twice: `resume` and `pageshow`.
            presence::BACK if !self.there => {
                self.there = true;
                todo = todo::RESUME | todo::HELLO;
            }
            // Often twice: `pagehide` and `freeze`.
            presence::LEFT | presence::ENDED if self.there => {
                self.there = false;
                self.siblings.clear();
                todo = if event == presence::LEFT { todo::GIVE_BACK | todo::BYE } else { todo::BYE };
            }
            // What was said before the page left is of no use.
            presence::HELLO | presence::HERE | presence::BYE if self.there => {
                let before = self.crowded();
                self.forget(0, u64::from(detail));
                if event != presence::BYE {
                    self.siblings.push(Sibling { name: detail, heard: self.asked });
                    todo = if event == presence::HELLO { todo::HERE } else { 0 };
                    if self.usable && !before {
                        todo |= todo::PARK;
                    }
                }
            }
            // Among siblings one leases at a time; those who went without a word are forgotten.
            presence::ASKED | presence::TURN
                if self.there && self.usable && (event == presence::ASKED || self.crowded()) =>
            {
                self.asked += 1;
                todo = todo::HELLO | todo::WAIT;
            }
            // Whoever has not spoken since this question is gone, whatever was asked in between.
            presence::OVER if self.over < self.asked => {
                self.over += 1;
                self.forget(self.over, u64::MAX);
            }
            presence::FAILED => self.usable = false,
            _ => {}
        }
        todo
    }

    /// Whether numbers can be parked.
    pub fn usable(&self) -> bool {
        self.usable
    }

    /// Whether siblings use the pool: they lease one at a time, and memory holds only what callers wait for.
    pub fn crowded(&self) -> bool {
        self.usable && !self.siblings.is_empty()
    }

    /// What a driver is to know. `returnable`: whether numbers of the source can go back.
    pub fn conditions(&self, options: KeepOptions, returnable: bool) -> Conditions {
        let KeepOptions { keep, grow, capacity } = options;
        let alone = self.page && self.siblings.is_empty() && keep < u64::MAX;
        // What cannot go back must not be held where it dies with the page.
        let hold = returnable && (alone || !self.usable);
        Conditions { waiting: 0, pooled: self.usable, hold, keep, grow, capacity }
    }

    /// What becomes of the numbers that are left.
    pub fn rest(&self) -> Rest {
        match (self.usable, self.crowded()) {
            (false, _) => Rest::Memory,
            (true, true) => Rest::Park,
            (true, false) => Rest::TakeOut,
        }
    }

    /// Forgets this sibling, and those who were last heard before this question. A loop: `retain` costs the shipped module more.
    fn forget(&mut self, question: u32, name: u64) {
        let mut at = 0;
        while let Some(sibling) = self.siblings.get(at) {
            if sibling.heard < question || u64::from(sibling.name) == name {
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
