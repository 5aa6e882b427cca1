//! The possible steps. In every state all of them are explored.

use crate::configurations::{Budget, Configuration, History};
use crate::device::{MoveKind, Progress};
use crate::network::Leg;
use crate::turn::{Kept, Turn};
use crate::world::{Client, Stage, World};

/// One event. Clients, moves and messages are named by their indexes in the previous state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The app takes the counter's next number.
    Take(usize),
    /// A caller needs more numbers than memory holds: a lease is requested.
    Wanted(usize),
    /// A page that has no core yet sends a lease.
    LeaseEarly(usize),
    /// A caller requests numbers that may be parked.
    Claim(usize),
    /// This many numbers of the tail move to the pool.
    Share(usize, u64),
    /// A burst has paused: the counter gives its block back, gets one number ahead of need or none, and this many of the lowest
    /// numbers in memory move to the pool.
    Refill(usize, bool, u64),
    /// A reservation ends: numbers beyond `keep` leave the pool.
    Lift(usize),
    /// `release()` or `reserve(0)` takes the rest of the counter.
    Release(usize),
    /// It returns memory, even if callers requested numbers meanwhile; and whether fences are read for numbers without one.
    GiveBack(usize, bool),
    /// `pagehide`: memory is emptied, and numbers with a fence are returned, in one step.
    Leave(u8),
    /// `pageshow` from the back/forward cache.
    Back(u8),
    /// Another listener of a hidden page calls the package.
    Poke(usize),
    /// `dispose()` begins.
    Close(usize),
    /// `dispose()` empties the pool.
    TakeOut(usize),
    /// `dispose()` returns everything.
    Finish(usize),
    /// A move's transaction runs and commits, with this many callers and this many numbers to park.
    Commit(usize, (u64, u64)),
    /// A committed move is reported.
    Report(usize),
    /// A move times out or aborts. The transaction of a take-out may still run.
    LateMove(usize),
    /// An admission was decided, but its transaction aborts without a report to the client.
    LostAdmission(usize, (u64, u64)),
    /// A node executes `hilo/next`.
    Lease(usize, u32, u64),
    /// A node executes `hilo/next` and reads the document; and whether that yields a fence.
    LeaseAndRead(usize, u32, u64, bool),
    /// A node reads the counter document.
    Read(usize, u32),
    /// The read of a lease of the source `document` arrives, which will take this many numbers.
    Find(usize, u64),
    /// Its write arrives; or twice, and the client gets the second response.
    Put(usize, bool),
    /// The write or its response is lost, and the client repeats the lease.
    Lose(usize),
    /// An abandoned write arrives.
    Forsaken(usize),
    /// A response arrives.
    Receive(usize),
    /// A request is abandoned, wherever it or its response is.
    LateAnswer(usize),
    /// A return is delivered.
    Return(usize),
    /// A lease is executed whose response no client will use.
    Stray(u32, u64),
    /// One node's document is replicated to the other.
    Replicate(usize),
    /// A tab dies, or a new page replaces it.
    TabCrash(u8),
    /// A device dies; of each record this many unflushed writes are on disk.
    OsCrash(u8, [usize; 2]),
    /// The data folder is copied.
    BackUp,
    /// The copy is restored.
    PutBack,
    /// `Max` is set to this.
    Edit(u64),
    /// The database is deleted and recreated.
    Recreate,
}

impl World {
    /// All steps that are possible in this state.
    pub(crate) fn steps(&self, configuration: &Configuration) -> Vec<Step> {
        let mut steps = Vec::new();
        let out = &mut steps;
        if !configuration.fine {
            self.steps_at_once(configuration, out);
            if !out.is_empty() {
                return steps;
            }
        }
        (0..self.clients.len()).for_each(|client| self.steps_of_client(configuration, client, out));
        self.steps_of_pages(configuration, out);
        self.steps_of_moves(configuration, out);
        self.steps_of_network(configuration, out);
        self.steps_of_history(configuration, out);
        steps
    }

    /// Without fine steps, a lease is executed when it is requested; its response may be delayed.
    fn steps_at_once(&self, configuration: &Configuration, out: &mut Vec<Step>) {
        for (at, exchange) in self.network.exchanges.iter().enumerate() {
            let Leg::Lease { above } = exchange.leg else { continue };
            for node in 0..self.server.nodes.len() as u32 {
                for size in configuration.sizes.iter().filter(|size| self.fits(configuration, node, above, **size)) {
                    out.push(Step::LeaseAndRead(at, node, *size, true));
                    if self.budget.unfenced > 0 {
                        out.push(Step::LeaseAndRead(at, node, *size, false));
                    }
                }
            }
        }
    }

    /// Whether a lease stays within the configuration's numbers.
    fn fits(&self, configuration: &Configuration, node: u32, above: u64, size: u64) -> bool {
        self.server.nodes[node as usize].max.max(above) + size <= configuration.numbers
    }

