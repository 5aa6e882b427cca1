//! The driver of one tag: joins the ledger's integers with the texts that belong to them.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::pool_view::PoolView;
use super::{Effect, Event, Hand, Lease, Ledger, Range, Sizing, Waiters};
use crate::http::NodeId;
use crate::ids::key;
use crate::pool::{self, Move, MoveKind, Outcome, Parked};
use crate::source::{Ask, Echo, Grant, Return, Size};

struct Granted {
    id: u32,
    grant: Box<Grant>,
}

struct LeaseSent {
    request: u32,
    at: u64,
}

/// With a pool, the largest block of the counter: what it issues is known to the device when it is used up.
const LARGEST_BLOCK: u64 = 16;

/// Who needs the next numbers within this time after a claim (microseconds) is a loop and no person: it gets a block at once.
const LOOP_GAP: u64 = 50_000;

/// What the façade knows of a tag when something happens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// Callers who wait.
    pub waiting: u64,
    /// Whether the device has a pool.
    pub pooled: bool,
    /// Whether memory may hold more than callers wait for: a page alone on its origin, which gives it back at unload.
    pub hold: bool,
    /// How many numbers are kept parked.
    pub keep: u64,
    /// Whether that many are kept for every number that the device has used, up to the whole lease.
    pub grow: bool,
    /// How many numbers a range has; 0: that follows demand.
    pub capacity: u64,
}

impl Conditions {
    /// The same with those who wait: what they reserve is kept, and nothing beyond it.
    pub fn among(self, waiters: &Waiters) -> Conditions {
        let reserved = waiters.reserved();
        Conditions {
            waiting: self.waiting + waiters.waiting(),
            keep: self.keep.max(reserved),
            grow: self.grow && reserved == 0,
            ..self
        }
    }
}

/// How many numbers callers want.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// How many are missing.
    pub count: u64,
    /// That many and no more, for a reserve.
    pub exact: bool,
}

/// The driver of one tag. Times are microseconds of any monotonic clock.
pub struct Driver {
    tag: String,
    /// Whether leases may be asked for ahead of need; not on workerd, where nothing outlives its request.
    ahead: bool,
    conditions: Conditions,
    ledger: Ledger,
    sizing: Sizing,
    grants: Vec<Granted>,
    grant_count: u32,
    /// The last grant that the ledger has heard of.
    newest_applied: u32,
    node_tags: Vec<String>,
    sent: Vec<LeaseSent>,
    echo: Option<Echo>,
    /// How many numbers a caller's lease is for; `None`: it is asked for ahead of need.
    demand: Option<Demand>,
    /// When the last claim came through.
    claimed_at: Option<u64>,
    /// The block that the counter has, and its lease.
    handed: Option<(Range, u32)>,
    /// How high a lease reached, the highest one that had a fence, and its fence.
    proof: Option<(u64, Box<str>)>,
    pool: PoolView,
    /// Whether the source tells an incarnation; without one nobody could tell later whose the parked numbers are.
    scoped: bool,
}

impl Driver {
    /// A driver for a tag that holds nothing yet.
    pub fn new(tag: &str, ahead: bool) -> Driver {
        Driver {
            tag: String::from(tag),
            ahead,
            conditions: Conditions::default(),
            ledger: Ledger::default(),
            sizing: Sizing::default(),
            grants: Vec::new(),
            grant_count: 0,
            newest_applied: 0,
            node_tags: Vec::new(),
            sent: Vec::new(),
            echo: None,
            demand: None,
            claimed_at: None,
            handed: None,
            proof: None,
            pool: PoolView::default(),
            scoped: true,
        }
    }

    /// The counter's name.
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// Takes note of what is so from now on.
    pub fn set_conditions(&mut self, conditions: Conditions) {
        self.conditions = conditions;
    }

    /// The counter is dry: everything it was handed has been issued.
    pub fn dry(&mut self, now: u64) -> Vec<Effect> {
        if let Some((range, _)) = self.handed.take() {
            self.use_up(range.len());
        }
        let hand = self.hand();
        self.demand = None;
        let effects = self.apply(Event::Dry(hand), now);
        self.park_target(effects)
    }

    /// More numbers are wanted than are at hand.
    pub fn wanted(&mut self, group: u32, demand: Demand, now: u64) -> Vec<Effect> {
        self.demand = Some(demand);
        self.apply(Event::Wanted { group }, now)
    }

    /// Callers wait, and the device may have numbers for them.
    pub fn claim(&mut self) -> Vec<Effect> {
        if self.pooled() { self.apply(Event::Claim, 0) } else { Vec::new() }
    }

