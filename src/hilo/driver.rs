//! The driver of one tag: combines the ledger with what belongs to its leases.

use alloc::vec::Vec;

use super::pool_view::PoolView;
use super::{Ask, CounterState, Echo, Effect, Event, Grant, Hand, Lease, Ledger, Range, Return, Size, Sizing, Waiters};
use crate::http::NodeId;
use crate::pool::{self, Move, MoveKind, Outcome, Parked};

struct Granted {
    id: u32,
    grant: Grant,
}

struct LeaseSent {
    request: u32,
    at: u64,
}

/// With a pool, the largest block of the counter: the device learns what the counter issued only when the block is used up.
const LARGEST_BLOCK: u64 = 16;

/// Numbers that are needed within this time, in microseconds, after the last ones mean code in a loop (a *burst*), not a user. A burst
/// claims the pool once, as far as the page may use it up, and then runs from memory. When it has paused for this time, the pool is
/// refilled from the bottom of memory.
const LOOP_GAP: u64 = 50_000;

/// The conditions under which a tag works at the moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// How many callers wait.
    pub waiting: u64,
    /// How many numbers callers took in vain, and will take again.
    pub missed: u64,
    /// How many numbers callers reserve.
    pub reserved: u64,
    /// Whether the device has a pool.
    pub pooled: bool,
    /// Whether memory may hold more numbers than callers wait for: a page that is alone on its origin returns them at unload.
    pub hold: bool,
    /// How many numbers to keep parked.
    pub keep: u64,
    /// Whether `keep` counts per number that the device has used, up to the whole lease.
    pub grow: bool,
    /// The size of ranges to lease; 0: follows demand.
    pub capacity: u64,
}

impl Conditions {
    /// Adds waiting callers: if they reserve numbers, exactly those are kept.
    pub fn among(self, waiters: &Waiters) -> Conditions {
        let reserved = waiters.reserved();
        Conditions {
            waiting: self.waiting + waiters.waiting(),
            missed: self.missed + waiters.missing(),
            reserved: self.reserved.max(reserved),
            keep: self.keep.max(reserved),
            grow: self.grow && reserved == 0,
            ..self
        }
    }
}

/// How many numbers callers need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// How many are missing.
    pub count: u64,
    /// Whether to lease exactly that many, for a reserve.
    pub exact: bool,
}

/// The driver of one tag. Times are in microseconds of any monotonic clock.
pub struct Driver {
    /// Whether to lease ahead of need. Not on workerd, where nothing outlives its request.
    ahead: bool,
    conditions: Conditions,
    ledger: Ledger,
    sizing: Sizing,
    grants: Vec<Granted>,
    grant_count: u32,
    /// The newest grant when the last event was applied: the ledger knows all grants up to it.
    newest_applied: u32,
    sent: Vec<LeaseSent>,
    echo: Option<Echo>,
    /// What the pending lease of a caller is for; `None`: it is requested ahead of need.
    demand: Option<Demand>,
    /// When the counter got its last block.
    handed_at: Option<u64>,
    /// The counter's block, its lease, and how many of the numbers callers get at once: those are announced as issued.
    handed: Option<(Range, u32, u64)>,
    /// How many numbers the counter has ahead of need: none until the app calls `take()` or `ready()`.
    spare: u64,
    /// Whether a refill of the pool is under way.
    refilling: bool,
    /// The highest lease that had a fence: its highest number, and its texts.
    proof: Option<(u64, u32)>,
    pool: PoolView,
    /// Whether the source reports an incarnation. Without one, it could not be checked later which database parked numbers belong to.
    scoped: bool,
}

impl Driver {
    /// A driver without numbers.
    pub fn new(ahead: bool) -> Driver {
        Driver {
            ahead,
            conditions: Conditions::default(),
            ledger: Ledger::default(),
            sizing: Sizing::default(),
            grants: Vec::new(),
            grant_count: 0,
            newest_applied: 0,
            sent: Vec::new(),
            echo: None,
            demand: None,
            handed_at: None,
            handed: None,
            spare: 0,
            refilling: false,
            proof: None,
            pool: PoolView::default(),
            scoped: true,
        }
    }

    /// Sets the conditions that hold from now on.
    pub fn set_conditions(&mut self, conditions: Conditions) {
        self.conditions = conditions;
    }

    /// How many numbers the counter is to have ahead of need from now on: those that a user interface takes synchronously. What it has
    /// when the page is left is lost.
    pub fn keep_at_hand(&mut self, spare: u64) {
        self.spare = spare;
    }

