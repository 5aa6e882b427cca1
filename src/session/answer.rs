//! Asking for documents by id, and cutting the answer.

use alloc::string::String;

use crate::http::{Executor, Repeat, Request, push_encoded};
use crate::json;

/// RavenDB refuses request lines above 16 KB; beyond this length the ids travel in a body.
const LONGEST_PATH: usize = 4_000;

/// Where a document stands in an answer, and what the session keeps of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The id as the server spells it.
    pub id: String,
    /// Its change vector.
    pub change_vector: String,
    /// Its collection; empty when it has none.
    pub collection: String,
}

impl Loaded {
    /// The documents in the `Results` of an answer, in order; missing ones (`null`) are left out, as is what has no id.
    pub fn all(results: &[u8]) -> impl Iterator<Item = Loaded> {
        json::elements(results).filter_map(Loaded::read)
    }

    fn read(document: &[u8]) -> Option<Loaded> {
        let metadata = json::get(document, "@metadata")?;
        let (mut id, mut change_vector, mut collection) = (None, None, None);
        for (key, value) in json::members(metadata) {
            match key {
                b"@id" => id = json::string(value),
                b"@change-vector" => change_vector = json::string(value),
                b"@collection" => collection = json::string(value),
                _ => {}
            }
        }
        Some(Loaded { id: id?, change_vector: change_vector?, collection: collection.unwrap_or_default() })
    }
}

/// The request for these ids; never send it with none, an empty list means the whole database to RavenDB.
pub fn load_request<'a>(executor: &Executor, ids: impl Iterator<Item = &'a str> + Clone) -> Request {
    let mut path = executor.route("docs");
    let bare = path.len();
    for (position, id) in ids.clone().enumerate() {
        path.push_str(if position == 0 { "?id=" } else { "&id=" });
        push_encoded(&mut path, id);
        if path.len() > LONGEST_PATH {
            path.truncate(bare);
            return Request::post(path, listed(ids).into_bytes(), Repeat::Anywhere);
        }
    }
    Request::get(path)
}

fn listed<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    let mut body = String::from("{\"Ids\":[");
    for (position, id) in ids.enumerate() {
        if position > 0 {
            body.push(',');
        }
        json::push_string(&mut body, id);
    }
    body.push_str("]}");
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;

    #[test]
    fn few_ids_go_in_the_path_and_many_in_the_body() {
        let executor = Executor::new(["http://a"].into_iter(), "S", 1_000).unwrap();
        let request = load_request(&executor, ["a/1", "b c"].into_iter());
        assert_eq!((request.path.as_str(), request.body), ("/databases/S/docs?id=a%2F1&id=b%20c", None));
        let many: Vec<String> = (0..1_000).map(|n| alloc::format!("orders/{n}-A")).collect();
        let request = load_request(&executor, many.iter().map(String::as_str));
        assert_eq!(request.path, "/databases/S/docs");
        let body: serde_json::Value = serde_json::from_slice(&request.body.unwrap()).unwrap();
        assert_eq!(body["Ids"].as_array().unwrap().len(), 1_000);
    }

    #[test]
    fn missing_documents_are_left_out_and_the_last_key_counts() {
        let body = br#"[null,{"a":1,"@metadata":{"@collection":"Orders","@id":"stale","@change-vector":"A:1","@id":"orders/1-A","@change-vector":"A:2"}},{"no":"metadata"}]"#;
        assert_eq!(
            Loaded::all(body).collect::<Vec<_>>(),
            vec![Loaded { id: "orders/1-A".into(), change_vector: "A:2".into(), collection: "Orders".into() }]
        );
    }
}
