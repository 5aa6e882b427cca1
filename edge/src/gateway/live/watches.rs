//! What a connection listens to, and what it hears.
//!
//! | watch | permitted |
//! |---|---|
//! | one document, documents with a prefix | with the right to read the collection, unless rows judge it: an id would be an oracle |
//! | a collection | with the right to read it; if rows judge it, the listener hears the collection's name and no id |
//! | everything else | no |

use super::super::collections::{Collection, Collections, Right, shortened};
use super::super::plan::Operation;
use super::super::refusal::{Kind, Refusal, refused};
use crate::prelude::*;
use raven_edge::ids::key;
use raven_edge_authority::json::{Object, Value, read_strict, write_string};

/// Maximum watches of a connection.
const MOST: usize = 256;
/// Maximum bytes of a command.
const LONGEST: usize = 4_096;

/// The subject of a watch.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Watch {
    Document(String),
    Prefix(String),
    Collection(String),
}

impl Watch {
    fn new(kind: &str, param: &str) -> Option<Self> {
        match kind {
            "doc" => Some(Self::Document(param.into())),
            "prefix" => Some(Self::Prefix(param.into())),
            "collection" => Some(Self::Collection(param.into())),
            _ => None,
        }
    }

    /// The name in commands, and the parameter.
    fn parts(&self) -> (&'static str, &str) {
        match self {
            Self::Document(id) => ("doc", id),
            Self::Prefix(prefix) => ("prefix", prefix),
            Self::Collection(name) => ("collection", name),
        }
    }

    /// What it listens to, for `authorize`, if the levels and rows permit it.
    fn judge(&self, collections: &Collections) -> Result<Operation, Refusal> {
        let mut operation = Operation::watch(None);
        let (collection, by_rows) = match self {
            Self::Document(id) => {
                operation.ids.push(id.clone());
                (collections.allowed(id, Right::Read)?, false)
            }
            Self::Prefix(prefix) => {
                operation.prefix = Some(prefix.clone());
                (collections.listable(prefix)?, false)
            }
            Self::Collection(name) => (readable(collections, name)?, true),
        };
        if collection.rows.is_some() && !by_rows {
            let name = &collection.name;
            return Err(refused(Kind::Collection, format!("rows judge \"{name}\": watch the collection")));
        }
        operation.collection = Some(collection.name.clone());
        Ok(operation)
    }

    /// Whether it hears of a document.
    fn hears(&self, id: &str, collection: &Collection) -> bool {
        match self {
            Self::Document(own) => key::surely_same(own, id),
            Self::Prefix(prefix) => key::surely_begins(id, prefix),
            Self::Collection(name) => key::surely_same(name, &collection.name),
        }
    }
}

/// The collection with this name in any case, if it may be read.
fn readable<'a>(collections: &'a Collections, name: &str) -> Result<&'a Collection, Refusal> {
    let found = collections.0.iter().find(|collection| key::surely_same(&collection.name, name));
    found.filter(|collection| collection.allows(Right::Read)).ok_or_else(|| {
        let name = shortened(name);
        refused(Kind::Collection, format!("the gateway does not permit \"read\" for the collection {name}"))
    })
}

/// A command of the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Command {
    id: u64,
    begins: bool,
    watch: Watch,
}

/// What follows from a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// `authorize` is asked; see [`Watches::permit`] and [`Watches::deny`].
    Ask(Operation),
    /// RavenDB gets this.
    Send(String),
    /// The caller gets this.
    Reply(String),
    /// The text is no command: the connection is closed, as RavenDB does.
    Close,
}

/// The watches of a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Watches {
    watches: Vec<Watch>,
    /// Whether the hub waits for an acknowledgement.
    acknowledges: bool,
    /// The command that `authorize` is asked about.
    asked: Option<Command>,
}

impl Watches {
    /// Takes a text of the caller.
    pub(super) fn take(&mut self, text: &str, collections: &Collections) -> Step {
        let Some((id, name, param)) = command(text) else { return Step::Close };
        if name == "acknowledge" && core::mem::take(&mut self.acknowledges) {
            return Step::Send("{\"CommandId\":0,\"Command\":\"acknowledge\"}".into());
        }
        let (begins, kind) = match (name.strip_prefix("watch-"), name.strip_prefix("unwatch-")) {
            (Some(kind), _) => (true, kind),
            (None, Some(kind)) => (false, kind),
            (None, None) => return Step::Close,
        };
        let Some(watch) = param.and_then(|param| Watch::new(kind, &param)) else {
            return Step::Reply(refusal(
                id,
                &shortened(&name),
                "the gateway permits watches of documents, prefixes and collections",
            ));
        };
        if !begins {
            self.watches.retain(|known| *known != watch);
            return Step::Send(written(&Command { id, begins, watch }));
        }
        match watch.judge(collections) {
            Err(Refusal { message, .. }) => Step::Reply(refusal(id, &shortened(&name), &message)),
            Ok(_) if self.watches.len() >= MOST && !self.watches.contains(&watch) => {
                Step::Reply(refusal(id, &shortened(&name), &format!("a connection has at most {MOST} watches")))
            }
            Ok(operation) => {
                self.asked = Some(Command { id, begins, watch });
                Step::Ask(operation)
            }
        }
    }

