//! The callers that wait for numbers of a tag, and the next step for them: a claim, a lease, or giving up.
//!
//! One *flight* at a time serves all waiting callers: it claims from the pool, waits for its turn among the tabs of the device, and
//! leases. On workerd, where no request may wait for another one, each caller has its own [`Waiters`].

use alloc::vec::Vec;

use crate::pool;

/// After a failure, a caller with less time left than this expires instead of waiting for another attempt, in milliseconds.
const MIN_RETRY_TIME: u64 = 50;

/// What a caller waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Want {
    /// An id.
    Id,
    /// An id, but the caller does not wait: it found the counter empty and will call again.
    Retry,
    /// This many numbers: parked, where there is a pool, so that they outlive the page; else in memory.
    Numbers(u64),
    /// A few parked numbers, moved into memory, if any are parked. Nothing is leased for this.
    Ready,
    /// A few parked numbers for a counter that is to have numbers ahead of need; no caller waits.
    Spare,
}

/// The current supply of numbers of a tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Supply {
    /// The time in milliseconds, from a monotonic clock.
    pub now: u64,
    /// How many numbers in memory can be issued.
    pub at_hand: u64,
    /// How many numbers are parked, according to the last move; `None`: there is no pool.
    pub parked: Option<u64>,
    /// Whether the device has a pool.
    pub pooled: bool,
    /// Whether other stores of the database are active on the device.
    pub crowded: bool,
}

impl Supply {
    /// How many numbers count for [`Want::Numbers`].
    fn kept(&self) -> u64 {
        self.parked.filter(|_| self.pooled).unwrap_or(self.at_hand)
    }
}

/// An event for waiting callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// The counter has used up its numbers.
    Dry,
    /// The counter has no numbers, but no caller needs one yet: it is to have numbers ahead of need.
    Spare,
    /// The turn of the event loop in which the flight began is over. All callers of that turn count for the size of the lease.
    Gathered,
    /// [`Effect::Park`] has finished.
    Parked,
    /// [`Effect::Claim`] has finished.
    Claimed,
    /// For [`Effect::Turn`]: no other tab is leasing.
    Turned,
    /// [`Effect::Lease`] had nothing to send: another lease is in flight.
    Busy,
    /// For [`Effect::Share`]: the other task has ended.
    Shared,
    /// [`Effect::Lease`] has finished: numbers arrived, or were no longer needed.
    Leased,
    /// The current step of the flight has failed.
    Failed {
        /// Whether the same request may succeed later.
        outage: bool,
    },
    /// This caller got its id.
    Served(u32),
    /// For [`Effect::Settle`]: all callers that could be served are served.
    Settled,
    /// The time limit of this caller has passed.
    Expired(u32),
    /// The store ends, and all callers are dismissed.
    Closed,
}

