//! The driver of one tag: joins the ledger's integers with the texts that belong to them.

use alloc::string::String;
use alloc::vec::Vec;

use super::{Effect, Event, Lease, Ledger, Range, Sizing};
use crate::error::{Code, Error};
use crate::http::NodeId;
use crate::source::{Ask, Echo, Grant, Return};

/// Something the adapter has to do, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Ask the source for what [`Driver::ask`] says when it is sent; the answer goes to [`Driver::granted`] or
    /// [`Driver::failed`].
    Lease {
        /// Number of the request.
        request: u32,
        /// On whose behalf; see [`Event::Wanted`].
        group: u32,
        /// The range must start above this number; 0: anywhere.
        above: u64,
    },
    /// Give the counter these numbers.
    Hand {
        /// The numbers.
        range: Range,
        /// What stands before the number.
        prefix: String,
        /// What stands behind it: `-A`.
        suffix: String,
        /// The whole lease that they come from.
        lease: Range,
        /// The fence of that lease.
        fence: Option<String>,
    },
    /// Take the rest out of the counter and report it to [`Driver::surrendered`], before anything else.
    Surrender,
    /// Send this back to the node that granted it.
    Return(Return, NodeId),
    /// The source has gone back in time; what it granted was not used.
    Regression {
        /// What it granted.
        range: Range,
        /// The highest number held or issued.
        highest: u64,
    },
    /// Those who wait for the lease get this error.
    Refuse(Error),
}

struct Granted {
    id: u32,
    grant: Grant,
}

struct Sent {
    request: u32,
    at: u64,
}

/// The driver of one tag. Times are microseconds of any monotonic clock.
pub struct Driver {
    tag: String,
    /// Whether leases may be asked for ahead of need; not on workerd, where nothing outlives its request.
    ahead: bool,
    ledger: Ledger,
    sizing: Sizing,
    grants: Vec<Granted>,
    grant_count: u32,
    node_tags: Vec<String>,
    sent: Vec<Sent>,
    echo: Option<Echo>,
    /// The block that the counter has, and its lease.
    handed: Option<(Range, u32)>,
}

impl Driver {
    /// A driver for a tag that holds nothing yet.
    pub fn new(tag: &str, ahead: bool) -> Driver {
        Driver {
            tag: String::from(tag),
            ahead,
            ledger: Ledger::default(),
            sizing: Sizing::default(),
            grants: Vec::new(),
            grant_count: 0,
            node_tags: Vec::new(),
            sent: Vec::new(),
            echo: None,
            handed: None,
        }
    }

    /// The counter's name.
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// The counter is dry: everything it was handed has been issued.
    pub fn dry(&mut self, now: u64) -> Vec<Action> {
        if let Some((range, _)) = self.handed.take() {
            self.sizing.used(range.len());
        }
        let low_water = self.low_water();
        self.apply(Event::Dry { low_water }, now)
    }

    /// More numbers are wanted than are at hand.
    pub fn wanted(&mut self, group: u32, now: u64) -> Vec<Action> {
        self.apply(Event::Wanted { group }, now)
    }

    /// What to ask for right now, for `waiting` callers; decided when it is sent, because a burst of callers arrives
    /// one by one. The nonce is any random number.
    pub fn ask(&self, above: u64, waiting: u64, now: u64, nonce: u64) -> Ask {
        let size = self.sizing.size(self.echo.clone(), waiting, now);
        Ask { tag: self.tag.clone(), size, above, nonce }
    }

    /// A lease was granted.
    pub fn granted(&mut self, request: u32, grant: Grant, now: u64) -> Vec<Action> {
        if let Some(at) = self.sent.iter().position(|sent| sent.request == request) {
            let sent = self.sent.swap_remove(at);
            self.sizing.answered(now, now.saturating_sub(sent.at));
        }
        self.grant_count = self.grant_count.wrapping_add(1);
        let lease = Lease {
            id: self.grant_count,
            range: grant.range,
            node: self.intern(&grant.tag),
            fenced: grant.fence.is_some(),
            merges: grant.is_single_node(),
        };
        self.echo.clone_from(&grant.echo);
        self.grants.push(Granted { id: lease.id, grant });
        let low_water = self.low_water();
        self.apply(Event::Granted { request, lease, low_water }, now)
    }

    /// A lease will not come.
    pub fn failed(&mut self, request: u32) {
        self.sent.retain(|sent| sent.request != request);
        self.apply(Event::Failed { request }, 0);
    }

    /// The counter was emptied; `next` is the first number it did not issue.
    pub fn surrendered(&mut self, next: u64, now: u64) {
        if let Some((range, _)) = self.handed.take() {
            self.sizing.used(next.clamp(range.low(), range.high() + 1) - range.low());
        }
        self.apply(Event::Surrendered { next }, now);
    }

