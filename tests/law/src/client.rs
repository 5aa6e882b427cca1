//! The adapter around a real ledger: passes events to it and executes its effects, as the driver and the façade do.

use crate::device::{Move, MoveKind, Progress};
use crate::ids::Ids;
use crate::network::{Exchange, Granted, Leg, Return};
use crate::server::Vector;
use crate::turn::{Broken, Kept, Turn};
use crate::variants::Variant;
use crate::world::{Block, Stage, Text};
use raven_edge::hilo::{Effect, Event, Lease, Range};

impl Turn<'_> {
    /// Passes an event to the client's ledger and executes its effects.
    pub(crate) fn event(&mut self, c: usize, event: Event) -> Kept {
        self.say(|| format!("ledger of {}: {event:?}", self.configuration.places[c].name));
        let effects = self.client(c).ledger.on(event);
        let mut parks = Vec::new();
        for effect in effects {
            self.say(|| format!("  -> {effect:?}"));
            self.effect(c, effect, &mut parks)?;
        }
        if !parks.is_empty() {
            self.queue(c, 0, MoveKind::Park(parks));
        }
        let client = self.client(c);
        client.texts.retain(|text| client.ledger.knows(text.lease));
        let (held, memory) = (client.ledger.held(), client.memory.count());
        self.require(held <= memory || !self.is_honest(), || {
            format!("the ledger holds {held} numbers, but only {memory} arrived")
        })
    }

    fn effect(&mut self, c: usize, effect: Effect, parks: &mut Vec<Granted>) -> Kept {
        let stage = self.world.clients[c].stage;
        let open = stage == Stage::Open;
        match effect {
            Effect::Lease { request, above, .. } => {
                self.require(open, || "a lease is requested after the page left or closed".into())?;
                let document = self.place(c).document;
                self.note_known(c);
                if !self.hand_over(c, request, above) {
                    self.send(c, request, if document { Leg::Wanted { above } } else { Leg::Lease { above } });
                }
            }
            Effect::Claim { request, all } => {
                self.require(open || all, || "a claim is made after the page left or closed".into())?;
                self.queue(c, request, if all { MoveKind::TakeOut { keep: 0 } } else { MoveKind::Claim });
            }
            Effect::Admit { request, lease } => {
                let text = self.text(c, lease)?;
                let whole = text.fence.filter(|_| self.place(c).sealed).map(|_| text.range);
                self.queue(c, request, MoveKind::Admit(Granted { lease: whole, ..text.granted() }));
            }
            Effect::Park { range, lease } => {
                let text = self.text(c, lease)?;
                let whole = text.fence.filter(|_| self.place(c).sealed).map(|_| text.range);
                let granted = Granted { range, lease: whole, ..text.granted() };
                self.leave_memory(c, granted.ids(), "parked")?;
                parks.push(granted);
            }
            Effect::Hand { range, lease } => self.hand(c, range, lease)?,
            Effect::Surrender => self.surrender(c)?,
            Effect::Refence { request, lease } => {
                let owner = self.text(c, lease)?.owner;
                self.client(c).fencing.push((request, lease));
                self.send(c, request, Leg::Read { owner });
            }
            Effect::Return { lease, high, last } => self.give_back(c, lease, high, last)?,
            Effect::Burnt { range, lease } => {
                let ids = Ids::of(self.text(c, lease)?.owner, range);
                self.leave_memory(c, ids, "burnt")?;
            }
            // The caller that passed the grant removes it.
            Effect::Regression { range, .. } => self.regressed(c, range)?,
        }
        Ok(())
    }

    /// Passes a block to the counter.
    fn hand(&mut self, c: usize, range: Range, lease: u32) -> Kept {
        let text = self.text(c, lease)?;
        let ids = Ids::of(text.owner, range);
        let client = &self.world.clients[c];
        self.require(client.stage == Stage::Open, || format!("{ids} is handed out after the page left or closed"))?;
        let empty = client.counter.is_none_or(|block| block.ids().is_empty());
        self.require(empty, || format!("the counter gets {ids} while it has numbers"))?;
        self.require(client.incarnation.is_none_or(|known| known == text.incarnation), || {
            format!("{ids} of another incarnation is handed out")
        })?;
        let waiting = self.world.moves.iter().any(|known| known.client == Some(c) && known.waits().meets(ids));
        // If the server was rolled back, the pool may already contain the same number.
        self.require(!waiting || !self.is_honest(), || format!("{ids} is used before its admission"))?;
        self.leave_memory(c, ids, "handed out")?;
        let Text { owner: node, incarnation, .. } = text;
        self.client(c).counter = Some(Block { node, incarnation, next: range.low(), last: range.high() });
        Ok(())
    }

    /// Empties the counter and reports its position to the ledger.
    pub(crate) fn surrender(&mut self, c: usize) -> Kept {
        let away = self.world.clients[c].stage == Stage::Away;
        let keeps = match self.configuration.variant {
            Some(Variant::KeepIssuing) => true,
            Some(Variant::HandSurvives) => away,
            _ => false,
        };
        let client = self.client(c);
        let block = client.counter;
        if !keeps {
            client.counter = None;
        }
        client.memory = client.memory.with(block.map_or(Ids::default(), Block::ids));
        self.event(c, Event::Surrendered { next: block.map_or(0, |block| block.next) })
    }

    /// Sends an [`Effect::Return`].
    fn give_back(&mut self, c: usize, lease: u32, high: u64, last: u64) -> Kept {
        let text = self.text(c, lease)?;
        let Some(fence) = text.fence else {
            return Err(Broken(format!("a return of {} to {high} has no fence", last + 1)));
        };
        let back = Return { node: text.node, owner: text.owner, fence, high, last, copies: 2 };
        if fence != Vector::DEAD && fence.incarnation != text.incarnation {
            let (own, other) = (text.incarnation, fence.incarnation);
            return Err(Broken(format!(
                "{} of incarnation {own} are returned under a fence of incarnation {other}",
                back.ids()
            )));
        }
        self.require(text.single || last + 1 >= text.range.low(), || {
            format!("Max may fall to {last}, below the lease {:?} whose fence is used", text.range)
        })?;
        self.leave_memory(c, back.ids(), "returned")?;
        self.world.network.returns.push(back);
        Ok(())
    }

    /// Checks that numbers that leave memory were in it.
    fn leave_memory(&mut self, c: usize, ids: Ids, why: &str) -> Kept {
        let memory = self.world.clients[c].memory;
        // If the server is rolled back, a number may rightly be in memory twice, which this set cannot express.
        self.require(memory.covers(ids) || !self.is_honest(), || {
            format!("{ids} is {why}, but only {memory} is in memory")
        })?;
        self.client(c).memory = memory.without(ids);
        Ok(())
    }

    /// Adds numbers to memory under a new lease.
    pub(crate) fn enter(&mut self, c: usize, granted: Granted, fence: Option<Vector>, single: bool) -> Lease {
        let client = self.client(c);
        let taken = |id: u32| client.texts.iter().any(|text| text.lease == id);
        let lease = (1..).find(|id| !taken(*id)).unwrap_or_default();
        let Granted { range: numbers, node, incarnation, lease: whole } = granted;
        let range = whole.unwrap_or(numbers);
        client.texts.push(Text { lease, range, owner: node, node, fence, single, incarnation });
        client.memory = client.memory.with(granted.ids());
        Lease { id: lease, range, node, fenced: fence.is_some(), merges: single }
    }

    /// Takes the incarnation of a response to a request that was sent under `under`. A different incarnation discards
    /// all numbers.
    pub(crate) fn take_incarnation(&mut self, c: usize, under: Option<u8>, incarnation: u8) -> Kept {
        if self.is_recreated() {
            let client = self.client(c);
            // A response that was in flight while another one reported a new incarnation may be of the old one.
            if client.reported != under || under == Some(incarnation) {
                return Ok(());
            }
            client.reported = Some(incarnation);
            self.queue(c, 0, MoveKind::Note(incarnation));
        }
        let before = self.client(c).incarnation.replace(incarnation);
        if before.is_some_and(|before| before != incarnation) {
            self.client(c).counter = None;
            self.event(c, Event::Forget)?;
            let client = self.client(c);
            (client.memory, client.issued) = (Ids::default(), Ids::default());
        }
        Ok(())
    }

    /// Queues a move with what the client knows now.
    pub(crate) fn queue(&mut self, c: usize, request: u32, kind: MoveKind) {
        let Some(pool) = self.place(c).pool else { return };
        let client = &self.world.clients[c];
        // No client waits for a put-in: its numbers have left memory, whatever the result.
        let waits = !matches!(kind, MoveKind::Park(_) | MoveKind::Note(_));
        self.world.moves.push(Move {
            client: waits.then_some(c),
            of: self.is_recreated().then_some(c),
            pool,
            request,
            incarnation: match &kind {
                MoveKind::Admit(granted) => Some(granted.incarnation),
                _ => client.incarnation,
            },
            reported: client.reported,
            issued: client.ledger.issued().to_vec(),
            kind,
            progress: Progress::Queued,
        });
    }

    pub(crate) fn send(&mut self, client: usize, request: u32, leg: Leg) {
        let under = self.world.clients[client].reported;
        self.world.network.exchanges.push(Exchange { client, request, under, leg });
    }

    /// The details of a lease that an effect names.
    pub(crate) fn text(&self, c: usize, lease: u32) -> Result<Text, Broken> {
        let known = self.world.clients[c].texts.iter().find(|text| text.lease == lease);
        known.copied().ok_or_else(|| Broken(format!("lease {lease} is unknown to {}", self.place(c).name)))
    }
}

impl Text {
    fn granted(self) -> Granted {
        Granted { range: self.range, node: self.owner, incarnation: self.incarnation, lease: None }
    }
}