    /// A caller waits for an id: what `ready()` has put into the counter is used, and is not put there again. An app that calls `take`
    /// keeps the next number ahead of need.
    pub fn id_wanted(&mut self) {
        if self.spare > 1 {
            self.spare = 0;
        }
    }

    /// The counter is dry: everything it was handed has been issued. `taking`: a caller takes the next number now.
    pub fn dry(&mut self, taking: bool, now: u64) -> Vec<Effect> {
        if let Some((range, ..)) = self.handed.take() {
            self.use_up(range.len());
        }
        let hand = self.hand(now);
        let effects = self.apply_ahead(Event::Dry(hand), now);
        if let Some((.., at_once)) = &mut self.handed {
            *at_once = (*at_once).max(u64::from(taking));
        }
        effects
    }

    /// Callers need more numbers than memory holds.
    pub fn wanted(&mut self, group: u32, demand: Demand, now: u64) -> Vec<Effect> {
        self.demand = Some(demand);
        self.apply(Event::Wanted { group }, now)
    }

    /// Callers wait, and the pool may have numbers for them.
    pub fn claim(&mut self) -> Vec<Effect> {
        if self.pooled() { self.apply(Event::Claim, 0) } else { Vec::new() }
    }

    /// Whether the numbers that are needed now belong to a burst.
    fn is_burst(&self, now: u64) -> bool {
        self.handed_at.is_some_and(|at| now.saturating_sub(at) < LOOP_GAP)
    }

    /// How many numbers the counter gets beyond those that callers get at once.
    fn spare(&self) -> u64 {
        self.spare.max(self.conditions.missed)
    }

    /// How many numbers callers need in the counter.
    fn needed(&self) -> u64 {
        (self.conditions.waiting + self.spare()).max(1)
    }

    /// The move for an [`Effect::Claim`]: what callers need; or for a burst, which would otherwise cost one transaction per number, the
    /// whole pool. It is as large as the page's use of numbers makes it; what an app has reserved beyond that stays on the device.
    pub fn claim_move(&self, now: u64) -> MoveKind {
        let demand = self.conditions.waiting;
        let whole =
            if self.conditions.hold && self.is_burst(now) { self.target(demand).max(self.block(now)) } else { 0 };
        MoveKind::Claim { count: self.needed().max(whole), demand }
    }

    /// Takes everything parked out of the pool.
    pub fn take_out(&mut self) -> Vec<Effect> {
        self.pool.withdraw();
        self.apply(Event::TakeOut, 0)
    }

    /// Parks the numbers in memory, except the block in use.
    pub fn park(&mut self) -> Vec<Effect> {
        let count = if self.scoped { u64::MAX } else { 0 };
        self.apply(Event::Share { count }, 0)
    }

    /// Builds a move; `incarnation` is the last one that the store knows.
    pub fn build_move(&mut self, kind: MoveKind, incarnation: u32) -> Move {
        let mut issued = Vec::from(self.ledger.issued());
        // Of the counter's block, what callers get at once counts as issued: a page that unloads has no time to report how far it
        // came. The rest does not: it can still be returned.
        let mut announced = None;
        if let Some((block, lease, at_once)) = self.handed
            && let (Some(grant), Some(now)) = (self.grant(lease), block.split(at_once).0)
        {
            issued.push((grant.node_tag, now.high()));
            announced = Some(now.high());
        }
        let unused = if matches!(kind, MoveKind::TakeOut { .. }) { self.unused() } else { Vec::new() };
        let used = self.pool.report(announced);
        Move { incarnation, issued, unused, used, kind }
    }

    /// Whether the device has a pool.
    fn pooled(&self) -> bool {
        pool::PRESENT && self.conditions.pooled
    }

    /// The numbers in memory, as the pool stores them.
    fn unused(&self) -> Vec<Parked> {
        // Loops, here and below: each collected `filter_map` adds 150 bytes to the shipped module.
        let mut unused = Vec::new();
        for (range, lease) in self.ledger.tail() {
            if let Some(grant) = self.grant(lease) {
                unused.push(parked(grant, Some(range)));
            }
        }
        unused
    }

    /// The move for an [`Effect::Admit`]; available until the next event.
    pub fn admission_move(&self, lease: u32, now: u64) -> Option<MoveKind> {
        let grant = parked(self.grant(lease)?, None);
        let Conditions { waiting: demand, reserved, hold, .. } = self.conditions;
        // A burst runs from memory. What memory has is lower than the grant, and is parked before it.
        let later = hold && reserved == 0 && (self.is_burst(now) || self.held() > 0);
        let target = if later { 0 } else { self.target(demand) };
        Some(MoveKind::Admit { grant, demand, spare: self.spare(), target, known: self.pool.known_at_lease() })
    }

