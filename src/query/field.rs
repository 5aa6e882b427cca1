//! Names inside RQL. A name that RQL reads as one name stays as it is; any other becomes a quoted one, in which RQL reads
//! nothing but letters. (<https://docs.ravendb.net/7.2/client-api/session/querying/what-is-rql>)

use alloc::borrow::Cow;
use alloc::string::String;

/// What RQL reads as something else than a field, in any case of letters. Found by asking RavenDB 7.2.7.
const RESERVED: &str =
    "as select where load group order include filter limit offset update distinct true false null not and or";

/// What stands for a document's id.
const ID: &str = "id()";

/// How a query names its fields.
pub(super) struct Names<'a> {
    /// The property that shows entities their ids: in RQL the id is no field.
    pub(super) identity: Cow<'a, str>,
    /// Groups have no id.
    pub(super) grouped: bool,
    /// Whether documents have a name of their own, [`DOCUMENT`]: behind `select` a quoted name alone is a text, and once
    /// there is such a name RQL expects it before every field.
    pub(super) qualified: bool,
}

/// What a query calls its documents, where it has to.
pub(super) const DOCUMENT: &str = "doc";

impl Default for Names<'_> {
    fn default() -> Self {
        Names { identity: Cow::Borrowed("id"), grouped: false, qualified: false }
    }
}

impl Names<'_> {
    /// A field as RQL names it.
    pub(super) fn name(&self, field: &str) -> String {
        if field == ID || (!self.grouped && field == self.identity) {
            return String::from(ID);
        }
        let name = alias(field);
        if self.qualified { [DOCUMENT, ".", &name].concat() } else { name }
    }
}

/// What a result calls a field.
pub(super) fn alias(name: &str) -> String {
    if is_plain(name) { String::from(name) } else { quoted(name) }
}

fn is_reserved(word: &str) -> bool {
    let mut all = RESERVED.as_bytes().split(|byte| *byte == b' ');
    all.any(|reserved| reserved.eq_ignore_ascii_case(word.as_bytes()))
}

/// Whether RQL reads a name as one field as it stands: words of ASCII with dots between, the app's own quotes around some.
fn is_plain(field: &str) -> bool {
    let first = field.split(['.', '[']).next().unwrap_or_default();
    let mut rest = field.as_bytes();
    loop {
        match segment(rest) {
            Some([]) => return !is_reserved(first),
            Some([b'.', more @ ..]) => rest = more,
            _ => return false,
        }
    }
}

/// What is behind the word that a text begins with: `name`, `@metadata`, `lines[]`, `lines[0]`, `'my field'`.
fn segment(text: &[u8]) -> Option<&[u8]> {
    if let Some(quoted) = text.strip_prefix(b"'") {
        let end = quoted.iter().position(|byte| matches!(byte, b'\'' | b'\\')).filter(|end| *end > 0)?;
        return quoted.get(end..)?.strip_prefix(b"'");
    }
    let word = text.strip_prefix(b"@").unwrap_or(text);
    if !matches!(word.first()?, b'_' | b'a'..=b'z' | b'A'..=b'Z') {
        return None;
    }
    let rest = behind(word, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    match rest.strip_prefix(b"[") {
        None => Some(rest),
        Some(index) => behind(index, |byte| byte.is_ascii_digit()).strip_prefix(b"]"),
    }
}

/// What is behind the bytes that fit.
fn behind(text: &[u8], fits: impl Fn(&u8) -> bool) -> &[u8] {
    let length = text.iter().position(|byte| !fits(byte)).unwrap_or(text.len());
    text.get(length..).unwrap_or_default()
}

/// A name in quotes.
pub(super) fn quoted(name: &str) -> String {
    let mut text = String::new();
    push_quoted(&mut text, name);
    text
}

/// Appends a name in quotes.
pub(super) fn push_quoted(text: &mut String, name: &str) {
    text.push('\'');
    for letter in name.chars() {
        if matches!(letter, '\'' | '\\') {
            text.push('\\');
        }
        text.push(letter);
    }
    text.push('\'');
}
