//! A device's storage, and the moves between it and memory. The real pool decides about each move.

use crate::configurations::{Configuration, History};
use crate::ids::Ids;
use crate::network::Granted;
use crate::stored::Stored;
use raven_edge::hilo::Range;
use raven_edge::pool::{Move as Real, MoveKind as RealWish, Outcome, Parked, Record, Token, apply_move};

/// The contents of IndexedDB for one scope: the record, and the last known incarnation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Disk {
    record: Option<Stored>,
    /// The parked numbers.
    pub(crate) ids: Ids,
    pub(crate) stored: Option<u8>,
}

impl Disk {
    pub(crate) fn record(&self) -> Option<&Record> {
        self.record.as_ref().map(Stored::record)
    }

    fn write(&mut self, record: &Record) {
        self.record = Some(Stored::new(record));
        self.ids = record.parked.iter().map(ids_of).fold(Ids::default(), Ids::with);
    }

    /// The disk with another known incarnation.
    pub(crate) fn with_incarnation(self, incarnation: u8) -> Disk {
        Disk { stored: Some(incarnation), ..self }
    }

    /// Removes marks that cannot matter any more.
    pub(crate) fn forget_marks(&mut self, unreachable: u64) {
        let marked = |record: &&Record| record.issued.iter().any(|(_, highest)| *highest <= unreachable);
        let Some(mut record) = self.record().filter(marked).cloned() else { return };
        record.issued.retain(|(_, highest)| *highest > unreachable);
        self.write(&record);
    }
}

/// The history of a record: first the state that is certainly flushed, last the state that readers see.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pool {
    pub(crate) writes: Vec<Disk>,
}

impl Pool {
    /// A device that already knows the database's incarnation, unless the configuration is about that.
    pub(crate) fn new(configuration: &Configuration) -> Pool {
        let stored = (configuration.history != History::Recreated).then_some(1);
        Pool { writes: vec![Disk { stored, ..Disk::default() }] }
    }

    /// The state that readers see.
    pub(crate) fn seen(&self) -> &Disk {
        self.writes.last().expect("never empty")
    }

    /// A strict write flushes all earlier ones. A relaxed write may be lost, together with all later ones.
    pub(crate) fn write(&mut self, disk: Disk, strict: bool) {
        if strict {
            self.writes.clear();
        }
        if self.writes.last() != Some(&disk) {
            self.writes.push(disk);
        }
    }

    /// After a crash of the operating system: `kept` writes after the flushed state were on disk.
    pub(crate) fn roll_back(&mut self, kept: usize) {
        let disk = self.writes[kept].clone();
        self.writes = vec![disk];
    }
}

/// The purpose of a move.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum MoveKind {
    Claim,
    TakeOut {
        keep: u64,
    },
    Park(Vec<Granted>),
    Admit(Granted),
    /// Records an incarnation on the device.
    Note(u8),
}

/// The progress of a move.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Progress {
    /// Its transaction has not run.
    Queued,
    /// Only in a broken variant: one transaction has read this, another one will write.
    Read(Disk),
    /// Committed, durable for a take-out, but not reported.
    Done(Done),
}

/// The result of a move.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Done {
    pub(crate) taken: Vec<Granted>,
    pub(crate) put: Option<Range>,
    pub(crate) conflict: Option<u64>,
}

impl Done {
    /// Numbers that move from the pool to memory.
    pub(crate) fn ids(&self) -> Ids {
        self.taken.iter().map(|taken| taken.ids()).fold(Ids::default(), Ids::with)
    }
}

/// A pending move.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Move {
    /// The client that waits for the report; `None` after a timeout, the death of its tab, or for a put-in.
    pub(crate) client: Option<usize>,
    /// The client whose transaction it is while its tab lives; kept only if another incarnation may be reported
    /// meanwhile.
    pub(crate) of: Option<usize>,
    pub(crate) pool: usize,
    pub(crate) request: u32,
    /// The incarnation that the client knew.
    pub(crate) incarnation: Option<u8>,
    /// The incarnation that responses had reported when the move was queued. It is written with the record, in case
    /// its own write was lost.
    pub(crate) reported: Option<u8>,
    /// The highest number that the client had issued, by node.
    pub(crate) issued: Vec<(u32, u64)>,
    pub(crate) kind: MoveKind,
    pub(crate) progress: Progress,
}

