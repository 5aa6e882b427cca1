//! Checks the server's response to a lease before any number is used.

use alloc::boxed::Box;
use alloc::string::String;

use crate::error::Error;
use crate::hilo::Range;
use crate::http::{Response, describe};
use crate::json;
use crate::protocol::metadata;
use crate::source::{Ask, Echo, Grant, bad, exhausted, is_node_tag};

/// The grant in the response to the `multi_get` of lease and fence.
pub(super) fn leased(response: &Response, ask: &Ask, separator: char) -> Result<Box<Grant>, Error> {
    let results = json::get(&response.body, "Results").ok_or_else(|| bad("Results"))?;
    let mut results = json::elements(results);
    let lease = results.next().ok_or_else(|| bad("Results"))?;
    let body = json::get(lease, "Result").unwrap_or_default();
    let status = json::get(lease, "StatusCode").and_then(json::integer).ok_or_else(|| bad("StatusCode"))?;
    if status != 201 {
        return Err(describe(u16::try_from(status).unwrap_or_default(), body));
    }
    let mut grant = granted(body, response, ask, separator)?;
    grant.fence = results.next().and_then(|read| fence(read, grant.range.high()));
    Ok(grant)
}

/// The fence of the counter document, if its `Max` is still as the lease left it.
fn fence(read: &[u8], high: u64) -> Option<String> {
    let found = json::get(json::get(read, "Result")?, "Results")?;
    let (max, fence) = counter(json::elements(found).next()?)?;
    (max == high).then_some(fence)
}

/// `Max` and fence of a counter document. The script of a return composes the fence in the same way.
pub(super) fn counter(document: &[u8]) -> Option<(u64, String)> {
    let max = json::get(document, "Max").and_then(json::integer)?;
    Some((max, fence_of(json::get(document, metadata::MEMBER)?)?))
}

/// The fence in a document's metadata, or in the result of a PUT.
pub(in crate::source) fn fence_of(of: &[u8]) -> Option<String> {
    fence_from(of, metadata::CHANGE_VECTOR, metadata::LAST_MODIFIED)
}

/// The fence in the result of a PATCH.
pub(in crate::source) fn fence_of_patch(result: &[u8]) -> Option<String> {
    fence_from(result, "ChangeVector", "LastModified")
}

fn fence_from(object: &[u8], vector: &str, modified: &str) -> Option<String> {
    let text = |name| json::get(object, name).and_then(json::string).filter(|text| !text.is_empty());
    let mut fence = text(vector)?;
    fence.push(' ');
    fence.push_str(&text(modified)?);
    Some(fence)
}

/// The grant in the response to `hilo/next`.
pub(super) fn granted(body: &[u8], response: &Response, ask: &Ask, separator: char) -> Result<Box<Grant>, Error> {
    let number = |name| json::get(body, name).and_then(json::integer).ok_or_else(|| bad(name));
    let text = |name| json::get(body, name).and_then(json::string).ok_or_else(|| bad(name));
    let (low, high, size) = (number("Low")?, number("High")?, number("LastSize")?);
    if high > Range::MAX {
        return Err(exhausted());
    }
    let range = Range::new(low, high).ok_or_else(|| bad("Low"))?;
    if range.len() != size {
        return Err(bad("LastSize"));
    }
    if low <= ask.above {
        return Err(bad("Low"));
    }
    let prefix = text("Prefix")?;
    // A response with another prefix belongs to another request.
    if prefix.strip_suffix(&*separator.encode_utf8(&mut [0; 4])) != Some(ask.tag.as_str()) {
        return Err(bad("Prefix"));
    }
    let tag = text("ServerTag")?;
    if tag.is_empty() || !is_node_tag(&tag) {
        return Err(bad("ServerTag"));
    }
    let at = text("LastRangeAt")?;
    Ok(Box::new(Grant {
        range,
        prefix,
        tag,
        fence: None,
        node: response.node,
        echo: Some(Echo { size, at }),
        incarnation: response.incarnation.clone(),
    }))
}
