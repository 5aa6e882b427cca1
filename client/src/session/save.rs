//! Saves: what is sent, and what became of it. The core decides (`raven_edge::session`, rules in its first lines); this carries out.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use raven_edge::http::{Repeat, Request};
use raven_edge::ids::key::{begins, same};
use raven_edge::protocol::{metadata, path, prefix, save};
use raven_edge::session::{
    Action, Command, Deferred as DeferredFacts, Event, Expectation, Finding, Next, Outcome as Decision, Refusal, Seen,
};
use raven_edge::source::Expects;
use serde_json::Value;

use super::json::{Members, own_metadata};
use super::unit::{Content, Unit};
use super::{Session, json, locked};
use crate::error::Outcome;
use crate::runtime::is_offline;
use crate::store::Answer;
use crate::{Error, Result};

/// A command of a batch.
struct Sent {
    /// The document of the session; `None`: a patch.
    slot: Option<u32>,
    action: Action,
    id: String,
    /// What a PUT has sent.
    content: Option<Content>,
}

/// A batch from the seal to the end. Dropped in between, its outcome is unknown.
struct Batch {
    unit: Arc<Mutex<Unit>>,
    commands: Vec<Sent>,
    /// How many deferred commands it contains.
    deferred: usize,
    /// New documents that the app has deleted before they were sent: they have no command.
    gone: Vec<u32>,
    body: String,
    version: u32,
    is_settled: bool,
}

impl Session {
    /// Saves all changes, in one request, all or nothing.
    ///
    /// A save that is dropped in the middle has an unknown outcome: the next save of the session resolves or reports it.
    ///
    /// # Errors
    ///
    /// [`Error::Concurrency`]: a document is not in the expected version. [`Error::OutcomeUnknown`]: the response was lost, and reading
    /// could not show what became of the save; [`Detail::advice`](crate::Detail::advice) says what to do.
    /// [`Error::outcome`] says whether the changes are saved, where the code does not.
    pub async fn save(&self) -> Result<()> {
        let _turn = self.saving.lock().await;
        self.inner().assert_open()?;
        while !self.save_once().await? {}
        Ok(())
    }

    /// Returns whether the save is done; else the rest is planned again.
    async fn save_once(&self) -> Result<bool> {
        self.look_for().await?;
        let Some(mut batch) = seal(&self.unit)? else { return Ok(true) };
        let failure = match self.send(&batch).await {
            Ok(answer) => match batch.take_over(&answer) {
                Ok(()) => return Ok(true),
                Err(error) => error,
            },
            Err(error) => error,
        };
        self.failed(batch, failure).await
    }

    /// Before a batch is planned: looks for documents with an unknown outcome.
    async fn look_for(&self) -> Result<()> {
        if locked(&self.unit).saves.begin() != Next::Read {
            return Ok(());
        }
        // If this is dropped while it reads, the core must not wait for the result.
        let mut reading = Reading { unit: &self.unit, is_done: false };
        let read = self.read_back(None).await;
        reading.is_done = true;
        match read {
            Ok(found) => {
                report(&self.unit, None, &found, None);
                Ok(())
            }
            Err(error) => {
                let decision = locked(&self.unit).saves.on(Event::Unread);
                Err(match decision.next {
                    Next::Unknown(advice) => error.unknown(advice),
                    _ => error,
                })
            }
        }
    }

    async fn send(&self, batch: &Batch) -> Result<Answer> {
        self.assert_reachable().await?;
        self.count();
        let route = self.inner().state().core.route(path::BATCH);
        let request = Request::post(route, batch.body.clone().into_bytes(), Repeat::Never);
        self.inner().call(request, Expects::Status(201), 0).await
    }

    /// A browser reports the same error if a request could not be sent and if its response was lost. If it says that it is offline, a read
    /// is sent before the save. If the read reaches no server, the save is not sent, and the error says so.
    async fn assert_reachable(&self) -> Result<()> {
        if !is_offline() {
            return Ok(());
        }
        let request = Request::get(self.inner().state().core.route(&format!("docs?id={}", prefix::HILO)));
        match self.inner().call(request, Expects::Command, 0).await {
            Err(error) if error.is_outage() => Err(error.unsent()),
            _ => Ok(()),
        }
    }

