//! Query strings as the server reads them.

use crate::error::Error;
use crate::prelude::*;

/// The parameters of a request, in order.
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Parses a query string. In values `+` is a space and invalid percent signs are kept; names are not decoded.
    pub fn parse(text: &str) -> Self {
        Self(
            text.split('&')
                .filter(|part| !part.is_empty())
                .map(|part| {
                    let (name, value) = part.split_once('=').unwrap_or((part, ""));
                    (name.to_owned(), decode(&value.replace('+', " ")))
                })
                .collect(),
        )
    }

    /// All values of a parameter; names are case-insensitive.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.as_str())
    }

    /// The first value of a parameter.
    pub fn first<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        self.all(name).next()
    }

    /// Whether the parameter is present, with or without a value.
    pub fn has(&self, name: &str) -> bool {
        self.first(name).is_some()
    }

    /// The value of a parameter that must occur exactly once and not be blank.
    pub fn required<'a>(&'a self, name: &'a str) -> Result<&'a str, Error> {
        let mut all = self.all(name);
        let Some(value) = all.next() else { return Err(empty(name)) };
        if all.next().is_some() {
            return Err(Error::argument(format!("Query string value '{name}' must appear exactly once")));
        }
        if value.trim().is_empty() { Err(empty(name)) } else { Ok(value) }
    }

    /// A signed 64-bit integer; `None` if absent or blank.
    pub fn long(&self, name: &str) -> Result<Option<i64>, Error> {
        self.number(name, "long")
    }

    /// A signed 32-bit integer; `None` if absent or blank.
    pub fn int(&self, name: &str) -> Result<Option<i32>, Error> {
        self.number(name, "int")
    }

    fn number<N: core::str::FromStr>(&self, name: &str, kind: &str) -> Result<Option<N>, Error> {
        match self.first(name).map(str::trim) {
            None | Some("") => Ok(None),
            Some(text) => text.parse().map(Some).map_err(|_| {
                Error::argument(format!("Could not parse header '{name}' header as {kind}, value was: {text}"))
            }),
        }
    }

    /// An integer that must be present.
    pub fn required_long(&self, name: &str) -> Result<i64, Error> {
        self.long(name)?
            .ok_or_else(|| Error::argument(format!("Query string {name} is mandatory, but wasn't specified.")))
    }

    /// `true` or `false`; absent means false.
    pub fn flag(&self, name: &str) -> Result<bool, Error> {
        match self.first(name) {
            None => Ok(false),
            Some(text) if text.trim().eq_ignore_ascii_case("true") => Ok(true),
            Some(text) if text.trim().eq_ignore_ascii_case("false") => Ok(false),
            Some(text) => Err(Error::argument(format!("Could not parse query string '{name}' as bool val {text}"))),
        }
    }
}

fn empty(name: &str) -> Error {
    Error::argument(format!("Query string value '{name}' must have a non empty value"))
}

/// Decodes percent-encoding. Sequences that are not UTF-8 are kept as they are.
pub fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte != b'%' {
            // `at` is always on a character boundary.
            let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
            out.push(c);
            at += c.len_utf8();
            continue;
        }
        let mut run = Vec::new();
        while let Some(value) = percent(bytes, at + run.len() * 3) {
            run.push(value);
        }
        if run.is_empty() {
            out.push('%');
            at += 1;
            continue;
        }
        at += run.len() * 3;
        for chunk in run.utf8_chunks() {
            out.push_str(chunk.valid());
            for invalid in chunk.invalid() {
                out.push_str(&format!("%{invalid:02X}"));
            }
        }
    }
    out
}

fn percent(bytes: &[u8], at: usize) -> Option<u8> {
    let digit = |at: usize| bytes.get(at).and_then(|&b| char::from(b).to_digit(16));
    if bytes.get(at) != Some(&b'%') {
        return None;
    }
    u8::try_from(digit(at + 1)? * 16 + digit(at + 2)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn percent_encoding_is_decoded_and_invalid_sequences_are_kept() {
        for (text, decoded) in [
            ("a%2Fb", "a/b"),
            ("%zz", "%zz"),
            ("%", "%"),
            ("%C3", "%C3"),
            ("%C3%28", "%C3("),
            ("%ED%A0%80", "%ED%A0%80"),
            ("%F0%9F%98%80x", "😀x"),
            ("é%C3%A9", "éé"),
        ] {
            assert_eq!(decode(text), decoded);
        }
        assert_eq!(Query::parse("a=x+y").first("a"), Some("x y"));
    }

    #[test]
    fn typed_values_are_read_as_on_the_server() {
        let query = Query::parse("Tag=a&tag=b&n=+5&m=%2B7&empty=&word=x&flag=True&=z&q=r=s&bare");
        assert_eq!(query.first("TAG"), Some("a"));
        assert!(query.required("tag").is_err());
        assert!(query.required("empty").is_err());
        assert!(query.required("bare").is_err());
        assert_eq!(query.long("n"), Ok(Some(5)));
        assert_eq!(query.long("m"), Ok(Some(7)));
        assert_eq!(query.long("empty"), Ok(None));
        assert!(query.long("word").is_err());
        assert!(query.required_long("empty").is_err());
        assert_eq!(query.flag("flag"), Ok(true));
        assert!(query.flag("empty").is_err());
        assert_eq!(query.first("q"), Some("r=s"));
        assert!(Query::parse("n=9223372036854775808").long("n").is_err());
        assert!(Query::parse("n=2147483648").int("n").is_err());
    }

    proptest! {
        #[test]
        fn never_panics(text in "[%0-9a-fA-FéxG&=+]{0,40}") {
            let _ = Query::parse(&text);
        }
    }
}
