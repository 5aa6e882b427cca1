//! What the driver says, done; and those who wait, served.

use super::moves::Purpose;
use super::{At, Event, World};
use crate::judge::Issuer;
use crate::plan::{Kind, MILLI, Origin, Past, keep};
use crate::tab::{Caller, Hilo, Phase, TIMEOUT, Wish};
use raven_edge::hilo::Effect;
use raven_edge::http::NodeId;
use raven_edge::pool;
use raven_edge::source::Return;

impl World {
    pub(super) fn hilo(&mut self, at: At) -> &mut Hilo {
        &mut self.tabs[at.tab].hilos[at.hilo]
    }

    /// All tags of a tab.
    pub(super) fn ats(&self, tab: usize) -> Vec<At> {
        (0..self.tabs[tab].hilos.len()).map(|hilo| At { tab, hilo }).collect()
    }

    /// Tells the driver what is so now; before every event that may make it park or ask.
    pub(super) fn plan(&mut self, at: At) {
        let tab = &self.tabs[at.tab];
        let habits = &self.devices[tab.device].habits;
        let hilo = &tab.hilos[at.hilo];
        let plan = keep(habits, hilo.waiting(), tab.storage, tab.siblings.is_empty(), hilo.reserved);
        self.hilo(at).driver.plan(plan);
    }

    /// Does what the driver says, and sends what is to go back.
    pub(super) fn act_and_return(&mut self, at: At, effects: Vec<Effect>) {
        let returns = self.act(at, effects);
        self.returns(at.tab, returns, true);
    }

    /// Does what the driver says; gives what is to go back.
    pub(super) fn act(&mut self, at: At, effects: Vec<Effect>) -> Vec<(NodeId, Return)> {
        let mut returns = Vec::new();
        if let Some(wish) = self.hilo(at).driver.parking(&effects) {
            self.begin(at, Purpose::Park, wish);
        }
        for effect in effects {
            self.note(|| format!("tab {} {}: {effect:?}", at.tab, self.tabs[at.tab].hilos[at.hilo].tag));
            match effect {
                Effect::Lease { request, above, .. } => self.leases(at, request, above),
                Effect::Claim { request, all } => {
                    let now = self.now;
                    let wish = if all { pool::Wish::TakeOut { keep: 0 } } else { self.hilo(at).driver.claim_of(now) };
                    self.begin(at, Purpose::Claim(request), wish);
                }
                Effect::Admit { request, lease } => {
                    if let Some(wish) = self.hilo(at).driver.admission(lease) {
                        self.begin(at, Purpose::Admit(request), wish);
                    }
                }
                Effect::Hand { range, lease } => {
                    let hilo = self.hilo(at);
                    if let Some(grant) = hilo.driver.grant(lease) {
                        hilo.counter.hand(range, grant);
                    }
                }
                Effect::Refence { request, lease } => self.reads_fence(at, request, lease),
                Effect::Return { lease, high, last } => {
                    returns.extend(self.hilo(at).driver.return_of(lease, high, last))
                }
                Effect::Regression { .. } => self.judge.false_alarms += u64::from(self.weather.past == Past::Honest),
                Effect::Park { .. } | Effect::Burnt { .. } | Effect::Surrender => {}
            }
        }
        returns
    }

    /// Serves those who wait, and asks for what is missing: of the pool, then of the source.
    pub(super) fn pump(&mut self, at: At) {
        if self.tabs[at.tab].phase != Phase::Open {
            return;
        }
        self.plan(at);
        while let Some(place) = self.hilo(at).callers.iter().position(|caller| caller.wish == Wish::Next) {
            if !self.take(at) {
                break;
            }
            self.hilo(at).callers.remove(place);
        }
        let hilo = self.hilo(at);
        let (at_hand, parked) = (hilo.at_hand(), hilo.driver.parked().unwrap_or(0));
        hilo.callers.retain(|caller| !matches!(caller.wish, Wish::Reserve(count) if at_hand + parked >= count));
        let isolated = self.devices[self.tabs[at.tab].device].habits.kind == Kind::Isolate;
        let hilo = self.hilo(at);
        // A `take()` that got nothing wants something to be there next time; on workerd only those who wait may ask.
        let thirsty = std::mem::take(&mut hilo.is_thirsty) && at_hand == 0 && !isolated;
        if hilo.callers.is_empty() && !thirsty {
            return;
        }
        // One at a time does for all who wait; some façades may be less patient, and no worse off.
        if !isolated && !self.weather.eager && self.is_leasing(at) {
            self.hilo(at).is_thirsty = thirsty;
            return;
        }
        self.plan(at);
        let pooled = self.tabs[at.tab].storage;
        let now = self.now;
        let hilo = self.hilo(at);
        let reserves = !hilo.callers.is_empty() && hilo.waiting() == 0;
        hilo.is_thirsty = thirsty && pooled && !hilo.pool_is_dry;
        let effects = if pooled && !reserves && !hilo.pool_is_dry {
            hilo.driver.claim()
        } else {
            hilo.pool_is_dry = false;
            if isolated {
                hilo.group += 1;
            }
            hilo.driver.wanted(hilo.group, now)
        };
        self.act_and_return(at, effects);
    }

