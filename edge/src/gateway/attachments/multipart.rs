//! The boundary of a multipart body.

use crate::prelude::*;

/// Most bytes of a boundary (RFC 2046).
const MAX_BOUNDARY_BYTES: usize = 70;

/// The media type of a save with attachments.
const MULTIPART: &str = "multipart/mixed";

/// Whether a body of this content type has several parts.
pub(super) fn is_multipart(content_type: &str) -> bool {
    content_type.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(MULTIPART)
}

/// What stands before each part: a line break, two hyphens and the boundary. `None` without a valid boundary.
pub(super) fn delimiter(content_type: &str) -> Option<Vec<u8>> {
    let mut found = content_type.split(';').skip(1).filter_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("boundary").then(|| value.trim())
    });
    let (only, None) = (found.next()?, found.next()) else { return None };
    let boundary = only.strip_prefix('"').map_or(Some(only), |rest| rest.strip_suffix('"'))?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"'()+_,-./:=?".contains(&byte);
    let is_valid = !boundary.is_empty() && boundary.len() <= MAX_BOUNDARY_BYTES && boundary.bytes().all(plain);
    is_valid.then(|| [b"\r\n--", boundary.as_bytes()].concat())
}

/// Where `needle`, which begins with a carriage return, is in the bytes from `from` on.
pub(super) fn find(bytes: &[u8], needle: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = bytes.get(at..)?;
        at += rest.iter().position(|byte| *byte == b'\r')?;
        if bytes.get(at..)?.starts_with(needle) {
            return Some(at);
        }
        at += 1;
    }
}

/// The text before a part of the body that is sent to RavenDB.
pub(super) fn opening(boundary: &str, content_type: &str) -> String {
    format!("--{boundary}\r\nContent-Type: {content_type}\r\n\r\n")
}

/// The header of that body.
pub(super) fn content_type(boundary: &str) -> String {
    format!("{MULTIPART}; boundary={boundary}")
}
