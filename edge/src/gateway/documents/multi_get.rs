//! Several reads in one `multi_get`.

use super::read::{Read, check_ids, check_includes};
use super::read_response::{MAX_REPEATED_BYTES, too_often};
use crate::gateway::config::Config;
use crate::gateway::gather::complete;
use crate::gateway::plan::{Exchange, FollowUp, Forward, Operation, Step, Turn};
use crate::gateway::refusal::Refusal;
use crate::gateway::response::{Response, UpstreamResponse, failure, sub_responses};
use crate::prelude::*;
use raven_edge::protocol::path;
use raven_edge_authority::json::write_string;

/// Reads that are sent together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Several {
    /// The reads, each of them once.
    reads: Vec<Progress>,
    /// For each part of the caller's request: the index in `reads`.
    slots: Vec<usize>,
    /// The included documents of the reads that are done.
    included: Vec<Operation>,
    /// Bytes that the response contains more than once.
    repeated: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Progress {
    /// This read is sent with the next request.
    Open(Read),
    /// The text of this part of the response.
    Done(String),
}

impl Several {
    /// Fails if the reads together exceed a limit.
    pub(crate) fn new(named: Vec<Read>, config: &Config) -> Result<Self, Refusal> {
        let mut reads: Vec<Read> = Vec::new();
        let mut slots = Vec::new();
        let (mut ids, mut includes) = (0usize, 0usize);
        for read in named {
            let (more, pairs) = read.counts();
            ids = ids.saturating_add(more);
            let slot = reads.iter().position(|known| known.is_same(&read)).unwrap_or_else(|| {
                includes = includes.saturating_add(pairs);
                reads.push(read);
                reads.len() - 1
            });
            slots.push(slot);
        }
        check_ids(ids, config)?;
        check_includes(includes, config)?;
        let reads = reads.into_iter().map(Progress::Open).collect();
        Ok(Self { reads, slots, included: Vec::new(), repeated: 0 })
    }

    /// The response, in the order of the caller's parts.
    fn put_back(self, reads: &[String], target: &str) -> Response {
        let mut repeated = self.repeated;
        let mut shown_before = vec![false; reads.len()];
        let mut texts = Vec::with_capacity(self.slots.len());
        for slot in self.slots {
            if let (Some(text), Some(shown_before)) = (reads.get(slot), shown_before.get_mut(slot)) {
                repeated += if *shown_before { text.len() } else { 0 };
                *shown_before = true;
                texts.push(text.as_str());
            }
        }
        if repeated > MAX_REPEATED_BYTES {
            return too_often().response(target);
        }
        Response { included: self.included, ..Response::json(200, format!("{{\"Results\":[{}]}}", texts.join(","))) }
    }
}

impl Exchange for Several {
    fn forward(&self, turn: &Turn<'_>) -> Result<Step, Refusal> {
        let base = turn.config.base();
        let mut body = String::from("{\"Requests\":[");
        for read in &self.reads {
            let Progress::Open(read) = read else { continue };
            body.push_str(if body.ends_with('[') { "{\"Url\":" } else { ",{\"Url\":" });
            write_string(&mut body, &format!("{base}/docs"));
            body.push_str(",\"Query\":");
            write_string(&mut body, &read.target());
            body.push_str(",\"Method\":\"GET\"}");
        }
        body.push_str("]}");
        Ok(Step::Forward(Forward::post(format!("{base}/{}", path::SEVERAL), body)))
    }

    fn response(mut self, turn: &Turn<'_>, upstream: &UpstreamResponse) -> FollowUp<Self> {
        let Turn { config, caller, target, .. } = *turn;
        let parts = (upstream.status == 200).then(|| sub_responses(&upstream.body)).flatten();
        let open = self.reads.iter().filter(|read| matches!(read, Progress::Open(_))).count();
        let Some(parts) = parts.filter(|parts| parts.len() == open) else {
            return FollowUp::Response(failure(upstream, target, true));
        };
        let mut parts = parts.iter();
        for read in &mut self.reads {
            if let Progress::Open(asked) = read
                && let Some(part) = parts.next()
            {
                *read = match asked.sub_response(config, caller, part, target, &mut self.included, &mut self.repeated) {
                    FollowUp::Response(text) => Progress::Done(text),
                    FollowUp::Next(left) => Progress::Open(left),
                };
            }
        }
        let done = |read: &Progress| if let Progress::Done(text) = read { Some(text.clone()) } else { None };
        match complete(self.reads.iter().map(done)) {
            None => FollowUp::Next(self),
            Some(texts) => FollowUp::Response(self.put_back(&texts, target)),
        }
    }
}
