//! Who waits for numbers of a tag, until when, and what is done for them next: a claim, a lease, or giving up.
//!
//! One *flight* at a time serves all who wait: it looks in the pool, takes its turn among the tabs of the device, and leases.
//! On workerd, where no request may wait for another one, each caller has [`Waiters`] of its own.

use alloc::vec::Vec;

/// After a failure, a caller with fewer milliseconds left than this is told so instead of trying again.
const MIN_RETRY_TIME: u64 = 50;

/// How many parked numbers [`Want::Ready`] claims.
const READY: u64 = 8;

/// What a caller waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Want {
    /// An id.
    Id,
    /// Nothing any more: it took in vain, and will come again.
    Retry,
    /// So many numbers that outlive the page, where it can park them; else so many in memory.
    Numbers(u64),
    /// A few of the parked numbers in memory, if there are any; nothing is leased for it.
    Ready,
}

/// The numbers of the tag and the device, as they are now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Supply {
    /// Milliseconds of a clock that does not go back.
    pub now: u64,
    /// Numbers in memory that can be issued.
    pub at_hand: u64,
    /// Numbers parked, as far as is known; `None`: none can be.
    pub parked: Option<u64>,
    /// Whether the device has a pool.
    pub pooled: bool,
    /// Whether other stores of the database live on the device.
    pub crowded: bool,
}

impl Supply {
    /// What counts for [`Want::Numbers`].
    fn kept(&self) -> u64 {
        self.parked.filter(|_| self.pooled).unwrap_or(self.at_hand)
    }
}

/// Something happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// The counter has used up its numbers.
    Dry,
    /// The turn of the event loop is over in which somebody asked first: those who asked with it count for the size.
    Gathered,
    /// [`Effect::Park`] is through.
    Parked,
    /// [`Effect::Claim`] is through.
    Claimed,
    /// [`Effect::Turn`]: no other tab is leasing.
    Turned,
    /// There was nothing to send for [`Effect::Lease`]: another lease is under way.
    Busy,
    /// [`Effect::Share`]: something that was under way has ended.
    Shared,
    /// [`Effect::Lease`] has ended; numbers came, or nobody wanted them any more.
    Leased,
    /// The step of the flight has failed. `outage`: the same may succeed later.
    Failed {
        /// Whether the same may succeed later.
        outage: bool,
    },
    /// This caller got its id.
    Served(u32),
    /// [`Effect::Settle`].
    Settled,
    /// The time of this caller is over.
    Expired(u32),
    /// Nobody waits any more: the store ends.
    Closed,
}