    fn steps_of_client(&self, configuration: &Configuration, c: usize, out: &mut Vec<Step>) {
        let client = &self.clients[c];
        let Budget { closes, releases, shares, refills, lifts, .. } = self.budget;
        let pooled = configuration.places[c].pool.is_some();
        let held = client.ledger.held() > 0;
        let has_block = client.counter.is_some_and(|block| !block.ids().is_empty());
        let mut when = |condition: bool, step: Step| {
            if condition {
                out.push(step);
            }
        };
        // A take that finds a used-up block reports that to the ledger; after that, a take that finds nothing changes nothing.
        let dries = client.stage == Stage::Open && (held || client.counter.is_some());
        when(has_block || dries, Step::Take(c));
        match client.stage {
            Stage::Open => {
                when(true, Step::Wanted(c));
                when(self.may_lease_early(configuration, c), Step::LeaseEarly(c));
                // A claim that finds nothing changes nothing; one that is queued earlier equals one that is queued
                // now.
                let parked = configuration.places[c].pool.is_some_and(|pool| !self.pools[pool].seen().ids.is_empty());
                when(parked, Step::Claim(c));
                for count in configuration.shares {
                    when(pooled && held && shares > 0, Step::Share(c, *count));
                }
                for count in configuration.shares {
                    when(pooled && (held || has_block) && refills > 0, Step::Refill(c, false, *count));
                    when(pooled && (held || has_block) && refills > 0, Step::Refill(c, true, *count));
                }
                when(pooled && lifts > 0, Step::Lift(c));
                when(releases > 0 && !client.releasing, Step::Release(c));
                when(client.releasing, Step::GiveBack(c, false));
                when(client.releasing, Step::GiveBack(c, true));
                when(closes > 0, Step::Close(c));
            }
            Stage::Away => {
                when(true, Step::Poke(c));
                when(closes > 0, Step::Close(c));
            }
            Stage::Closing { out } => {
                when(pooled && !out, Step::TakeOut(c));
                when(pooled && held && shares > 0, Step::Share(c, u64::MAX));
                when(true, Step::Finish(c));
            }
            Stage::Closed => when(true, Step::Poke(c)),
        }
    }

    fn steps_of_pages(&self, configuration: &Configuration, out: &mut Vec<Step>) {
        let clients_of_tab = |tab: u8| {
            let places = configuration.places.iter().enumerate().filter(move |(_, place)| place.tab == tab);
            places.map(|(c, _)| c)
        };
        let of_tab = |tab: u8| clients_of_tab(tab).map(|c| &*self.clients[c]);
        for tab in tabs(configuration) {
            let can_leave = |stage: Stage| matches!(stage, Stage::Open | Stage::Closing { .. });
            let acted = clients_of_tab(tab).any(|c| self.has_acted(c));
            if self.budget.leaves > 0 && acted && of_tab(tab).any(|client| can_leave(client.stage)) {
                out.push(Step::Leave(tab));
            }
            if of_tab(tab).any(|client| client.stage == Stage::Away) {
                out.push(Step::Back(tab));
            }
            // The death of a page that has done nothing changes nothing.
            if self.budget.tab_crashes > 0 && acted {
                out.push(Step::TabCrash(tab));
            }
        }
        if self.budget.os_crashes > 0 {
            // Only a device with a pool can lose more than its tabs.
            let writes = |pool: usize| self.pools.get(pool).map_or(1, |pool| pool.writes.len());
            for first in 0..writes(0) {
                out.extend((0..writes(1)).map(|second| Step::OsCrash(0, [first, second])));
            }
        }
    }

    /// Whether a client differs from a new one.
    fn has_acted(&self, c: usize) -> bool {
        *self.clients[c] != Client::default() || self.has_early(c)
    }

    fn steps_of_moves(&self, configuration: &Configuration, out: &mut Vec<Step>) {
        for (at, known) in self.moves.iter().enumerate() {
            match (&known.progress, &known.kind) {
                (Progress::Done(_), _) => out.push(Step::Report(at)),
                (_, MoveKind::Claim) => {
                    out.extend(configuration.claims.iter().map(|count| Step::Commit(at, (*count, 0))))
                }
                (_, MoveKind::Admit(_)) => {
                    out.extend(configuration.admissions.iter().map(|with| Step::Commit(at, *with)))
                }
                _ => out.push(Step::Commit(at, (0, 0))),
            }
            if known.client.is_some() && self.budget.late > 0 {
                out.push(Step::LateMove(at));
                if matches!((&known.progress, &known.kind), (Progress::Queued, MoveKind::Admit(_))) {
                    out.extend(configuration.admissions.iter().map(|with| Step::LostAdmission(at, *with)));
                }
            }
        }
    }

