//! The possible steps, and the transactions of the device.

use super::configurations::{Broken, Configuration};
use super::world::*;
use foldhash::quality::FixedState;
use raven_edge::offline::kept;
use raven_edge::offline::sets::Run;
use raven_edge::protocol::{plan, round, settle, take};
use std::cell::RefCell;
use std::collections::HashSet;
use std::hash::BuildHasher;

thread_local! {
    /// States whose end was checked.
    static ENDED: RefCell<HashSet<u64>> = RefCell::default();
}

/// What another writer makes of a document.
const WRITES: [Option<(Owner, bool)>; 4] =
    [None, Some((Owner::Team, true)), Some((Owner::Team, false)), Some((Owner::Others, true))];

/// Runs that a device needs at most once faults have ended.
const RUNS: usize = 3;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// A tab begins a run, and asks a node.
    Begin(usize, u8),
    /// The server makes the next step of what a tab has asked for.
    Serve(usize),
    /// What a tab has asked for has come.
    Receive(usize),
    /// A tab asks for documents by their ids.
    Load(usize),
    /// A tab ends a comparison.
    End(usize),
    /// A tab dies, or what it waits for is lost.
    Die(usize),
    Write(usize, Option<(Owner, bool)>),
    Replicate,
    Index(usize),
    LeaveTeam,
    /// A session loads a document.
    SessionAsks(u8),
    /// A page that follows the set live does, because it has heard of a change.
    LiveAsks(u8),
    SessionServed,
    SessionReceives,
    /// A change is queued on this device.
    Queue(usize),
    /// It is saved.
    Save(usize),
    /// A batch saves a document; whether it stores an attachment.
    Fly(usize, bool),
    /// The device removes its changes; whether the response has come.
    Land(bool),
    SignIn,
    /// The database is restored from an empty backup.
    Recreate,
}

impl Node {
    /// The index has seen all changes.
    fn catch_up(&mut self) {
        (self.index, self.indexed) = (self.documents, self.changed);
    }
}

impl World {
    pub(crate) fn steps(&self, configuration: &Configuration) -> Vec<Step> {
        let mut steps = Vec::new();
        let left = self.left;
        for (at, tab) in self.tabs.iter().enumerate() {
            match tab {
                None if left.runs > 0 => {
                    steps.push(Step::Begin(at, 0));
                    steps.extend(configuration.lags.then_some(Step::Begin(at, 1)));
                }
                None => {}
                Some(running) => {
                    steps.push(match running.phase {
                        Phase::All { load: Load::Due, .. } => Step::Load(at),
                        Phase::All { load: Load::Asked { .. }, .. } => Step::Serve(at),
                        Phase::All { .. } => Step::Receive(at),
                        Phase::Asked | Phase::Probed(_) => Step::Serve(at),
                        Phase::Read { .. } if !running.etag_is_read => Step::Serve(at),
                        Phase::Read { .. } | Phase::Same { .. } => Step::Receive(at),
                        Phase::Loading { load: Load::Due, .. } => Step::Load(at),
                        Phase::Loading { load: Load::Asked { .. }, .. } => Step::Serve(at),
                        Phase::Loading { load: Load::Read { .. }, .. } => Step::Receive(at),
                        Phase::Loading { load: Load::Done, .. } => Step::End(at),
                    });
                    steps.extend((left.deaths > 0).then_some(Step::Die(at)));
                }
            }
        }
        for document in 0..DOCUMENTS {
            if left.writes > 0 {
                let stored = self.nodes[0].documents[document];
                // Of a collection every document fits.
                let is_query = configuration.faults.lives == 0;
                let fits = |write: &&Option<(Owner, bool)>| is_query || write.is_none_or(|(_, fits)| fits);
                let changes = WRITES.iter().filter(|write| write.is_some() || stored.is_some()).filter(fits);
                steps.extend(changes.map(|write| Step::Write(document, *write)));
            }
            if left.saves > 0 && self.device.pending & bit(document) == 0 {
                steps.push(Step::Queue(document));
            }
            let is_hidden = self.nodes[0].documents[document].is_some_and(|one| !self.sees(one));
            if self.device.pending & bit(document) != 0 && !is_hidden {
                steps.push(Step::Save(document));
            }
            if left.flights > 0 && self.flight.is_none() && !is_hidden {
                steps.push(Step::Fly(document, false));
                steps.extend(self.nodes[0].documents[document].map(|_| Step::Fly(document, true)));
            }
            if left.reads > 0 && self.session.is_none() {
                steps.push(Step::SessionAsks(document as u8));
            }
            if left.lives > 0 && self.session.is_none() && self.device.is_complete {
                steps.push(Step::LiveAsks(document as u8));
            }
        }
        if self.flight.is_some() {
            steps.extend([false, true].map(Step::Land));
        }
        for (at, node) in self.nodes.iter().enumerate() {
            if configuration.index && node.indexed != node.changed {
                steps.push(Step::Index(at));
            }
        }
        match self.session.map(|session| session.load) {
            Some(Load::Asked { .. }) => steps.push(Step::SessionServed),
            Some(Load::Read { .. }) => steps.push(Step::SessionReceives),
            _ => {}
        }
        steps.extend((configuration.lags && self.nodes[0] != self.nodes[1]).then_some(Step::Replicate));
        steps.extend((left.claims > 0).then_some(Step::LeaveTeam));
        steps.extend((left.sign_ins > 0).then_some(Step::SignIn));
        steps.extend((left.recreates > 0).then_some(Step::Recreate));
        steps
    }