/// Something is to be done, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// This caller is served. Who wanted an id takes it from the counter now, and is [`Event::Served`]; it stays where the
    /// counter has none after all, because a refill has parked what was left.
    Serve(u32),
    /// Report [`Event::Settled`]: who was not served waits on.
    Settle,
    /// Report [`Event::Gathered`] at the end of this turn of the event loop.
    Gather,
    /// Park what memory holds, which also tells how many are parked.
    Park,
    /// Look in the pool.
    Claim,
    /// Wait until no other tab of the device is leasing; until [`Effect::End`] none will.
    Turn,
    /// Lease numbers.
    Lease {
        /// How many are missing.
        count: u64,
        /// That many and no more.
        exact: bool,
    },
    /// Wait until some other task of the tag has ended.
    Share,
    /// The flight is over.
    End,
    /// This caller's time is over, or as good as over after a failure.
    Expire(u32),
    /// This caller gets the error that [`Event::Failed`] told of.
    Refuse(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Waiter {
    number: u32,
    want: Want,
    /// In milliseconds of [`Supply::now`].
    until: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Stage {
    #[default]
    Idle,
    Gathering,
    Parking,
    Claiming,
    /// For its turn among the tabs.
    WaitingForTurn,
    /// Once more, in its turn: another tab may have leased meanwhile.
    ClaimingInTurn,
    Leasing,
    /// For another task.
    Sharing,
}

/// Those who wait for numbers of one tag.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Waiters {
    waiters: Vec<Waiter>,
    numbers: u32,
    stage: Stage,
    /// The flight began because the counter was dry: numbers are wanted although nobody waits.
    counter_dry: bool,
}

impl Waiters {
    /// Somebody asks, and waits until a time at most; gives its number.
    pub fn ask(&mut self, want: Want, until: u64, supply: Supply, effects: &mut Vec<Effect>) -> u32 {
        self.numbers = self.numbers.wrapping_add(1);
        self.waiters.push(Waiter { number: self.numbers, want, until });
        self.serve(supply, effects);
        self.numbers
    }

    /// Somebody took in vain. It counts as if it waited while those are gathered who ask in the same turn of the event loop;
    /// later, the size of the lease is decided.
    pub fn missed(&mut self) {
        if self.stage == Stage::Gathering {
            self.waiters.push(Waiter { number: 0, want: Want::Retry, until: 0 });
        }
    }

    /// The core leases ahead of need: whether that is the flight from here on, whose end is reported.
    pub fn begin_ahead(&mut self) -> bool {
        let idle = self.stage == Stage::Idle;
        if idle {
            self.stage = Stage::Leasing;
        }
        idle
    }

    /// Takes an event in and says what is to be done about it.
    pub fn on(&mut self, event: Event, supply: Supply) -> Vec<Effect> {
        let mut effects = Vec::new();
        let out = &mut effects;
        match (event, self.stage) {
            (Event::Dry, Stage::Idle) if supply.at_hand == 0 => {
                self.counter_dry = true;
                self.begin(out);
            }
            (Event::Gathered, Stage::Gathering) => self.start(supply, out),
            (Event::Parked, Stage::Parking) if self.shortfall(supply) == 0 => self.end(supply, out),
            (Event::Parked, Stage::Parking) => self.turn(out),
            (Event::Claimed, Stage::Claiming) if supply.at_hand == 0 => {
                self.dismiss(Want::Ready, out);
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
            (Event::Settled, _) => self.begin(out),
            (Event::Expired(number), _) => self.expire(number, out),
            (Event::Closed, _) => *self = Waiters { numbers: self.numbers, ..Waiters::default() },
            // Of a flight that is over.
            _ => {}
        }
        effects
    }

    /// How many wait for an id.
    pub fn waiting(&self) -> u64 {
        self.waiters
            .iter()
            .map(|waiter| if waiter.want == Want::Ready { READY } else { u64::from(waiter.is_for_id()) })
            .sum()
    }

    /// The most numbers that somebody wants to be kept.
    pub fn reserved(&self) -> u64 {
        let numbers = |waiter: &Waiter| if let Want::Numbers(count) = waiter.want { count } else { 0 };
        self.waiters.iter().map(numbers).max().unwrap_or(0)
    }

    /// Whether a request that failed is worth another attempt: whether there is still somebody to serve.
    pub fn are_unserved(&self, supply: Supply) -> bool {
        self.id_callers() > supply.at_hand || self.shortfall(supply) > 0
    }

    /// Whether a flight is under way.
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

    /// Keeps those who stay. Not generic, because each copy of `retain` costs the shipped module 100 bytes.
    fn retain(&mut self, stays: &mut dyn FnMut(&Waiter) -> bool) {
        self.waiters.retain(|waiter| stays(waiter));
    }

    /// This one waits no longer; whether it did.
    fn remove(&mut self, number: u32) -> bool {
        let at = self.waiters.iter().position(|waiter| waiter.number == number);
        at.map(|at| self.waiters.remove(at)).is_some()
    }

    fn expire(&mut self, number: u32, out: &mut Vec<Effect>) {
        if self.remove(number) {
            out.push(Effect::Expire(number));
        }
    }

    /// Serves who can be, in the order in which they asked; a flight begins for the others.
    fn serve(&mut self, supply: Supply, out: &mut Vec<Effect>) {
        let mut left = supply.at_hand;
        self.retain(&mut |waiter| {
            let (served, stays) = match waiter.want {
                Want::Id => (left > 0, true),
                Want::Retry => (false, true),
                Want::Numbers(count) => (supply.kept() >= count, false),
                Want::Ready => (supply.at_hand > 0 || !supply.pooled, false),
            };
            if served {
                left -= u64::from(stays);
                out.push(Effect::Serve(waiter.number));
            }
            stays || !served
        });
        if left < supply.at_hand { out.push(Effect::Settle) } else { self.begin(out) }
    }

    /// Those who want this wait no longer.
    fn dismiss(&mut self, want: Want, out: &mut Vec<Effect>) {
        self.retain(&mut |waiter| {
            if waiter.want == want && want != Want::Retry {
                out.push(Effect::Serve(waiter.number));
            }
            waiter.want != want
        });
    }

    /// Begins a flight where somebody waits and none is under way.
    fn begin(&mut self, out: &mut Vec<Effect>) {
        if self.stage == Stage::Idle && (self.counter_dry || !self.waiters.is_empty()) {
            self.enter(Stage::Gathering, Effect::Gather, out);
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

    /// Goes on to the lease, if it is still for somebody.
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

    /// An outage is over for nobody but those who have no time left; anything else is for all who wait.
    fn fail(&mut self, outage: bool, supply: Supply, out: &mut Vec<Effect>) {
        self.retain(&mut |waiter| {
            let left = waiter.until.saturating_sub(supply.now);
            match waiter.want {
                Want::Retry => {}
                Want::Ready => out.push(Effect::Serve(waiter.number)),
                _ if !outage => out.push(Effect::Refuse(waiter.number)),
                // A lease sent with no time left to wait for it would only be in the next caller's way.
                _ if left < MIN_RETRY_TIME => out.push(Effect::Expire(waiter.number)),
                _ => return true,
            }
            false
        });
    }

    fn end(&mut self, supply: Supply, out: &mut Vec<Effect>) {
        self.counter_dry = false;
        self.dismiss(Want::Retry, out);
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
