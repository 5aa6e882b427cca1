//! The conditions of a seed: who takes part, what is lost, what is rolled back.

use fastrand::Rng;

/// One second; the unit of all times is the microsecond.
pub(crate) const SECOND: u64 = 1_000_000;
/// One millisecond.
pub(crate) const MILLI: u64 = 1_000;

/// The behaviour of the server in this seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Past {
    /// It is never rolled back.
    Honest,
    /// It is restored from an earlier state.
    Restored,
    /// The database is deleted and recreated.
    Recreated,
}

/// The conditions of a seed. Probabilities are between 0 and 1.
#[derive(Clone, Debug)]
pub(crate) struct Weather {
    pub(crate) nodes: usize,
    pub(crate) tags: usize,
    pub(crate) past: Past,
    pub(crate) devices: usize,
    /// When the faults end.
    pub(crate) end: u64,
    /// The usual pause between two actions of a tab.
    pub(crate) pause: u64,
    /// The delay of one direction of the network.
    pub(crate) delay: u64,
    /// The longest delay of a message.
    pub(crate) longest: u64,
    pub(crate) loss: f64,
    pub(crate) duplicates: f64,
    pub(crate) late: f64,
    /// 502 and 503 of a proxy.
    pub(crate) refusals: f64,
    /// The probability that the return of a closing page is sent.
    pub(crate) unload: f64,
    /// A transaction is aborted.
    pub(crate) aborts: f64,
    /// A transaction takes seconds.
    pub(crate) hangs: f64,
    pub(crate) power_cuts: f64,
    pub(crate) crashes: f64,
    pub(crate) saves: f64,
    /// The callers of a tag are in several groups, each of which claims and leases independently.
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

    /// No faults, except that some returns of closing pages are lost.
    pub(crate) fn fair(unload: f64) -> Self {
        let mut fair = Self::of(&mut Rng::with_seed(0));
        fair.clear();
        Self { nodes: 1, tags: 1, past: Past::Honest, delay: 25 * MILLI, unload, saves: 0.0, eager: false, ..fair }
    }

    /// With many devices each acts less often, so that every seed has a similar number of actions.
    fn paced(mut self) -> Self {
        self.pause = self.end * self.devices as u64 / 120;
        self
    }

    /// Ends all faults.
    pub(crate) fn clear(&mut self) {
        (self.loss, self.duplicates, self.late, self.refusals) = (0.0, 0.0, 0.0, 0.0);
        (self.aborts, self.hangs, self.power_cuts, self.crashes) = (0.0, 0.0, 0.0, 0.0);
        self.unload = 1.0;
    }
}

/// What runs on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Pages: with a pool, and an event before they close.
    Pages,
    /// Workers with IndexedDB, which may die at any moment without an event.
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
    /// A function of the app that returns the next Hi.
    Classic,
    /// A function of the app that grants ranges and takes them back.
    Custom,
}

impl Origin {
    /// Whether the app grants numbers, independently of the database.
    pub(crate) fn is_app(self) -> bool {
        matches!(self, Self::Classic | Self::Custom)
    }
}

/// The properties of a device.
#[derive(Clone, Debug)]
pub(crate) struct Habits {
    pub(crate) kind: Kind,
    pub(crate) most_tabs: usize,
    /// How many numbers to keep parked, if the app has configured it.
    pub(crate) keep: Option<u64>,
    /// A proxy blocks `multi_get`.
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
        let keep = [None, None, Some(8), Some(0), Some(2), Some(u64::MAX)][rng.usize(0..6)];
        let (most_tabs, narrow, second) = (rng.usize(1..4), rng.u32(0..20) == 0, rng.bool());
        let origin = match rng.u32(0..9) {
            0..=3 => Origin::Server,
            4..=6 => Origin::Document,
            7 => Origin::Classic,
            _ => Origin::Custom,
        };
        Self { kind, most_tabs, keep, narrow, second: second && origin == Origin::Server, origin }
    }

    pub(crate) fn has_pool(&self) -> bool {
        matches!(self.kind, Kind::Pages | Kind::Workers)
    }
}
