//! The possible steps, and the reactions of the package (as in `pkg/src/device/page-events-and-tabs`).

use super::configurations::Variant;
use super::world::{Life, Message, Question, World};
use raven_edge::pool::presence::{KeepOptions, Rest};
use raven_edge::protocol::{presence, todo};

/// One event. Pages are named by their indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A page opens.
    Opens(usize),
    /// `pagehide` or `freeze`.
    Leaves(usize),
    /// `pageshow` or `resume`.
    Returns(usize),
    Crashes(usize),
    /// A message from the first page arrives at the second one.
    Receives(usize, usize),
    /// A lease: numbers that no caller waits for become the tail, or are parked.
    Leases(usize),
    /// The page waits for its turn to lease, and asks which siblings exist.
    Asks(usize),
    /// The oldest question times out.
    Over(usize),
    /// `dispose()`.
    Ends(usize),
    /// The device fails for this page.
    Fails(usize),
}

type Kept = Result<(), String>;

impl World {
    pub(super) fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        let budget = self.budget;
        for (at, page) in self.pages.iter().enumerate() {
            let mut when = |condition: bool, step: Step| {
                if condition {
                    steps.push(step);
                }
            };
            let open = page.life == Life::Open;
            when(page.life == Life::Unborn, Step::Opens(at));
            when(open && budget.leaves > 0, Step::Leaves(at));
            when(page.life == Life::Away, Step::Leaves(at));
            when(page.life == Life::Away || open, Step::Returns(at));
            when((open || page.life == Life::Away) && budget.crashes > 0, Step::Crashes(at));
            when(open && budget.leases > 0, Step::Leases(at));
            when(open && budget.questions > 0 && page.presence.crowded(), Step::Asks(at));
            when(open && budget.ends > 0, Step::Ends(at));
            when(open && budget.failures > 0, Step::Fails(at));
            // A question times out only after all siblings have responded: the model has no slow siblings.
            let early = self.variant == Some(Variant::TooSoon);
            let oldest = page.questions.first();
            when(oldest.is_some_and(|question| early || self.is_complete(at, question.number)), Step::Over(at));
            for other in 0..self.pages.len() {
                when(!self.wires[other][at].is_empty() && page.channel, Step::Receives(other, at));
            }
        }
        steps
    }

    /// Whether all messages about a page's question, and about the ones before it, have arrived.
    fn is_complete(&self, page: usize, number: u8) -> bool {
        let mut messages = self.wires.iter().flatten().flatten();
        !messages.any(|message| message.question.is_some_and(|(of, question)| of == page && question <= number))
    }

    pub(super) fn take(&mut self, step: Step) -> Kept {
        match step {
            Step::Opens(at) => {
                self.pages[at].life = Life::Open;
                self.reports(at, presence::BEGUN, 1, None)?;
                self.reports(at, presence::BACK, 0, None)
            }
            Step::Leaves(at) => self.leaves(at),
            Step::Returns(at) => {
                self.pages[at].life = Life::Open;
                self.reports(at, presence::BACK, 0, None)
            }
            Step::Crashes(at) => {
                self.budget.crashes -= 1;
                self.deactivate(at, Life::Dead);
                let page = &mut self.pages[at];
                (page.block, page.tail) = (false, false);
                page.questions.clear();
                Ok(())
            }
            Step::Receives(from, at) => {
                let message = self.wires[from][at].pop_front().ok_or("there is no message")?;
                if message.kind != presence::BYE {
                    self.pages[at].questions.iter_mut().for_each(|question| question.responded = true);
                }
                self.reports(at, message.kind, from as u32, message.question)
            }
            Step::Leases(at) => {
                self.budget.leases -= 1;
                let page = &mut self.pages[at];
                page.block = true;
                page.tail = page.presence.conditions(KeepOptions::new(None, 0), true).hold;
                self.pool |= page.presence.usable();
                Ok(())
            }
            Step::Asks(at) => {
                self.budget.questions -= 1;
                self.asks(at, presence::TURN, false)
            }
            Step::Over(at) => self.over(at),
            Step::Ends(at) => {
                self.budget.ends -= 1;
                self.pages[at].life = Life::Ending;
                if self.variant == Some(Variant::EndsUnasked) {
                    return self.empties(at, None);
                }
                self.asks(at, presence::ASKED, true)?;
                if self.pages[at].questions.iter().any(|question| question.ends) {
                    Ok(())
                } else {
                    self.empties(at, None)
                }
            }
            Step::Fails(at) => {
                self.budget.failures -= 1;
                self.pages[at].device = false;
                self.reports(at, presence::FAILED, 0, None)
            }
        }
    }

    fn leaves(&mut self, at: usize) -> Kept {
        let again = self.pages[at].life == Life::Away;
        self.budget.leaves -= u8::from(!again);
        let mut todo = self.pages[at].presence.on(presence::LEFT, 0);
        if self.variant == Some(Variant::ReturnsTwice) {
            todo |= todo::GIVE_BACK;
        }
        if again && todo != 0 {
            return Err(format!("page {at} returns numbers or sends BYE although it has left"));
        }
        self.deactivate(at, Life::Away);
        self.pages[at].left = true;
        // When it is restored, active siblings respond to its HELLO.
        self.pages[at].questions.iter_mut().for_each(|question| question.active = 0);
        self.does(at, todo, None)
    }

    /// The page is no longer active: open questions of other pages do not expect its response.
    fn deactivate(&mut self, at: usize, life: Life) {
        self.pages[at].life = life;
        for page in &mut self.pages {
            page.questions.iter_mut().for_each(|question| question.active &= !(1 << at));
        }
        if life == Life::Dead {
            self.closes(at);
        }
    }

    fn asks(&mut self, at: usize, event: u8, ends: bool) -> Kept {
        let bit = |(other, page): (usize, &super::world::Page)| u8::from(page.is_active() && other != at) << other;
        let active = self.pages.iter().enumerate().map(bit).sum();
        let page = &mut self.pages[at];
        let todo = page.presence.on(event, 0);
        if todo & todo::WAIT == 0 {
            return if page.device { Err(format!("page {at} does not ask")) } else { Ok(()) };
        }
        page.asked += 1;
        let number = page.asked;
        page.questions.push(Question { number, active, responded: false, ends });
        self.does(at, todo, Some((at, number)))
    }

    fn over(&mut self, at: usize) -> Kept {
        let question = self.pages[at].questions.remove(0);
        self.reports(at, presence::OVER, 0, None)?;
        if self.variant == Some(Variant::SharedTimeout) {
            for _ in 0..self.pages[at].questions.len() {
                self.reports(at, presence::OVER, 0, None)?;
            }
        }
        let crowded = self.pages[at].presence.crowded();
        let shares = self.pages[at].is_active() && self.pages[at].device;
        if shares && crowded && !question.responded {
            return Err(format!("page {at} counts a sibling that has not responded to its question"));
        }
        if shares && !crowded && question.active > 0 && self.variant != Some(Variant::TooSoon) {
            return Err(format!("page {at} forgets a sibling that has responded to its question"));
        }
        if question.ends { self.empties(at, Some(question)) } else { Ok(()) }
    }

    /// Ends a store after its question, if it asked one, has timed out.
    fn empties(&mut self, at: usize, question: Option<Question>) -> Kept {
        let rest = self.pages[at].presence.rest();
        let active = self.pages.iter().enumerate().any(|(other, page)| other != at && page.is_active());
        match rest {
            Rest::Park => {
                let last = !active && !question.is_some_and(|question| question.responded);
                if last {
                    return Err(format!("page {at} parks although it is the last one"));
                }
                self.pool = true;
            }
            Rest::TakeOut => {
                if self.pool && question.is_some_and(|question| question.active > 0) {
                    return Err(format!("page {at} returns numbers that a sibling has parked"));
                }
                self.pool = false;
            }
            Rest::Memory => {}
        }
        (self.pages[at].block, self.pages[at].tail) = (false, false);
        self.trace.push(format!("page {at} ends: {rest:?}"));
        self.reports(at, presence::ENDED, 0, None)?;
        self.deactivate(at, Life::Ended);
        self.pages[at].questions.clear();
        Ok(())
    }

    /// Reports an event to the core, and does what it returns. `question`: the question that a message asks.
    fn reports(&mut self, at: usize, event: u8, detail: u32, question: Option<(usize, u8)>) -> Kept {
        let todo = self.pages[at].presence.on(event, detail);
        self.trace.push(format!("page {at} reports event {event} with detail {detail}: {todo:#b}"));
        self.does(at, todo, question)
    }

    fn does(&mut self, at: usize, todo: u8, question: Option<(usize, u8)>) -> Kept {
        if todo & todo::GIVE_BACK > 0 {
            (self.pages[at].block, self.pages[at].tail) = (false, false);
        }
        if todo & todo::HELLO > 0 {
            self.pages[at].channel = true;
            if self.variant != Some(Variant::SilentReturn) || question.is_some() || !self.pages[at].left {
                self.sends(at, presence::HELLO, question)?;
            }
        }
        if todo & todo::HERE > 0 {
            self.sends(at, presence::HERE, question)?;
        }
        if todo & todo::BYE > 0 {
            if self.variant != Some(Variant::NoGoodbye) {
                self.sends(at, presence::BYE, None)?;
            }
            self.closes(at);
        }
        if todo & todo::PARK > 0 && self.variant != Some(Variant::NothingParked) {
            let page = &mut self.pages[at];
            self.pool |= page.tail;
            page.tail = false;
        }
        Ok(())
    }

    /// Sends a message to every other page with an open channel.
    fn sends(&mut self, at: usize, kind: u8, question: Option<(usize, u8)>) -> Kept {
        if !self.pages[at].channel {
            return Err(format!("page {at} sends a message although its channel is closed"));
        }
        for other in 0..self.pages.len() {
            if other != at && self.pages[other].channel {
                self.wires[at][other].push_back(Message { kind, question });
            }
        }
        Ok(())
    }

    /// Closes the page's channel: messages in flight to it are dropped.
    fn closes(&mut self, at: usize) {
        self.pages[at].channel = false;
        self.wires.iter_mut().for_each(|wires| wires[at].clear());
    }
}
