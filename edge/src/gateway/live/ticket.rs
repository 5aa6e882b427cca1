//! Tickets: a browser sends no headers with a WebSocket, so a page sends them with an ordinary request before, and gets them
//! sealed. The connection brings the ticket in its address.
//!
//! A ticket is valid for half a minute and for pages of the same origin. Addresses end up in logs: whoever reads one there is too
//! late, and cannot read the headers.

use super::super::request::Incoming;
use super::super::token::{Keys, Scope};
use crate::prelude::*;

/// How long a ticket is valid, in milliseconds.
const VALID_MS: u64 = 30_000;

const fn scope<'a>(database: &'a str, origin: &'a str) -> Scope<'a> {
    Scope { upstream: "", database, tag: "a ticket for changes", identity: Some(origin) }
}

/// Seals the `Authorization` of a request and its headers with these names. `now`: milliseconds.
pub(super) fn seal(keys: &Keys, database: &str, request: &Incoming, names: &[String], now: u64) -> String {
    let mut text = now.saturating_add(VALID_MS).to_be_bytes().to_vec();
    for name in core::iter::once("authorization").chain(names.iter().map(String::as_str)) {
        if let Some(value) = request.header(name) {
            // A value of a header has no line breaks.
            text.extend(format!("{name}\n{value}\n").bytes());
        }
    }
    keys.seal_bytes(scope(database, request.header("origin").unwrap_or_default()), text)
}

/// The headers in a ticket, names and values in turn; `None` if it is not valid, or for another origin.
pub(super) fn open(keys: &Keys, database: &str, origin: &str, ticket: &str, now: u64) -> Option<Vec<String>> {
    let text = keys.open_bytes(scope(database, origin), ticket)?;
    let (until, headers) = text.split_first_chunk::<8>()?;
    if now > u64::from_be_bytes(*until) {
        return None;
    }
    Some(core::str::from_utf8(headers).ok()?.lines().map(Into::into).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_700_000_000_000;

    fn keys(secret: &str) -> Keys {
        Keys::new(&[secret.repeat(32)]).unwrap()
    }

    fn request(origin: &str) -> Incoming {
        let headers = [("authorization", "Bearer x y"), ("x-user", "ann"), ("x-other", "no"), ("origin", origin)];
        let headers = headers.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        Incoming { method: "POST".into(), url: String::new(), headers, body: Vec::new(), is_upload: false }
    }

    #[test]
    fn a_ticket_holds_the_declared_headers_for_half_a_minute_and_one_origin() {
        let names = ["x-user".to_owned(), "x-none".to_owned()];
        let ticket = seal(&keys("a"), "Shop", &request("https://a.example"), &names, NOW);
        let opened = |origin, now| open(&keys("a"), "shop", origin, &ticket, now);
        let headers = ["authorization", "Bearer x y", "x-user", "ann"].map(str::to_owned).to_vec();
        assert_eq!(opened("https://a.example", NOW + VALID_MS), Some(headers));
        assert_eq!(opened("https://a.example", NOW + VALID_MS + 1), None);
        assert_eq!(opened("https://b.example", NOW), None);
        assert_eq!(opened("", NOW), None);
        assert_eq!(open(&keys("b"), "Shop", "https://a.example", &ticket, NOW), None);
        assert_eq!(open(&keys("a"), "Other", "https://a.example", &ticket, NOW), None);
        assert!(!ticket.contains("ann"));
    }

    #[test]
    fn other_texts_are_no_tickets() {
        for text in ["", "AQ", "ticket", "ü"] {
            assert_eq!(open(&keys("a"), "Shop", "", text, NOW), None, "{text}");
        }
    }
}