    /// What [`Effect::Claim`] wishes: as many as wait, and a block where one number after the other would cost a
    /// transaction each. What a page does not use of it may die with the page.
    pub fn claim_move(&self, now: u64) -> MoveKind {
        let is_loop = self.claimed_at.is_some_and(|at| now.saturating_sub(at) < LOOP_GAP);
        MoveKind::Claim(if self.conditions.hold && is_loop { self.block() } else { self.conditions.waiting.max(1) })
    }

    /// Everything parked is wanted back.
    pub fn take_out(&mut self) -> Vec<Effect> {
        self.pool.withdraw();
        self.apply(Event::TakeOut, 0)
    }

    /// Numbers in memory go to the pool, but for the block in use.
    pub fn park(&mut self) -> Vec<Effect> {
        let count = if self.scoped { u64::MAX } else { 0 };
        self.apply(Event::Share { count }, 0)
    }

    /// The move that an effect asks of the pool; `incarnation` is the last that the store has heard of.
    pub fn build_move(&mut self, kind: MoveKind, incarnation: Option<String>) -> Move {
        // Loops, here and below: each `filter_map` that is collected costs the shipped module 150 bytes.
        let mut issued = Vec::new();
        for (node, highest) in self.ledger.issued() {
            if let Some(tag) = self.node_tags.get(*node as usize) {
                issued.push((tag.clone(), *highest));
            }
        }
        // As if the counter had issued all that it has: a page that goes has no time to tell how far it came.
        if let Some((block, grant)) = self.handed.and_then(|(block, lease)| Some((block, self.grant(lease)?))) {
            issued.push((grant.tag.clone(), block.high()));
        }
        let unused = if matches!(kind, MoveKind::TakeOut { .. }) { self.unused() } else { Vec::new() };
        let used = self.pool.report(self.handed.map(|(block, _)| block.high()));
        Move { incarnation, issued, unused, used, kind }
    }

    /// Whether the device has a pool.
    fn pooled(&self) -> bool {
        pool::PRESENT && self.conditions.pooled
    }

    /// What memory holds.
    fn unused(&self) -> Vec<Parked> {
        let mut unused = Vec::new();
        for (range, lease) in self.ledger.tail() {
            if let Some(grant) = self.grant(lease) {
                unused.push(parked(grant, Some(range)));
            }
        }
        unused
    }

    /// What [`Effect::Admit`] wishes; known until the next event.
    pub fn admission_move(&self, lease: u32) -> Option<MoveKind> {
        let grant = parked(self.grant(lease)?, None);
        let target = self.target(self.conditions.waiting);
        Some(MoveKind::Admit { grant, demand: self.conditions.waiting, target, known: self.pool.known_at_lease() })
    }

    /// What the [`Effect::Park`]s among the effects wish, if there are any.
    pub fn parking_move(&self, effects: &[Effect]) -> Option<MoveKind> {
        let mut numbers = Vec::new();
        for effect in effects {
            if let Effect::Park { range, lease } = effect
                && let Some(grant) = self.grant(*lease)
            {
                numbers.push(parked(grant, Some(*range)));
            }
        }
        (!numbers.is_empty()).then_some(MoveKind::Park(numbers))
    }

    /// What the device should hear of numbers that were issued, if no other move tells it: a crash must not lose the
    /// mark by which a server that went back is noticed.
    pub fn report_move(&self) -> Option<MoveKind> {
        (self.pooled() && self.handed.is_some() && self.pool.is_report_due()).then(|| MoveKind::Park(Vec::new()))
    }

    /// A claim is through.
    pub fn claimed(&mut self, request: u32, outcome: Outcome, now: u64) -> Vec<Effect> {
        self.update_pool(&outcome);
        let leases = outcome.taken.into_iter().map(|taken| {
            let (prefix, tag) = (taken.prefix, taken.tag);
            let node = self.intern(&tag);
            let fields =
                Grant { range: taken.range, prefix, tag, fence: None, node: NodeId(0), echo: None, incarnation: None };
            Lease { node, ..self.admit(Box::new(fields)) }
        });
        let leases = leases.collect();
        self.claimed_at = Some(now);
        let hand = self.hand();
        let mut effects = self.apply(Event::Claimed { request, leases, hand }, now);
        // Where all is parked, the pool's level is the low water that counts.
        if hand.low_water > 0 && self.pool.parked() + self.held() <= hand.low_water {
            self.demand = None;
            effects.extend(self.apply(Event::Wanted { group: 0 }, now));
        }
        effects
    }