    pub(crate) fn take(&mut self, step: Step, configuration: &Configuration) -> Kept {
        match step {
            Step::Begin(tab, node) => {
                self.left.runs -= 1;
                self.begin(tab, node, configuration);
            }
            Step::Serve(tab) => self.serve(tab, configuration)?,
            Step::Receive(tab) => self.receive(tab, configuration)?,
            Step::Load(tab) => {
                let clock = self.device.clock;
                if let Some(Running { phase: Phase::Loading { load, .. } | Phase::All { load, .. }, .. }) =
                    &mut self.tabs[tab]
                {
                    *load = Load::Asked { began: clock };
                }
            }
            Step::End(tab) => self.end(tab, configuration)?,
            Step::Die(tab) => {
                self.left.deaths -= 1;
                self.tabs[tab] = None;
            }
            Step::Write(document, write) => {
                self.left.writes -= 1;
                self.write(document, write, configuration);
            }
            Step::Replicate => self.nodes[1] = self.nodes[0],
            Step::Index(node) => self.nodes[node].catch_up(),
            Step::LeaveTeam => {
                self.left.claims -= 1;
                self.claims = false;
            }
            Step::SessionAsks(document) => {
                self.left.reads -= 1;
                let load = Load::Asked { began: self.device.clock };
                self.session = Some(Session { document, load, user: self.device.user, is_live: false });
            }
            Step::LiveAsks(document) => {
                self.left.lives -= 1;
                let load = Load::Asked { began: self.device.clock };
                self.session = Some(Session { document, load, user: self.device.user, is_live: true });
            }
            Step::SessionServed => {
                let Some(Session { load: Load::Asked { began }, .. }) = self.session else { return Ok(()) };
                // A node that lags behind, if there is one.
                let read = self.read(u8::from(configuration.lags), began);
                self.session = self.session.map(|session| Session { load: read, ..session });
            }
            Step::SessionReceives => self.session_receives(configuration),
            Step::Queue(document) => {
                self.left.saves -= 1;
                self.device.pending |= bit(document);
                self.device.queued |= bit(document);
            }
            Step::Save(document) => self.save(document, configuration),
            Step::Fly(document, is_attachment) => {
                self.left.flights -= 1;
                let stored = self.nodes[0].documents[document];
                let text = stored.map_or(0, |stored| self.texts[usize::from(stored.version)]);
                self.write(document, Some((Owner::Mine, true)), configuration);
                if is_attachment {
                    self.texts[usize::from(self.version)] = text;
                }
                let Device { clock: sealed, user, .. } = self.device;
                let began = self.unsettled.take().unwrap_or(sealed);
                let (document, version) = (document as u8, self.version);
                self.flight = Some(Flight { document, began, sealed, user, version, is_attachment });
            }
            Step::Land(is_known) => self.land(is_known, configuration)?,
            Step::SignIn => {
                self.left.sign_ins -= 1;
                let Device { user, incarnation, .. } = self.device;
                self.device = Device { user: user + 1, incarnation, ..Device::default() };
                self.known.fill(None);
            }
            Step::Recreate => {
                self.left.recreates -= 1;
                self.incarnation += 1;
                self.version = 0;
                let none = [None; DOCUMENTS];
                self.nodes = [Node { documents: none, index: none, changed: 0, indexed: 0 }; 2];
            }
        }
        self.observe();
        Ok(())
    }

