//! The complete state.

use crate::configurations::{Budget, Configuration};
use crate::network::{Deferred, Outgoing, Response, When};
use crate::server::{Content, DOCUMENTS, Server, Stored};
use raven_edge::session::{Advice, Facts, Saves};
use raven_edge_checker::Ranks;

/// A document of a session, as the façade stores it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Slot {
    /// `None` while the server has not generated or reported it.
    pub(crate) id: Option<u8>,
    pub(crate) entity: Content,
    /// The last loaded or saved content.
    pub(crate) snapshot: Option<Content>,
    pub(crate) vector: Option<u8>,
    /// Whether it is always or never checked, and who generates the id.
    pub(crate) facts: Facts,
    pub(crate) deleted: bool,
    /// Contents that were sent and may be found later, by version.
    pub(crate) texts: Vec<(u8, Content)>,
    /// Whether the server has, had, or may get it. Only for the laws, like the next field.
    pub(crate) sent: bool,
    /// Whether a deletion was executed since the app requested it.
    pub(crate) delete_executed: bool,
}

impl Slot {
    /// The facts that are passed to the core.
    pub(crate) fn reported(&self) -> Facts {
        let known = if self.vector.is_some() { Facts::KNOWN } else { Facts::default() };
        let pending = if self.is_pending() { Facts::PENDING } else { Facts::default() };
        self.facts.with(known).with(pending)
    }

    pub(crate) fn is_changed(&self) -> bool {
        !self.deleted && self.snapshot.is_none_or(|snapshot| snapshot.text != self.entity.text)
    }

    /// Whether the server will generate its id.
    pub(crate) fn is_pending(&self) -> bool {
        self.id.is_none()
    }

    pub(crate) fn is_fresh(&self) -> bool {
        self.facts.has(Facts::OURS) && self.vector.is_none()
    }
}

/// The error that was reported to the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum AppError {
    NotSaved,
    Conflict {
        slot: Option<usize>,
        unknown: bool,
    },
    Unknown(Advice),
    /// A document whose deletion is pending and whose id is unknown.
    NoId(usize),
}

/// The stage of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Stage {
    Idle,
    /// Waits for documents that are read back.
    Reads,
    /// Its batch is sealed, and not sent yet.
    Ready,
    /// Waits for the response to its batch.
    Waits,
    /// Its app has received an error and has not followed the advice yet.
    Failed(AppError),
}

/// What a save has sealed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Batch {
    /// Slots, ids and contents of the documents that it writes.
    pub(crate) puts: Vec<(usize, Option<u8>, Content)>,
    /// Slots of the documents that the app has deleted.
    pub(crate) deletes: Vec<usize>,
    pub(crate) deferred: Vec<Deferred>,
    /// The request, until it is sent.
    pub(crate) request: Option<Outgoing>,
    /// Whether it can be saved only by being carried out: it deletes or patches documents.
    pub(crate) must_run: bool,
}

impl Batch {
    /// The content that it writes for a slot.
    pub(crate) fn text(&self, slot: usize) -> Option<Content> {
        self.puts.iter().find(|(written, ..)| *written == slot).map(|(.., text)| *text)
    }

    /// The id of a slot that it writes.
    pub(crate) fn id(&self, slot: usize) -> Option<u8> {
        self.puts.iter().find(|(written, ..)| *written == slot)?.1
    }
}

/// A session: the real decisions, and the façade around them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Session {
    pub(crate) saves: Saves,
    pub(crate) slots: Vec<Option<Slot>>,
    /// Deferred commands.
    pub(crate) deferred: Vec<Deferred>,
    /// The changes of commands that the app has deferred and not taken back.
    pub(crate) asked: u16,
    pub(crate) stage: Stage,
    /// The batch of the save that is in progress.
    pub(crate) sealed: Batch,
    /// The changes that this save has sealed, also in a batch that was refused and planned again.
    pub(crate) promised: u16,
    /// The slot that the server has refused, while the refusal is handled.
    pub(crate) refused: Option<usize>,
    /// Saves with commands that must not be repeated, one bit each; and whether one of them was abandoned.
    pub(crate) once: u16,
    pub(crate) given_up: bool,
    /// Whether the server has reported that the batch is saved, but without results.
    pub(crate) waited: bool,
    pub(crate) budget: Budget,
    pub(crate) marks: u8,
    /// Its own changes.
    pub(crate) made: u16,
    /// Guarded changes that the app relies on: each must be stored once in the end.
    pub(crate) owed: u16,
    /// All guarded changes.
    pub(crate) guarded: u16,
    /// Executed saves, and saves that were reported as not executed; one bit each.
    pub(crate) executed: u16,
    pub(crate) reported_not_saved: u16,
    /// Documents in the last batch; and in the batch for which the app last got the advice to save again.
    pub(crate) batch: Vec<usize>,
    pub(crate) safe: Vec<usize>,
    /// Deferred changes in the last batch; and those for which the app got the advice to save again.
    pub(crate) patches: u16,
    pub(crate) safe_patches: u16,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct World {
    pub(crate) server: Server,
    pub(crate) sessions: Vec<Session>,
    pub(crate) network: Vec<Outgoing>,
    /// Remaining faults, and actions of other writers.
    pub(crate) budget: Budget,
}

