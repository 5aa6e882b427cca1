//! Which attachments a collection takes: their size and content types.

use crate::gateway::config::{object, unknown};
use crate::gateway::gather::complete;
use crate::prelude::*;
use raven_edge::json;
use raven_edge_authority::json::Value;

/// The limits of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AttachmentLimits {
    /// Most bytes of one attachment.
    pub(crate) max_bytes: usize,
    /// In lower case, such as `image/png` or `image/*`; empty: any.
    types: Vec<String>,
}

impl Default for AttachmentLimits {
    fn default() -> Self {
        Self { max_bytes: usize::MAX, types: Vec::new() }
    }
}

impl AttachmentLimits {
    /// Reads the limits; an error begins with `path`.
    pub(crate) fn read(value: &Value, path: &str) -> Result<Self, String> {
        let mut limits = Self::default();
        for (name, value) in object(value, path)?.iter() {
            match name {
                "maxBytes" => {
                    limits.max_bytes = match value {
                        Value::Number(text) => json::integer(text.as_bytes()),
                        _ => None,
                    }
                    .filter(|bytes| (1..=u64::from(u32::MAX)).contains(bytes))
                    .and_then(|bytes| usize::try_from(bytes).ok())
                    .ok_or_else(|| format!("{path}.maxBytes: must be a whole number from 1 to {}", u32::MAX))?;
                }
                "contentTypes" => {
                    let types = match value {
                        Value::Array(types) if !types.is_empty() => complete(types.iter().map(pattern)),
                        _ => None,
                    };
                    limits.types = types.ok_or_else(|| {
                        format!("{path}.contentTypes: must be a list such as [\"image/*\", \"application/pdf\"]")
                    })?;
                }
                name => return Err(unknown(&format!("{path}."), name, &["maxBytes", "contentTypes"])),
            }
        }
        Ok(limits)
    }

    /// Whether attachments of this content type may be stored. Parameters behind `;` do not count.
    pub(crate) fn permits(&self, content_type: &str) -> bool {
        let stated = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        self.types.is_empty()
            || self.types.iter().any(|known| match known.strip_suffix('*') {
                Some(begin) => stated.len() > begin.len() && stated.starts_with(begin),
                None => *known == stated,
            })
    }

    /// The content types, for a message.
    pub(crate) fn types(&self) -> String {
        self.types.join(", ")
    }
}

/// A content type of the configuration: `image/png`, or `image/*`.
fn pattern(value: &Value) -> Option<String> {
    let text = value.as_str()?.to_ascii_lowercase();
    let plain =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&b));
    let (kind, of) = text.split_once('/')?;
    (plain(kind) && (of == "*" || plain(of))).then_some(text)
}