    fn write(&mut self, document: usize, write: Option<(Owner, bool)>, configuration: &Configuration) {
        self.version += 1;
        let version = self.version;
        self.texts.resize(usize::from(version), 0);
        self.texts.push(version);
        let nodes = if configuration.lags { 1 } else { 2 };
        for node in &mut self.nodes[..nodes] {
            node.documents[document] = write.map(|(owner, fits)| Stored { version, owner, fits });
            node.changed = version;
            if !configuration.index {
                node.catch_up();
            }
        }
    }

    fn begin(&mut self, tab: usize, node: u8, configuration: &Configuration) {
        let run = Run::new(self.device.disturbed.into());
        let run = run.with_variant(configuration.variant);
        let running = Running {
            run,
            user: self.device.user,
            node,
            phase: Phase::All { load: Load::Due, next: 0 },
            sums: [None; DOCUMENTS],
            etag: None,
            etag_is_read: false,
            seen: [None; DOCUMENTS],
            had: [None; DOCUMENTS],
            listed: Listed::default(),
            wanted: 0,
            always: 0,
            ever: 0,
            least: [0; DOCUMENTS],
        };
        let Device { members, is_complete, .. } = self.device;
        let is_first = configuration.streams && members == 0 && !is_complete;
        self.summed(tab, configuration);
        self.tabs[tab] = Some(if is_first { running } else { self.asked(tab, running, configuration) });
    }

    /// What the sums of a page are over when a run looks.
    fn summed(&mut self, tab: usize, configuration: &Configuration) -> Versions {
        let sums = self.known[tab].unwrap_or_else(|| self.device.versions());
        if configuration.keeps_sums {
            self.known[tab] = Some(sums);
        }
        sums
    }

    /// A transaction is complete; `before`: what the device had; `by`: the tab whose run has made it.
    fn wrote(&mut self, before: Versions, by: Option<usize>, configuration: &Configuration) {
        let after = self.device.versions();
        if before == after {
            return;
        }
        for (tab, known) in self.known.iter_mut().enumerate() {
            if Some(tab) == by {
                for document in (0..DOCUMENTS).filter(|document| before[*document] != after[*document]) {
                    if let Some(known) = known {
                        known[document] = after[document];
                    }
                }
            } else if configuration.broken != Some(Broken::SumsOverOthersWrites) {
                *known = None;
            }
        }
    }

    /// The sums are read, and a comparison is asked for.
    fn asked(&mut self, tab: usize, mut running: Running, configuration: &Configuration) -> Running {
        running.sums = self.summed(tab, configuration);
        let device = &self.device;
        running.run.again(device.disturbed.into());
        running.phase = Phase::Asked;
        (running.etag, running.etag_is_read) = (device.etag, false);
        let sets = self.nodes.map(|node| self.set_of(&node));
        (running.always, running.ever) = (sets[0] & sets[1], sets[0] | sets[1]);
        running.least = std::array::from_fn(|at| {
            self.nodes.iter().map(|node| node.documents[at].map_or(0, |one| one.version)).min().unwrap_or(0)
        });
        running
    }

