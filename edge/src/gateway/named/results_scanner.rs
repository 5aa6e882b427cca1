//! Finds the documents in RavenDB's stream of results while it arrives. Memory holds one document at a time.

use crate::prelude::*;
use raven_edge::json;

/// The most bytes that RavenDB writes before the first result, and behind the last one.
const MAX_HEAD_BYTES: usize = 65_536;

/// The member that RavenDB writes behind the results after a failure.
const ERROR: &[u8] = b"\"Error\"";

/// Gets the parts of a stream.
pub(super) trait Visitor {
    /// What stands before the results: whether the index is stale, and the number of results.
    fn head(&mut self, is_stale: bool, total: Option<u64>);
    /// The text of a result.
    fn document(&mut self, document: &[u8]);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before the first result.
    Head,
    /// In the array of results.
    Results,
    /// Behind it.
    Tail,
    /// The response is not RavenDB's, or has been cut.
    Broken,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Text {
    Outside,
    Inside,
    /// Behind a backslash.
    Escaped,
}

/// A stream as far as it has arrived.
#[derive(Debug)]
pub(super) struct Scanner {
    place: Place,
    /// What arrived and is not done yet: the head, or the beginning of a document.
    bytes: Vec<u8>,
    /// How many of these were scanned.
    scanned: usize,
    /// Open brackets at that position.
    depth: usize,
    text: Text,
}

impl Default for Scanner {
    fn default() -> Self {
        Self { place: Place::Head, bytes: Vec::new(), scanned: 0, depth: 0, text: Text::Outside }
    }
}

impl Scanner {
    /// Takes the next bytes; `most`: of one document. `None` if the stream must be cut.
    pub(super) fn next(&mut self, piece: &[u8], most: usize, visitor: &mut dyn Visitor) -> Option<()> {
        self.bytes.extend_from_slice(piece);
        if self.place == Place::Head {
            self.head(visitor)?;
        }
        if self.place == Place::Results {
            self.results(visitor);
        }
        let most = match self.place {
            Place::Head | Place::Tail => MAX_HEAD_BYTES,
            Place::Results | Place::Broken => most,
        };
        if self.place == Place::Broken || self.bytes.len() > most {
            self.place = Place::Broken;
            return None;
        }
        Some(())
    }

    /// Whether the response has ended where RavenDB ends it.
    pub(super) fn is_complete(&self) -> bool {
        // After a failure RavenDB closes the array and writes an error behind it.
        let text = core::str::from_utf8(&self.bytes).unwrap_or_default().trim();
        let rest = text.strip_prefix(']').unwrap_or_default().trim();
        let has_error = rest.as_bytes().windows(ERROR.len()).any(|part| part == ERROR);
        self.place == Place::Tail && rest.ends_with('}') && !has_error
    }

    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// Reads the members before the results, once all of them are there.
    fn head(&mut self, visitor: &mut dyn Visitor) -> Option<()> {
        let mut members = json::members(&self.bytes);
        let (mut is_stale, mut total) = (true, None);
        while let Some(name) = members.key() {
            let at = members.at();
            if name == b"Results" {
                match self.bytes.get(at) {
                    None => return Some(()),
                    Some(b'[') => {}
                    Some(_) => return None,
                }
                visitor.head(is_stale, total);
                self.bytes.drain(..=at);
                self.place = Place::Results;
                return Some(());
            }
            let Some(value) = members.value() else { break };
            match name {
                b"IsStale" => is_stale = value != b"false",
                b"TotalResults" => total = json::integer(value),
                _ => {}
            }
        }
        Some(())
    }

    /// Finds where documents end.
    fn results(&mut self, visitor: &mut dyn Visitor) {
        let bytes = core::mem::take(&mut self.bytes);
        let (mut depth, mut text) = (self.depth, self.text);
        let (mut start, mut at) = (0, self.scanned);
        while let Some(&byte) = bytes.get(at) {
            at += 1;
            match (text, byte) {
                (Text::Escaped, _) => text = Text::Inside,
                (Text::Inside, b'\\') => text = Text::Escaped,
                (Text::Inside, b'"') => text = Text::Outside,
                (Text::Inside, _) => {
                    let rest = bytes.get(at..).unwrap_or_default();
                    at += rest.iter().position(|byte| matches!(byte, b'"' | b'\\')).unwrap_or(rest.len());
                }
                (Text::Outside, b'"') if depth > 0 => text = Text::Inside,
                (Text::Outside, b'{') => {
                    start = if depth == 0 { at - 1 } else { start };
                    depth += 1;
                }
                (Text::Outside, b'[') if depth > 0 => depth += 1,
                (Text::Outside, b'}' | b']') if depth > 0 => {
                    depth -= 1;
                    if depth == 0 {
                        visitor.document(bytes.get(start..at).unwrap_or_default());
                        start = at;
                    }
                }
                (Text::Outside, b']') => {
                    self.place = Place::Tail;
                    start = at - 1;
                    break;
                }
                (Text::Outside, b',' | b' ' | b'\n' | b'\r' | b'\t') if depth == 0 => start = at,
                (Text::Outside, _) if depth > 0 => {}
                // Results are objects.
                (Text::Outside, _) => {
                    self.place = Place::Broken;
                    break;
                }
            }
        }
        (self.depth, self.text, self.scanned) = (depth, text, at - start);
        self.bytes = bytes;
        self.bytes.drain(..start);
    }
}