    /// An admission is through.
    ///
    /// Without an outcome the grant was never compared with what the device knows: it is burnt, unless there is no longer
    /// a pool to know anything.
    pub fn admitted(&mut self, request: u32, outcome: Option<Outcome>, durable: bool, now: u64) -> Vec<Effect> {
        if outcome.is_none() && self.pooled() {
            return self.apply(Event::Failed { request }, now);
        }
        let outcome = outcome.unwrap_or_default();
        if durable {
            self.update_pool(&outcome);
        }
        if let Some(highest) = outcome.conflict {
            return self.apply(Event::Regressed { request, highest, overtaken: outcome.overtaken }, now);
        }
        let hand = self.hand();
        let effects = self.apply(Event::Admitted { request, parked: outcome.put, hand }, now);
        self.park_target(effects)
    }

    /// Takes note of what a move said of the device.
    pub fn update_pool(&mut self, outcome: &Outcome) {
        self.pool.update(outcome);
    }

    /// Numbers parked, as the last move saw it; `None`: no numbers of this source can be.
    pub fn parked(&self) -> Option<u64> {
        self.scoped.then(|| self.pool.parked())
    }

    /// How many numbers should be parked when `soon` more will have been used.
    fn target(&self, soon: u64) -> u64 {
        match self.conditions {
            Conditions { hold: false, .. } => u64::MAX,
            Conditions { keep, grow: true, .. } => keep.saturating_mul(self.pool.total_used(soon).max(1)),
            Conditions { keep, .. } => keep,
        }
    }

    /// Parks more where the device turns out to use more.
    fn park_target(&mut self, mut effects: Vec<Effect>) -> Vec<Effect> {
        let missing = self.target(1).saturating_sub(self.pool.parked());
        if self.pooled() && self.scoped && missing > 0 && self.held() > 0 {
            let parks = self.ledger.on(Event::Share { count: missing });
            let len = |effect: &Effect| if let Effect::Park { range, .. } = effect { range.len() } else { 0 };
            self.pool.park(parks.iter().map(len).sum());
            effects.extend(parks);
        }
        effects
    }

    fn hand(&self) -> Hand {
        let low_water = if self.ahead { self.sizing.low_water() } else { 0 };
        Hand { low_water, block: if self.pooled() { self.block() } else { 0 } }
    }

    /// With a pool, blocks grow with what was used: what the counter has is out of the pool's reach. Those who wait are served first.
    fn block(&self) -> u64 {
        (self.pool.used() / 2).clamp(1, LARGEST_BLOCK).max(self.conditions.waiting)
    }

    fn use_up(&mut self, count: u64) {
        self.sizing.used(count);
        self.pool.use_up(count);
    }

    /// What to ask for right now; decided when it is sent, because a burst of callers arrives one by one. The nonce is any
    /// random number.
    pub fn ask(&self, above: u64, now: u64, nonce: u64) -> Ask {
        let ahead = Demand { count: self.conditions.waiting, exact: false };
        let size = match self.demand.unwrap_or(ahead) {
            Demand { count, exact: true } => Size::Exact(count),
            Demand { count, .. } => self.sizing.size(self.echo.clone(), count, self.conditions.capacity, now),
        };
        let proof = self.proof.as_ref().filter(|(high, _)| above > 0 && *high >= above).map(|(_, fence)| fence.clone());
        Ask { tag: self.tag.clone(), size, above, proof, nonce }
    }

    /// A lease was granted.
    pub fn granted(&mut self, request: u32, grant: Box<Grant>, now: u64) -> Vec<Effect> {
        if let Some(at) = self.sent.iter().position(|sent| sent.request == request) {
            let sent = self.sent.swap_remove(at);
            self.sizing.answered(now, now.saturating_sub(sent.at));
        }
        self.echo.clone_from(&grant.echo);
        self.scoped = grant.incarnation.is_some();
        let high = grant.range.high();
        if let Some(fence) =
            grant.fence.as_ref().filter(|_| self.proof.as_ref().is_none_or(|(known, _)| *known <= high))
        {
            self.proof = Some((high, fence.as_str().into()));
        }
        let admit = self.pooled() && self.scoped;
        let lease = self.admit(grant);
        // Of the numbers above it none was issued when it was asked for: a sibling has leased and parked them meanwhile.
        if admit && lease.range.low() > self.pool.known_at_lease() {
            self.ledger.overtake(request);
        }
        let hand = self.hand();
        self.apply(Event::Granted { request, lease, admit, hand }, now)
    }

    /// A lease or a claim will not come.
    pub fn failed(&mut self, request: u32) {
        self.sent.retain(|sent| sent.request != request);
        self.apply(Event::Failed { request }, 0);
    }

    /// A move was lost: what is parked is not known any more.
    pub fn lost(&mut self) {
        self.pool.lost();
    }