    /// `take()`: whether an id was at hand.
    pub(super) fn take(&mut self, at: At) -> bool {
        if let Some(id) = self.hilo(at).counter.take() {
            self.issues(at, id);
            return true;
        }
        self.plan(at);
        let now = self.now;
        let effects = self.hilo(at).driver.dry(now);
        self.act_and_return(at, effects);
        if let Some(wish) = self.hilo(at).driver.note() {
            self.begin(at, Purpose::Park, wish);
        }
        let Some(id) = self.hilo(at).counter.take() else { return false };
        self.issues(at, id);
        true
    }

    /// The id of a number. Where one node counts for all who lease, a number never comes twice, whatever stands behind it.
    pub(super) fn id(&self, prefix: &str, number: u64, node_tag: &str) -> String {
        if self.weather.nodes == 1 { format!("{prefix}{number}") } else { format!("{prefix}{number}-{node_tag}") }
    }

    /// An id is in the app's hands.
    fn issues(&mut self, at: At, (prefix, number, node_tag): (String, u64, String)) {
        let id = self.id(&prefix, number, &node_tag);
        self.note(|| format!("tab {} issues {id}", at.tab));
        let tab = &self.tabs[at.tab];
        let issuer = Issuer {
            device: tab.device,
            tab: at.tab,
            incarnation: tab.incarnation.clone(),
            at: self.now,
            claimed: tab.hilos[at.hilo].counter.claimed,
            pooled: tab.storage,
        };
        // The app's numbers are above those of no counter of the server.
        let of_app = self.devices[tab.device].habits.origin.is_app();
        let tag = if of_app { prefix.clone() } else { tab.hilos[at.hilo].tag.clone() };
        let phase = tab.phase;
        self.judge.issued(&id, &tag, number, issuer);
        if phase != Phase::Open {
            self.judge.object(format!("tab {} issued {id} after it had gone", at.tab));
        }
        if !self.server.has_granted(&prefix, &node_tag, number) {
            self.judge.object(format!("{id} was never granted"));
        }
        if !of_app && self.weather.past == Past::Honest && self.weather.nodes == 1 && self.max[at.hilo] < number {
            self.judge.object(format!("{id} was issued although Max is lower"));
        }
        if self.chance(self.weather.saves) {
            self.saves(at.tab, &id);
        }
    }

    /// `next()` or `reserve()`.
    pub(super) fn calls(&mut self, at: At, wish: Wish, must: bool) {
        let number = self.number();
        if let Wish::Reserve(count) = wish {
            self.hilo(at).reserved = count;
        }
        self.hilo(at).callers.push(Caller { number, wish, must });
        self.later(TIMEOUT * MILLI, Event::Deadline { tab: at.tab, hilo: at.hilo, caller: number });
    }

    /// A caller has waited long enough and is told so.
    pub(super) fn deadline(&mut self, at: At, number: u32) {
        let Some(place) = self.hilo(at).callers.iter().position(|caller| caller.number == number) else { return };
        let caller = self.hilo(at).callers.remove(place);
        self.note(|| format!("tab {}: a caller gets no id in time", at.tab));
        // Where many write one counter all at once, some are not served in time: they are told, which is all that can be.
        let crowd = self.devices.iter().filter(|device| device.habits.origin == Origin::Document).count() > 4;
        let writes = self.devices[self.tabs[at.tab].device].habits.origin == Origin::Document;
        if caller.must && !(writes && crowd) {
            self.judge.object(format!("tab {} gave no id although nothing was wrong any more", at.tab));
        }
    }

    /// All who wait are told an error.
    pub(super) fn refuse(&mut self, at: At, reason: &str) {
        let callers = std::mem::take(&mut self.hilo(at).callers);
        self.note(|| format!("tab {}: {} callers are refused: {reason}", at.tab, callers.len()));
        // A server that went back may be found out twice in a row, which is a clear error, too.
        if self.weather.past == Past::Honest && callers.iter().any(|caller| caller.must) {
            self.judge.object(format!("tab {} refused although nothing was wrong any more: {reason}", at.tab));
        }
    }
}
