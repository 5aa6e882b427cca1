//! Writes: documents in a batch, or a single one by its own route.

use super::command::{Command, expected_by, storing, text_of};
use super::receipt::Receipt;
use super::write_guard;
use crate::gateway::attachments::{Action, AttachmentCommand, named};
use crate::gateway::collections::Right;
use crate::gateway::config::Config;
use crate::gateway::gather::gathered;
use crate::gateway::plan::{Caller, Exchange, FollowUp, Forward, Operation, Step, Turn};
use crate::gateway::refusal::{Kind, Refusal, refused};
use crate::gateway::request::Query;
use crate::gateway::response::{Conflict, Response, UpstreamResponse, failure_of_write, picked};
use crate::prelude::*;
use crate::reply;
use raven_edge::http::push_encoded;
use raven_edge::ids::key;
use raven_edge::json;
use raven_edge::protocol::path;
use raven_edge_authority::json::Object;

/// Documents to write, rebuilt from what the gateway understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Write {
    route: Route,
    /// As the caller sent them.
    pub(crate) commands: Vec<Command>,
    /// Whether the caller may know the document's current change vector.
    reads: bool,
    /// Of documents with rows: the commands as they may be sent, once the stored documents were judged.
    judged: Option<Judged>,
    /// How often the stored documents were judged again, because another caller was faster.
    retries: u32,
    /// What was sent before, and the response to the conflict in which it ended.
    refused: Option<Box<(Judged, Response)>>,
    /// The receipt that the batch begins with, if it comes from a queue on a device.
    receipt: Option<Receipt>,
}

/// The commands of a write after the stored documents were judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Judged {
    pub(crate) commands: Vec<Command>,
    /// Commands that are not sent because there is no document for them: their places in the request, and their results.
    pub(crate) skipped: Vec<(usize, String)>,
    /// Whether a command has an expectation that the caller did not state.
    pub(crate) is_guarded: bool,
    /// The place of the command that the gateway has added: it expects the states of the documents that were judged.
    pub(crate) guard: Option<usize>,
}

/// How often a write is judged and sent again if only the gateway's own expectation was not met.
const RETRIES: u32 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Route {
    Batch,
    Put,
    Delete,
    PutAttachment,
    DeleteAttachment,
}

impl Write {
    /// Reads the documents of a batch.
    pub(crate) fn batch(commands: &[&Object], config: &Config) -> Result<(Self, Vec<Operation>), Refusal> {
        let mut read = Vec::new();
        let mut operations: Vec<Operation> = Vec::new();
        let first = commands.first().map_or(Ok(None), |first| Receipt::of_batch(first))?;
        let (receipt, command) = first.unzip();
        read.extend(command);
        for command in commands.iter().skip(read.len()) {
            let (command, of_it) = Command::read(command, config)?;
            read.push(command);
            operations.extend(of_it);
        }
        write_guard::check_order(&read, config)?;
        let ids: usize = read.iter().map(|command: &Command| command.ids().len()).sum();
        if ids > config.limits.ids {
            return Err(refused(Kind::Limit, "the request contains too many ids"));
        }
        let (write, operations) = Self::new(Route::Batch, read, operations, config);
        Ok((Self { receipt, ..write }, operations))
    }

    /// `PUT docs`.
    pub(crate) fn one(
        id: &str,
        if_match: Option<&str>,
        document: Object,
        config: &Config,
    ) -> Result<(Self, Vec<Operation>), Refusal> {
        let expected = expected_by(if_match)?;
        let operations = storing(id, expected.as_deref(), &document, config)?;
        let document = text_of(document);
        Ok(Self::new(Route::Put, vec![Command::Put { id: id.into(), expected, document }], operations, config))
    }

    /// `DELETE docs`.
    pub(crate) fn deletion(
        id: &str,
        if_match: Option<&str>,
        config: &Config,
    ) -> Result<(Self, Vec<Operation>), Refusal> {
        let expected = expected_by(if_match)?;
        let collection = config.collections.allowed(id, Right::Delete)?;
        let operation = Operation::on("delete", &collection.name, Some(id));
        Ok(Self::new(Route::Delete, vec![Command::Delete { id: id.into(), expected }], vec![operation], config))
    }

    /// `PUT attachments`, which becomes a batch: only there the state of the document can be expected.
    pub(crate) fn attachment(
        query: &str,
        if_match: Option<&str>,
        config: &Config,
    ) -> Result<(Self, Vec<Operation>), Refusal> {
        let query = Query::read(query, &["id", "name", "contentType"])?;
        let content_type = query.get("contentType").unwrap_or_default().to_owned();
        Self::one_attachment(Route::PutAttachment, &query, if_match, Action::Put { content_type }, config)
    }