    /// `authorize` permits the watch: RavenDB gets it.
    pub(super) fn permit(&mut self) -> Option<String> {
        let command = self.asked.take()?;
        let text = written(&command);
        if !self.watches.contains(&command.watch) {
            self.watches.push(command.watch);
        }
        Some(text)
    }

    /// `authorize` refuses the watch: the caller gets that.
    pub(super) fn deny(&mut self) -> Option<String> {
        let command = self.asked.take()?;
        let (kind, _) = command.watch.parts();
        Some(refusal(command.id, &format!("\"watch-{kind}\""), "the app's `authorize` does not permit it"))
    }

    /// What the connection listens to, to be authorized again.
    pub(super) fn operations(&self, collections: &Collections) -> Vec<Operation> {
        let all = self.watches.iter().filter_map(|watch| watch.judge(collections).ok());
        core::iter::once(Operation::watch(None)).chain(all).collect()
    }

    /// What the caller gets of a message of RavenDB or the hub; `[]` if nothing, which says that the connection is alive. `None`: it is not a
    /// message of RavenDB.
    pub(super) fn forward(&mut self, text: &str, collections: &Collections) -> Option<String> {
        let object = read_strict(["{\"Messages\":", text, "}"].concat().as_bytes()).ok()?;
        let Some(Value::Array(messages)) = object.get("Messages") else { return None };
        let mut texts: Vec<String> = Vec::new();
        for message in messages {
            let Value::Object(message) = message else { return None };
            let text = match message.get("Type").and_then(Value::as_str) {
                Some("Confirm") => integer(message.get("CommandId")).map(confirmation),
                Some("DocumentChange") => match message.get("Value") {
                    Some(Value::Object(change)) => self.change(change, collections),
                    _ => None,
                },
                Some(kind @ ("Acknowledge" | "Resync")) => {
                    self.acknowledges |= kind == "Acknowledge";
                    Some(format!("{{\"Type\":\"{kind}\"}}"))
                }
                _ => None,
            };
            // Several changes of a collection whose ids are hidden look the same.
            texts.extend(text.filter(|text| !texts.contains(text)));
        }
        Some(format!("[{}]", texts.join(",")))
    }

    /// What the caller gets of a change.
    fn change(&self, change: &Object, collections: &Collections) -> Option<String> {
        let text = |name| change.get(name).and_then(Value::as_str);
        let (id, stated) = (text("Id")?, text("CollectionName")?);
        let collection = collections.showing(id, stated)?;
        if !self.watches.iter().any(|watch| watch.hears(id, collection)) {
            return None;
        }
        let mut out = String::from("{\"Type\":\"DocumentChange\",\"Value\":{");
        if collection.rows.is_none() {
            for (name, value) in [("Type", text("Type")?), ("Id", id), ("ChangeVector", text("ChangeVector")?)] {
                out.push_str(&format!("\"{name}\":"));
                write_string(&mut out, value);
                out.push(',');
            }
        }
        out.push_str("\"CollectionName\":");
        write_string(&mut out, &collection.name);
        out.push_str("}}");
        Some(out)
    }
}

/// Number, name and parameter of a command.
fn command(text: &str) -> Option<(u64, String, Option<String>)> {
    if text.len() > LONGEST {
        return None;
    }
    let object = read_strict(text.as_bytes()).ok()?;
    let name = object.get("Command").and_then(Value::as_str)?;
    let param = object.get("Param").and_then(Value::as_str).map(Into::into);
    Some((integer(object.get("CommandId"))?, name.into(), param))
}

fn integer(value: Option<&Value>) -> Option<u64> {
    match value {
        Some(Value::Number(text)) => {
            raven_edge::json::integer(text.as_bytes()).filter(|number| *number <= raven_edge::hilo::Range::MAX)
        }
        _ => None,
    }
}

/// The command as RavenDB gets it.
fn written(command: &Command) -> String {
    let (kind, param) = command.watch.parts();
    let verb = if command.begins { "watch" } else { "unwatch" };
    let mut text = format!("{{\"CommandId\":{},\"Command\":\"{verb}-{kind}\",\"Param\":", command.id);
    write_string(&mut text, param);
    text.push('}');
    text
}

fn confirmation(command: u64) -> String {
    format!("{{\"CommandId\":{command},\"Type\":\"Confirm\"}}")
}

fn refusal(command: u64, name: &str, reason: &str) -> String {
    let mut text = format!("[{{\"CommandId\":{command},\"Type\":\"Error\",\"Exception\":");
    write_string(&mut text, &format!("{name} is refused: {reason}"));
    text.push_str("}]");
    text
}