    /// The counter was emptied; `next` is the first number it did not issue.
    pub fn surrendered(&mut self, next: u64, now: u64) {
        if let Some((range, _)) = self.handed.take() {
            self.use_up(next.clamp(range.low(), range.high() + 1) - range.low());
        }
        self.apply(Event::Surrendered { next }, now);
    }

    /// The page goes away.
    pub fn leaving(&mut self) {
        self.apply(Event::Leaving, 0);
    }

    /// The page was restored.
    pub fn back(&mut self) {
        self.apply(Event::Back, 0);
    }

    /// Nothing more may be issued.
    pub fn closing(&mut self) {
        self.apply(Event::Closing, 0);
    }

    /// The database is another one than before.
    pub fn forget(&mut self) {
        (self.handed, self.proof) = (None, None);
        self.pool.forget();
        self.apply(Event::Forget, 0);
    }

    /// Everything in memory goes back; `refence`: also what has no fence, if one can be read now.
    pub fn give_back(&mut self, refence: bool) -> Vec<Effect> {
        self.apply(Event::GiveBack { refence }, 0)
    }

    /// The counter document was read for [`Effect::Refence`]: `Max`, its fence, and the node that told.
    pub fn refenced(&mut self, request: u32, lease: u32, found: Option<(u64, String, NodeId)>) -> Vec<Effect> {
        let granted = self.grants.iter_mut().find(|granted| granted.id == lease);
        let found = granted.zip(found).map(|(granted, (max, fence, node))| {
            granted.grant.fence = Some(fence);
            granted.grant.node = node;
            (max, granted.grant.is_single_node())
        });
        self.apply(Event::Refenced { request, found }, 0)
    }

    /// Numbers in memory that the counter can be given.
    pub fn usable(&self) -> u64 {
        if self.ledger.is_open() { self.ledger.held() } else { 0 }
    }

    /// Numbers in memory behind those that the counter has.
    pub fn held(&self) -> u64 {
        self.ledger.held()
    }

    /// The same numbers, in the order in which they will be used.
    pub fn tail(&self) -> impl Iterator<Item = Range> {
        self.ledger.tail().map(|(range, _)| range)
    }

    /// The grant of a lease in an effect; known until the next event.
    pub fn grant(&self, lease: u32) -> Option<&Grant> {
        self.grants.iter().find(|granted| granted.id == lease).map(|granted| &*granted.grant)
    }

    /// What an [`Effect::Return`] sends, and the only node that may get it. What the device takes for issued, or is about to, stays
    /// used: granted again, it would look like a server that went back.
    pub fn return_of(&self, lease: u32, high: u64, last: u64) -> Option<(NodeId, Return)> {
        let grant = self.grant(lease)?;
        let last = last.max(self.pool.highest());
        (last < high).then_some(())?;
        Some((grant.node, Return { tag: self.tag.clone(), fence: grant.fence.clone()?, high, last }))
    }

    /// Takes in what came, under a new number.
    fn admit(&mut self, grant: Box<Grant>) -> Lease {
        self.grant_count = self.grant_count.wrapping_add(1);
        let lease = Lease {
            id: self.grant_count,
            range: grant.range,
            node: self.intern(&grant.tag),
            fenced: grant.fence.is_some(),
            merges: grant.is_single_node(),
        };
        self.grants.push(Granted { id: lease.id, grant });
        lease
    }

    /// Without case, as the ids are.
    fn intern(&mut self, tag: &str) -> u32 {
        let at = self.node_tags.iter().position(|known| key::surely_same(known, tag)).unwrap_or_else(|| {
            self.node_tags.push(String::from(tag));
            self.node_tags.len() - 1
        });
        at as u32
    }

    fn apply(&mut self, event: Event, now: u64) -> Vec<Effect> {
        // Only now: what the last effects spoke of has been looked up. Grants that the event brings are not known yet.
        let fresh = core::mem::replace(&mut self.newest_applied, self.grant_count);
        self.grants.retain(|granted| granted.id > fresh || self.ledger.knows(granted.id));
        let effects = self.ledger.on(event);
        for effect in &effects {
            match *effect {
                Effect::Lease { request, .. } => {
                    self.sent.push(LeaseSent { request, at: now });
                    self.pool.leasing(self.handed.map_or(0, |(block, _)| block.high()));
                }
                Effect::Hand { range, lease } => self.handed = Some((range, lease)),
                _ => {}
            }
        }
        effects
    }
}

/// A grant, or a part of it, as the pool keeps it.
fn parked(grant: &Grant, range: Option<Range>) -> Parked {
    Parked { range: range.unwrap_or(grant.range), prefix: grant.prefix.clone(), tag: grant.tag.clone() }
}

#[cfg(test)]
#[path = "driver_tests.rs"]
mod tests;