impl Move {
    /// Runs the real decision on what was read. `known_now`: the incarnation that the client knows now. `with`: the
    /// number of waiting callers, and for an admission of numbers to park, which are known only when it runs. Without
    /// a disk nothing is written.
    pub(crate) fn decide(&self, disk: &Disk, known_now: Option<u8>, with: (u64, u64)) -> (Option<Disk>, Done) {
        let kind = match &self.kind {
            MoveKind::Note(incarnation) => {
                return (Some(disk.clone().with_incarnation(*incarnation)), Done::default());
            }
            MoveKind::Claim => RealWish::Claim { count: with.0, demand: 1 },
            MoveKind::TakeOut { keep } => RealWish::TakeOut { keep: *keep },
            MoveKind::Park(numbers) => RealWish::Park(numbers.iter().copied().map(parked).collect()),
            MoveKind::Admit(grant) => {
                RealWish::Admit { grant: parked(*grant), demand: with.0, spare: 0, target: with.1, known: 0 }
            }
        };
        let (issued, incarnation) = (self.issued.clone(), number(self.incarnation));
        let wanted = Real { incarnation, issued, unused: Vec::new(), used: 0, kind };
        let (record, outcome) = apply_move(disk.record().cloned(), number(disk.stored), number(known_now), &wanted);
        let after = record.map(|record| {
            let mut after = disk.clone();
            after.write(&record);
            after
        });
        (after, done(outcome))
    }

    /// Numbers of a grant whose admission is not reported, except those that have been parked.
    pub(crate) fn waits(&self) -> Ids {
        let MoveKind::Admit(granted) = self.kind else { return Ids::default() };
        let put = if let Progress::Done(done) = &self.progress { done.put } else { None };
        granted.ids().without(put.map_or(Ids::default(), |put| Ids::of(granted.node, put)))
    }

    /// Whether the move belongs to this client, which waits for it or runs it.
    pub(crate) fn is_of(&self, c: usize) -> bool {
        self.client == Some(c) || self.of == Some(c)
    }

    /// All fields except the client.
    pub(crate) fn without_client(&self) -> impl std::hash::Hash {
        (
            self.client.is_some(),
            self.pool,
            self.request,
            self.incarnation,
            self.reported,
            &self.issued,
            &self.kind,
            &self.progress,
        )
    }

    /// Whether it has committed.
    pub(crate) fn is_done(&self) -> bool {
        matches!(self.progress, Progress::Done(_))
    }

    /// Whether nothing may be used or sent before the transaction is durable.
    pub(crate) fn is_strict(&self) -> bool {
        !matches!(self.kind, MoveKind::Park(_) | MoveKind::Note(_))
    }
}

fn done(outcome: Outcome) -> Done {
    let taken = outcome.taken.iter().map(|taken| Granted {
        range: taken.range,
        node: taken.node_tag,
        lease: taken.token.map(|token| token.lease),
        incarnation: taken.affixes as u8,
    });
    Done { taken: taken.collect(), put: outcome.put, conflict: outcome.conflict }
}

/// The affixes contain the incarnation that granted the numbers, so that a mix-up would be noticed.
fn parked(granted: Granted) -> Parked {
    Parked {
        range: granted.range,
        affixes: u32::from(granted.incarnation),
        node_tag: granted.node,
        token: granted.lease.map(|lease| Token { lease, text: 1 }),
    }
}

fn ids_of(parked: &Parked) -> Ids {
    Ids::of(parked.node_tag, parked.range)
}

/// The number of an incarnation; 0: none.
fn number(incarnation: Option<u8>) -> u32 {
    incarnation.map_or(0, u32::from)
}
