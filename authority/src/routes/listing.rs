//! `GET docs` without ids: one page of documents.

use super::docs::matches_etag;
use crate::authority::Authority;
use crate::error::{Error, Failure};
use crate::message::{Request, Response};
use crate::prelude::*;
use crate::query::Query;
use crate::storage::{Scan, Storage};
use raven_edge::ids::key;

/// Lists documents with a prefix, ordered by id, or all documents, the newest first.
pub(super) fn list<S: Storage>(
    authority: &Authority<S>,
    request: &Request,
    query: &Query,
) -> Result<Response, Failure> {
    let metadata_only = query.flag("metadataOnly")?;
    let start = query.int("start")?.unwrap_or(0);
    let page = usize::try_from(query.int("pageSize")?.unwrap_or(i32::MAX)).unwrap_or(0);
    if query.has("etag") {
        return Err(Error::not_implemented(
            "The parameter 'etag' of GET docs: list with 'startsWith' and 'startAfter'.",
        )
        .into());
    }
    // Any write changes the ETag of all listings.
    let etag = authority.counter()?.vector.to_string();
    if matches_etag(request, &etag) {
        return Ok(Response::new(304, ""));
    }
    let prefix = query.first("startsWith").map(key::key);
    let after = query.first("startAfter").filter(|text| !text.trim().is_empty()).map(key::key);
    let filter = Filter::new(query);
    let mut body = String::from(r#"{"Results":["#);
    let (mut to_skip, mut shown) = (usize::try_from(start).unwrap_or(0), 0);
    let mut visit = |key: &str, record: &crate::document::Record| {
        let rest = prefix.as_deref().map_or(Some(key), |prefix| key.strip_prefix(prefix));
        if record.content.is_none() || (prefix.is_some() && !rest.is_some_and(|rest| filter.passes(rest))) {
            return true;
        }
        if to_skip > 0 {
            to_skip -= 1;
            return true;
        }
        if shown >= page {
            return false;
        }
        if shown > 0 {
            body.push(',');
        }
        record.show(&mut body, metadata_only);
        shown += 1;
        shown < page
    };
    match (&prefix, &after) {
        // RavenDB looks for `startAfter` only among ids with the prefix; any other id yields an empty page.
        (Some(prefix), Some(after)) if !after.starts_with(prefix.as_str()) => {}
        _ if page == 0 => {}
        // Nothing comes before the newest document; with a prefix a negative start counts as zero.
        (None, _) if start < 0 => {}
        (Some(prefix), after) => {
            authority.storage.scan(Scan::Prefix { prefix, after: after.as_deref() }, &mut visit)?
        }
        (None, _) => authority.storage.scan(Scan::Newest, &mut visit)?,
    }
    body.push_str("]}");
    Ok(Response::new(200, body).with("ETag", format!("\"{etag}\"")))
}

/// `matches` and `exclude`, applied to the text after the prefix.
struct Filter {
    matches: Vec<String>,
    exclude: Vec<String>,
}

impl Filter {
    fn new(query: &Query) -> Self {
        let patterns = |name| {
            query
                .first(name)
                .filter(|text| !text.is_empty())
                .map(|text| key::key(text).split('|').map(str::to_owned).collect())
                .unwrap_or_default()
        };
        Self { matches: patterns("matches"), exclude: patterns("exclude") }
    }

    fn passes(&self, rest: &str) -> bool {
        let rest: Vec<char> = rest.chars().collect();
        let any =
            |patterns: &[String]| patterns.iter().any(|pattern| wildcard(&pattern.chars().collect::<Vec<_>>(), &rest));
        (self.matches.is_empty() || any(&self.matches)) && !any(&self.exclude)
    }
}

/// `*` matches any text, `?` one character. Backtracks to the last `*` only.
fn wildcard(pattern: &[char], text: &[char]) -> bool {
    let (mut p, mut t, mut star) = (0, 0, None);
    while let Some(&c) = text.get(t) {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(&wanted) if wanted == '?' || wanted == c => (p, t) = (p + 1, t + 1),
            _ => {
                let Some((at, from)) = star else { return false };
                star = Some((at, from + 1));
                (p, t) = (at + 1, from + 1);
            }
        }
    }
    pattern.get(p..).unwrap_or_default().iter().all(|&c| c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matches(pattern: &str, text: &str) -> bool {
        wildcard(&pattern.chars().collect::<Vec<_>>(), &text.chars().collect::<Vec<_>>())
    }

    #[test]
    fn wildcards_match_as_on_the_server() {
        for (pattern, text, expected) in [
            ("1", "1", true),
            ("1", "11", false),
            ("1*", "1", true),
            ("1?", "11", true),
            ("1?", "1", false),
            ("*-a", "10-a", true),
            ("*a*b", "xaxaxb", true),
            ("*a*b", "xaxa", false),
            ("", "x", false),
            ("**", "", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    proptest! {
        #[test]
        fn stars_around_a_part_find_it(text in "[ab]{0,8}", from in 0usize..8, len in 0usize..4) {
            let part: String = text.chars().skip(from).take(len).collect();
            let pattern = format!("*{}*", part);
            prop_assert!(matches(&pattern, &text));
        }
    }
}
