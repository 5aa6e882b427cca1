//! Patches: changes that the server makes to a document by a script.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{Error, Result};

/// A script that changes a document (`this`) on the server.
///
/// ```
/// use raven_edge_client::Patch;
/// let patch = Patch::script("this.stock -= args.by").arg("by", 4);
/// let of_the_gateway = Patch::named("addLine").arg("line", "tea");
/// ```
#[derive(Clone, Debug)]
pub struct Patch {
    text: String,
    is_named: bool,
    args: std::result::Result<Map<String, Value>, String>,
}

impl Patch {
    /// JavaScript; the document is `this`, arguments are in `args`.
    pub fn script(script: impl Into<String>) -> Patch {
        Patch { text: script.into(), is_named: false, args: Ok(Map::new()) }
    }

    /// The patch of this name in the configuration of a gateway of raven-edge; arguments are its parameters. RavenDB itself has none.
    pub fn named(name: impl Into<String>) -> Patch {
        Patch { text: name.into(), is_named: true, args: Ok(Map::new()) }
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

    fn args(&self) -> Result<&Map<String, Value>> {
        if self.text.trim().is_empty() {
            return Err(Error::argument("a patch needs a script or a name"));
        }
        self.args.as_ref().map_err(|reason| Error::argument(reason.as_str()))
    }

    /// As a request about one document contains it.
    pub(crate) fn value(&self) -> Result<Value> {
        let args = self.args()?;
        if self.is_named {
            return Err(Error::argument("a gateway takes named patches in saves alone: call Session::patch"));
        }
        Ok(json!({ "Script": self.text, "Values": args }))
    }

    /// The members of its command in a save.
    pub(crate) fn command(&self) -> Result<String> {
        if self.is_named {
            let (name, args) = (Value::from(self.text.as_str()), Value::Object(self.args()?.clone()));
            return Ok(format!("\"Named\":{name},\"Parameters\":{args}"));
        }
        Ok(format!("\"Patch\":{}", self.value()?))
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
    /// The members of its command that say what to do.
    pub(crate) patch: String,
}