    /// The move for the [`Effect::Park`]s among the effects, if there are any.
    pub fn parking_move(&mut self, effects: &[Effect]) -> Option<MoveKind> {
        let mut numbers = Vec::new();
        for effect in effects {
            if let Effect::Park { range, lease } = effect
                && let Some(grant) = self.grant(*lease)
            {
                numbers.push(parked(grant, Some(*range)));
                self.pool.park(*range);
            }
        }
        (!numbers.is_empty()).then_some(MoveKind::Park(numbers))
    }

    /// A move that reports issued numbers to the device, if a report is due and no other move carries it: a crash must not lose the
    /// mark that reveals a server that went back in time.
    pub fn report_move(&self) -> Option<MoveKind> {
        (self.pooled() && self.handed.is_some() && self.pool.is_report_due()).then(|| MoveKind::Park(Vec::new()))
    }

    /// A claim, take-out or park has finished.
    pub fn claimed(&mut self, request: u32, outcome: Outcome, now: u64) -> Vec<Effect> {
        self.update_pool(&outcome);
        let mut leases = Vec::new();
        for Parked { range, affixes, node_tag, token } in outcome.taken {
            let (lease, texts, sealed) = token.map_or((range, 0, false), |token| (token.lease, token.text, true));
            let (fenced, single_node, node, incarnation) = (sealed, false, NodeId(0), 0);
            let grant =
                Grant { range: lease, affixes, node_tag, texts, fenced, sealed, single_node, node, incarnation };
            leases.push((self.admit(grant), range));
        }
        let hand = self.hand(now);
        let mut effects = self.apply(Event::Claimed { request, leases, hand }, now);
        // With siblings nearly all numbers are parked, so the low water mark applies to pool and memory together.
        if hand.low_water > 0 && self.pool.parked() + self.held() <= hand.low_water {
            effects.extend(self.apply_ahead(Event::Wanted { group: 0 }, now));
        }
        effects
    }

