//! A seed's weather: who takes part, what is lost, what goes back in time.

use fastrand::Rng;
use raven_edge::hilo::{Plan as Keep, Waiters};

/// One second in the unit of all times here.
pub(crate) const SECOND: u64 = 1_000_000;
/// One millisecond.
pub(crate) const MILLI: u64 = 1_000;

/// What the server is in this seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Past {
    /// It never forgets.
    Honest,
    /// It is restored from an earlier state.
    Restored,
    /// The database is deleted and made anew.
    Recreated,
}

/// What is decided once for a seed. Chances are out of 1.
#[derive(Clone, Debug)]
pub(crate) struct Weather {
    pub(crate) nodes: usize,
    pub(crate) tags: usize,
    pub(crate) past: Past,
    pub(crate) devices: usize,
    /// When the faults stop.
    pub(crate) end: u64,
    /// The usual pause between two acts of a tab.
    pub(crate) pause: u64,
    /// One way over the network.
    pub(crate) delay: u64,
    /// How long the slowest messages take.
    pub(crate) longest: u64,
    pub(crate) loss: f64,
    pub(crate) duplicates: f64,
    pub(crate) late: f64,
    /// 502 and 503 of something in front of the server.
    pub(crate) refusals: f64,
    /// Return of a page that goes: whether it leaves the device at all.
    pub(crate) unload: f64,
    /// A transaction is aborted.
    pub(crate) aborts: f64,
    /// A transaction takes seconds.
    pub(crate) hangs: f64,
    pub(crate) power_cuts: f64,
    pub(crate) crashes: f64,
    pub(crate) saves: f64,
    /// Callers of a tag are in several groups, each of which claims and leases without waiting for what is under way.
    pub(crate) eager: bool,
}

impl Weather {
    pub(crate) fn of(rng: &mut Rng) -> Self {
        let calm = rng.f64() < 0.2;
        let mut share = |most: f64| if calm { 0.0 } else { most * rng.f64() * rng.f64() };
        let (loss, duplicates, late, refusals) = (share(0.3), share(0.5), share(0.2), share(0.2));
        let (aborts, hangs, power_cuts, crashes) = (share(0.1), share(0.1), share(0.3), share(0.3));
        let past = match rng.u32(0..10) {
            0 => Past::Restored,
            1 => Past::Recreated,
            _ => Past::Honest,
        };
        let delay = [MILLI, 10 * MILLI, 40 * MILLI, 150 * MILLI][rng.usize(0..4)];
        Self {
            nodes: 1 + usize::from(rng.u32(0..4) == 0),
            tags: rng.usize(1..3),
            past,
            devices: rng.usize(4..31),
            end: rng.u64(10..30) * SECOND,
            pause: 0,
            delay,
            longest: rng.u64(1..20) * SECOND,
            loss,
            duplicates,
            late,
            refusals,
            unload: rng.f64(),
            aborts,
            hangs,
            power_cuts,
            crashes,
            eager: rng.u32(0..4) == 0,
            saves: if past == Past::Honest { 0.0 } else { 0.5 },
        }
        .paced()
    }

    /// Nothing goes wrong but that some returns of pages that go are lost.
    pub(crate) fn fair(unload: f64) -> Self {
        let mut fair = Self::of(&mut Rng::with_seed(0));
        fair.clear();
        Self { nodes: 1, tags: 1, past: Past::Honest, delay: 25 * MILLI, unload, saves: 0.0, eager: false, ..fair }
    }

    /// Many devices act seldom, so that every seed has about as many acts.
    fn paced(mut self) -> Self {
        self.pause = self.end * self.devices as u64 / 120;
        self
    }

    /// Nothing goes wrong any more.
    pub(crate) fn clear(&mut self) {
        (self.loss, self.duplicates, self.late, self.refusals) = (0.0, 0.0, 0.0, 0.0);
        (self.aborts, self.hangs, self.power_cuts, self.crashes) = (0.0, 0.0, 0.0, 0.0);
        self.unload = 1.0;
    }
}

/// What runs on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Pages: a pool, and a moment to say goodbye.
    Pages,
    /// Workers with IndexedDB, which may die at any moment without a word.
    Workers,
    /// Node, Deno, Bun: memory only.
    Node,
    /// workerd: memory only, and every request leases for itself.
    Isolate,
}

/// Where a device's ranges come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The server's `hilo/next`.
    Server,
    /// The protocol of older clients, from the first node alone.
    Document,
    /// A function of the app that gives the next Hi.
    Classic,
    /// A function of the app that grants ranges and takes them back.
    Own,
}

impl Origin {
    /// Whether the app grants, which knows nothing of the database.
    pub(crate) fn is_app(self) -> bool {
        matches!(self, Self::Classic | Self::Own)
    }
}

/// What a device is like.
#[derive(Clone, Debug)]
pub(crate) struct Habits {
    pub(crate) kind: Kind,
    pub(crate) most_tabs: usize,
    pub(crate) keep: u64,
    pub(crate) grow: bool,
    /// Something on the way lets no `multi_get` through.
    pub(crate) narrow: bool,
    /// Prefers the second node.
    pub(crate) second: bool,
    pub(crate) origin: Origin,
}

impl Habits {
    pub(crate) fn of(rng: &mut Rng) -> Self {
        let kind = match rng.u32(0..10) {
            0..=5 => Kind::Pages,
            6 => Kind::Workers,
            7 | 8 => Kind::Node,
            _ => Kind::Isolate,
        };
        let (keep, grow) =
            [(8, true), (8, true), (8, false), (0, false), (2, true), (u64::MAX, false)][rng.usize(0..6)];
        let (most_tabs, narrow, second) = (rng.usize(1..4), rng.u32(0..20) == 0, rng.bool());
        let origin = match rng.u32(0..9) {
            0..=3 => Origin::Server,
            4..=6 => Origin::Document,
            7 => Origin::Classic,
            _ => Origin::Own,
        };
        Self { kind, most_tabs, keep, grow, narrow, second: second && origin == Origin::Server, origin }
    }

    pub(crate) fn has_pool(&self) -> bool {
        matches!(self.kind, Kind::Pages | Kind::Workers)
    }
}

/// What a driver is told of the world around it.
pub(crate) fn keep(habits: &Habits, waiters: &Waiters, pooled: bool, alone: bool) -> Keep {
    let hold = !habits.has_pool() || habits.kind == Kind::Pages && alone;
    Keep { waiting: 0, pooled, hold, keep: habits.keep, grow: habits.grow, capacity: 0 }.among(waiters)
}
