//! Patches: changes that the server makes to a document by a script.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{Error, Result};

/// A script that changes a document (`this`) on the server.
///
/// ```
/// use raven_edge_client::Patch;
/// let patch = Patch::script("this.stock -= args.by").arg("by", 4);
/// ```
#[derive(Clone, Debug)]
pub struct Patch {
    script: String,
    args: std::result::Result<Map<String, Value>, String>,
}

impl Patch {
    /// JavaScript; the document is `this`, arguments are in `args`.
    pub fn script(script: impl Into<String>) -> Patch {
        Patch { script: script.into(), args: Ok(Map::new()) }
    }

    /// Sets an argument. What is no JSON is an error of the call that takes the patch.
    #[must_use]
    pub fn arg(mut self, name: impl Into<String>, value: impl Serialize) -> Patch {
        let name = name.into();
        match (&mut self.args, serde_json::to_value(value)) {
            (Ok(args), Ok(value)) => drop(args.insert(name, value)),
            (Ok(_), Err(error)) => self.args = Err(format!("the argument {name} of the patch: {error}")),
            (Err(_), _) => {}
        }
        self
    }

    /// As requests contain it.
    pub(crate) fn value(&self) -> Result<Value> {
        if self.script.trim().is_empty() {
            return Err(Error::argument("a patch needs a script"));
        }
        let args = self.args.as_ref().map_err(|reason| Error::argument(reason.as_str()))?;
        Ok(json!({ "Script": self.script, "Values": args }))
    }
}

/// What became of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatchStatus {
    /// The document was changed, and is stored.
    Patched,
    /// The script changed nothing.
    NotModified,
    /// There is no document under this id.
    DocumentDoesNotExist,
    /// The document was created.
    Created,
}

impl PatchStatus {
    pub(crate) fn named(name: &str) -> Option<PatchStatus> {
        Some(match name {
            "Patched" => PatchStatus::Patched,
            "NotModified" => PatchStatus::NotModified,
            "DocumentDoesNotExist" => PatchStatus::DocumentDoesNotExist,
            "Created" => PatchStatus::Created,
            _ => return None,
        })
    }
}

/// A patch that waits for the next save.
#[derive(Clone, Debug)]
pub(crate) struct Deferred {
    pub(crate) id: String,
    pub(crate) patch: Value,
}