    fn serve(&mut self, tab: usize, configuration: &Configuration) -> Kept {
        let Some(mut running) = self.tabs[tab].clone() else { return Ok(()) };
        let etag = self.etag(running.node, configuration);
        let is_late = configuration.broken == Some(Broken::ETagFromAfterReading);
        running.phase = match running.phase {
            Phase::All { load: Load::Asked { began }, next } => {
                Phase::All { load: self.read_all(running.node, began, configuration), next }
            }
            Phase::Asked if running.etag == Some(etag) => Phase::Same { incarnation: self.incarnation },
            Phase::Asked => Phase::Probed(etag),
            Phase::Probed(before) => {
                let (listed, is_stale) = self.compared(&running, configuration);
                let mut bare = self.clone();
                for node in &mut bare.nodes {
                    let is_seen = |stored: &Stored| self.sees(*stored);
                    node.documents = node.documents.map(|stored| stored.filter(is_seen));
                }
                if bare.compared(&running, configuration).0 != listed {
                    return Err("a document that is hidden decides what the caller gets".into());
                }
                running.etag_is_read = !is_late;
                let etag = (!is_stale && !is_late).then_some(before);
                Phase::Read { etag, listed, is_stale, incarnation: self.incarnation }
            }
            Phase::Read { listed, is_stale, incarnation, .. } => {
                running.etag_is_read = true;
                Phase::Read { etag: Some(etag), listed, is_stale, incarnation }
            }
            Phase::Loading { etag, load: Load::Asked { began } } => {
                Phase::Loading { etag, load: self.read(running.node, began) }
            }
            phase => phase,
        };
        self.tabs[tab] = Some(running);
        Ok(())
    }

    /// Whether a run may not write: another user has signed in, or the response is that of another incarnation.
    fn is_void(&mut self, user: u8, incarnation: u8, configuration: &Configuration) -> bool {
        if user != self.device.user && configuration.broken != Some(Broken::SignOutIsIgnored) {
            return true;
        }
        if incarnation == self.device.incarnation || configuration.broken == Some(Broken::IncarnationIsIgnored) {
            return false;
        }
        let Device { clock, user, disturbed, pending, queued, .. } = self.device;
        let disturbed = disturbed + 1;
        // Pending changes are not discarded.
        self.device = Device { clock, user, disturbed, pending, queued, incarnation, ..Device::default() };
        self.known.fill(None);
        true
    }

    /// A transaction takes what a response says of a document; returns the verdict.
    fn taken(&mut self, document: usize, found: Has, began: u8, user: u8, configuration: &Configuration) -> u32 {
        let device = &mut self.device;
        let entry = device.kept[document];
        let verdict = match entry {
            None if found == Has::Touched => take::LEAVE,
            None => take::REPLACE,
            _ if configuration.broken == Some(Broken::WithoutTake) => take::REPLACE,
            _ if found == Has::Touched && configuration.broken == Some(Broken::AttachmentForgets) => take::FORGET,
            Some(Entry { at, has, .. }) => found.with(|found| {
                has.with(|has| kept::take(Some(kept::Kept { at: at.into(), state: has }), found, began.into(), 0))
            }),
        };
        let at = device.clock;
        match verdict {
            take::OUTDATE => {
                device.kept[document] = entry.map(|entry| match entry.has {
                    Has::There(version, incarnation) => Entry { at, has: Has::Sent(version, incarnation), ..entry },
                    _ => Entry { at, ..entry },
                });
            }
            take::REPLACE => device.kept[document] = Some(Entry { at, has: found, user }),
            take::CONFIRM => device.kept[document] = entry.map(|entry| Entry { at, ..entry }),
            take::FORGET => {
                device.kept[document] = Some(Entry { at, has: Has::Forgotten, user });
                if device.members & bit(document) != 0 {
                    device.members &= !bit(document);
                    device.disturbed += 1;
                    device.is_complete = false;
                    if configuration.broken != Some(Broken::LossKeepsETag) {
                        device.etag = None;
                    }
                }
            }
            _ => {}
        }
        let is_absent = matches!(device.kept[document], Some(Entry { has: Has::Absent, .. }));
        if is_absent && device.members & bit(document) != 0 {
            device.members &= !bit(document);
            device.disturbed += 1;
            // Another node may have it.
            device.is_complete = false;
            if configuration.broken != Some(Broken::AbsenceKeepsETag) {
                device.etag = None;
            }
        }
        verdict
    }

