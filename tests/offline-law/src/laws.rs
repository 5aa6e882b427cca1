//! Invariants of every state, and what follows once faults end.

use crate::configurations::Configuration;
use crate::merging::Choice;
use crate::network::Request;
use crate::world::{Kept, World};
use foldhash::quality::FixedState;
use raven_edge::offline::State;
use std::cell::RefCell;
use std::collections::HashSet;
use std::hash::BuildHasher;

/// Maximum number of rounds until a device has sent everything.
const ROUNDS: usize = 40;

thread_local! {
    /// States whose end was checked.
    static ENDED: RefCell<HashSet<u64>> = RefCell::default();
}

impl World {
    /// Invariants after every step.
    pub(crate) fn laws(&self) -> Kept {
        for (d, device) in self.devices.iter().enumerate() {
            for store in &device.stores {
                let there = store.texts.iter().fold(0, |all, text| all | text.mark);
                let lost = store.queued & !(there | self.server.ever | store.told);
                if lost != 0 {
                    return Err(format!("changes {lost:#b} of device {d} are lost"));
                }
                if store.texts.len() != store.queue.changes().len() {
                    return Err(format!("device {d} has texts without changes, or changes without texts"));
                }
            }
        }
        Ok(())
    }

    /// From here on there are no faults: late copies never arrive, users sign in, conflicts are resolved. Then each device sends
    /// everything but what waits for its app.
    pub(crate) fn close(&self, configuration: &Configuration) -> Kept {
        // Most states differ only in what is in flight or may still go wrong.
        let key = FixedState::with_seed(7).hash_one((configuration.name, &self.server, &self.devices, self.documents));
        if !ENDED.with_borrow_mut(|ended| ended.insert(key)) {
            return Ok(());
        }
        let mut world = self.clone();
        world.network.clear();
        for d in 0..world.devices.len() as u8 {
            for u in 0..configuration.scripts.len() as u8 {
                world.finish((d, u), configuration)?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, of: (u8, u8), configuration: &Configuration) -> Kept {
        let (d, u) = of;
        self.devices[d as usize].signed_in = u;
        for _ in 0..ROUNDS {
            self.server.replicate();
            if self.devices[d as usize].stores[u as usize].queue.paused() > 0 {
                self.resume(of, configuration)?;
            }
            for change in self.conflicts(of) {
                self.resolve(of, change, Choice::Merged, configuration)?;
            }
            self.drain(of, u, 0, false, configuration)?;
            if self.network.is_empty() {
                break;
            }
            while let Some(message) = self.network.first() {
                match message.request.clone() {
                    Request::Batch(batch) => {
                        let response = self.execute(&batch)?;
                        self.network[0].response = Some(response);
                        self.network[0].incarnation = self.server.incarnation;
                        self.receive(0, configuration)?;
                    }
                    Request::Receipt { .. } | Request::Fetch { .. } => {
                        self.read(0, configuration)?;
                        if configuration.late_reads {
                            self.receive(0, configuration)?;
                        }
                    }
                }
                self.laws()?;
            }
        }
        let store = &self.devices[d as usize].stores[u as usize];
        let changes = store.queue.changes();
        let stuck = changes.iter().find(|change| {
            let waits = matches!(change.state, State::Parked | State::Unsure);
            let behind = |earlier: &&raven_edge::offline::Change| {
                earlier.number < change.number && earlier.parts.iter().any(|part| change.part(part.document).is_some())
            };
            !waits && !changes.iter().any(|earlier| behind(&earlier))
        });
        match stuck {
            Some(change) => Err(format!("change {} of device {d} is never sent", change.number)),
            None => Ok(()),
        }
    }
}