    /// Finds out what an error means.
    async fn failed(&self, mut batch: Batch, error: Error) -> Result<bool> {
        let unit = &self.unit;
        let slot = error.detail().id.as_deref().and_then(|id| locked(unit).slot(id));
        let event = match error.failure() {
            save::WAITED => Event::Waited,
            save::LOST => Event::Lost,
            save::CONFLICT => Event::Refused { conflict: Some(slot), sharded: error.is_sharded() },
            save::REFUSED => Event::Refused { conflict: None, sharded: error.is_sharded() },
            _ => Event::Unsent,
        };
        let mut next = batch.on(event);
        if next == Next::Read {
            next = match self.read_back(Some(&batch)).await {
                Ok(found) => report(unit, Some(&mut batch), &found, Some(())),
                Err(_) => batch.on(Event::Unread),
            };
        }
        batch.is_settled = true;
        match next {
            Next::Done => {
                batch.finish();
                Ok(true)
            }
            Next::Plan => Ok(false),
            Next::Unknown(advice) => Err(error.unknown(advice)),
            Next::Saved => {
                batch.finish();
                Err(error.with_outcome(Outcome::Saved))
            }
            Next::NotSaved if error.failure() == save::UNSENT => Err(error.with_outcome(Outcome::NotSaved)),
            Next::Conflict { unknown: true } => Err(error.with_outcome(Outcome::Unknown)),
            _ => Err(error),
        }
    }

    /// Reads the documents whose outcome can be found out.
    async fn read_back(&self, batch: Option<&Batch>) -> Result<BTreeMap<u32, (Members, Members)>> {
        let wanted: BTreeMap<u32, String> = {
            let unit = locked(&self.unit);
            let id = |slot: u32| {
                let tracked =
                    unit.get(slot).filter(|document| !document.is_pending).map(|document| document.id.clone());
                tracked.or_else(|| batch?.of(slot).map(|sent| sent.id.clone()))
            };
            unit.saves.readable().into_iter().filter_map(|slot| Some((slot, id(slot)?))).collect()
        };
        let ids: Vec<&str> = wanted.values().map(String::as_str).collect();
        let mut found = BTreeMap::new();
        if ids.is_empty() {
            return Ok(found);
        }
        for document in self.inner().documents(&ids, &[]).await?.0 {
            let Some((id, members, reported)) = json::parts(document) else { continue };
            let slot = wanted.iter().find(|(_, wanted)| same(wanted, &id)).map(|(slot, _)| *slot);
            if let Some(slot) = slot {
                found.insert(slot, (members, reported));
            }
        }
        Ok(found)
    }
}

/// A read before a plan.
struct Reading<'a> {
    unit: &'a Arc<Mutex<Unit>>,
    is_done: bool,
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        if !self.is_done {
            locked(self.unit).saves.on(Event::Unread);
        }
    }
}

/// Plans a batch, makes its texts and seals it. `None`: there is nothing to send.
fn seal(shared: &Arc<Mutex<Unit>>) -> Result<Option<Batch>> {
    let mut unit = locked(shared);
    unit.assert_apart()?;
    let (planned, is_optimistic) = (unit.planned(), unit.is_optimistic);
    let commands = unit.saves.plan(is_optimistic, &planned);
    let commands = commands.map(<[Command]>::to_vec).map_err(|refusal| match refusal {
        Refusal::NoId(_) => Error::operation(
            "a document cannot be deleted: a save with an unknown outcome may have stored it under an id that only the server knows",
        ),
        Refusal::Busy => Error::operation("a save is in progress"),
    })?;
    let mut sent = Vec::new();
    let mut texts = Vec::new();
    for command in &commands {
        let Some(document) = unit.get(command.slot) else { continue };
        let expected = match command.expects {
            Expectation::Any => Value::Null,
            Expectation::Absent => Value::from(""),
            Expectation::Known => document.change_vector.clone().map_or(Value::Null, Value::from),
        };
        let (id, slot) = (document.id.clone(), Some(command.slot));
        let head = format!("\"Id\":{},\"ChangeVector\":{expected}", Value::from(id.as_str()));
        let content = (command.action == Action::Put).then(|| document.wanted.clone());
        texts.push(match &content {
            Some(content) => {
                let mut stored = content.members.clone();
                stored.insert(metadata::MEMBER.to_owned(), Value::Object(content.metadata.clone()));
                format!("{{\"Type\":\"PUT\",{head},\"Document\":{}}}", Value::Object(stored))
            }
            None => format!("{{\"Type\":\"DELETE\",{head}}}"),
        });
        sent.push(Sent { slot, action: command.action, id, content });
    }
    let mut facts = Vec::new();
    for deferred in &unit.deferred {
        let returns = unit.slot(&deferred.id).is_some();
        let id = Value::from(deferred.id.as_str());
        let patch = &deferred.patch;
        texts.push(format!(
            "{{\"Type\":\"PATCH\",\"Id\":{id},\"ChangeVector\":null,{patch},\"ReturnDocument\":{returns}}}"
        ));
        sent.push(Sent { slot: None, action: Action::Put, id: deferred.id.clone(), content: None });
        facts.push(DeferredFacts::ONCE);
    }
    // The core refuses while another save is under way, which holds the session's turn.
    let is_sealed = unit.saves.seal(&facts).map_err(|_| Error::operation("a save is in progress"))?;
    if !is_sealed {
        // Documents that were stored and deleted, and never sent.
        for document in planned.iter().filter(|document| document.action == Action::Delete) {
            unit.is_gone(document.slot);
        }
        return Ok(None);
    }
    let (version, deferred) = (unit.saves.version(), facts.len());
    drop(unit);
    let body = format!("{{\"Commands\":[{}]}}", texts.join(","));
    let deleted = planned.iter().filter(|of| of.action == Action::Delete).map(|of| of.slot);
    let gone = deleted.filter(|slot| sent.iter().all(|sent| sent.slot != Some(*slot))).collect();
    Ok(Some(Batch { unit: Arc::clone(shared), commands: sent, deferred, gone, body, version, is_settled: false }))
}

