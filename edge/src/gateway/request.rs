//! Strict readers of requests: anything ambiguous is refused.

use super::refusal::{Kind, Refusal, refused};
use crate::prelude::*;
use raven_edge_authority::json::{Object, read_strict};

/// A request as the Worker received it.
#[derive(Clone, Debug)]
pub(crate) struct Incoming {
    /// The HTTP method.
    pub(crate) method: String,
    /// The complete URL.
    pub(crate) url: String,
    /// Pairs; names in lower case, as the platform provides them.
    pub(crate) headers: Vec<(String, String)>,
    /// The bytes of the body.
    pub(crate) body: Vec<u8>,
    /// Whether the contents of attachments follow the body.
    pub(crate) is_upload: bool,
}

impl Incoming {
    /// A header's value.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(of, _)| of.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// `https://host:port`, as browsers write an origin.
    pub(crate) fn origin(&self) -> &str {
        self.url.get(..self.url.len() - self.target().len()).unwrap_or_default()
    }

    /// Path and query.
    pub(crate) fn target(&self) -> &str {
        let rest = self.url.split_once(':').and_then(|(_, rest)| rest.strip_prefix("//")).unwrap_or(&self.url);
        let rest = rest.find(['/', '?']).and_then(|at| rest.get(at..)).unwrap_or_default();
        rest.split('#').next().unwrap_or_default()
    }

    /// The body, which must be a JSON object with a content type that a client sends.
    pub(crate) fn json(&self) -> Result<Object, Refusal> {
        let kind = self.header("content-type").unwrap_or_default().split(';').next().unwrap_or_default().trim();
        // Beacons are sent as text, because pages may send that without a preflight request.
        let is_json = |known: &&str| kind.eq_ignore_ascii_case(known);
        if !self.is_upload && !["", "application/json", "text/plain"].iter().any(is_json) {
            return Err(refused(Kind::Malformed, "the body must have the content type application/json or text/plain"));
        }
        if self.header("content-encoding").is_some_and(|encoding| !encoding.eq_ignore_ascii_case("identity")) {
            return Err(refused(Kind::Malformed, "the body must not have a content encoding"));
        }
        object(&self.body)
    }

    /// Fails if the request has a body.
    pub(crate) fn no_body(&self) -> Result<(), Refusal> {
        if self.body.is_empty() { Ok(()) } else { Err(refused(Kind::Malformed, "this request must not have a body")) }
    }
}

/// Reads a strict JSON object.
pub(super) fn object(bytes: &[u8]) -> Result<Object, Refusal> {
    read_strict(bytes)
        .map_err(|_| refused(Kind::Malformed, "the body is not a strict JSON object, or contains a name twice"))
}

/// The decoded parameters of a query. Names must be exactly those that the client writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query(Vec<(String, String)>);

/// The parameters that may occur more than once.
const SEVERAL: [&str; 2] = ["id", "include"];

impl Query {
    /// Reads a query without its question mark; `allowed` are the permitted names.
    pub(crate) fn read(text: &str, allowed: &[&str]) -> Result<Self, Refusal> {
        let mut parameters: Vec<(String, String)> = Vec::new();
        for part in text.split('&').filter(|_| !text.is_empty()) {
            let (name, value) = part
                .split_once('=')
                .ok_or_else(|| refused(Kind::Malformed, "a parameter of the query has no value"))?;
            if !allowed.contains(&name) {
                return Err(refused(Kind::Route, format!("the parameter {} is not supported", printable(name))));
            }
            if !SEVERAL.contains(&name) && parameters.iter().any(|(known, _)| known == name) {
                return Err(refused(Kind::Malformed, format!("the parameter {name} occurs twice")));
            }
            parameters.push((name.into(), decode(value)?));
        }
        Ok(Self(parameters))
    }

    /// The value of a parameter.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// All values of a parameter.
    pub(crate) fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(of, _)| of == name).map(|(_, value)| value.as_str())
    }

    /// The value of a parameter as an integer, 0 to 2^53 − 1.
    pub(crate) fn integer(&self, name: &str) -> Result<Option<u64>, Refusal> {
        let Some(text) = self.get(name) else { return Ok(None) };
        raven_edge::json::integer(text.as_bytes())
            .filter(|number| *number <= raven_edge::hilo::Range::MAX)
            .map(Some)
            .ok_or_else(|| refused(Kind::Malformed, format!("the parameter {name} is not a whole number")))
    }
}

/// Whether a text contains control characters.
pub(crate) fn has_control(text: &str) -> bool {
    text.chars().any(char::is_control)
}

/// Makes a name from a request safe for a message.
fn printable(name: &str) -> String {
    name.chars().take(40).map(|letter| if letter.is_ascii_graphic() { letter } else { '?' }).collect()
}

/// Decodes percent-encoding strictly: a stray `%` or invalid UTF-8 is refused.
pub(crate) fn decode(text: &str) -> Result<String, Refusal> {
    let wrong = || refused(Kind::Malformed, "the address contains an invalid percent-encoding");
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes().iter();
    while let Some(&byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let mut digit = || rest.next().and_then(|&digit| char::from(digit).to_digit(16));
                let (high, low) = (digit().ok_or_else(wrong)?, digit().ok_or_else(wrong)?);
                u8::try_from(high * 16 + low).map_err(|_| wrong())?
            }
            // RavenDB also reads `+` as a space.
            b'+' => b' ',
            byte => byte,
        });
    }
    String::from_utf8(bytes).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn incoming(url: &str) -> Incoming {
        Incoming { method: "GET".into(), url: url.into(), headers: Vec::new(), body: Vec::new(), is_upload: false }
    }

    #[test]
    fn a_url_is_split_into_origin_and_target() {
        for (url, origin, target) in [
            ("https://a:8/b/c?d=e", "https://a:8", "/b/c?d=e"),
            ("http://a", "http://a", ""),
            ("http://a?x", "http://a", "?x"),
        ] {
            let request = incoming(url);
            assert_eq!((request.origin(), request.target()), (origin, target), "{url}");
        }
    }

    #[test]
    fn an_ambiguous_query_is_refused() {
        let read = |text: &str| Query::read(text, &["id", "start"]);
        assert_eq!(read("id=a%2Fb&id=c+d").unwrap().all("id").collect::<Vec<_>>(), ["a/b", "c d"]);
        assert_eq!(read("start=7").unwrap().integer("start"), Ok(Some(7)));
        assert_eq!(read(""), Ok(Query::default()));
        for (text, kind) in [
            ("start=1&start=1", Kind::Malformed),
            ("ID=a", Kind::Route),
            ("%69d=a", Kind::Route),
            ("other=1", Kind::Route),
            ("id", Kind::Malformed),
            ("id=a&", Kind::Malformed),
            ("id=%", Kind::Malformed),
            ("id=%4", Kind::Malformed),
            ("id=%zz", Kind::Malformed),
            ("id=%ff", Kind::Malformed),
            ("id=%c0%af", Kind::Malformed),
        ] {
            assert_eq!(read(text).map_err(|refusal| refusal.kind), Err(kind), "{text}");
        }
        for number in ["-1", "1e3", "9007199254740992", "x", ""] {
            assert!(read(&format!("start={number}")).unwrap().integer("start").is_err(), "{number}");
        }
    }
}