    fn steps_of_network(&self, configuration: &Configuration, out: &mut Vec<Step>) {
        let nodes = || 0..self.server.nodes.len() as u32;
        let fits = |node: u32, above: u64, size: u64| self.fits(configuration, node, above, size);
        for (at, exchange) in self.network.exchanges.iter().enumerate() {
            // Nobody waits for its response yet.
            if exchange.is_early() && matches!(exchange.leg, Leg::Grant { .. }) {
                continue;
            }
            match exchange.leg {
                Leg::Lease { above } => {
                    for node in nodes() {
                        let sizes = configuration.sizes.iter().filter(|size| fits(node, above, **size));
                        out.extend(sizes.map(|size| Step::Lease(at, node, *size)));
                    }
                }
                Leg::Leased { granted } => out.push(Step::Read(at, granted.node)),
                Leg::Read { .. } => out.extend(nodes().map(|node| Step::Read(at, node))),
                Leg::Wanted { above } => {
                    let sizes = configuration.sizes.iter().filter(|size| fits(0, above, **size));
                    out.extend(sizes.map(|size| Step::Find(at, *size)));
                }
                Leg::Put { .. } => out.push(Step::Put(at, false)),
                Leg::Grant { .. } | Leg::Document { .. } | Leg::Found { .. } | Leg::Written { .. } => {
                    out.push(Step::Receive(at))
                }
            }
            if self.budget.late > 0 && !exchange.is_early() {
                out.push(Step::LateAnswer(at));
                match exchange.leg {
                    Leg::Put { .. } => out.extend([Step::Put(at, true), Step::Lose(at)]),
                    Leg::Written { .. } => out.push(Step::Lose(at)),
                    _ => {}
                }
            }
        }
        out.extend((0..self.network.returns.len()).map(Step::Return));
        out.extend((0..self.network.abandoned.len()).map(Step::Forsaken));
        if self.budget.strays > 0 {
            for node in nodes() {
                let sizes = configuration.sizes.iter().filter(|size| fits(node, 0, **size));
                out.extend(sizes.map(|size| Step::Stray(node, *size)));
            }
        }
        if configuration.nodes > 1 {
            out.extend([Step::Replicate(0), Step::Replicate(1)]);
        }
    }

    fn steps_of_history(&self, configuration: &Configuration, out: &mut Vec<Step>) {
        let may = self.budget.disasters > 0;
        match configuration.history {
            History::Honest => {}
            History::Edited if may => out.extend((0..self.server.nodes[0].max).map(Step::Edit)),
            History::PutBack if self.server.backup.is_some() => out.push(Step::PutBack),
            History::PutBack if may => out.push(Step::BackUp),
            History::Recreated if may => out.push(Step::Recreate),
            History::Edited | History::PutBack | History::Recreated => {}
        }
    }
}

/// The tabs of a configuration.
pub(crate) fn tabs(configuration: &Configuration) -> Vec<u8> {
    let mut tabs: Vec<u8> = configuration.places.iter().map(|place| place.tab).collect();
    tabs.dedup();
    tabs
}

impl Turn<'_> {
    /// Takes a step.
    pub(crate) fn take(&mut self, step: Step) -> Kept {
        match step {
            Step::Take(c) => self.issue(c),
            Step::Wanted(c) => self.wanted(c),
            Step::LeaseEarly(c) => self.lease_early(c),
            Step::Claim(c) => self.claim(c),
            Step::Share(c, count) => self.share(c, count),
            Step::Refill(c, spare, count) => self.refill(c, spare, count),
            Step::Lift(c) => self.lift(c),
            Step::Release(c) => self.release(c),
            Step::GiveBack(c, refence) => self.give_memory_back(c, refence),
            Step::Leave(tab) => self.leave(tab),
            Step::Back(tab) => self.back(tab),
            Step::Poke(c) => self.poke(c),
            Step::Close(c) => self.close(c),
            Step::TakeOut(c) => self.take_out(c),
            Step::Finish(c) => self.finish(c),
            Step::Commit(at, with) => self.commit(at, with),
            Step::Report(at) => self.report(at),
            Step::LateMove(at) => self.late_move(at),
            Step::LostAdmission(at, with) => self.lost_admission(at, with),
            Step::Lease(at, node, size) => self.lease(at, node, size),
            Step::LeaseAndRead(at, node, size, fence) => self.lease_and_read(at, node, size, fence),
            Step::Read(at, node) => self.read(at, node),
            Step::Find(at, size) => self.find(at, size),
            Step::Put(at, twice) => self.put(at, twice),
            Step::Lose(at) => self.lose(at),
            Step::Forsaken(at) => self.abandoned(at),
            Step::Receive(at) => self.receive(at),
            Step::LateAnswer(at) => self.late_answer(at),
            Step::Return(at) => self.deliver_return(at),
            Step::Stray(node, size) => self.stray(node, size),
            Step::Replicate(from) => self.replicate(from),
            Step::TabCrash(tab) => self.tab_crash(tab),
            Step::OsCrash(device, kept) => self.os_crash(device, kept),
            Step::BackUp => self.back_up(),
            Step::PutBack => self.put_back(),
            Step::Edit(max) => self.edit(max),
            Step::Recreate => self.recreate(),
        }?;
        self.laws()
    }
}