impl Batch {
    fn of(&self, slot: u32) -> Option<&Sent> {
        self.commands.iter().find(|sent| sent.slot == Some(slot))
    }

    /// Reports an event, and keeps what may be found later.
    fn on(&mut self, event: Event<'_>) -> Next {
        let mut unit = locked(&self.unit);
        let Decision { next, keep, .. } = unit.saves.on(event);
        if keep {
            self.remember(&mut unit);
        }
        next
    }

    /// Keeps the contents that were sent, to compare them with what is found.
    fn remember(&self, unit: &mut Unit) {
        for slot in unit.saves.readable() {
            let content = self.of(slot).and_then(|sent| sent.content.clone());
            if let (Some(content), Some(document)) = (content, unit.get_mut(slot)) {
                document.unknown.insert(self.version, content);
            }
        }
    }

    /// Applies a response. Either the whole response fits the batch, or nothing of it is used.
    fn take_over(&mut self, answer: &Answer) -> Result<()> {
        let body: Value =
            serde_json::from_slice(&answer.body).map_err(|_| Error::answer(&answer.request, "it is not JSON"))?;
        let results = body.get("Results").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        if results.len() != self.commands.len() {
            return Err(Error::answer(&answer.request, "it does not have a result for each command"));
        }
        if let Some((sent, _)) = self.commands.iter().zip(results).find(|(sent, result)| !fits(sent, result)) {
            let what = format!("the result for {} is of another document", sent.id);
            return Err(Error::answer(&answer.request, &what));
        }
        {
            let mut unit = locked(&self.unit);
            for (sent, result) in self.commands.iter().zip(results) {
                let Some(reported) = result.as_object() else { continue };
                match (sent.slot, sent.action) {
                    (Some(slot), Action::Put) => {
                        if let Some(id) = reported.get(metadata::ID).and_then(Value::as_str)
                            && unit.get(slot).is_some_and(|document| document.is_pending)
                        {
                            unit.is_named(slot, id);
                        }
                        if let Some(document) = unit.get_mut(slot) {
                            document.is_reported(reported);
                        }
                    }
                    (None, _) => patched(&mut unit, &sent.id, reported),
                    _ => {}
                }
            }
            unit.saves.on(Event::Applied);
        }
        self.is_settled = true;
        self.finish();
        Ok(())
    }

    /// It was saved: the session forgets the changes.
    fn finish(&mut self) {
        let mut unit = locked(&self.unit);
        for sent in &mut self.commands {
            let Some(slot) = sent.slot else { continue };
            match (sent.action, sent.content.take()) {
                (Action::Put, Some(content)) => {
                    if let Some(document) = unit.get_mut(slot) {
                        document.is_saved_as(content);
                        document.unknown.clear();
                    }
                }
                (Action::Delete, _) => unit.is_gone(slot),
                _ => {}
            }
        }
        for slot in std::mem::take(&mut self.gone) {
            unit.is_gone(slot);
        }
        let deferred = self.deferred.min(unit.deferred.len());
        unit.deferred.drain(..deferred);
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        // The save was dropped: its request may have arrived, and may still. Nothing is read back here.
        if !self.is_settled && self.on(Event::Lost) == Next::Read {
            self.on(Event::Unread);
        }
    }
}