    /// `DELETE attachments`.
    pub(crate) fn attachment_deletion(
        query: &str,
        if_match: Option<&str>,
        config: &Config,
    ) -> Result<(Self, Vec<Operation>), Refusal> {
        let query = Query::read(query, &["id", "name"])?;
        Self::one_attachment(Route::DeleteAttachment, &query, if_match, Action::Delete, config)
    }

    fn one_attachment(
        route: Route,
        query: &Query,
        if_match: Option<&str>,
        action: Action,
        config: &Config,
    ) -> Result<(Self, Vec<Operation>), Refusal> {
        let (id, name) = named(query)?;
        let command = AttachmentCommand { id, name, expected: expected_by(if_match)?, action };
        let (command, operations) = command.checked(config)?;
        Ok(Self::new(route, vec![Command::Attachment(command)], operations, config))
    }

    /// Most bytes of each content that the write stores, in their order.
    pub(crate) fn contents(&self, config: &Config) -> Vec<usize> {
        let limit = |command: &Command| match command {
            Command::Attachment(command) => command.content_limit(config),
            _ => None,
        };
        gathered(self.commands.iter().filter_map(limit))
    }

    fn new(
        route: Route,
        commands: Vec<Command>,
        operations: Vec<Operation>,
        config: &Config,
    ) -> (Self, Vec<Operation>) {
        let mut ids = operations.iter().flat_map(|operation| &operation.ids);
        // A conflict may be about a document that the caller's rows do not permit.
        let reads = ids.all(|id| config.collections.allowed(id, Right::Read).is_ok_and(|one| one.rows.is_none()));
        (Self { route, commands, reads, judged: None, retries: 0, refused: None, receipt: None }, operations)
    }

    fn send(&self, config: &Config, caller: &Caller) -> Forward {
        let base = config.base();
        let one = |id: &str| {
            let mut path = format!("{base}/docs?id=");
            push_encoded(&mut path, id);
            path
        };
        match (self.route, self.sent()) {
            (Route::Put, [Command::Put { id, expected, document }]) => {
                let body = Some(document.clone());
                Forward { method: "PUT", if_match: expected.clone(), body, ..Forward::get(one(id)) }
            }
            (Route::Delete, [Command::Delete { id, expected }]) => {
                Forward { method: "DELETE", if_match: expected.clone(), ..Forward::get(one(id)) }
            }
            (_, commands) => {
                let mut body = String::from("{\"Commands\":[");
                for command in commands {
                    if !body.ends_with('[') {
                        body.push(',');
                    }
                    command.push(config, caller, &mut body);
                }
                body.push_str("]}");
                let with_contents = !self.contents(config).is_empty();
                Forward { with_contents, ..Forward::post(format!("{base}/{}", path::BATCH), body) }
            }
        }
    }

    /// The commands that are sent.
    fn sent(&self) -> &[Command] {
        self.judged.as_ref().map_or(&self.commands, |judged| &judged.commands)
    }

    /// Whether the write may be sent again after a conflict. In a sharded database a conflict may leave other commands of the
    /// batch applied: writes of the same text may be repeated there, a patch only if the conflict is about its own document.
    fn may_repeat(&self, upstream: &UpstreamResponse) -> bool {
        let about = json::get(&upstream.body, "Id").and_then(json::string).unwrap_or_default();
        let is_safe = |command: &Command| match command {
            Command::Patch { id, .. } => key::surely_same(id, &about),
            // A content passes once.
            Command::Attachment(command) => command.is_repeatable(),
            _ => true,
        };
        self.retries < RETRIES && self.commands.iter().all(is_safe)
    }

    fn last_response(&self, config: &Config, caller: &Caller, upstream: &UpstreamResponse, target: &str) -> Response {
        let none = Judged::default();
        let judged = self.judged.as_ref().unwrap_or(&none);
        let shown = match (self.route, upstream.status) {
            (Route::Batch, 201) => {
                let results = json::get(&upstream.body, "Results").map(|results| gathered(json::elements(results)));
                let results = results.filter(|results: &Vec<&[u8]>| results.len() == self.sent().len());
                results.map(|results| {
                    let shown = results.into_iter().zip(self.sent()).enumerate();
                    let shown = shown.filter(|(at, _)| judged.guard != Some(*at));
                    judged.results(gathered(shown.map(|(_, (result, of))| of.result(result, config, caller))))
                })
            }
            (Route::PutAttachment, 201) => {
                single_result(&upstream.body).map(|result| Response::json(201, stored(result)))
            }
            (Route::DeleteAttachment, 201) => single_result(&upstream.body).map(|_| Response::empty(204)),
            (Route::Put, 201) => Some(Response::json(201, picked(&upstream.body, &["Id", "ChangeVector"]))),
            (Route::Delete, 204) => Some(Response::empty(204)),
            _ => None,
        };
        shown.unwrap_or_else(|| {
            let own = self.expectation().filter(|_| !judged.is_guarded);
            let reads = self.reads || self.is_receipt_in_conflict(upstream);
            let conflict = if reads { Conflict::Readable } else { Conflict::Unreadable(own) };
            failure_of_write(upstream, target, conflict)
        })
    }