impl World {
    pub(crate) fn new(configuration: &Configuration) -> World {
        let known = configuration.known;
        let mut nodes = [[None; DOCUMENTS]; 2];
        let content = Content::default();
        for (document, vector) in nodes[0].iter_mut().zip(1..).take(known as usize) {
            *document = Some(Stored { vector, content });
        }
        nodes[1] = nodes[0];
        let loaded = |id: u8| Slot {
            id: Some(id),
            entity: content,
            snapshot: Some(content),
            vector: Some(id + 1),
            facts: Facts::default(),
            deleted: false,
            texts: Vec::new(),
            sent: true,
            delete_executed: false,
        };
        let session = |budget: Budget| Session {
            saves: Saves::with_variant(configuration.variant),
            slots: (0..known).map(|id| Some(loaded(id))).collect(),
            deferred: Vec::new(),
            asked: 0,
            stage: Stage::Idle,
            sealed: Batch::default(),
            promised: 0,
            refused: None,
            once: 0,
            given_up: false,
            waited: false,
            budget,
            marks: 0,
            made: 0,
            owed: 0,
            guarded: 0,
            executed: 0,
            reported_not_saved: 0,
            batch: Vec::new(),
            safe: Vec::new(),
            patches: 0,
            safe_patches: 0,
        };
        World {
            server: Server { nodes, clock: known, ids: known, ever: 0 },
            sessions: configuration.sessions.iter().copied().map(session).collect(),
            network: Vec::new(),
            budget: configuration.faults,
        }
    }

    /// Normalises whatever makes no difference, so that states that behave alike are equal: of change vectors only
    /// equality matters.
    pub(crate) fn normalise(&mut self) {
        self.network.retain(|request| request.awaited || request.response.is_none());
        self.network.sort_unstable();
        let mut used = Vec::new();
        self.vectors(|vector| used.push(*vector));
        let ranks = Ranks::of(used);
        self.vectors(|vector| *vector = ranks.rank(*vector));
        self.server.clock = ranks.count();
    }

    fn vectors(&mut self, mut of: impl FnMut(&mut u8)) {
        self.server.nodes.iter_mut().flatten().flatten().for_each(|stored| of(&mut stored.vector));
        self.sessions.iter_mut().flat_map(|session| &mut session.slots).flatten().for_each(|slot| {
            if let Some(vector) = &mut slot.vector {
                of(vector);
            }
        });
        let ready = self.sessions.iter_mut().filter_map(|session| session.sealed.request.as_mut());
        for request in self.network.iter_mut().chain(ready) {
            for command in &mut request.commands {
                if let When::Vector(vector) = &mut command.when {
                    of(vector);
                }
            }
            if let Some(Response::Applied(results)) = &mut request.response {
                results.puts.iter_mut().for_each(|(_, _, vector)| of(vector));
                results.patches.iter_mut().for_each(|(_, vector, _)| of(vector));
            }
        }
    }
}

impl World {
    /// Describes the state, for a trace.
    pub(crate) fn describe(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let documents = self.server.nodes[0].iter().enumerate();
        let there: Vec<String> = documents
            .filter_map(|(id, stored)| {
                stored.map(|stored| format!("{id}: {:#b} at {}", stored.content.real, stored.vector))
            })
            .collect();
        lines.push(format!("server: [{}], {} in flight", there.join("; "), self.network.len()));
        for (s, session) in self.sessions.iter().enumerate() {
            let slots: Vec<String> = session.slots.iter().flatten().map(Slot::describe).collect();
            lines.push(format!("session {s}: {:?}; {}", session.stage, slots.join("; ")));
        }
        lines
    }
}

impl Slot {
    fn describe(&self) -> String {
        let id = self.id.map_or("?".to_owned(), |id| id.to_string());
        let state = match self {
            Slot { deleted: true, .. } => "to be deleted",
            Slot { snapshot: None, .. } => "new",
            slot if slot.is_changed() => "changed",
            _ => "clean",
        };
        let vector = self.vector.map_or(String::new(), |vector| format!(" at {vector}"));
        format!("document {id} {:#b}{vector} {state}", self.entity.real)
    }
}
