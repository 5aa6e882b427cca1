//! The state: pages and messages in flight; and the laws that hold in every state.

use super::configurations::{Budget, Configuration, Variant};
use raven_edge::pool::Presence;
use raven_edge::pool::presence::KeepOptions;
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Life {
    /// Not opened yet.
    Unborn,
    Open,
    /// After `pagehide` or `freeze`.
    Away,
    /// `dispose()` has asked which siblings exist.
    Ending,
    /// Disposed.
    Ended,
    /// It crashed, without a message.
    Dead,
}

/// A question that has not timed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Question {
    pub(super) number: u8,
    /// The pages that have been active ever since it was asked, as bits.
    pub(super) active: u8,
    /// Whether any message has arrived since.
    pub(super) responded: bool,
    /// Whether a store that ends waits for it.
    pub(super) ends: bool,
}

/// A message. `question`: the page and number of the question that it asks or responds to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Message {
    pub(super) kind: u8,
    pub(super) question: Option<(usize, u8)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Page {
    pub(super) presence: Presence,
    pub(super) life: Life,
    /// Whether it has ever left.
    pub(super) left: bool,
    /// Whether its channel is open.
    pub(super) channel: bool,
    /// Whether memory holds the block in use.
    pub(super) block: bool,
    /// Whether memory holds more than the block in use.
    pub(super) tail: bool,
    /// Whether numbers can be parked, as far as the page knows.
    pub(super) device: bool,
    pub(super) questions: Vec<Question>,
    pub(super) asked: u8,
}

impl Page {
    /// Whether it is active: open, or ending.
    pub(super) fn is_active(&self) -> bool {
        matches!(self.life, Life::Open | Life::Ending)
    }
}

/// A state.
#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) pages: Vec<Page>,
    /// Messages in flight from one page to another, oldest first: `wires[from][to]`.
    pub(super) wires: Vec<Vec<VecDeque<Message>>>,
    pub(super) pool: bool,
    pub(super) budget: Budget,
    pub(super) variant: Option<Variant>,
    /// The description of the current step.
    pub(super) trace: Vec<String>,
}

impl std::hash::Hash for World {
    fn hash<H: std::hash::Hasher>(&self, hasher: &mut H) {
        (&self.pages, &self.wires, self.pool, self.budget).hash(hasher);
    }
}

impl World {
    pub(super) fn new(configuration: &Configuration) -> World {
        let count = configuration.pages;
        let page = Page {
            presence: Presence::new(true),
            life: Life::Unborn,
            left: false,
            channel: false,
            block: false,
            tail: false,
            device: true,
            questions: Vec::new(),
            asked: 0,
        };
        World {
            pages: vec![page; count],
            wires: vec![vec![VecDeque::new(); count]; count],
            pool: false,
            budget: configuration.budget,
            variant: configuration.variant,
            trace: Vec::new(),
        }
    }

    /// Whether no message between two pages is in flight.
    fn is_quiet(&self, one: usize, other: usize) -> bool {
        self.wires[one][other].is_empty() && self.wires[other][one].is_empty()
    }

    /// The laws of every state.
    pub(super) fn check(&self) -> Result<(), String> {
        for (at, page) in self.pages.iter().enumerate() {
            let others = || self.pages.iter().enumerate().filter(move |(other, _)| *other != at);
            if matches!(page.life, Life::Away | Life::Ended) && (page.block || page.tail || page.channel) {
                return Err(format!("page {at} is away, but has numbers in memory or an open channel"));
            }
            if !page.is_active() {
                continue;
            }
            let crowded = page.presence.crowded();
            if !page.device && crowded {
                return Err(format!("page {at} shares a device that has failed"));
            }
            let known = others().any(|(other, of)| of.is_active() && self.is_quiet(at, other));
            if page.device && known && !crowded {
                return Err(format!("page {at} does not know an active page"));
            }
            let may = others().any(|(other, of)| of.is_active() || of.life == Life::Dead || !self.is_quiet(at, other));
            if crowded && !may {
                return Err(format!("page {at} counts a page that has sent BYE"));
            }
            if page.device && page.tail && !page.presence.conditions(KeepOptions::new(None, 0), true).hold {
                return Err(format!("page {at} has siblings but keeps a tail in memory"));
            }
        }
        Ok(())
    }
}
