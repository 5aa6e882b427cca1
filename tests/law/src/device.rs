//! A device's storage and the moves between it and memory. What a move does is decided by the real pool.

use crate::configurations::{Configuration, History};
use crate::ids::{Ids, TAGS};
use crate::network::Granted;
use crate::stored::Stored;
use raven_edge::hilo::Range;
use raven_edge::pool::{Move as Real, Outcome, Parked, Record, Wish as RealWish, decide};

/// What IndexedDB holds of one scope: the record's text, and the incarnation that the device has last heard of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Disk {
    text: Option<Stored>,
    /// What is parked in it.
    pub(crate) ids: Ids,
    pub(crate) stored: Option<u8>,
}

impl Disk {
    pub(crate) fn record(&self) -> Option<&Record> {
        self.text.as_ref().map(Stored::record)
    }

    fn write(&mut self, record: &Record) {
        self.text = Some(Stored::new(record));
        self.ids = record.parked.iter().map(ids_of).fold(Ids::default(), Ids::with);
    }

    /// With another note of which incarnation was heard of last.
    pub(crate) fn told(self, incarnation: u8) -> Disk {
        Disk { stored: Some(incarnation), ..self }
    }

    /// Drops marks that nothing can meet any more.
    pub(crate) fn forget_marks(&mut self, settled: u64) {
        let marked = |record: &&Record| record.issued.iter().any(|(_, highest)| *highest <= settled);
        let Some(mut record) = self.record().filter(marked).cloned() else { return };
        record.issued.retain(|(_, highest)| *highest > settled);
        self.write(&record);
    }
}

/// A record's life: first the state that is flushed for certain, last the one that readers see.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pool {
    pub(crate) writes: Vec<Disk>,
}

impl Pool {
    /// A device that has heard of the database already, unless that is what matters.
    pub(crate) fn new(configuration: &Configuration) -> Pool {
        let stored = (configuration.history != History::Recreated).then_some(1);
        Pool { writes: vec![Disk { stored, ..Disk::default() }] }
    }

    /// What a reader sees.
    pub(crate) fn seen(&self) -> &Disk {
        self.writes.last().expect("never empty")
    }

    /// A strict write flushes everything before it; a relaxed one may be lost, and those after it with it.
    pub(crate) fn write(&mut self, disk: Disk, strict: bool) {
        if strict {
            self.writes.clear();
        }
        if self.writes.last() != Some(&disk) {
            self.writes.push(disk);
        }
    }

    /// The operating system has crashed: this many writes behind the flushed state were on disk.
    pub(crate) fn roll_back(&mut self, kept: usize) {
        let disk = self.writes[kept].clone();
        self.writes = vec![disk];
    }
}

/// What a move is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Wish {
    Claim,
    TakeOut {
        keep: u64,
    },
    Park(Vec<Granted>),
    Admit(Granted),
    /// The device hears of an incarnation.
    Note(u8),
}

/// How far a move is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Progress {
    /// Its transaction has yet to run.
    Queued,
    /// Only in a broken variant: one transaction has read this, another one will write.
    Read(Disk),
    /// Committed, and for a take-out durable, but not reported.
    Done(Done),
}

/// What came of a move.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Done {
    pub(crate) taken: Vec<Granted>,
    pub(crate) put: Option<Range>,
    pub(crate) conflict: Option<u64>,
}

impl Done {
    /// Numbers on their way from the pool into memory.
    pub(crate) fn ids(&self) -> Ids {
        self.taken.iter().map(|taken| taken.ids()).fold(Ids::default(), Ids::with)
    }
}

/// A move on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Move {
    /// Who waits for the report; nobody, when it was given up, its tab died, or it puts in.
    pub(crate) client: Option<usize>,
    /// Whose transaction it is while its tab lives; kept only where another incarnation can be heard of meanwhile.
    pub(crate) of: Option<usize>,
    pub(crate) pool: usize,
    pub(crate) request: u32,
    /// The incarnation that the client had last heard of.
    pub(crate) incarnation: Option<u8>,
    /// What answers had told when it was asked for: written beside the record, should the note of it have been lost.
    pub(crate) told: Option<u8>,
    /// The highest number that the client had issued, per node.
    pub(crate) issued: Vec<(u32, u64)>,
    pub(crate) wish: Wish,
    pub(crate) progress: Progress,
}