    fn session_receives(&mut self, configuration: &Configuration) {
        let Some(Session { document, load: Load::Read { began, found, incarnation, .. }, user, is_live }) =
            self.session
        else {
            return;
        };
        self.session = None;
        if !self.is_void(user, incarnation, configuration) {
            self.device.clock += 1;
            let document = usize::from(document);
            let before = self.device.versions();
            self.taken(document, found[document], began, user, configuration);
            let has = self.device.kept[document].map(|entry| entry.has);
            if is_live && found[document].version().is_some() && has.is_some_and(|has| has.version().is_some()) {
                if self.device.members & bit(document) == 0 {
                    self.device.members |= bit(document);
                    self.device.disturbed += 1;
                }
                if configuration.broken != Some(Broken::LiveKeepsETag) {
                    self.device.etag = None;
                }
            }
            self.wrote(before, None, configuration);
        }
    }

    fn save(&mut self, document: usize, configuration: &Configuration) {
        self.write(document, Some((Owner::Mine, true)), configuration);
        self.device.pending &= !bit(document);
        self.device.queued &= !bit(document);
        if self.device.incarnation == self.incarnation {
            self.device.clock += 1;
            let found = Has::There(self.version, self.incarnation);
            let (clock, user) = (self.device.clock, self.device.user);
            let before = self.device.versions();
            self.taken(document, found, clock, user, configuration);
            self.wrote(before, None, configuration);
        }
    }

    /// The changes of a batch are removed, and what is known of their document is kept.
    fn land(&mut self, is_known: bool, configuration: &Configuration) -> Kept {
        let Some(Flight { document, began, sealed, user, version, is_attachment }) = self.flight.take() else {
            return Ok(());
        };
        if user != self.device.user || self.device.incarnation != self.incarnation {
            return Ok(());
        }
        let document = usize::from(document);
        let before = self.device.versions();
        let entry = self.device.kept[document];
        let began = match configuration.broken {
            Some(Broken::FlightBeginsAtItsEnd) => self.device.clock,
            Some(Broken::FlightBeganBefore) => began.saturating_sub(1),
            _ => began,
        };
        self.unsettled = (configuration.broken == Some(Broken::SealedBeforeSettled)).then_some(self.device.clock);
        self.device.clock += 1;
        let has = if is_known { Has::There } else { Has::Sent };
        let found = if is_attachment { Has::Touched } else { has(version, self.incarnation) };
        self.taken(document, found, began, user, configuration);
        if !is_attachment {
            self.device.saved[document] = version;
        }
        self.wrote(before, None, configuration);
        let is_there = |entry: Option<Entry>| entry.is_some_and(|entry| entry.has.version().is_some());
        // What was kept before the batch was sealed is older than what it has saved.
        let is_known = is_attachment || entry.is_some_and(|entry| entry.at <= sealed);
        if is_known && is_there(entry) && !is_there(self.device.kept[document]) {
            return Err(format!("document {document} is not shown any more since a change of it was saved"));
        }
        Ok(())
    }

    /// A document belongs to the set.
    fn join(&mut self, document: usize, running: &mut Running, configuration: &Configuration) {
        if self.device.members & bit(document) == 0 {
            self.device.members |= bit(document);
            if configuration.broken != Some(Broken::OthersAreIgnored) {
                self.device.disturbed += 1;
                running.run.added(1);
            }
        }
        if configuration.broken != Some(Broken::DocumentsKeepETag) {
            self.device.etag = None;
        }
    }

    /// A document leaves the set.
    fn drop(&mut self, document: usize, running: &Running, configuration: &Configuration) -> Kept {
        let device = &mut self.device;
        device.members &= !bit(document);
        if configuration.broken == Some(Broken::DropsPending) {
            device.pending &= !bit(document);
        }
        if running.always & bit(document) != 0 {
            return Err(format!("document {document} is removed, and was the caller's all the time"));
        }
        Ok(())
    }

