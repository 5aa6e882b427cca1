//! Returns of ranges: exactly the client's script and nothing else, each with the token of its lease.

use crate::gateway::collections::check_id;
use crate::gateway::config::Config;
use crate::gateway::decide::NO_SCRIPTS;
use crate::gateway::lease::opened;
use crate::gateway::plan::{Caller, Exchange, FollowUp, Forward, Operation, Step, Turn};
use crate::gateway::refusal::{Kind, Refusal, refused};
use crate::gateway::response::{Response, UpstreamResponse, failure, sub_responses};
use crate::prelude::*;
use crate::reply;
use raven_edge::hilo::Range;
use raven_edge::json;
use raven_edge::protocol::path;
use raven_edge::source::Return;
use raven_edge::source::server::wire::{HILO_PREFIX, MOVE_SCRIPT, return_body};
use raven_edge_authority::json::{Object, Value, write_string};

/// The unused ends of ranges that a caller returns; their fences are tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GiveBack {
    returns: Vec<Return>,
    /// Whether the batch was sent by a beacon, inside a `multi_get`.
    wrapped: bool,
}

impl GiveBack {
    /// Reads the returns of a batch whose commands are all PATCHes.
    pub(crate) fn read(
        commands: &[&Object],
        wrapped: bool,
        config: &Config,
    ) -> Result<(Self, Vec<Operation>), Refusal> {
        let mut returns: Vec<Return> = Vec::new();
        let mut operations = Vec::new();
        for command in commands {
            let item = read(command).ok_or_else(|| refused(Kind::Return, NO_SCRIPTS))?;
            let collection = config.collections.leasable(&item.tag, config.separator)?;
            check_id(&[HILO_PREFIX, &item.tag].concat())?;
            operations.push(Operation::on("return", &collection.name, None));
            returns.push(item);
        }
        Ok((Self { returns, wrapped }, operations))
    }

    /// Whether each return was applied. The counter's new change vector and time are omitted, because they are its
    /// next fence.
    fn results(&self, body: &[u8]) -> Option<String> {
        let mut results = Vec::new();
        for (result, item) in json::elements(json::get(body, "Results")?).zip(&self.returns) {
            let status = json::get(result, "PatchStatus").and_then(json::string)?;
            let known =
                ["Patched", "NotModified", "DocumentDoesNotExist"].into_iter().find(|known| *known == status)?;
            results.push(reply::patched(&[HILO_PREFIX, &item.tag].concat(), known));
        }
        (results.len() == self.returns.len()).then(|| reply::batch(&results))
    }
}

impl Exchange for GiveBack {
    /// The returns with the real fences. Fails unless each token proves that the caller leased these numbers.
    fn forward(&self, turn: &Turn<'_>) -> Result<Step, Refusal> {
        let Turn { config, caller, latest_incarnation, .. } = *turn;
        let mut returns = self.returns.clone();
        for item in &mut returns {
            item.fence = proved(item, config, caller, latest_incarnation)
                .ok_or_else(|| refused(Kind::Return, "this caller did not lease these numbers through the gateway"))?;
        }
        let base = config.base();
        let batch = return_body(HILO_PREFIX, &returns);
        if !self.wrapped {
            return Ok(Step::Forward(Forward::post(format!("{base}/{}", path::BATCH), batch)));
        }
        let mut body = String::from("{\"Requests\":[{\"Url\":");
        write_string(&mut body, &format!("{base}/{}", path::BATCH));
        body.push_str(",\"Query\":\"\",\"Method\":\"POST\",\"Content\":");
        body.push_str(&batch);
        body.push_str("}]}");
        Ok(Step::Forward(Forward::post(format!("{base}/{}", path::SEVERAL), body)))
    }

    fn response(self, turn: &Turn<'_>, upstream: &UpstreamResponse) -> FollowUp<Self> {
        if !self.wrapped {
            return FollowUp::Response(match (upstream.status, self.results(&upstream.body)) {
                (201, Some(results)) => Response::json(201, results),
                _ => failure(upstream, turn.target, false),
            });
        }
        let parts = (upstream.status == 200).then(|| sub_responses(&upstream.body)).flatten();
        let results = parts.and_then(|parts| match parts[..] {
            [ref part] if part.status == 201 => self.results(part.body),
            _ => None,
        });
        FollowUp::Response(match results {
            Some(text) => Response::json(200, reply::wrapped(&text)),
            None => failure(upstream, turn.target, false),
        })
    }
}

/// The real fence of a return, if the token belongs to this lease and the numbers are those of the lease.
fn proved(item: &Return, config: &Config, caller: &Caller, latest_incarnation: Option<&str>) -> Option<String> {
    let sealed = opened(&item.fence, config, caller, &item.tag, latest_incarnation)?;
    let range = sealed.range;
    let own = item.high == range.high() && range.low() <= item.last + 1 && item.last < range.high();
    own.then_some(sealed.fence)
}

/// `{"Id","ChangeVector":null,"Patch":{"Script","Values":{"fence","high","last"}},"Type":"PATCH"}`.
fn read(command: &Object) -> Option<Return> {
    only(command, &["Id", "ChangeVector", "Patch", "Type"]).then_some(())?;
    matches!(command.get("ChangeVector"), None | Some(Value::Null)).then_some(())?;
    let Value::Object(patch) = command.get("Patch")? else { return None };
    only(patch, &["Script", "Values"]).then_some(())?;
    (patch.get("Script")?.as_str()? == MOVE_SCRIPT).then_some(())?;
    let Value::Object(values) = patch.get("Values")? else { return None };
    only(values, &["fence", "high", "last"]).then_some(())?;
    let integer = |name| match values.get(name)? {
        Value::Number(text) => json::integer(text.as_bytes()).filter(|number| *number <= Range::MAX),
        _ => None,
    };
    Some(Return {
        tag: command.get("Id")?.as_str()?.strip_prefix(HILO_PREFIX)?.into(),
        fence: values.get("fence")?.as_str()?.into(),
        high: integer("high")?,
        last: integer("last")?,
    })
}

/// Whether an object has no other members than these.
pub(crate) fn only(object: &Object, names: &[&str]) -> bool {
    object.unknown(names).is_none()
}
