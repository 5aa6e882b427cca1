//! The steps of a move: its transaction commits, and is reported or abandoned.

use crate::device::{Disk, Done, Move, MoveKind, Progress};
use crate::ids::Ids;
use crate::network::Granted;
use crate::server::Vector;
use crate::turn::{Broken, Kept, Turn};
use crate::variants::Variant;
use raven_edge::hilo::Event;

impl Turn<'_> {
    /// The transaction runs: reads, decides and writes at once.
    pub(crate) fn commit(&mut self, at: usize, with: (u64, u64)) -> Kept {
        let mut known = self.world.moves[at].clone();
        let variant = self.configuration.variant;
        let known_now = self.known_now(&known);
        if variant == Some(Variant::RelabelledMove) {
            (known.incarnation, known.reported) = (known_now, known.reported.and(known_now));
        }
        if known.client.is_some() && matches!(known.kind, MoveKind::Admit(_)) && known.incarnation != known_now {
            // Its client has abandoned the grant already.
            self.world.moves.remove(at);
            return Ok(());
        }
        let who = known.client.or(known.of).map_or("no client", |c| self.place(c).name);
        let read = match &known.progress {
            Progress::Read(disk) => disk.clone(),
            _ => self.world.pools[known.pool].seen().clone(),
        };
        if variant == Some(Variant::TwoTransactions)
            && known.kind == MoveKind::Claim
            && known.progress == Progress::Queued
        {
            self.say(|| format!("pool: {} reads the record for a claim", who));
            self.world.moves[at].progress = Progress::Read(read);
            return Ok(());
        }
        let (disk, done) = known.decide(&read, known_now, with);
        if let Some(c) = known.client {
            let highest =
                |disk: &Disk| disk.record().map(|record| record.issued.iter().fold(0, |high, of| high.max(of.1)));
            self.record_found(c, highest(&read));
        }
        self.say(|| format!("pool: commits {:?} of {} with {with:?}: {done:?}", known.kind, who));
        if !self.is_honest() {
            self.admitted_rightly(&known, known_now, &read, disk.as_ref(), &done, with.0)?;
        }
        let disk = match (known.reported, disk) {
            (Some(reported), Some(disk)) => Some(disk.with_incarnation(reported)),
            (Some(reported), None) if variant == Some(Variant::StaleNote) => {
                Some(read.clone().with_incarnation(reported))
            }
            (_, disk) => disk,
        };
        // Only a response may report that an older incarnation is the current one.
        let noted = disk.as_ref().map_or(read.stored, |disk| disk.stored);
        let notes = matches!(known.kind, MoveKind::Note(_) | MoveKind::Admit(_));
        if !notes && noted < read.stored {
            return Err(Broken(format!("{who} replaces the newer incarnation on the device, {:?}", read.stored)));
        }
        if variant == Some(Variant::SendBeforeForget) && matches!(known.kind, MoveKind::TakeOut { .. }) {
            // Reported without having been deleted; the deletion runs at any later time.
            self.world.moves.push(Move { client: None, request: 0, ..known.clone() });
        } else if let Some(disk) = disk {
            // If no device can die any more, no write is lost.
            let strict = known.is_strict() && variant != Some(Variant::RelaxedClaim);
            let flushed = strict || self.world.budget.os_crashes == 0;
            self.world.pool(known.pool).write(disk, flushed);
        }
        let Some(c) = known.client else {
            self.world.moves.remove(at);
            return Ok(());
        };
        self.put_in(c, &known.kind, &done);
        // When offline, a client accepts the incarnation that the device stores.
        if self.world.clients[c].incarnation.is_none() && !done.taken.is_empty() {
            self.client(c).incarnation = read.stored;
        }
        let nothing = known.kind == MoveKind::Claim && done.taken.is_empty();
        self.world.moves[at].progress = Progress::Done(done);
        // A claim that found nothing changes nothing until its report.
        if nothing || !self.configuration.fine { self.report(at) } else { Ok(()) }
    }

    /// The incarnation that the client of a move knows now.
    fn known_now(&self, known: &Move) -> Option<u8> {
        known.client.or(known.of).map_or(known.incarnation, |c| self.world.clients[c].incarnation)
    }

    /// The client gets the result of its move.
    pub(crate) fn report(&mut self, at: usize) -> Kept {
        let known = self.world.moves.remove(at);
        let (Some(c), Progress::Done(done)) = (known.client, known.progress) else { return Ok(()) };
        self.say(|| format!("{} gets the result of its move", self.configuration.places[c].name));
        let (request, hand) = (known.request, self.configuration.hand);
        if matches!(known.kind, MoveKind::Admit(_)) {
            return self.admission_over(c, &known.kind, request, &done);
        }
        let mut leases = Vec::new();
        for taken in &done.taken {
            let tokens = self.world.tokens.iter();
            let token = taken.lease.map(|lease| {
                let found = tokens.clone().rfind(|(range, node, _)| (*range, *node) == (lease, taken.node));
                found.map_or(Vector::DEAD, |(.., fence)| *fence)
            });
            leases.push((self.enter(c, *taken, token, false), taken.range));
        }
        self.event(c, Event::Claimed { request, leases, hand })
    }

    /// A timeout. Numbers that were not reported are lost for the client, whatever its transaction does later; of a
    /// grant whose admission may not be durable, only the numbers that went to the pool.
    pub(crate) fn late_move(&mut self, at: usize) -> Kept {
        self.world.budget.late -= 1;
        let known = self.world.moves.remove(at);
        let Some(c) = known.client else { return Ok(()) };
        let (request, decided) = (known.request, known.is_done());
        self.say(|| format!("{} gives up waiting for {:?}", self.configuration.places[c].name, known.kind));
        if !decided {
            self.world.moves.push(Move { client: None, request: 0, ..known.clone() });
        }
        let hand = self.configuration.hand;
        match (known.progress, known.kind) {
            (Progress::Done(done), kind @ MoveKind::Admit(_)) => self.admission_over(c, &kind, request, &done),
            (_, MoveKind::Admit(_)) if self.configuration.variant == Some(Variant::LateAdmissionUsed) => {
                self.event(c, Event::Admitted { request, parked: None, hand })
            }
            (_, kind) => {
                if let MoveKind::Admit(granted) = kind {
                    let client = self.client(c);
                    client.memory = client.memory.without(granted.ids());
                }
                self.event(c, Event::Failed { request })
            }
        }
    }

    /// The decision may or may not be on disk: numbers that an admission would have parked are lost.
    pub(crate) fn lost_admission(&mut self, at: usize, with: (u64, u64)) -> Kept {
        self.world.budget.late -= 1;
        let known = self.world.moves.remove(at);
        let Some(c) = known.client else { return Ok(()) };
        let (_, done) = known.decide(self.world.pools[known.pool].seen(), self.known_now(&known), with);
        self.say(|| format!("pool: aborts the admission of {}: {done:?}", self.configuration.places[c].name));
        self.put_in(c, &known.kind, &done);
        self.admission_over(c, &known.kind, known.request, &done)
    }

    /// Numbers that an admission parks have left memory.
    fn put_in(&mut self, c: usize, kind: &MoveKind, done: &Done) {
        if let (MoveKind::Admit(granted), Some(range)) = (kind, done.put) {
            let client = self.client(c);
            client.memory = client.memory.without(Ids::of(granted.node, range));
        }
    }

    /// The client gets the pool's result for a grant.
    fn admission_over(&mut self, c: usize, kind: &MoveKind, request: u32, done: &Done) -> Kept {
        let MoveKind::Admit(granted) = kind else { return Ok(()) };
        if let Some(highest) = done.conflict {
            let client = self.client(c);
            client.memory = client.memory.without(granted.ids());
            return self.event(c, Event::Regressed { request, highest, overtaken: false });
        }
        let hand = self.configuration.hand;
        self.event(c, Event::Admitted { request, parked: done.put, hand })
    }

    /// If the server is rolled back: numbers that the device durably knows as parked or issued are never admitted,
    /// and no numbers of another incarnation than the client's leave the pool.
    fn admitted_rightly(
        &mut self,
        known: &Move,
        known_now: Option<u8>,
        read: &Disk,
        after: Option<&Disk>,
        done: &Done,
        demand: u64,
    ) -> Kept {
        let current = known_now.or(read.stored);
        let foreign = done.taken.iter().find(|taken| Some(taken.incarnation) != current);
        self.require(foreign.is_none(), || format!("{foreign:?} leaves the pool, of another incarnation"))?;
        let life = |disk: &Disk| disk.record().map(|record| record.incarnation);
        let goes_on = after.is_none_or(|after| life(read) == life(after));
        let issued = &mut self.world.known[known.pool];
        if !goes_on {
            *issued = Ids::default();
        }
        let issued_before = *issued;
        // A move of another incarnation writes nothing: its marks are about other numbers than the record's.
        if known.is_strict() && after.is_some() {
            let marked = known.issued.iter().map(|(node, highest)| Ids::run(*node, 1, *highest));
            *issued = marked.fold(*issued, Ids::with);
        }
        match known.kind {
            // Only the number that a caller gets at once is marked.
            MoveKind::Claim => {
                let first = done.taken.first().and_then(|taken| Some((taken.node, taken.range.split(1).0?)));
                *issued = first.map_or(*issued, |(node, first)| issued.with(Ids::of(node, first)));
            }
            MoveKind::Admit(Granted { range, node, .. }) if done.conflict.is_none() => {
                *issued = issued.with(range.split(demand).0.map_or(Ids::default(), |now| Ids::of(node, now)));
                let parked = if goes_on { read.ids } else { Ids::default() };
                let bad = Ids::of(node, range).and(issued_before.with(parked));
                self.require(bad.is_empty(), || format!("{bad} is admitted although the device knows it"))?;
            }
            _ => {}
        }
        Ok(())
    }
}