    fn receive(&mut self, tab: usize, configuration: &Configuration) -> Kept {
        let Some(mut running) = self.tabs[tab].take() else { return Ok(()) };
        let before = self.device.versions();
        match running.phase {
            Phase::All { load: load @ Load::Read { began, found, incarnation, .. }, next } => {
                if self.is_void(running.user, incarnation, configuration) {
                    return Ok(());
                }
                self.arrived(next.into(), &mut running, found, began, configuration);
                self.wrote(before, Some(tab), configuration);
                let next = next + 1;
                if usize::from(next) < DOCUMENTS {
                    running.phase = Phase::All { load, next };
                } else {
                    running = self.asked(tab, running, configuration);
                    if configuration.broken == Some(Broken::CompleteWithoutComparison) {
                        self.completed(&running)?;
                    }
                }
            }
            Phase::Same { incarnation } => {
                let disturbed = self.device.disturbed.into();
                if !self.is_void(running.user, incarnation, configuration)
                    && running.run.same(disturbed) == round::COMPLETE
                {
                    self.completed(&running)?;
                }
                return Ok(());
            }
            Phase::Read { etag, listed, is_stale, incarnation } => {
                if self.is_void(running.user, incarnation, configuration) {
                    return Ok(());
                }
                self.compare(&mut running, etag, listed, is_stale, configuration)?;
                self.wrote(before, Some(tab), configuration);
            }
            Phase::Loading { etag, load: Load::Read { began, found, incarnation, in_set } } => {
                if self.is_void(running.user, incarnation, configuration) {
                    return Ok(());
                }
                self.device.clock += 1;
                let wanted = running.wanted;
                for document in (0..DOCUMENTS).filter(|document| wanted & bit(*document) != 0) {
                    self.settle(document, &mut running, found[document], began, in_set, configuration)?;
                }
                self.wrote(before, Some(tab), configuration);
                running.phase = Phase::Loading { etag, load: Load::Done };
            }
            _ => {}
        }
        self.tabs[tab] = Some(running);
        Ok(())
    }

    /// A document of a response with all.
    fn arrived(
        &mut self,
        document: usize,
        running: &mut Running,
        found: Found,
        began: u8,
        configuration: &Configuration,
    ) {
        self.device.clock += 1;
        let found = found[document];
        if !matches!(found, Has::There(..)) {
            return;
        }
        self.taken(document, found, began, running.user, configuration);
        if self.device.kept[document].is_some_and(|entry| entry.has.version().is_some()) {
            self.join(document, running, configuration);
        }
    }

    fn compare(
        &mut self,
        running: &mut Running,
        etag: Option<ETag>,
        listed: Listed,
        is_stale: bool,
        configuration: &Configuration,
    ) -> Kept {
        running.run.compared(is_stale);
        (running.wanted, running.listed) = (0, listed);
        let is_late = configuration.broken == Some(Broken::VersionFromAfterComparing);
        // What the device has may come from a node that is ahead: only what this run has found before counts as compared.
        running.had = if is_late { self.device.kept.map(|entry| entry.map(|entry| entry.has)) } else { running.seen };
        for document in 0..DOCUMENTS {
            let Some(listed) = listed[document] else { continue };
            let is_member = self.device.members & bit(document) != 0;
            if listed.is_none() && !is_member {
                continue;
            }
            let version = listed.map(|version| Has::There(version, self.incarnation));
            let has = self.device.kept[document].map(|entry| entry.has);
            let verdict = with(version, |listed| {
                let listed = match listed {
                    Some(kept::State::There(vector)) => Some(vector),
                    _ => None,
                };
                with(has, |has| running.run.compare(listed, has))
            });
            if verdict == plan::HAVE {
                self.join(document, running, configuration);
            } else if verdict == plan::LOAD {
                running.wanted |= bit(document);
            }
            if listed.is_none() && configuration.broken == Some(Broken::DropsWithoutLoad) {
                running.wanted &= !bit(document);
                let in_set = self.set_of(&self.nodes[0]);
                let current = self.nodes[0].documents[document].map(|one| Has::There(one.version, self.incarnation));
                if in_set & bit(document) != 0 && has == current {
                    return Err(format!("document {document} is removed in a version that is in the set"));
                }
                self.drop(document, running, configuration)?;
            }
        }
        let load = if running.wanted == 0 { Load::Done } else { Load::Due };
        running.phase = Phase::Loading { etag, load };
        match configuration.broken {
            Some(Broken::ETagBeforeDocuments) => self.device.etag = etag,
            Some(Broken::CompleteBeforeLoads) => self.completed(running)?,
            _ => {}
        }
        Ok(())
    }