/// Whether a result is about the document of a command.
fn fits(sent: &Sent, result: &Value) -> bool {
    if sent.slot.is_none() || sent.action != Action::Put {
        return result.is_object();
    }
    let text = |name| result.get(name).and_then(Value::as_str);
    let (Some(id), Some(_)) = (text(metadata::ID), text(metadata::CHANGE_VECTOR)) else { return false };
    if sent.id.is_empty() || sent.id.ends_with(['/', '|']) {
        // The server has made it: `users/7-A` from `users/`, `users/7` from `users|`.
        let prefix = sent.id.trim_end_matches('|');
        return id.len() > prefix.len() && begins(id, prefix);
    }
    same(id, &sent.id)
}

/// The session's document is what a patch has left.
fn patched(unit: &mut Unit, id: &str, result: &Members) {
    let Some(slot) = unit.slot(id) else { return };
    let Some(Value::Object(modified)) = result.get("ModifiedDocument") else { return };
    let mut members = modified.clone();
    let mut reported = match members.remove(metadata::MEMBER) {
        Some(Value::Object(reported)) => reported,
        // A document without a collection has none.
        _ => Members::new(),
    };
    for (name, given) in [(metadata::CHANGE_VECTOR, "ChangeVector"), (metadata::LAST_MODIFIED, "LastModified")] {
        if let Some(value) = result.get(given).filter(|value| value.is_string()) {
            reported.insert(name.to_owned(), value.clone());
        }
    }
    if let Some(document) = unit.get_mut(slot) {
        // Meanwhile the app may have changed it: its change stays, and is saved next.
        let was_changed = document.is_changed().then(|| document.wanted.clone());
        document.is_read(members, reported);
        if let Some(wanted) = was_changed {
            document.wanted = wanted;
        }
    }
}

/// Reports what was found, and takes over what is proven to be saved. `is_sent`: the batch is the last one that was sent.
fn report(
    shared: &Arc<Mutex<Unit>>,
    mut batch: Option<&mut Batch>,
    found: &BTreeMap<u32, (Members, Members)>,
    is_sent: Option<()>,
) -> Next {
    let mut unit = locked(shared);
    let current = |batch: Option<&Batch>, slot: u32| batch.and_then(|batch| batch.of(slot)?.content.clone());
    let mut seen = Vec::new();
    for slot in unit.saves.readable() {
        let Some((members, reported)) = found.get(&slot) else {
            seen.push(Seen { slot, finding: Finding::Absent });
            continue;
        };
        let content = Content { members: members.clone(), metadata: own_metadata(reported) };
        let mut finding = Finding::Other;
        // In the order of versions: if several are equal, the newest counts.
        for (version, sent) in unit.get(slot).map(|document| &document.unknown).into_iter().flatten() {
            if sent.is(&content) {
                finding = Finding::Version(*version);
            }
        }
        if let Some(batch) = batch.as_deref().filter(|_| is_sent.is_some())
            && current(Some(batch), slot).is_some_and(|sent| sent.is(&content))
        {
            finding = Finding::Version(batch.version);
        }
        seen.push(Seen { slot, finding });
    }
    let Decision { next, confirmed, keep } = unit.saves.on(Event::Seen(&seen));
    for (slot, version) in confirmed {
        let sent = unit.get(slot).and_then(|document| document.unknown.get(&version).cloned());
        let sent = sent.or_else(|| current(batch.as_deref(), slot));
        if let (Some(document), Some(sent)) = (unit.get_mut(slot), sent) {
            if let Some((_, reported)) = found.get(&slot) {
                document.is_reported(reported);
            }
            document.is_saved_as(sent);
            document.unknown.clear();
        }
    }
    if let Some(batch) = batch.as_mut().filter(|_| keep) {
        batch.remember(&mut unit);
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn sent(id: &str) -> Sent {
        Sent { slot: Some(0), action: Action::Put, id: id.into(), content: None }
    }

    #[test]
    fn a_result_fits_if_it_is_about_the_document_that_was_sent() {
        for (id, made, expected) in [
            ("orders/1-A", "ORDERS/1-a", true),
            ("orders/1-A", "orders/2-A", false),
            ("orders/", "orders/0000000000000000007-A", true),
            ("orders|", "orders/7", true),
            ("orders|", "orders", false),
            ("", "6f0c", true),
            ("", "", false),
        ] {
            let result = json!({ "@id": made, "@change-vector": "A:1" });
            assert_eq!(fits(&sent(id), &result), expected, "{id} {made}");
        }
        assert!(!fits(&sent("a"), &json!({ "@id": "a" })) && !fits(&sent("a"), &json!(null)));
    }
}
