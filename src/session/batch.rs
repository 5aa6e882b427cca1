//! The text of `POST bulk_docs`, made from the texts of the entities in bulk.

use alloc::vec::Vec;

use crate::error::{Code, Error};
use crate::json::{self, Elements};

/// The name of an entity's class, by which npm `ravendb` makes an instance of it again.
const CLASS: &[u8] = b"Raven-Node-Type";

/// Metadata that the server makes; `PUT` would store it and later reads would return keys twice.
const OF_SERVER: [&str; 8] =
    ["@id", "@change-vector", "@last-modified", "@flags", "@etag", "@index-score", "@counters", "@collection"];

/// What documents have in common: their collection, and the name of their class; as texts of JSON, `""` for none.
struct Kind<'a> {
    collection: &'a [u8],
    class: &'a [u8],
}

impl<'a> Kind<'a> {
    /// `["Orders","Order"]`.
    fn read(text: &'a [u8]) -> Kind<'a> {
        let mut names = json::elements(text);
        let mut next = || names.next().unwrap_or(b"\"\"");
        Kind { collection: next(), class: next() }
    }

    fn has_class(&self) -> bool {
        self.class != b"\"\""
    }
}

/// A batch that is being written, chunk by chunk.
///
/// ```
/// # use raven_edge::session::Batch;
/// let mut batch = Batch::new();
/// batch.put(br#"[[["Orders",""]], "orders/1-A","",0,{"freight":12.5,"id":"orders/1-A"}]"#, 1, Some("id"))?;
/// batch.command(r#"{"Type":"DELETE","Id":"orders/2-A","ChangeVector":null}"#);
/// let commands = [
///     r#"{"Type":"PUT","Id":"orders/1-A","ChangeVector":"","Document":{"freight":12.5,"@metadata":{"@collection":"Orders"}}}"#,
///     r#"{"Type":"DELETE","Id":"orders/2-A","ChangeVector":null}"#,
/// ];
/// assert_eq!(batch.finish(false), format!(r#"{{"Commands":[{}]}}"#, commands.join(",")).into_bytes());
/// # Ok::<(), raven_edge::error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Batch {
    body: Vec<u8>,
    has_commands: bool,
}

impl Default for Batch {
    fn default() -> Batch {
        Batch::new()
    }
}

impl Batch {
    /// A batch without commands.
    pub fn new() -> Batch {
        Batch { body: b"{\"Commands\":[".to_vec(), has_commands: false }
    }

    fn add(&mut self, text: &[u8]) {
        self.body.extend_from_slice(text);
    }

    fn next(&mut self) {
        if core::mem::replace(&mut self.has_commands, true) {
            self.body.push(b',');
        }
    }

    /// Adds a command as it is.
    pub fn command(&mut self, text: &str) {
        self.next();
        self.add(text.as_bytes());
    }

    /// Adds a `PUT` for each of so many documents. `texts` is `[[kind, …], id, change vector, number of the kind, entity, …]`
    /// in JSON, a kind being `["<collection>","<class>"]`. The member named `identity`, if there is one, and the server's own
    /// metadata are left out.
    ///
    /// # Errors
    ///
    /// [`Code::InvalidArgument`]: an entity is not an object in JSON. The batch is of no use then.
    pub fn put(&mut self, texts: &[u8], count: usize, identity: Option<&str>) -> Result<(), Error> {
        // What stands around an entity is a quarter of a small one.
        self.body.reserve(texts.len() + texts.len() / 4);
        let mut texts = json::elements(texts);
        let kinds: Vec<_> = json::elements(texts.next().unwrap_or_default()).map(Kind::read).collect();
        for _ in 0..count {
            self.document(&mut texts, &kinds, identity.map(str::as_bytes)).ok_or_else(|| {
                Error::new(
                    Code::InvalidArgument,
                    "an entity is not an object in JSON; check its toJSON and whether it was replaced by a value",
                )
            })?;
        }
        Ok(())
    }

