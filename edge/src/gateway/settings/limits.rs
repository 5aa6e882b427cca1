//! Limits of one request.

use super::config::{object, unknown};
use crate::prelude::*;
use raven_edge::json;
use raven_edge_authority::json::Value;

/// Limits of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Numbers in a lease.
    pub(crate) range: usize,
    /// Bytes in a body.
    pub(crate) body: usize,
    /// Bytes of a request that stores attachments.
    pub(crate) upload: usize,
    /// Commands in a batch.
    pub(crate) commands: usize,
    /// Ids in a request.
    pub(crate) ids: usize,
    /// Ids times include paths, summed over the reads of a request.
    pub(crate) includes: usize,
    /// Documents in a listing.
    pub(crate) page: usize,
    /// Requests in a `multi_get`.
    pub(crate) requests: usize,
    /// Results of a named query that are looked at for one page; 0: four times the page.
    pub(crate) scanned: usize,
    /// Visible documents of a set.
    pub(crate) set: usize,
    /// Bytes in a response of RavenDB, and in one document of a stream.
    pub(crate) response: usize,
    /// Time for `authorize`, and for the rate limiter (milliseconds).
    pub(crate) authorize_ms: usize,
    /// Time for RavenDB's response (milliseconds).
    pub(crate) upstream_ms: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            range: 1_024,
            body: 1 << 20,
            upload: 64 << 20,
            commands: 256,
            ids: 1_024,
            includes: 1_024,
            page: 256,
            requests: 32,
            scanned: 0,
            set: 20_000,
            response: 32 << 20,
            authorize_ms: 10_000,
            upstream_ms: 30_000,
        }
    }
}

impl Limits {
    /// Each limit with its name, and its smallest and largest value.
    fn all(&mut self) -> [(&'static str, &mut usize, usize, usize); 13] {
        // RavenDB grants at least 32 numbers, whatever the request says.
        let most = usize::try_from(raven_edge::source::MAX_SIZE).unwrap_or(usize::MAX);
        [
            ("range", &mut self.range, 32, most),
            ("body", &mut self.body, 1_024, 64 << 20),
            ("upload", &mut self.upload, 1_024, u32::MAX as usize),
            ("commands", &mut self.commands, 1, 65_536),
            ("ids", &mut self.ids, 1, 65_536),
            ("includes", &mut self.includes, 0, 1 << 20),
            ("page", &mut self.page, 1, 65_536),
            ("requests", &mut self.requests, 2, 1_024),
            ("scanned", &mut self.scanned, 1, 65_536),
            ("set", &mut self.set, 1, 1_000_000),
            ("response", &mut self.response, 65_536, 128 << 20),
            ("authorizeMs", &mut self.authorize_ms, 1, 600_000),
            ("upstreamMs", &mut self.upstream_ms, 1, 600_000),
        ]
    }

    pub(super) fn read(value: Option<&Value>) -> Result<Self, String> {
        let mut limits = Self::default();
        let Some(value) = value else { return Ok(limits) };
        let members = object(value, "limits")?;
        let mut known = limits.all();
        for (name, value) in members.iter() {
            let Some((_, limit, least, most)) = known.iter_mut().find(|(of, ..)| *of == name) else {
                return Err(unknown("limits.", name, &known.map(|(name, ..)| name)));
            };
            let number = match value {
                Value::Number(text) => json::integer(text.as_bytes()).and_then(|number| usize::try_from(number).ok()),
                _ => None,
            };
            **limit = number
                .filter(|number| (*least..=*most).contains(number))
                .ok_or_else(|| format!("limits.{name}: must be a whole number from {least} to {most}"))?;
        }
        Ok(limits)
    }
}