    /// Nothing more may be issued.
    pub fn closing(&mut self) -> Vec<Action> {
        self.apply(Event::Closing, 0)
    }

    /// Everything in memory goes back.
    pub fn give_back(&mut self) -> Vec<Action> {
        self.apply(Event::GiveBack, 0)
    }

    /// Numbers in memory behind those that the counter has.
    pub fn held(&self) -> u64 {
        self.ledger.held()
    }

    fn low_water(&self) -> u64 {
        if self.ahead { self.sizing.low_water() } else { 0 }
    }

    fn grant(&self, lease: u32) -> Option<&Grant> {
        self.grants.iter().find(|granted| granted.id == lease).map(|granted| &granted.grant)
    }

    fn intern(&mut self, tag: &str) -> u32 {
        let at = self.node_tags.iter().position(|known| known == tag).unwrap_or_else(|| {
            self.node_tags.push(String::from(tag));
            self.node_tags.len() - 1
        });
        at as u32
    }

    fn apply(&mut self, event: Event, now: u64) -> Vec<Action> {
        let effects = self.ledger.on(event);
        let actions = effects.into_iter().filter_map(|effect| self.translate(effect, now)).collect();
        self.grants.retain(|granted| self.ledger.knows(granted.id));
        actions
    }

    fn translate(&mut self, effect: Effect, now: u64) -> Option<Action> {
        match effect {
            Effect::Lease { request, group, above } => {
                self.sent.push(Sent { request, at: now });
                Some(Action::Lease { request, group, above })
            }
            Effect::Hand { range, lease } => {
                self.handed = Some((range, lease));
                let grant = self.grant(lease)?;
                let mut suffix = String::new();
                if !grant.tag.is_empty() {
                    suffix.push('-');
                    suffix.push_str(&grant.tag);
                }
                Some(Action::Hand {
                    range,
                    prefix: grant.prefix.clone(),
                    suffix,
                    lease: grant.range,
                    fence: grant.fence.clone(),
                })
            }
            Effect::Surrender => Some(Action::Surrender),
            Effect::Return { lease, high, last } => {
                let grant = self.grant(lease)?;
                let fence = grant.fence.clone()?;
                Some(Action::Return(Return { tag: self.tag.clone(), fence, high, last }, grant.node))
            }
            Effect::Burnt { .. } => None,
            Effect::Regression { range, highest } => Some(Action::Regression { range, highest }),
            Effect::Refused => Some(Action::Refuse(Error::new(
                Code::BadAnswer,
                "the server grants numbers that were issued before, even when asked to go above them: \
                     was a backup restored or Raven/Hilo edited? Nothing of the grant was used",
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Size;

    fn grant(low: u64, high: u64, tag: &str) -> Grant {
        Grant {
            range: Range::new(low, high).unwrap(),
            prefix: "orders/".into(),
            tag: tag.into(),
            fence: Some(alloc::format!("{tag}:{high}-db")),
            node: NodeId(u32::from(tag == "B")),
            echo: Some(Echo { size: high - low + 1, at: "t".into() }),
            incarnation: None,
        }
    }

    #[test]
    fn a_number_keeps_the_tag_of_its_range() {
        let mut driver = Driver::new("orders", true);
        let Action::Lease { request, .. } = driver.wanted(0, 0).remove(0) else { panic!() };
        let actions = driver.granted(request, grant(1, 32, "A"), 1);
        assert!(matches!(&actions[..], [Action::Hand { suffix, .. }] if suffix == "-A"));
        let Action::Lease { request, .. } = driver.wanted(0, 2).remove(0) else { panic!() };
        assert_eq!(driver.granted(request, grant(1, 32, "B"), 3), []);
        let actions = driver.dry(4);
        let Some(Action::Hand { suffix, fence, .. }) = actions.last() else { panic!("{actions:?}") };
        assert_eq!((suffix.as_str(), fence.as_deref()), ("-B", Some("B:32-db")));
    }

    #[test]
    fn a_return_goes_to_the_node_that_granted() {
        let mut driver = Driver::new("orders", true);
        let Action::Lease { request, .. } = driver.wanted(0, 0).remove(0) else { panic!() };
        driver.granted(request, grant(1, 32, "B"), 1);
        assert_eq!(driver.closing(), [Action::Surrender]);
        driver.surrendered(2, 2);
        let back = Return { tag: "orders".into(), fence: "B:32-db".into(), high: 32, last: 1 };
        assert_eq!(driver.give_back(), [Action::Return(back, NodeId(1))]);
    }

    #[test]
    fn many_who_wait_are_served_by_one_lease() {
        let mut driver = Driver::new("orders", true);
        driver.wanted(0, 0);
        assert_eq!(
            driver.ask(0, 1_000, 0, 7),
            Ask { tag: "orders".into(), size: Size::Exact(1_000), above: 0, nonce: 7 }
        );
    }
}
