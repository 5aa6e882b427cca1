//! Messages between the stores of a device, and their effects. Corresponds to `pkg/src/device/page-events-and-tabs`.

use super::{Event, World};
use crate::plan::{Kind, MILLI};
use crate::tab::Phase;
use raven_edge::protocol::{presence, todo};

/// The time that siblings have to respond, in microseconds.
pub(super) const PATIENCE: u64 = 60 * MILLI;

impl World {
    /// A tab begins, if its device has a pool.
    pub(super) fn arrives_on(&mut self, tab: usize, device: usize) {
        let habits = &self.devices[device].habits;
        if habits.has_pool() {
            let page = habits.kind == Kind::Pages;
            self.device(tab, presence::BEGUN, u32::from(page));
            self.device(tab, presence::BACK, 0);
        }
    }

    /// A message of a sibling arrives, or a question times out. A tab that is away has closed its channel.
    pub(super) fn receives(&mut self, tab: usize, message: u8, of: usize) {
        if self.tabs[tab].phase != Phase::Gone {
            self.device(tab, message, of as u32);
        }
    }

    /// Reports an event of the device to the store, and does what the store returns.
    pub(super) fn device(&mut self, tab: usize, event: u8, detail: u32) {
        let todo = self.enter(tab, |store, recorder| store.device(recorder, event, detail));
        self.note(|| format!("tab {tab} device {event} {detail}: {todo:#b}"));
        if todo & todo::GIVE_BACK > 0 {
            self.gives_back_leaving(tab);
        }
        for (bit, message) in [(todo::HELLO, presence::HELLO), (todo::HERE, presence::HERE), (todo::BYE, presence::BYE)]
        {
            if todo & bit > 0 {
                self.sends(tab, message);
            }
        }
        if todo & todo::WAIT > 0 {
            self.later(PATIENCE, Event::Over(tab));
        }
    }

    /// Sends a message to all other tabs of the device; it arrives soon, or late if they are busy.
    fn sends(&mut self, tab: usize, message: u8) {
        for other in self.devices[self.tabs[tab].device].tabs.clone() {
            let busy = !self.calm && self.rng.u32(0..20) == 0;
            let delay = self.rng.u64(MILLI..if busy { 200 } else { 20 } * MILLI);
            if other != tab {
                self.later(delay, Event::Receives { tab: other, message, of: tab });
            }
        }
    }
}
