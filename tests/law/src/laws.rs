//! The law: every number has exactly one place.

use crate::device::{MoveKind, Progress};
use crate::ids::Ids;
use crate::network::Leg;
use crate::turn::{Broken, Kept, Turn};
use crate::world::{Block, World};

impl Turn<'_> {
    /// Holds after every step while the server is never rolled back: no number is in two places.
    pub(crate) fn laws(&mut self) -> Kept {
        if !self.is_honest() || self.configuration.variant.is_some() {
            return Ok(());
        }
        let (mut seen, mut twice) = (Ids::default(), Ids::default());
        self.world.places(self.configuration.numbers, |_, ids| {
            twice = twice.with(seen.and(ids));
            seen = seen.with(ids);
        });
        if !twice.is_empty() {
            let mut names = Vec::new();
            self.world.places(self.configuration.numbers, |place, ids| names.extend(ids.meets(twice).then_some(place)));
            return Err(Broken(format!("{twice} is in two places: {}", names.join(" and "))));
        }
        self.unreachable_numbers_stay_so(seen)
    }

    /// Numbers that are in no place, below all numbers that are in one, never come back.
    fn unreachable_numbers_stay_so(&mut self, places: Ids) -> Kept {
        let unflushed = self.world.pools.iter().flat_map(|pool| &pool.writes).map(|disk| disk.ids);
        let alive = unflushed.fold(places.without(self.world.issued), Ids::with);
        // A return of one node's numbers lowers `Max` on both nodes, so skipped numbers of the other node become
        // available too.
        let lowest = [0, 1].into_iter().filter_map(|node| alive.lowest(node)).min();
        let unreachable = lowest.unwrap_or(self.configuration.numbers + 1) - 1;
        if unreachable < self.world.unreachable {
            return Err(Broken(format!("numbers from {} on are reachable again", unreachable + 1)));
        }
        self.world.forget_numbers(unreachable);
        Ok(())
    }
}

impl World {
    /// All places and their numbers. Numbers in none of them are lost.
    fn places(&self, numbers: u64, mut place: impl FnMut(&'static str, Ids)) {
        place("issued", self.issued);
        for (node, counter) in (0..).zip(&self.server.nodes) {
            // An active lease above `Max` would be granted again; this place covers that law too.
            place("the server, above Max", Ids::run(node, counter.max + 1, numbers));
        }
        for client in &self.clients {
            place("a tab's memory", client.memory);
            place("a counter", client.counter.map_or(Ids::default(), Block::ids));
        }
        for pool in &*self.pools {
            place("the pool", pool.seen().ids);
        }
        for known in &self.moves {
            let ids = match (&known.progress, &known.kind) {
                (Progress::Done(done), _) => done.ids(),
                (_, MoveKind::Park(numbers)) => {
                    numbers.iter().map(|granted| granted.ids()).fold(Ids::default(), Ids::with)
                }
                // While its client waits, the grant counts as the client's memory.
                (_, MoveKind::Admit(granted)) if known.client.is_none() => granted.ids(),
                _ => Ids::default(),
            };
            place("a move in flight", ids);
        }
        for exchange in &self.network.exchanges {
            if let Leg::Leased { granted } | Leg::Grant { granted, .. } = exchange.leg {
                place("a grant in flight", granted.ids());
            }
            if let Leg::Written { attempt, vector: Some(_), .. } = exchange.leg {
                place("a written range in flight", attempt.ids());
            }
        }
        for back in &self.network.returns {
            // A return whose fence does not match any more has no effect: its numbers are lost.
            let counter = self.server.nodes[back.node as usize];
            if counter.vector == back.fence && counter.max == back.high {
                place("a return in flight", back.ids());
            }
        }
    }
}
