//! What can happen next, and what the package does about it, as `pkg/src/device/parked-numbers` does.

use super::configurations::Variant;
use super::world::{Life, Question, Said, World};
use raven_edge::pool::presence::{KeepOptions, Rest};
use raven_edge::protocol::{presence, todo};

/// One thing that happens; pages are named by their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A page opens.
    Opens(usize),
    /// `pagehide` or `freeze`.
    Leaves(usize),
    /// `pageshow` or `resume`.
    Returns(usize),
    Crashes(usize),
    /// What the first page said reaches the second one.
    Hears(usize, usize),
    /// A lease: the numbers that nobody waits for are the tail, or are parked.
    Leases(usize),
    /// It waits for its turn to lease, and asks who is still there.
    Asks(usize),
    /// The time to answer the oldest question is over.
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
            // Siblings answer in time.
            let early = self.variant == Some(Variant::TooSoon);
            let oldest = page.questions.first();
            when(oldest.is_some_and(|question| early || self.is_answered(at, question.number)), Step::Over(at));
            for other in 0..self.pages.len() {
                when(!self.wires[other][at].is_empty() && page.channel, Step::Hears(other, at));
            }
        }
        steps
    }

    /// Whether nothing of a page's question is on its way any more, nor of those before it.
    fn is_answered(&self, page: usize, number: u8) -> bool {
        let mut wires = self.wires.iter().flatten().flatten();
        !wires.any(|said| said.question.is_some_and(|(of, question)| of == page && question <= number))
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
                self.goes(at, Life::Dead);
                let page = &mut self.pages[at];
                (page.block, page.tail) = (false, false);
                page.questions.clear();
                Ok(())
            }
            Step::Hears(from, at) => {
                let said = self.wires[from][at].pop_front().ok_or("nothing was said")?;
                if said.what != presence::BYE {
                    self.pages[at].questions.iter_mut().for_each(|question| question.heard = true);
                }
                self.reports(at, said.what, from as u32, said.question)
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
            return Err(format!("page {at} gives back or says goodbye although it has left"));
        }
        self.goes(at, Life::Away);
        self.pages[at].left = true;
        // Who is there when it comes back answers its hello.
        self.pages[at].questions.iter_mut().for_each(|question| question.there = 0);
        self.does(at, todo, None)
    }

    /// It is not there any more; who asks from here on does not count on it.
    fn goes(&mut self, at: usize, life: Life) {
        self.pages[at].life = life;
        for page in &mut self.pages {
            page.questions.iter_mut().for_each(|question| question.there &= !(1 << at));
        }
        if life == Life::Dead {
            self.closes(at);
        }
    }

    fn asks(&mut self, at: usize, event: u8, ends: bool) -> Kept {
        let bit = |(other, page): (usize, &super::world::Page)| u8::from(page.is_there() && other != at) << other;
        let there = self.pages.iter().enumerate().map(bit).sum();
        let page = &mut self.pages[at];
        let todo = page.presence.on(event, 0);
        if todo & todo::WAIT == 0 {
            return if page.device { Err(format!("page {at} does not ask")) } else { Ok(()) };
        }
        page.asked += 1;
        let number = page.asked;
        page.questions.push(Question { number, there, heard: false, ends });
        self.does(at, todo, Some((at, number)))
    }

    fn over(&mut self, at: usize) -> Kept {
        let question = self.pages[at].questions.remove(0);
        self.reports(at, presence::OVER, 0, None)?;
        if self.variant == Some(Variant::SharedAnswers) {
            for _ in 0..self.pages[at].questions.len() {
                self.reports(at, presence::OVER, 0, None)?;
            }
        }
        let crowded = self.pages[at].presence.crowded();
        let sits = self.pages[at].is_there() && self.pages[at].device;
        if sits && crowded && !question.heard {
            return Err(format!("page {at} counts a sibling that has said nothing to its question"));
        }
        if sits && !crowded && question.there > 0 && self.variant != Some(Variant::TooSoon) {
            return Err(format!("page {at} forgets a sibling although it asked, and was answered"));
        }
        if question.ends { self.empties(at, Some(question)) } else { Ok(()) }
    }

    /// A store that ends has asked.
    fn empties(&mut self, at: usize, question: Option<Question>) -> Kept {
        let rest = self.pages[at].presence.rest();
        let there = self.pages.iter().enumerate().any(|(other, page)| other != at && page.is_there());
        match rest {
            Rest::Park => {
                let last = !there && !question.is_some_and(|question| question.heard);
                if last {
                    return Err(format!("page {at} parks although it is the last one"));
                }
                self.pool = true;
            }
            Rest::TakeOut => {
                if self.pool && question.is_some_and(|question| question.there > 0) {
                    return Err(format!("page {at} gives back what a sibling has parked"));
                }
                self.pool = false;
            }
            Rest::Memory => {}
        }
        (self.pages[at].block, self.pages[at].tail) = (false, false);
        self.told.push(format!("page {at} ends: {rest:?}"));
        self.reports(at, presence::ENDED, 0, None)?;
        self.goes(at, Life::Ended);
        self.pages[at].questions.clear();
        Ok(())
    }

    /// Reports an event to the core, and does what it says; `answers`: the question that a message asks.
    fn reports(&mut self, at: usize, event: u8, detail: u32, answers: Option<(usize, u8)>) -> Kept {
        let todo = self.pages[at].presence.on(event, detail);
        self.told.push(format!("page {at} is told {event} about {detail}: {todo:#b}"));
        self.does(at, todo, answers)
    }

    fn does(&mut self, at: usize, todo: u8, question: Option<(usize, u8)>) -> Kept {
        if todo & todo::GIVE_BACK > 0 {
            (self.pages[at].block, self.pages[at].tail) = (false, false);
        }
        if todo & todo::HELLO > 0 {
            self.pages[at].channel = true;
            if self.variant != Some(Variant::SilentReturn) || question.is_some() || !self.pages[at].left {
                self.says(at, presence::HELLO, question)?;
            }
        }
        if todo & todo::HERE > 0 {
            self.says(at, presence::HERE, question)?;
        }
        if todo & todo::BYE > 0 {
            if self.variant != Some(Variant::NoGoodbye) {
                self.says(at, presence::BYE, None)?;
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

    /// Everybody whose channel is open will hear it.
    fn says(&mut self, at: usize, what: u8, question: Option<(usize, u8)>) -> Kept {
        if !self.pages[at].channel {
            return Err(format!("page {at} speaks although its channel is closed"));
        }
        for other in 0..self.pages.len() {
            if other != at && self.pages[other].channel {
                self.wires[at][other].push_back(Said { what, question });
            }
        }
        Ok(())
    }

    /// What was on its way to it is dropped.
    fn closes(&mut self, at: usize) {
        self.pages[at].channel = false;
        self.wires.iter_mut().for_each(|wires| wires[at].clear());
    }
}