    /// An admission has finished.
    ///
    /// Without an outcome the grant was never compared with the device's record: it is burnt, unless the device no longer has a
    /// pool.
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
        let hand = self.hand(now);
        self.apply(Event::Admitted { request, parked: outcome.put, hand }, now)
    }

    /// A move of this kind has finished; its outcome follows if it is known.
    pub fn has_moved(&mut self, kind: &MoveKind) {
        if let MoveKind::Park(numbers) = kind {
            self.pool.parked_or_lost(numbers.iter().map(|parked| parked.range.len()).sum());
        }
    }

    /// Takes over what a move reports about the pool.
    pub fn update_pool(&mut self, outcome: &Outcome) {
        self.pool.update(outcome);
    }

    /// Numbers parked, as the last move saw it; `None`: no numbers of this source can be.
    pub fn parked(&self) -> Option<u64> {
        self.scoped.then(|| self.pool.confirmed())
    }

    /// How many numbers should be parked when `soon` more will have been used.
    fn target(&self, soon: u64) -> u64 {
        match self.conditions {
            Conditions { hold: false, .. } => u64::MAX,
            Conditions { keep, grow: true, .. } => keep.saturating_mul(self.pool.total_used(soon).max(1)),
            Conditions { keep, .. } => keep,
        }
    }

    /// Whether the pool will have to be refilled from memory when the burst has paused. Then a refill begins, and is under way until
    /// [`Driver::end_refill`].
    pub fn begin_refill(&mut self) -> bool {
        let useful = self.target(0) > 0 || self.pool.lowest() > 0;
        let begins = self.pooled() && self.scoped && self.conditions.hold && useful && !self.refilling;
        self.refilling |= begins;
        begins
    }

    /// How long to wait until the burst has paused, in milliseconds; 0: it has, or nothing is refilled any more.
    pub fn rest_of_pause(&self, now: u64) -> u64 {
        let since = self.handed_at.map_or(LOOP_GAP, |at| now.saturating_sub(at));
        if self.refilling && self.conditions.hold { LOOP_GAP.saturating_sub(since).div_ceil(1_000) } else { 0 }
    }

    /// Whether the pool can be refilled now. While callers wait, what they get begins another refill.
    pub fn is_refillable(&self) -> bool {
        let Conditions { hold, waiting, .. } = self.conditions;
        self.refilling && self.pooled() && self.scoped && hold && waiting == 0 && self.ledger.is_open()
    }

    /// Refills the pool from the bottom of memory, up to what the device should have. What is lower than the parked numbers is parked too: it
    /// could not be returned. The counter was emptied, and gets back what it has ahead of need.
    pub fn refill(&mut self, now: u64) -> Vec<Effect> {
        let mut effects = Vec::new();
        if self.spare > 0 && self.handed.is_none() {
            let hand = Hand { low_water: 0, block: self.spare, ..self.hand(now) };
            let at = self.handed_at;
            effects = self.apply(Event::Dry(hand), now);
            // Nobody takes a number now.
            self.handed_at = at;
            if let Some((.., at_once)) = &mut self.handed {
                *at_once = 0;
            }
        }
        let missing = self.target(0).saturating_sub(self.pool.parked());
        let below = if self.pool.lowest() > 0 { self.usable() } else { 0 };
        let count = missing.max(below).min(self.held());
        if count > 0 {
            effects.extend(self.apply(Event::Share { count }, now));
        }
        effects
    }

    /// The refill has ended, or was given up. The next block of the counter begins another one.
    pub fn end_refill(&mut self) {
        self.refilling = false;
    }

    fn hand(&self, now: u64) -> Hand {
        let low_water = if pool::PRESENT && self.ahead { self.sizing.low_water() } else { 0 };
        let block = if self.pooled() { self.block(now) } else { 0 };
        Hand { low_water, block, parked: if self.pooled() { self.pool.lowest() } else { 0 } }
    }

    /// The size of the counter's next block where there is a pool: what callers need. In a burst it grows with usage, because a crash
    /// burns the block.
    fn block(&self, now: u64) -> u64 {
        let grown = if self.is_burst(now) { (self.pool.used() / 2).min(LARGEST_BLOCK) } else { 1 };
        grown.max(self.needed())
    }

    fn use_up(&mut self, count: u64) {
        self.sizing.used(count);
        self.pool.use_up(count);
    }

    /// The request for a range. Decided when it is sent, because the callers of a burst arrive one by one. `nonce`: any random
    /// number.
    pub fn ask(&self, tag: u32, above: u64, incarnation: u32, now: u64, nonce: u64) -> Ask {
        let ahead = Demand { count: self.conditions.waiting, exact: false };
        let size = match self.demand.unwrap_or(ahead) {
            Demand { count, exact: true } => Size::Exact(count),
            Demand { count, .. } => self.sizing.size(self.echo, count, self.conditions.capacity, now),
        };
        let proof = self.proof.filter(|(high, _)| above > 0 && *high >= above).map_or(0, |(_, texts)| texts);
        Ask { tag, size, above, proof, incarnation, nonce, oldest_texts: self.oldest_texts() }
    }

    /// The lowest number of texts that this driver may still need. Texts get their numbers in ascending order.
    fn oldest_texts(&self) -> u32 {
        let known = [self.echo.map(|echo| echo.texts), self.proof.map(|(_, texts)| texts)];
        let granted = self.grants.iter().map(|granted| granted.grant.texts).filter(|texts| *texts > 0);
        granted.chain(known.into_iter().flatten()).fold(u32::MAX, u32::min)
    }

    /// A lease was granted.
    pub fn granted(&mut self, request: u32, grant: Grant, now: u64) -> Vec<Effect> {
        if let Some(at) = self.sent.iter().position(|sent| sent.request == request) {
            let sent = self.sent.swap_remove(at);
            self.sizing.responded(now, now.saturating_sub(sent.at));
        }
        self.echo = Some(Echo { size: grant.range.len(), texts: grant.texts });
        self.scoped = grant.incarnation > 0;
        let high = grant.range.high();
        if grant.fenced && self.proof.is_none_or(|(known, _)| known <= high) {
            self.proof = Some((high, grant.texts));
        }
        let admit = self.pooled() && self.scoped;
        let lease = self.admit(grant);
        // None of the numbers above it was issued when it was requested: a sibling has leased and parked them in the meantime.
        if admit && lease.range.low() > self.pool.known_at_lease() {
            self.ledger.overtake(request);
        }
        let hand = self.hand(now);
        self.apply(Event::Granted { request, lease, admit, hand }, now)
    }

    /// A lease or claim has failed.
    pub fn failed(&mut self, request: u32) {
        self.sent.retain(|sent| sent.request != request);
        self.apply(Event::Failed { request }, 0);
    }

    /// A move was lost: how many numbers are parked is unknown.
    pub fn lost(&mut self) {
        self.pool.lost();
    }

    /// The counter was emptied; `next` is the first number it did not issue.
    pub fn surrendered(&mut self, next: u64, now: u64) {
        if let Some((range, ..)) = self.handed.take() {
            self.use_up(next.clamp(range.low(), range.high() + 1) - range.low());
        }
        self.apply(Event::Surrendered { next }, now);
    }

    /// The page leaves.
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

    /// The database was replaced by another one.
    pub fn forget(&mut self) {
        (self.handed, self.proof) = (None, None);
        self.pool.forget();
        self.apply(Event::Forget, 0);
    }

    /// Returns everything in memory; `refence`: also numbers without a fence, if one can be read now.
    pub fn give_back(&mut self, refence: bool) -> Vec<Effect> {
        self.apply(Event::GiveBack { refence }, 0)
    }

    /// The counter document was read for [`Effect::Refence`], by this node.
    pub fn refenced(&mut self, request: u32, lease: u32, found: Option<CounterState>, node: NodeId) -> Vec<Effect> {
        let granted = self.grants.iter_mut().find(|granted| granted.id == lease);
        let found = granted.zip(found).map(|(Granted { grant, .. }, state)| {
            let CounterState { max, texts, single_node } = state;
            *grant = Grant { texts, fenced: true, single_node, node, ..*grant };
            (max, single_node)
        });
        self.apply(Event::Refenced { request, found }, 0)
    }

    /// How many numbers in memory the counter can be given: those below the lowest parked number.
    pub fn usable(&self) -> u64 {
        if !self.ledger.is_open() {
            return 0;
        }
        let parked = if self.pooled() { self.pool.lowest() } else { 0 };
        let end = if parked > 0 { parked } else { u64::MAX };
        self.ledger
            .tail()
            .filter(|(range, _)| range.low() < end)
            .map(|(range, _)| range.len().min(end - range.low()))
            .sum()
    }

    /// How many numbers memory holds beyond the counter's block.
    pub fn held(&self) -> u64 {
        self.ledger.held()
    }

    /// These numbers, in the order in which they will be used.
    pub fn tail(&self) -> impl Iterator<Item = Range> {
        self.ledger.tail().map(|(range, _)| range)
    }

    /// The grant of a lease in an effect; available until the next event.
    pub fn grant(&self, lease: u32) -> Option<&Grant> {
        self.grants.iter().find(|granted| granted.id == lease).map(|granted| &granted.grant)
    }

    /// What an [`Effect::Return`] sends, and the only node that may receive it. Numbers that the device marks as issued, or will mark,
    /// are not returned: if they were granted again, the server would seem to have gone back in time.
    pub fn return_of(&self, tag: u32, lease: u32, high: u64, last: u64) -> Option<(NodeId, Return)> {
        let grant = self.grant(lease)?;
        let last = last.max(self.pool.highest());
        (last < high && grant.fenced).then_some((grant.node, Return { tag, texts: grant.texts, high, last }))
    }

    /// Stores a grant under a new number.
    fn admit(&mut self, grant: Grant) -> Lease {
        self.grant_count = self.grant_count.wrapping_add(1);
        let (id, Grant { range, node_tag: node, fenced, single_node: merges, .. }) = (self.grant_count, grant);
        self.grants.push(Granted { id, grant });
        Lease { id, range, node, fenced, merges }
    }

    /// Applies an event that may lease ahead of need. If it does, no caller's demand decides the size. If it does not, the demand
    /// stays: a lease for it may be in flight, and is requested again if its grant is refused.
    fn apply_ahead(&mut self, event: Event, now: u64) -> Vec<Effect> {
        let effects = self.apply(event, now);
        if effects.iter().any(|effect| matches!(effect, Effect::Lease { .. })) {
            self.demand = None;
        }
        effects
    }

    fn apply(&mut self, event: Event, now: u64) -> Vec<Effect> {
        // Grants are dropped only now, because the effects of the last event have been carried out by now. The ledger does not know
        // the grants of this event yet, so newer ones are kept.
        let fresh = core::mem::replace(&mut self.newest_applied, self.grant_count);
        self.grants.retain(|granted| granted.id > fresh || self.ledger.knows(granted.id));
        let effects = self.ledger.on(event);
        for effect in &effects {
            match *effect {
                Effect::Lease { request, .. } => {
                    self.sent.push(LeaseSent { request, at: now });
                    self.pool.leasing(self.handed.map_or(0, |(block, ..)| block.high()));
                }
                Effect::Hand { range, lease } => {
                    self.handed = Some((range, lease, self.conditions.waiting));
                    self.handed_at = Some(now);
                }
                _ => {}
            }
        }
        effects
    }
}

/// A grant, or a part of it, as the pool stores it.
fn parked(grant: &Grant, range: Option<Range>) -> Parked {
    let Grant { affixes, node_tag, .. } = *grant;
    Parked { range: range.unwrap_or(grant.range), affixes, node_tag, token: grant.token() }
}

#[cfg(test)]
#[path = "driver_tests.rs"]
mod tests;
