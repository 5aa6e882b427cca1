//! The session's law: invariants after every step, and after all apps have followed the advice to its end.

use crate::configurations::Configuration;
use crate::facade::Kept;
use crate::world::{Stage, World};

/// Maximum number of times that an app follows advice before it counts as an endless loop.
const ROUNDS: usize = 40;

impl World {
    /// Invariants after every step.
    pub(crate) fn laws(&self) -> Kept {
        for (s, session) in self.sessions.iter().enumerate() {
            let late = session.executed & session.reported_not_saved;
            if late != 0 {
                return Err(format!(
                    "save {} of session {s} was reported as not saved, but it is saved",
                    late.trailing_zeros()
                ));
            }
        }
        let guarded = self.sessions.iter().fold(0, |all, session| all | session.guarded);
        let (mut seen, mut twice) = (0, 0);
        for stored in self.server.nodes[0].iter().flatten() {
            let marks = stored.content.real & guarded;
            twice |= seen & marks;
            seen |= marks;
        }
        if twice != 0 {
            return Err(format!("changes {twice:#b} are stored twice"));
        }
        Ok(())
    }

    /// If the advice was to save again, that save is not refused because of the session's own writes.
    pub(crate) fn assert_safe(&self, s: usize, slot: Option<usize>, configuration: &Configuration) -> Kept {
        let session = &self.sessions[s];
        let Some(at) = slot.filter(|slot| session.safe.contains(slot) && !configuration.lags) else { return Ok(()) };
        let own = session.slots[at].as_ref().map_or(0, |slot| slot.entity.real & session.made);
        let there = self.found(s, at, 0).map_or(0, |found| found.content.real);
        if there & own != 0 && there & !session.made == 0 {
            return Err("the advice was to save again, but that save conflicts with the session's own write".into());
        }
        Ok(())
    }

    /// From here on there are no faults: abandoned messages never arrive, and apps follow the advice. This must end,
    /// and each guarded change must be stored once.
    pub(crate) fn close(&self, configuration: &Configuration) -> Kept {
        let mut world = self.clone();
        world.network.retain(|request| request.awaited);
        world.replicate();
        for s in 0..world.sessions.len() {
            let mut rounds = 0;
            while world.sessions[s].stage != Stage::Idle || world.has_changes(s) {
                rounds += 1;
                if rounds > ROUNDS {
                    return Err(format!(
                        "session {s}: following the advice does not end ({:?})",
                        world.sessions[s].stage
                    ));
                }
                match world.sessions[s].stage {
                    Stage::Idle => world.save(s, configuration)?,
                    Stage::Ready => world.send(s, configuration)?,
                    Stage::Reads => world.read_back(s, 0, configuration)?,
                    Stage::Failed(_) => world.follow(s, 0, configuration),
                    Stage::Waits => {
                        let awaited = |of: &crate::network::Outgoing| of.session == s && of.awaited;
                        let Some(r) = world.network.iter().position(awaited) else {
                            return Err(format!("session {s} waits for a response that cannot arrive"));
                        };
                        if world.network[r].response.is_none() {
                            world.carry(r, configuration)?;
                        }
                        world.receive(r, configuration)?;
                    }
                }
                world.laws()?;
                world.replicate();
            }
        }
        let forgotten = world.sessions.iter().fold(0, |all, session| all | session.asked) & !world.server.ever;
        if forgotten != 0 {
            return Err(format!("deferred commands {forgotten:#b} were never carried out"));
        }
        // An app cannot distinguish another writer's change from its own if both write the same.
        if configuration.faults.echoes > 0 {
            return Ok(());
        }
        let there = world.server.nodes[0].iter().flatten().fold(0, |all, stored| all | stored.content.real);
        let missing = world.sessions.iter().fold(0, |all, session| all | session.owed) & !there;
        if missing != 0 {
            return Err(format!("changes {missing:#b} are missing after the advice was followed"));
        }
        Ok(())
    }
}
