//! The driver of one tag: joins the ledger's integers with the texts that belong to them.

use alloc::string::String;
use alloc::vec::Vec;

use super::{Effect, Event, Lease, Ledger, Range, Sizing};
use crate::error::{Code, Error};
use crate::http::NodeId;
use crate::source::{Ask, Echo, Grant, Return, Size};

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
    pub fn dry(&mut self, now: u64) -> Vec<Effect> {
        if let Some((range, _)) = self.handed.take() {
            self.sizing.used(range.len());
        }
        let low_water = self.low_water();
        self.apply(Event::Dry { low_water }, now)
    }

    /// More numbers are wanted than are at hand.
    pub fn wanted(&mut self, group: u32, now: u64) -> Vec<Effect> {
        self.apply(Event::Wanted { group }, now)
    }

    /// What to ask for right now, for `waiting` callers; decided when it is sent, because a burst of callers arrives
    /// one by one. The nonce is any random number.
    ///
    /// `exact`: that many and no more, for a reserve.
    pub fn ask(&self, above: u64, waiting: u64, exact: bool, now: u64, nonce: u64) -> Ask {
        let size = if exact { Size::Exact(waiting) } else { self.sizing.size(self.echo.clone(), waiting, now) };
        Ask { tag: self.tag.clone(), size, above, nonce }
    }

    /// A lease was granted.
    pub fn granted(&mut self, request: u32, grant: Grant, now: u64) -> Vec<Effect> {
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
    pub fn closing(&mut self) -> Vec<Effect> {
        self.apply(Event::Closing, 0)
    }

    /// Everything in memory goes back.
    pub fn give_back(&mut self) -> Vec<Effect> {
        self.apply(Event::GiveBack, 0)
    }

    /// Numbers in memory behind those that the counter has.
    pub fn held(&self) -> u64 {
        self.ledger.held()
    }

    fn low_water(&self) -> u64 {
        if self.ahead { self.sizing.low_water() } else { 0 }
    }

    /// The grant of a lease in an effect; known until the next event.
    pub fn grant(&self, lease: u32) -> Option<&Grant> {
        self.grants.iter().find(|granted| granted.id == lease).map(|granted| &granted.grant)
    }

    /// What an [`Effect::Return`] sends, and the only node that may get it.
    pub fn return_of(&self, lease: u32, high: u64, last: u64) -> Option<(NodeId, Return)> {
        let grant = self.grant(lease)?;
        Some((grant.node, Return { tag: self.tag.clone(), fence: grant.fence.clone()?, high, last }))
    }

    /// The error of an [`Effect::Refused`].
    pub fn refusal() -> Error {
        Error::new(
            Code::BadAnswer,
            "the server grants numbers that were issued before, even when asked to go above them: was a backup \
             restored or Raven/Hilo edited? Nothing of the grant was used",
        )
    }

    fn intern(&mut self, tag: &str) -> u32 {
        let at = self.node_tags.iter().position(|known| known == tag).unwrap_or_else(|| {
            self.node_tags.push(String::from(tag));
            self.node_tags.len() - 1
        });
        at as u32
    }

    fn apply(&mut self, event: Event, now: u64) -> Vec<Effect> {
        // Only now: what the last effects spoke of has been looked up.
        self.grants.retain(|granted| self.ledger.knows(granted.id) || granted.id == self.grant_count);
        let effects = self.ledger.on(event);
        for effect in &effects {
            match *effect {
                Effect::Lease { request, .. } => self.sent.push(Sent { request, at: now }),
                Effect::Hand { range, lease } => self.handed = Some((range, lease)),
                _ => {}
            }
        }
        effects
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

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

    /// A driver that asked for a lease, and the number of the request.
    fn asked(driver: &mut Driver, now: u64) -> u32 {
        let effects = driver.wanted(0, now);
        let [Effect::Lease { request, .. }] = effects[..] else { panic!("{effects:?}") };
        request
    }

    fn handed(driver: &Driver, effects: &[Effect]) -> String {
        let Some(Effect::Hand { lease, .. }) = effects.last() else { panic!("{effects:?}") };
        driver.grant(*lease).unwrap().tag.clone()
    }

    #[test]
    fn a_number_keeps_the_tag_of_its_range() {
        let mut driver = Driver::new("orders", true);
        let request = asked(&mut driver, 0);
        let effects = driver.granted(request, grant(1, 32, "A"), 1);
        assert_eq!(handed(&driver, &effects), "A");
        let request = asked(&mut driver, 2);
        assert_eq!(driver.granted(request, grant(1, 32, "B"), 3), vec![]);
        let effects = driver.dry(4);
        assert_eq!(handed(&driver, &effects), "B");
    }

    #[test]
    fn a_return_goes_to_the_node_that_granted() {
        let mut driver = Driver::new("orders", true);
        let request = asked(&mut driver, 0);
        driver.granted(request, grant(1, 32, "B"), 1);
        assert_eq!(driver.closing(), [Effect::Surrender]);
        driver.surrendered(2, 2);
        let effects = driver.give_back();
        let [Effect::Return { lease, high, last }] = effects[..] else { panic!("{effects:?}") };
        let back = Return { tag: "orders".into(), fence: "B:32-db".into(), high: 32, last: 1 };
        assert_eq!(driver.return_of(lease, high, last), Some((NodeId(1), back)));
    }

    #[test]
    fn many_who_wait_are_served_by_one_lease() {
        let mut driver = Driver::new("orders", true);
        driver.wanted(0, 0);
        let ask = |size| Ask { tag: "orders".into(), size, above: 0, nonce: 7 };
        assert_eq!(driver.ask(0, 1_000, false, 0, 7), ask(Size::Exact(1_000)));
        assert_eq!(driver.ask(0, 1, false, 0, 7), ask(Size::Adaptive(None)));
        assert_eq!(driver.ask(0, 1, true, 0, 7), ask(Size::Exact(1)));
    }
}