    fn document(&mut self, texts: &mut Elements<'_>, kinds: &[Kind<'_>], identity: Option<&[u8]>) -> Option<()> {
        let (id, vector, kind) = (texts.next()?, texts.next()?, texts.next()?);
        let kind = kinds.get(json::integer(kind)? as usize)?;
        self.next();
        for part in [&b"{\"Type\":\"PUT\",\"Id\":"[..], id, b",\"ChangeVector\":", vector, b",\"Document\":{"] {
            self.add(part);
        }
        texts.read(&mut |entity| self.entity(entity, kind, identity)).map(drop)
    }

    /// Adds the entity that a text begins with; gives how long that is.
    fn entity(&mut self, entity: &[u8], kind: &Kind<'_>, identity: Option<&[u8]>) -> Option<usize> {
        entity.starts_with(b"{").then_some(())?;
        let mut metadata: &[u8] = b"";
        let mut members = json::members(entity);
        // Members are copied together, with the commas behind them, up to one that is left out.
        let mut from = members.at();
        loop {
            let at = members.at();
            let Some(key) = members.key() else { break };
            let value = members.value()?;
            if key == b"@metadata" {
                metadata = value;
            } else if Some(key) != identity {
                continue;
            }
            self.add(entity.get(from..at)?);
            from = members.at();
        }
        if from < members.at() {
            self.add(entity.get(from..members.at())?);
            self.body.push(b',');
        }
        self.metadata(kind, metadata);
        members.end()
    }

    fn metadata(&mut self, kind: &Kind<'_>, metadata: &[u8]) {
        self.add(b"\"@metadata\":{");
        let mut comma = false;
        let ours = [(&b"@collection"[..], kind.collection), (CLASS, kind.class)];
        let ours = ours.into_iter().filter(|(_, name)| *name != b"\"\"");
        let is_ours =
            |key: &[u8]| OF_SERVER.iter().any(|name| name.as_bytes() == key) || key == CLASS && kind.has_class();
        for (key, value) in ours.chain(json::members(metadata).filter(|(key, _)| !is_ours(key))) {
            let quote: &[u8] = if core::mem::replace(&mut comma, true) { b",\"" } else { b"\"" };
            for part in [quote, key, b"\":", value] {
                self.add(part);
            }
        }
        self.add(b"}}}");
    }

    /// The text so far, which is no longer kept here.
    pub fn take(&mut self) -> Vec<u8> {
        core::mem::take(&mut self.body)
    }

    /// Ends the batch: the rest of its body. `cluster`: it is one transaction of the whole cluster.
    pub fn finish(mut self, cluster: bool) -> Vec<u8> {
        // RavenDB reads the mode only where it follows the array.
        self.add(if cluster { b"],\"TransactionMode\":\"ClusterWide\"}" } else { b"]}" });
        self.body
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::String;
    use serde_json::{Value, json};

    fn body(batch: Batch) -> Value {
        serde_json::from_slice(&batch.finish(false)).unwrap()
    }

    /// A document of the collection `Orders`.
    fn put(batch: &mut Batch, id: &str, vector: &str, entity: &str) -> Result<(), Error> {
        batch.put(format!(r#"[[["Orders",""]],{id},{vector},0,{entity}]"#).as_bytes(), 1, Some("id"))
    }

    #[test]
    fn the_text_of_a_batch() {
        let mut batch = Batch::new();
        let order = r#"{"id":"orders/1-A","n":9007199254740993,"x":{"id":1},"@metadata":{"@collection":"Other","@id":"y","@expires":"2030","@change-vector":"A:1"}}"#;
        put(&mut batch, r#""orders/1-A""#, r#""""#, order).unwrap();
        put(&mut batch, r#""my \"order\"""#, "null", "{}").unwrap();
        batch.command(r#"{"Type":"DELETE"}"#);
        assert_eq!(
            body(batch),
            json!({ "Commands": [
                { "Type": "PUT", "Id": "orders/1-A", "ChangeVector": "",
                  "Document": { "n": 9007199254740993u64, "x": { "id": 1 }, "@metadata": { "@collection": "Orders", "@expires": "2030" } } },
                { "Type": "PUT", "Id": "my \"order\"", "ChangeVector": null, "Document": { "@metadata": { "@collection": "Orders" } } },
                { "Type": "DELETE" },
            ] })
        );
    }

    #[test]
    fn kinds_are_told_by_their_numbers() {
        let texts = br#"[[["Orders","Order"],["",""]],"a",null,1,{"@metadata":{"Raven-Node-Type":"Theirs","y":3}},"b",null,0,{"@metadata":{"Raven-Node-Type":"Theirs"}}]"#;
        let mut batch = Batch::new();
        batch.put(texts, 2, Some("id")).unwrap();
        let body = body(batch);
        let metadata = |at: usize| body["Commands"][at]["Document"]["@metadata"].clone();
        assert_eq!(metadata(0), json!({ "Raven-Node-Type": "Theirs", "y": 3 }));
        assert_eq!(metadata(1), json!({ "@collection": "Orders", "Raven-Node-Type": "Order" }));
    }

    #[test]
    fn the_mode_of_a_cluster_follows_the_commands() {
        let mut batch = Batch::new();
        batch.command("{}");
        assert_eq!(batch.finish(true), br#"{"Commands":[{}],"TransactionMode":"ClusterWide"}"#);
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for entity in ["null", "1", "[]", r#""text""#, "{", ""] {
            assert!(put(&mut Batch::new(), r#""orders/1-A""#, "null", entity).is_err(), "{entity}");
        }
        for texts in ["", "[]", "[[]]", r#"[[["Orders",""]],"a",null,1,{}]"#, r#"[[["Orders",""]],"a",null,0,{}"#] {
            assert!(Batch::new().put(texts.as_bytes(), 2, Some("id")).is_err(), "{texts}");
        }
    }

    #[test]
    fn a_text_that_ends_early_leaves_nothing_out_in_silence() {
        let texts = br#"[[["Orders",""]],"a",null,0,{},"b",null,0,{}]"#;
        assert!(Batch::new().put(texts, 2, Some("id")).is_ok());
        assert!(Batch::new().put(texts, 3, Some("id")).is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_object_arrives_whole(keys in proptest::collection::vec("[a-z\"\\\\ü{}\\[\\]:,]{0,8}", 0..6), text: String) {
            let map: serde_json::Map<_, _> = keys.into_iter().filter(|key| key != "id").map(|key| (key, json!([text, { "a": null }]))).collect();
            let mut batch = Batch::new();
            put(&mut batch, r#""orders/1-A""#, "null", &serde_json::to_string(&map).unwrap()).unwrap();
            let mut document = body(batch)["Commands"][0]["Document"].clone();
            document.as_object_mut().unwrap().remove("@metadata");
            proptest::prop_assert_eq!(document, Value::Object(map));
        }

        #[test]
        fn any_bytes_are_survived(bytes: Vec<u8>, count in 0usize..4) {
            let _ = Batch::new().put(&bytes, count, Some("id"));
        }
    }
}
