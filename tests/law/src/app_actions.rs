//! The actions of apps and pages: take, request, share, leave, return, dispose.

use crate::ids::Ids;
use crate::turn::{Broken, Kept, Turn};
use crate::variants::Variant;
use crate::world::{Client, Stage};
use raven_edge::hilo::{Event, Hand};

impl Turn<'_> {
    /// The app calls `take()`: an empty counter is filled in the same call. This is the only moment at which a
    /// duplicate can occur.
    pub(crate) fn issue(&mut self, c: usize) -> Kept {
        let name = self.place(c).name;
        if self.world.clients[c].counter.is_none_or(|block| block.ids().is_empty()) {
            self.client(c).counter = None;
            self.event(c, Event::Dry(self.configuration.hand))?;
        }
        let honest = self.is_honest();
        let client = self.client(c);
        let Some(block) = client.counter.as_mut() else { return Ok(()) };
        let (id, life) = (Ids::one(block.node, block.next), block.incarnation);
        block.next += 1;
        let (stage, known) = (client.stage, client.incarnation);
        let again = client.issued.meets(id);
        if !honest {
            client.issued = client.issued.with(id);
        }
        self.say(|| format!("{name} issues {id}"));
        self.require(stage == Stage::Open, || format!("{id} is issued after the page left or closed"))?;
        if again {
            return Err(Broken(format!("{name} issues {id} twice")));
        }
        // A tab that is offline can issue numbers of a former incarnation until it learns of the new one.
        let current = self.world.server.incarnation;
        if honest || self.is_recreated() && (life == current || known == Some(current)) {
            if self.world.issued.meets(id) {
                return Err(Broken(format!("{id} is issued twice")));
            }
            self.world.issued = self.world.issued.with(id);
        }
        if honest { Ok(()) } else { self.save(id) }
    }

    /// A new document is saved with the condition that it must not exist.
    fn save(&mut self, id: Ids) -> Kept {
        let exists = self.world.server.saved.meets(id);
        if exists && self.configuration.variant == Some(Variant::SaveOverwrites) {
            return Err(Broken(format!("the second document {id} overwrites the first")));
        }
        self.say(|| format!("  save of {id}: {}", if exists { "refused, it exists" } else { "saved" }));
        self.world.server.saved = self.world.server.saved.with(id);
        Ok(())
    }

    pub(crate) fn wanted(&mut self, c: usize) -> Kept {
        self.event(c, Event::Wanted { group: 0 })
    }

    pub(crate) fn claim(&mut self, c: usize) -> Kept {
        self.event(c, Event::Claim)
    }

    pub(crate) fn share(&mut self, c: usize, count: u64) -> Kept {
        self.world.budget.shares -= 1;
        self.event(c, Event::Share { count })
    }

    /// A burst has paused: the pool is refilled from the bottom of memory, in one step as in the package.
    pub(crate) fn refill(&mut self, c: usize, spare: bool, count: u64) -> Kept {
        self.world.budget.refills -= 1;
        self.surrender(c)?;
        if spare {
            self.event(c, Event::Dry(Hand { block: 1, ..Hand::default() }))?;
        }
        if self.configuration.variant != Some(Variant::RefilledAndReturned) {
            return self.event(c, Event::Share { count });
        }
        // A broken variant: memory keeps what it parks.
        let before = Client::clone(&self.world.clients[c]);
        self.event(c, Event::Share { count })?;
        let client = self.client(c);
        (client.ledger, client.texts, client.memory) = (before.ledger, before.texts, before.memory);
        Ok(())
    }

    /// `reserve(0)`: the pool's surplus moves to memory; a release returns it.
    pub(crate) fn lift(&mut self, c: usize) -> Kept {
        self.world.budget.lifts -= 1;
        self.event(c, Event::TakeOut)
    }

    pub(crate) fn release(&mut self, c: usize) -> Kept {
        self.world.budget.releases -= 1;
        self.client(c).releasing = true;
        self.surrender(c)
    }

    pub(crate) fn give_memory_back(&mut self, c: usize, refence: bool) -> Kept {
        self.client(c).releasing = false;
        self.event(c, Event::GiveBack { refence })
    }

    pub(crate) fn leave(&mut self, tab: u8) -> Kept {
        self.world.budget.leaves -= 1;
        for c in self.clients_of(tab) {
            self.client(c).releasing = false;
            self.drop_early(c);
            let stage = &mut self.client(c).stage;
            *stage = match *stage {
                Stage::Open | Stage::Away => Stage::Away,
                Stage::Closing { .. } | Stage::Closed => Stage::Closed,
            };
            self.say(|| format!("{} leaves its page", self.configuration.places[c].name));
            self.event(c, Event::Leaving)?;
            self.event(c, Event::GiveBack { refence: false })?;
            let held = self.world.clients[c].ledger.held();
            self.require(held == 0, || format!("{held} numbers are in memory after the page left"))?;
        }
        Ok(())
    }

    pub(crate) fn back(&mut self, tab: u8) -> Kept {
        for c in self.clients_of(tab) {
            let stage = &mut self.client(c).stage;
            if *stage == Stage::Away {
                *stage = Stage::Open;
                self.event(c, Event::Back)?;
            }
        }
        Ok(())
    }

    /// Nothing is issued or requested, whatever is called; the effects' own laws check that.
    pub(crate) fn poke(&mut self, c: usize) -> Kept {
        for event in [Event::Dry(self.configuration.hand), Event::Wanted { group: 0 }, Event::Claim] {
            self.event(c, event)?;
        }
        Ok(())
    }

    pub(crate) fn close(&mut self, c: usize) -> Kept {
        self.world.budget.closes -= 1;
        self.drop_early(c);
        self.client(c).releasing = false;
        self.client(c).stage = Stage::Closing { out: false };
        self.event(c, Event::Closing)
    }

    pub(crate) fn take_out(&mut self, c: usize) -> Kept {
        self.client(c).stage = Stage::Closing { out: true };
        self.event(c, Event::TakeOut)
    }

    pub(crate) fn finish(&mut self, c: usize) -> Kept {
        self.event(c, Event::GiveBack { refence: true })?;
        self.client(c).stage = Stage::Closed;
        let client = &self.world.clients[c];
        let held = client.ledger.held();
        self.require(held == 0 && client.counter.is_none(), || format!("{held} numbers are left after dispose"))
    }

    /// The clients of a tab.
    pub(crate) fn clients_of(&self, tab: u8) -> Vec<usize> {
        let places = self.configuration.places.iter().enumerate();
        places.filter(|(_, place)| place.tab == tab).map(|(c, _)| c).collect()
    }
}