impl Move {
    /// Runs the real decision on what was read; `heard` is the incarnation that the client has heard of by now. `with`: what
    /// is known only when it runs, how many numbers callers wait for, and for an admission how many are to be parked. No
    /// disk: nothing is written.
    pub(crate) fn decide(&self, disk: &Disk, heard: Option<u8>, with: (u64, u64)) -> (Option<Disk>, Done) {
        let wish = match &self.wish {
            Wish::Note(incarnation) => {
                return (Some(disk.clone().told(*incarnation)), Done::default());
            }
            Wish::Claim => RealWish::Claim(with.0),
            Wish::TakeOut { keep } => RealWish::TakeOut { keep: *keep },
            Wish::Park(numbers) => RealWish::Park(numbers.iter().copied().map(parked).collect()),
            Wish::Admit(grant) => RealWish::Admit { grant: parked(*grant), demand: with.0, target: with.1, known: 0 },
        };
        let issued = self.issued.iter().map(|(node, highest)| (TAGS[*node as usize].to_owned(), *highest)).collect();
        let wanted = Real { incarnation: self.incarnation.map(name), issued, unused: Vec::new(), used: 0, wish };
        let (stored, heard) = (disk.stored.map(name), heard.map(name));
        let (record, outcome) = decide(disk.record().cloned(), stored.as_deref(), heard.as_deref(), &wanted);
        let after = record.map(|record| {
            let mut after = disk.clone();
            after.write(&record);
            after
        });
        (after, done(outcome))
    }

    /// Numbers of a grant whose admission is not reported yet, but for those that are parked by now.
    pub(crate) fn waits(&self) -> Ids {
        let Wish::Admit(granted) = self.wish else { return Ids::default() };
        let put = if let Progress::Done(done) = &self.progress { done.put } else { None };
        granted.ids().without(put.map_or(Ids::default(), |put| Ids::of(granted.node, put)))
    }

    /// Whether it is this client's, by waiting for it or by running it.
    pub(crate) fn is_of(&self, c: usize) -> bool {
        self.client == Some(c) || self.of == Some(c)
    }

    /// Everything but whose it is.
    pub(crate) fn without_client(&self) -> impl std::hash::Hash {
        (
            self.client.is_some(),
            self.pool,
            self.request,
            self.incarnation,
            self.told,
            &self.issued,
            &self.wish,
            &self.progress,
        )
    }

    /// Whether it has committed.
    pub(crate) fn is_done(&self) -> bool {
        matches!(self.progress, Progress::Done(_))
    }

    /// Whether nothing is used or sent before the transaction is durable.
    pub(crate) fn is_strict(&self) -> bool {
        !matches!(self.wish, Wish::Park(_) | Wish::Note(_))
    }
}

fn done(outcome: Outcome) -> Done {
    let taken = outcome.taken.iter().map(|taken| Granted {
        range: taken.range,
        node: node_of(&taken.tag),
        incarnation: taken.prefix.parse().unwrap_or_default(),
    });
    Done { taken: taken.collect(), put: outcome.put, conflict: outcome.conflict }
}

/// The prefix says which life of the database granted the numbers, so that a mix-up would show.
fn parked(granted: Granted) -> Parked {
    Parked {
        range: granted.range,
        prefix: granted.incarnation.to_string(),
        tag: TAGS[granted.node as usize].to_owned(),
    }
}

fn ids_of(parked: &Parked) -> Ids {
    Ids::of(node_of(&parked.tag), parked.range)
}

fn node_of(tag: &str) -> u32 {
    u32::from(tag == TAGS[1])
}

fn name(incarnation: u8) -> String {
    incarnation.to_string()
}
