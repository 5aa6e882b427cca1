//! The judge against examples, and against a judge written apart: that one works on the tree from which the text is made.

use super::super::mutation::Random;
use super::*;
use raven_edge_authority::json::{read_strict, write_string};
use serde_json::json;

fn claims() -> Vec<String> {
    ["name", "teams", "level", "admin"].map(Into::into).to_vec()
}

fn rows(text: &serde_json::Value) -> Result<Rows, String> {
    Rows::read(&read(text.to_string().as_bytes()).unwrap(), "collections.Orders.rows", &claims())
}

fn holds(conditions: &serde_json::Value, document: &str, caller: &serde_json::Value) -> bool {
    rows(conditions).unwrap().hold(document.as_bytes(), &read_strict(caller.to_string().as_bytes()).unwrap())
}

#[test]
fn each_condition_must_hold() {
    let ann = json!({ "name": "ann", "teams": ["a", "b"], "level": 3, "admin": true });
    for (conditions, document, expected) in [
        (json!({ "owner": "$name" }), r#"{"owner":"ann"}"#, true),
        (json!({ "owner": "$name" }), r#"{"owner":"Ann"}"#, false),
        (json!({ "owner": "$name" }), r#"{"owner":["ann"]}"#, false),
        (json!({ "owner": "$name" }), r#"{"x":{"owner":"ann"}}"#, false),
        (json!({ "owner": "$name", "open": true }), r#"{"owner":"ann","open":false}"#, false),
        (json!({ "owner": "$name", "open": true }), r#"{"owner":"ann","open":true}"#, true),
        (json!({ "owner.name": "$name" }), r#"{"owner":{"name":"ann"}}"#, true),
        (json!({ "owner.name": "$name" }), r#"{"owner.name":"ann"}"#, false),
        (json!({ "owner.name": "$name" }), r#"{"owner":[{"name":"ann"}]}"#, false),
        (json!({ "team": { "in": "$teams" } }), r#"{"team":"b"}"#, true),
        (json!({ "team": { "in": "$teams" } }), r#"{"team":"c"}"#, false),
        (json!({ "team": { "in": "$teams" } }), r#"{"team":["a"]}"#, false),
        (json!({ "team": { "in": "$name" } }), r#"{"team":"a"}"#, false),
        (json!({ "state": { "in": ["new", "$name", 3] } }), r#"{"state":3.0}"#, true),
        (json!({ "members": { "contains": "$name" } }), r#"{"members":["bob","ann"]}"#, true),
        (json!({ "members": { "contains": "$name" } }), r#"{"members":[["ann"]]}"#, false),
        (json!({ "members": { "contains": "$name" } }), r#"{"members":"ann"}"#, false),
        (json!({ "price": "$$5" }), r#"{"price":"$5"}"#, true),
    ] {
        assert_eq!(holds(&conditions, document, &ann), expected, "{conditions} {document}");
    }
}

#[test]
fn numbers_are_compared_by_value_and_told_from_texts() {
    let level = |text: &str, claim: serde_json::Value| {
        holds(&json!({ "level": "$level" }), &format!("{{\"level\":{text}}}"), &json!({ "level": claim }))
    };
    for text in ["3", "3.0", "30e-1", "0.3E1", "300e-2"] {
        assert!(level(text, json!(3)), "{text}");
    }
    for text in ["\"3\"", "-3", "3.0000000000000000000001", "null", "true", "[3]", "30"] {
        assert!(!level(text, json!(3)), "{text}");
    }
    assert!(level("-0.0", json!(0)) && level("\"3\"", json!("3")) && !level("1", json!(true)));
    assert!(!level("9007199254740993", json!(9_007_199_254_740_992u64)), "doubles cannot tell these two");
}

#[test]
fn what_is_missing_matches_nothing() {
    let conditions = [
        json!({ "owner": "$name" }),
        json!({ "owner": { "in": "$teams" } }),
        json!({ "owner": { "contains": "$name" } }),
        json!({ "owner": { "in": ["$name"] } }),
    ];
    for conditions in conditions {
        for document in ["{}", r#"{"owner":null}"#, r#"{"owner":[]}"#, r#"{"owner":[null]}"#, r#"{"owner":""}"#] {
            for caller in [json!({}), json!({ "name": null, "teams": null }), json!({ "name": [], "teams": [] })] {
                assert!(!holds(&conditions, document, &caller), "{conditions} {document} {caller}");
            }
        }
    }
}

#[test]
fn a_document_that_can_be_read_in_two_ways_matches_nothing() {
    let ann = json!({ "name": "ann" });
    for document in [
        r#"{"owner":"ann","owner":"bob"}"#,
        r#"{"owner":"bob","owner":"ann"}"#,
        r#"{"owner":"ann","owner":"ann"}"#,
        r#"{"owner":"bob","\u006fwner":"ann"}"#,
        r#"{"owner":"ann","\ud800":1}"#,
        r#"{"owner":"ann","\x":1}"#,
        r#"{"owner":"ann""#,
        r#"{"owner":"ann",}"#,
        r#"{"owner":"ann" "x":1}"#,
        r#"["owner","ann"]"#,
        r#"{"owner":"a\u006en"}x"#,
        r#"{"owner":"\ud800ann"}"#,
        "{\"owner\":\"an\nn\"}",
        "",
    ] {
        assert!(!holds(&json!({ "owner": "$name" }), document, &ann), "{document}");
    }
    assert!(holds(&json!({ "owner": "$name" }), r#"{"\u006fwner":"\u0061nn","x":{"owner":1,"owner":2}}"#, &ann));
}

#[test]
fn an_error_names_its_condition() {
    for (conditions, named) in [
        (json!({}), "collections.Orders.rows: "),
        (json!("x"), "collections.Orders.rows: "),
        (json!({ "owner": "$nobody" }), "collections.Orders.rows.owner: "),
        (json!({ "owner": null }), "collections.Orders.rows.owner: "),
        (json!({ "owner": ["x"] }), "collections.Orders.rows.owner: "),
        (json!({ "owner": { "in": "x" } }), "collections.Orders.rows.owner.in: "),
        (json!({ "owner": { "in": [] } }), "collections.Orders.rows.owner"),
        (json!({ "owner": { "in": [1, "$nobody"] } }), "collections.Orders.rows.owner.in.1: "),
        (json!({ "owner": { "contains": {} } }), "collections.Orders.rows.owner.contains: "),
        (json!({ "owner": { "in": "$teams", "contains": "x" } }), "collections.Orders.rows.owner: "),
        (json!({ "owner": { "not": "x" } }), "collections.Orders.rows.owner: "),
        (json!({ "a..b": "x" }), "collections.Orders.rows.a..b: "),
    ] {
        let error = rows(&conditions).unwrap_err();
        assert!(error.starts_with(named), "{conditions}: {error}");
    }
}

/// A document before it is a text: names may repeat.
#[derive(Clone, Debug)]
enum Tree {
    Null,
    Bool(bool),
    /// In hundredths.
    Number(i64),
    Text(&'static str),
    List(Vec<Tree>),
    Members(Vec<(&'static str, Tree)>),
}

const NAMES: [&str; 4] = ["a", "b", "ü", "\""];
const TEXTS: [&str; 7] = ["a", "a", "a", "3", "ü😀", "", "\\"];

fn tree(random: &mut Random, depth: usize) -> Tree {
    match random.below(if depth == 0 { 5 } else { 10 }) {
        0 => Tree::Null,
        1 => Tree::Bool(random.below(2) == 0),
        2 => Tree::Number([0, 300, 300, -300, 150, 301][random.below(6)]),
        3 | 4 => Tree::Text(TEXTS[random.below(TEXTS.len())]),
        5 | 6 => Tree::List((0..random.below(4)).map(|_| tree(random, depth - 1)).collect()),
        _ => members(random, depth - 1),
    }
}

/// Most names occur, few of them twice.
fn members(random: &mut Random, depth: usize) -> Tree {
    let mut members = Vec::new();
    for name in NAMES {
        let count = [1, 1, 1, 1, 1, 1, 0, 0, 0, 2][random.below(10)];
        members.extend((0..count).map(|_| (name, tree(random, depth))));
    }
    Tree::Members(members)
}

/// One of the texts of this tree: with spaces, escapes, and numbers in any notation.
fn text(tree: &Tree, random: &mut Random, out: &mut String) {
    let blank = ["", "", " ", "\n\t"][random.below(4)];
    out.push_str(blank);
    match tree {
        Tree::Null => out.push_str("null"),
        Tree::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Tree::Number(hundredths) => {
            let (sign, size) = (if *hundredths < 0 { "-" } else { "" }, hundredths.abs());
            let (whole, rest) = (size / 100, size % 100);
            match random.below(3) {
                0 if rest == 0 => out.push_str(&format!("{sign}{whole}")),
                1 if size > 0 => out.push_str(&format!("{sign}{size}e-2")),
                _ => out.push_str(&format!("{sign}{whole}.{rest:02}0")),
            }
        }
        Tree::Text(value) => string(value, random, out),
        Tree::List(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                text(item, random, out);
            }
            out.push_str(blank);
            out.push(']');
        }
        Tree::Members(members) => {
            out.push('{');
            for (at, (name, value)) in members.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                string(name, random, out);
                out.push_str(blank);
                out.push(':');
                text(value, random, out);
            }
            out.push('}');
        }
    }
    out.push_str(blank);
}

fn string(value: &str, random: &mut Random, out: &mut String) {
    if random.below(3) > 0 {
        return write_string(out, value);
    }
    out.push('"');
    value.encode_utf16().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
    out.push('"');
}

/// What the conditions say of a tree, written apart from the judge.
fn expected(conditions: &serde_json::Value, document: &Tree, caller: &serde_json::Value) -> bool {
    conditions.as_object().unwrap().iter().all(|(path, condition)| {
        let mut at = document;
        for name in path.split('.') {
            let Tree::Members(members) = at else { return false };
            let same: Vec<_> = members.iter().filter(|(of, _)| *of == name).collect();
            let [(_, value)] = same[..] else { return false };
            at = value;
        }
        let claim = |value: &serde_json::Value| match value.as_str().and_then(|text| text.strip_prefix('$')) {
            Some(name) => caller[name].clone(),
            None => value.clone(),
        };
        if condition["contains"] != serde_json::Value::Null {
            let wanted = claim(&condition["contains"]);
            return matches!(at, Tree::List(items) if items.iter().any(|item| equal(item, &wanted)));
        }
        match &condition["in"] {
            serde_json::Value::Null => equal(at, &claim(condition)),
            serde_json::Value::Array(values) => values.iter().any(|value| equal(at, &claim(value))),
            name => claim(name).as_array().is_some_and(|values| values.iter().any(|value| equal(at, value))),
        }
    })
}

fn equal(tree: &Tree, value: &serde_json::Value) -> bool {
    match tree {
        Tree::Bool(own) => value.as_bool() == Some(*own),
        #[allow(clippy::cast_precision_loss, clippy::float_cmp)]
        Tree::Number(hundredths) => value.as_f64().is_some_and(|number| number * 100.0 == *hundredths as f64),
        Tree::Text(own) => value.as_str() == Some(own),
        Tree::Null | Tree::List(_) | Tree::Members(_) => false,
    }
}

#[test]
fn the_judge_agrees_with_a_judge_of_the_tree() {
    let callers = [
        json!({ "name": "a", "teams": ["a", 3, "ü😀"], "level": 3, "admin": true }),
        json!({ "name": "", "teams": [], "level": "3", "admin": false }),
        json!({ "name": ["a"], "teams": "a" }),
        json!({}),
    ];
    let values =
        [json!("$name"), json!("$level"), json!("$admin"), json!("$teams"), json!(1.5), json!("ü😀"), json!(false)];
    let paths = ["a", "b", "ü", "\"", "a.b", "b.a.ü"];
    let mut random = Random(26);
    let mut held = 0;
    for number in 0..30_000 {
        let document = members(&mut random, 3);
        let mut conditions = serde_json::Map::new();
        for _ in 0..1 + random.below(4) / 3 {
            let value = values[random.below(values.len())].clone();
            let condition = match random.below(4) {
                0 => json!({ "contains": value }),
                1 => json!({ "in": [value, "$name"] }),
                2 => json!({ "in": "$teams" }),
                _ => value,
            };
            conditions.insert(paths[random.below(paths.len())].into(), condition);
        }
        let conditions = serde_json::Value::Object(conditions);
        let caller = &callers[random.below(callers.len())];
        let mut own = String::new();
        text(&document, &mut random, &mut own);
        let expected = expected(&conditions, &document, caller);
        held += usize::from(expected);
        assert_eq!(holds(&conditions, &own, caller), expected, "{number}: {conditions} {caller}\n{own}");
    }
    assert!(held > 200, "{held}");
}

#[test]
fn no_change_of_a_byte_makes_a_document_match_that_serde_reads_differently() {
    let conditions = json!({ "owner": "$name", "a.b": { "contains": 3 } });
    let base = br#"{"x":{"owner":"bob"},"owner":"ann","a":{"b":[1,3.0,"\u00fc"]},"@metadata":{"@id":"orders/1-A"}}"#;
    let mut random = Random(7);
    let mut held = 0;
    for _ in 0..20_000 {
        let mut bytes = base.to_vec();
        for _ in 0..1 + random.below(3) {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => bytes[at] = *random.pick(b"\"\\{}[]:,0 aeu\xff"),
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, bytes[random.below(bytes.len())]),
            }
        }
        let caller = read_strict(br#"{"name":"ann"}"#).unwrap();
        if !rows(&conditions).unwrap().hold(&bytes, &caller) {
            continue;
        }
        held += 1;
        // The judge skips values that are on no path. RavenDB and the gateway read those bodies as a whole.
        if let Ok(value) = serde_json::from_slice::<serde_json::Value>(&bytes) {
            assert_eq!(value["owner"], "ann", "{}", String::from_utf8_lossy(&bytes));
            assert!(value["a"]["b"].as_array().unwrap().iter().any(|item| item.as_f64() == Some(3.0)));
        }
    }
    assert!(held > 1_000, "{held}");
}