    /// Id and expected change vector of the only command that can conflict, if there is only one.
    fn expectation(&self) -> Option<(&str, &str)> {
        let tracks = self.commands.iter().any(|command| matches!(command, Command::Track(_)));
        let is_receipt = |command: &&Command| self.receipt.as_ref().is_some_and(|one| one.is_written_by(command));
        let all = self.commands.iter().filter(|command| !is_receipt(command));
        let mut all = all.filter_map(Command::expectation);
        match (all.next(), all.next()) {
            (Some(only), None) if !tracks => Some(only),
            _ => None,
        }
    }

    fn is_receipt_in_conflict(&self, upstream: &UpstreamResponse) -> bool {
        self.receipt.as_ref().is_some_and(|receipt| receipt.is_in_conflict(&upstream.body))
    }

    /// The response where nothing is left to send.
    fn nothing_to_send(&self, judged: &Judged) -> Response {
        match self.route {
            Route::Delete | Route::DeleteAttachment => Response::empty(204),
            _ => judged.results(Vec::new()),
        }
    }
}

impl Exchange for Write {
    /// The request for the stored documents, if some must be judged, or the write itself.
    fn forward(&self, turn: &Turn<'_>) -> Result<Step, Refusal> {
        let Turn { config, caller, .. } = *turn;
        if let Some(receipt) = &self.receipt {
            receipt.check(caller)?;
        }
        if self.judged.is_none() {
            write_guard::judge_new(&self.commands, config, caller)?;
            let ids = write_guard::ids_to_read(&self.commands, config);
            if !ids.is_empty() {
                return Ok(Step::Forward(write_guard::request(&ids, config)));
            }
        }
        Ok(Step::Forward(self.send(config, caller)))
    }

    fn response(mut self, turn: &Turn<'_>, upstream: &UpstreamResponse) -> FollowUp<Self> {
        let Turn { config, caller, target, .. } = *turn;
        let ids = write_guard::ids_to_read(&self.commands, config);
        match &self.judged {
            None if !ids.is_empty() => {
                match write_guard::judged(
                    &self.commands,
                    &ids,
                    config,
                    caller,
                    upstream,
                    target,
                    usize::from(self.receipt.is_some()),
                ) {
                    Err(response) => FollowUp::Response(response),
                    Ok(judged) if judged.commands.is_empty() => FollowUp::Response(self.nothing_to_send(&judged)),
                    Ok(judged) => match self.refused.take() {
                        // It was no faster caller: the same write would end in the same conflict.
                        Some(refused) if refused.0 == judged => FollowUp::Response(refused.1),
                        refused => FollowUp::Next(Self { judged: Some(judged), refused, ..self }),
                    },
                }
            }
            // A batch that has arrived before is not sent again.
            Some(judged)
                if judged.is_guarded
                    && upstream.status == 409
                    && self.may_repeat(upstream)
                    && !self.is_receipt_in_conflict(upstream) =>
            {
                let conflict = self.last_response(config, caller, upstream, target);
                let refused = self.judged.take().map(|judged| Box::new((judged, conflict)));
                FollowUp::Next(Self { retries: self.retries + 1, refused, ..self })
            }
            _ => FollowUp::Response(self.last_response(config, caller, upstream, target)),
        }
    }
}

/// The result about the only attachment of a batch, which stands behind that of a guard.
fn single_result(body: &[u8]) -> Option<&[u8]> {
    json::elements(json::get(body, "Results")?).last()
}

/// RavenDB's response to `PUT attachments`, from the result of a command.
fn stored(result: &[u8]) -> String {
    let mut text = picked(result, &["ChangeVector", "Name", "ContentType", "Hash", "Size"]);
    text.pop();
    text.push_str(",\"DocumentId\":");
    let id = json::get(result, "Id").and_then(|id| core::str::from_utf8(id).ok());
    text.push_str(id.unwrap_or("null"));
    text + "}"
}

impl Judged {
    /// The results in the order of the caller's commands.
    fn results(&self, mut results: Vec<String>) -> Response {
        for (at, result) in &self.skipped {
            results.insert((*at).min(results.len()), result.clone());
        }
        Response::json(201, reply::batch(&results))
    }
}
