//! Disasters: tabs and devices die, and the server is rolled back.

use crate::ids::Ids;
use crate::network::Exchange;
use crate::turn::{Kept, Turn};
use crate::world::Client;

impl Turn<'_> {
    /// A tab dies, at any step; a new page replaces it. Its queued transactions may still run. Or its core dies, and the page makes
    /// another one, which may still get an early lease.
    pub(crate) fn tab_crash(&mut self, tab: u8) -> Kept {
        self.world.budget.tab_crashes -= 1;
        for c in self.clients_of(tab) {
            self.say(|| format!("{} dies", self.configuration.places[c].name));
            self.reset(c, true);
        }
        Ok(())
    }

    /// A device dies with all its tabs and everything that was not flushed.
    pub(crate) fn os_crash(&mut self, device: u8, kept: [usize; 2]) -> Kept {
        self.world.budget.os_crashes -= 1;
        self.say(|| format!("device {device} dies; unflushed writes on disk: {kept:?}"));
        let places = self.configuration.places;
        for (c, place) in places.iter().enumerate().filter(|(_, place)| place.device == device) {
            self.reset(c, false);
            self.world.moves.retain(|known| Some(known.pool) != place.pool);
        }
        for (pool, kept) in kept.into_iter().enumerate() {
            if places.iter().any(|place| place.device == device && place.pool == Some(pool)) {
                self.world.pool(pool).roll_back(kept);
            }
        }
        Ok(())
    }

    /// A client loses its memory; responses find no receiver, except that of an early lease if the page lives.
    fn reset(&mut self, c: usize, lives: bool) {
        *self.client(c) = Client::default();
        let network = &mut self.world.network;
        let exchanges = std::mem::take(&mut network.exchanges).into_iter();
        let (dropped, left): (Vec<Exchange>, Vec<Exchange>) =
            exchanges.partition(|exchange| exchange.client == c && !(lives && exchange.is_early()));
        network.exchanges = left;
        dropped.into_iter().for_each(|exchange| network.abandon(exchange.leg));
        for known in self.world.moves.iter_mut().filter(|known| known.is_of(c)) {
            (known.client, known.of, known.request) = (None, None, 0);
        }
        self.world.moves.retain(|known| known.client.is_some() || !known.is_done());
    }

    pub(crate) fn back_up(&mut self) -> Kept {
        self.say(|| "server: its data folder is copied".into());
        self.world.budget.disasters -= 1;
        self.world.server.back_up();
        Ok(())
    }

    pub(crate) fn put_back(&mut self) -> Kept {
        self.world.server.put_back();
        let max = self.world.server.nodes[0].max;
        self.say(|| format!("server: the copy is restored, Max is {max}"));
        Ok(())
    }

    pub(crate) fn edit(&mut self, max: u64) -> Kept {
        self.world.budget.disasters -= 1;
        self.world.server.edit(max);
        self.say(|| format!("server: Max is set to {max}"));
        Ok(())
    }

    pub(crate) fn recreate(&mut self) -> Kept {
        self.world.budget.disasters -= 1;
        self.world.server.recreate();
        self.world.issued = Ids::default();
        self.say(|| "server: the database is deleted and recreated".into());
        Ok(())
    }
}
