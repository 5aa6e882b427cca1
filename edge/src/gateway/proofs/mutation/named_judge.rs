//! The rules for named queries and patches: RavenDB gets the configuration's texts, and values of the declared types.

use super::judge::{Verdict, among, ensure, keys, text};
use serde_json::Value;

pub(super) const QUERIES: [&str; 2] =
    ["from Notes where owner = $name and size >= $size include product", "from Products"];
pub(super) const SCRIPTS: [&str; 2] = ["this.size = $size; this.by = $name", "this.text = args.text"];
/// What the gateway puts before a script if it has not read the document.
const GUARD: &str = "if(String(getMetadata(this)[\"@collection\"]).toLowerCase()!==\"products\")return;\n";

pub(super) fn query(body: &Value, is_page: bool, identity: Option<&str>) -> Verdict<&'static str> {
    let names: &[&str] =
        if is_page { &["PageSize", "Query", "QueryParameters", "Start"] } else { &["Query", "QueryParameters"] };
    let mut members = keys(body)?;
    members.retain(|name| !is_page || *name != "DisableCaching");
    ensure(members == names, "other members")?;
    ensure(body.get("DisableCaching").is_none_or(Value::is_boolean), "a value of another type")?;
    let values = &body["QueryParameters"];
    if body["Query"] == QUERIES[0] {
        ensure(keys(values)? == ["name", "size"], "other parameters")?;
        ensure(values["name"].as_str() == identity && identity.is_some(), "another name")?;
        size(&values["size"])?;
    } else {
        ensure(body["Query"] == QUERIES[1], "another query")?;
        ensure(keys(values)?.is_empty(), "other parameters")?;
    }
    ensure(!is_page || body["PageSize"].as_u64().is_some_and(|size| size <= 125), "a large page")?;
    ensure(!is_page || body["Start"].as_u64().is_some_and(|start| start < 1_000), "a far page")?;
    Ok(if is_page { "query" } else { "stream" })
}

pub(super) fn patch(command: &Value, identity: Option<&str>) -> Verdict {
    let mut names = keys(command)?;
    names.retain(|name| *name != "ReturnDocument");
    ensure(names == ["ChangeVector", "Id", "Patch", "Type"], "other members")?;
    let patch = &command["Patch"];
    ensure(keys(patch)? == ["Script", "Values"], "other members")?;
    let (id, script, values) = (text(&command["Id"])?, text(&patch["Script"])?, &patch["Values"]);
    if script == SCRIPTS[0] {
        among(id, &["notes"])?;
        ensure(keys(values)? == ["name", "size"], "other values")?;
        ensure(values["name"].as_str() == identity && identity.is_some(), "another name")?;
        return size(&values["size"]);
    }
    ensure(script.strip_prefix(GUARD) == Some(SCRIPTS[1]), "another script")?;
    among(id, &["products"])?;
    ensure(keys(values)? == ["text"] && text(&values["text"])?.chars().count() <= 8, "other values")
}

fn size(value: &Value) -> Verdict {
    ensure(value.as_u64().is_some_and(|size| size <= 9), "a value of another type")
}