    fn settle(
        &mut self,
        document: usize,
        running: &mut Running,
        found: Has,
        began: u8,
        in_set: Bits,
        configuration: &Configuration,
    ) -> Kept {
        let is_listed = matches!(running.listed[document], Some(Some(_)));
        let was_member = self.device.members & bit(document) != 0;
        let verdict = self.taken(document, found, began, running.user, configuration);
        if was_member && verdict == take::REPLACE && found == Has::Absent {
            running.run.added(1);
        }
        if configuration.broken != Some(Broken::DocumentsKeepETag) {
            self.device.etag = None;
        }
        let is_sent = configuration.broken == Some(Broken::SentIsEnough);
        let is_there = self.device.kept[document]
            .is_some_and(|entry| matches!(entry.has, Has::There(..)) || is_sent && entry.has.version().is_some());
        running.seen[document] = Some(found);
        let had = running.had[document].filter(|has| matches!(has, Has::There(..)));
        let next = with(had, |had| {
            let had = match had {
                Some(kept::State::There(vector)) => Some(vector),
                _ => None,
            };
            found.with(|found| running.run.settle(is_listed, had, found, verdict, is_there))
        });
        match next {
            settle::JOIN => self.join(document, running, configuration),
            settle::DROP => {
                if matches!(found, Has::There(..)) && in_set & bit(document) != 0 {
                    return Err(format!("document {document} is removed in a version that is in the set"));
                }
                self.drop(document, running, configuration)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, tab: usize, configuration: &Configuration) -> Kept {
        let Some(mut running) = self.tabs[tab].take() else { return Ok(()) };
        let Phase::Loading { etag, .. } = running.phase else { return Ok(()) };
        if running.user != self.device.user && configuration.broken != Some(Broken::SignOutIsIgnored) {
            return Ok(());
        }
        match running.run.end(self.device.disturbed.into()) {
            round::AGAIN => self.tabs[tab] = Some(self.asked(tab, running, configuration)),
            round::COMPLETE => {
                self.device.etag = etag;
                self.completed(&running)?;
            }
            round::LAGS => {
                self.device.etag = None;
                self.completed(&running)?;
            }
            _ => self.device.etag = None,
        }
        Ok(())
    }

    /// From here on there are no faults: then the device has what the caller may see.
    pub(crate) fn close(&self, configuration: &Configuration) -> Kept {
        let key = (configuration.name, &self.nodes, &self.device, &self.known, self.claims, self.incarnation);
        let key = FixedState::with_seed(7).hash_one(key);
        if !ENDED.with_borrow_mut(|ended| ended.insert(key)) {
            return Ok(());
        }
        let mut world = self.clone();
        world.nodes[1] = world.nodes[0];
        world.nodes.iter_mut().for_each(Node::catch_up);
        for _ in 0..RUNS {
            world.tabs = vec![None];
            world.known.truncate(1);
            world.begin(0, 0, configuration);
            // The first step is that of the tab.
            while world.tabs[0].is_some() {
                let Some(step) = world.steps(configuration).into_iter().next() else { break };
                world.take(step, configuration)?;
                world.laws()?;
            }
        }
        let set = world.set_of(&world.nodes[0]);
        for document in 0..DOCUMENTS {
            let has = world.device.kept[document].filter(|_| world.device.members & bit(document) != 0);
            let has = has.map(|entry| entry.has);
            let current = world.nodes[0].documents[document].filter(|_| set & bit(document) != 0);
            let current = current.map(|one| Has::There(one.version, world.incarnation));
            if has != current {
                return Err(format!("the device never has what the caller may see of document {document}"));
            }
        }
        if world.device.is_complete { Ok(()) } else { Err("the set never is complete".into()) }
    }
}

/// What the device has, as the core has it.
fn with<Result>(has: Option<Has>, work: impl FnOnce(Option<kept::State<'_>>) -> Result) -> Result {
    match has {
        None => work(None),
        Some(has) => has.with(|state| work(Some(state))),
    }
}