/// An effect to carry out. The order of effects matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Serve this caller. A caller that waits for an id takes it from the counter now and is reported as [`Event::Served`]. If the
    /// counter is empty after all, because a refill has parked the rest, the caller goes on waiting.
    Serve(u32),
    /// Report [`Event::Settled`] after the callers were served; a new flight begins for the remaining ones.
    Settle,
    /// Report [`Event::Gathered`] at the end of this turn of the event loop.
    Gather,
    /// Park what memory holds; the move also reports how many numbers are parked.
    Park,
    /// Claim parked numbers from the pool.
    Claim,
    /// Wait until no other tab of the device is leasing; no other tab leases until [`Effect::End`].
    Turn,
    /// Lease numbers.
    Lease {
        /// How many are missing.
        count: u64,
        /// Whether to lease exactly that many.
        exact: bool,
    },
    /// Wait until another task of the tag has ended.
    Share,
    /// The flight has ended.
    End,
    /// Reject this caller with a timeout: its time limit has passed, or is too close to try again after a failure.
    Expire(u32),
    /// Reject this caller with the error reported by [`Event::Failed`].
    Refuse(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Waiter {
    number: u32,
    want: Want,
    /// Its deadline, in milliseconds of [`Supply::now`].
    until: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Stage {
    #[default]
    Idle,
    Gathering,
    Parking,
    Claiming,
    /// Waiting for its turn among the tabs.
    WaitingForTurn,
    /// Claiming again when it is its turn: another tab may have leased in the meantime.
    ClaimingInTurn,
    Leasing,
    /// Waiting for another task.
    Sharing,
}

impl Stage {
    /// Whether the flight does not claim: it reserves or leases.
    fn is_for_later(self) -> bool {
        matches!(self, Stage::Parking | Stage::WaitingForTurn | Stage::Leasing | Stage::Sharing)
    }
}

/// The callers that wait for numbers of one tag.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Waiters {
    waiters: Vec<Waiter>,
    numbers: u32,
    stage: Stage,
    /// Whether the flight began because the counter was dry: then it leases even if no caller waits.
    counter_dry: bool,
}

impl Waiters {
    /// Adds a caller with a deadline; returns its number.
    pub fn ask(&mut self, want: Want, until: u64, supply: Supply, effects: &mut Vec<Effect>) -> u32 {
        // The caller found the counter empty just now: it waits once.
        if want == Want::Id
            && let Some(at) = self.waiters.iter().position(|waiter| waiter.want == Want::Retry)
        {
            self.waiters.remove(at);
        }
        self.numbers = self.numbers.wrapping_add(1);
        self.waiters.push(Waiter { number: self.numbers, want, until });
        self.serve(supply, effects);
        self.numbers
    }

    /// A caller found the counter empty and will call again. It counts as waiting while the callers of the same turn of the event
    /// loop are gathered; after that, the size of the lease is decided.
    pub fn missed(&mut self) {
        if self.stage == Stage::Gathering {
            self.waiters.push(Waiter { number: 0, want: Want::Retry, until: 0 });
        }
    }

    /// The core leases ahead of need. Returns whether that lease is the flight now, so that its end must be reported.
    pub fn begin_ahead(&mut self) -> bool {
        let idle = self.stage == Stage::Idle;
        if idle {
            self.stage = Stage::Leasing;
        }
        idle
    }

    /// Processes an event and returns the effects to carry out.
    pub fn on(&mut self, event: Event, supply: Supply) -> Vec<Effect> {
        let mut effects = Vec::new();
        let out = &mut effects;
        match (event, self.stage) {
            // Events of a pool, as in the ledger.
            (Event::Parked | Event::Claimed | Event::Spare, _) if !pool::PRESENT => {}
            (Event::Dry, Stage::Idle) if supply.at_hand == 0 => {
                self.counter_dry = true;
                self.begin(supply, out);
            }
            (Event::Spare, Stage::Idle) if supply.pooled && supply.at_hand == 0 && supply.parked != Some(0) => {
                self.waiters.push(Waiter { number: 0, want: Want::Spare, until: 0 });
                self.begin(supply, out);
            }
            (Event::Gathered, Stage::Gathering) => self.start(supply, out),
            (Event::Parked, Stage::Parking) if self.shortfall(supply) == 0 => self.end(supply, out),
            (Event::Parked, Stage::Parking) => self.turn(out),
            (Event::Claimed, Stage::Claiming) if supply.at_hand == 0 => {
                self.dismiss(&[Want::Ready, Want::Spare], out);
                self.turn(out);
            }
            (Event::Turned, Stage::WaitingForTurn)
                if supply.pooled && supply.crowded && self.shortfall(supply) == 0 =>
            {
                self.enter(Stage::ClaimingInTurn, Effect::Claim, out);
            }
            (Event::Turned, Stage::WaitingForTurn) => self.lease(supply, out),
            (Event::Claimed, Stage::ClaimingInTurn) if supply.at_hand == 0 => self.lease(supply, out),
            (Event::Busy, Stage::Leasing) => self.enter(Stage::Sharing, Effect::Share, out),
            (Event::Claimed, stage) if stage.is_for_later() && supply.at_hand > 0 => self.serve(supply, out),
            (Event::Claimed, Stage::Claiming | Stage::ClaimingInTurn)
            | (Event::Leased, Stage::Leasing)
            | (Event::Shared, Stage::Sharing) => self.end(supply, out),
            (Event::Failed { outage }, stage) if stage != Stage::Idle => {
                self.fail(outage, supply, out);
                self.end(supply, out);
            }
            (Event::Served(number), _) => {
                self.remove(number);
            }
            (Event::Settled, _) => self.begin(supply, out),
            (Event::Expired(number), _) => self.expire(number, out),
            (Event::Closed, _) => *self = Waiters { numbers: self.numbers, ..Waiters::default() },
            // The event belongs to a flight that has ended.
            _ => {}
        }
        effects
    }

    /// How many numbers the waiting callers get at once.
    pub fn waiting(&self) -> u64 {
        self.id_callers() - self.missing()
    }

    /// How many numbers callers took in vain, and will take again.
    pub fn missing(&self) -> u64 {
        self.waiters.iter().filter(|waiter| waiter.want == Want::Retry).count() as u64
    }

    /// The largest number of numbers that a caller reserves.
    pub fn reserved(&self) -> u64 {
        let numbers = |waiter: &Waiter| if let Want::Numbers(count) = waiter.want { count } else { 0 };
        self.waiters.iter().map(numbers).max().unwrap_or(0)
    }

    /// Whether a failed request should be tried again: some caller still needs its result.
    pub fn are_unserved(&self, supply: Supply) -> bool {
        self.id_callers() > supply.at_hand || self.shortfall(supply) > 0
    }

    /// Whether a flight is in progress.
    pub fn is_busy(&self) -> bool {
        self.stage != Stage::Idle
    }

    fn id_callers(&self) -> u64 {
        self.waiters.iter().filter(|waiter| waiter.is_for_id()).count() as u64
    }

    fn shortfall(&self, supply: Supply) -> u64 {
        self.reserved().saturating_sub(supply.kept())
    }

    fn enter(&mut self, stage: Stage, effect: Effect, out: &mut Vec<Effect>) {
        self.stage = stage;
        out.push(effect);
    }

    /// Keeps the callers for which `stays` returns true. Not generic, because each copy of `retain` adds 100 bytes to the module.
    fn retain(&mut self, stays: &mut dyn FnMut(&Waiter) -> bool) {
        self.waiters.retain(|waiter| stays(waiter));
    }

    /// Removes a caller; returns whether it was waiting.
    fn remove(&mut self, number: u32) -> bool {
        let at = self.waiters.iter().position(|waiter| waiter.number == number);
        at.map(|at| self.waiters.remove(at)).is_some()
    }

    fn expire(&mut self, number: u32, out: &mut Vec<Effect>) {
        if self.remove(number) {
            out.push(Effect::Expire(number));
        }
    }

    /// Serves callers in the order in which they asked, as far as numbers last, and begins a flight for the others.
    fn serve(&mut self, supply: Supply, out: &mut Vec<Effect>) {
        let mut left = supply.at_hand;
        self.retain(&mut |waiter| {
            let (served, stays) = match waiter.want {
                Want::Id => (left > 0, true),
                Want::Retry | Want::Spare => (false, true),
                Want::Numbers(count) => (supply.kept() >= count, false),
                Want::Ready => (supply.at_hand > 0 || !supply.pooled, false),
            };
            if served {
                left -= u64::from(stays);
                out.push(Effect::Serve(waiter.number));
            }
            stays || !served
        });
        if left < supply.at_hand { out.push(Effect::Settle) } else { self.begin(supply, out) }
    }

    /// Dismisses the callers that want one of these. Those of [`Want::Ready`] count as served; the others do not wait.
    fn dismiss(&mut self, wants: &[Want], out: &mut Vec<Effect>) {
        self.retain(&mut |waiter| {
            let dismissed = wants.contains(&waiter.want);
            if dismissed && waiter.want == Want::Ready {
                out.push(Effect::Serve(waiter.number));
            }
            !dismissed
        });
    }

    /// Begins a flight if one is needed and none is in progress. Beside a flight that leases, it claims parked numbers: the lease may
    /// be for callers that reserve numbers, and may wait for a connection.
    fn begin(&mut self, supply: Supply, out: &mut Vec<Effect>) {
        if self.stage == Stage::Idle && (self.counter_dry || !self.waiters.is_empty()) {
            self.enter(Stage::Gathering, Effect::Gather, out);
        } else if pool::PRESENT
            && self.stage.is_for_later()
            && self.waiters.iter().any(|waiter| waiter.is_for_id() || waiter.want == Want::Ready)
            && supply.at_hand == 0
            && supply.pooled
            && supply.parked != Some(0)
        {
            out.push(Effect::Claim);
        }
    }

    fn start(&mut self, supply: Supply, out: &mut Vec<Effect>) {
        let reserves = self.waiters.iter().all(|waiter| matches!(waiter.want, Want::Numbers(_))) && !self.counter_dry;
        match (supply.pooled, reserves) {
            (true, true) => self.enter(Stage::Parking, Effect::Park, out),
            (true, false) => self.enter(Stage::Claiming, Effect::Claim, out),
            (false, _) => self.turn(out),
        }
    }

    /// Goes on to the lease, if numbers are still needed.
    fn turn(&mut self, out: &mut Vec<Effect>) {
        if self.counter_dry || !self.waiters.is_empty() {
            self.enter(Stage::WaitingForTurn, Effect::Turn, out);
        } else {
            self.enter(Stage::Idle, Effect::End, out);
        }
    }

    fn lease(&mut self, supply: Supply, out: &mut Vec<Effect>) {
        let (ids, missing) = (self.id_callers(), self.shortfall(supply));
        let (count, exact) =
            if missing > 0 { (missing + ids, true) } else { (ids.saturating_sub(supply.at_hand).max(1), false) };
        self.enter(Stage::Leasing, Effect::Lease { count, exact }, out);
    }

    /// After an outage, only callers with no time left are rejected; after any other error, all are.
    fn fail(&mut self, outage: bool, supply: Supply, out: &mut Vec<Effect>) {
        self.retain(&mut |waiter| {
            let left = waiter.until.saturating_sub(supply.now);
            match waiter.want {
                Want::Retry | Want::Spare => {}
                Want::Ready => out.push(Effect::Serve(waiter.number)),
                _ if !outage => out.push(Effect::Refuse(waiter.number)),
                // A lease that this caller cannot wait for would only block the lease of the next caller.
                _ if left < MIN_RETRY_TIME => out.push(Effect::Expire(waiter.number)),
                _ => return true,
            }
            false
        });
    }

    fn end(&mut self, supply: Supply, out: &mut Vec<Effect>) {
        self.counter_dry = false;
        self.dismiss(&[Want::Retry, Want::Spare], out);
        self.enter(Stage::Idle, Effect::End, out);
        self.serve(supply, out);
    }
}

impl Waiter {
    fn is_for_id(&self) -> bool {
        matches!(self.want, Want::Id | Want::Retry)
    }
}

#[cfg(test)]
#[path = "waiters_tests.rs"]
mod tests;
