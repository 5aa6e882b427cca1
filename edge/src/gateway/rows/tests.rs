use super::{Claims, Rows, declared};
use crate::gateway::proofs::random::Random;
use raven_edge_authority::json::{Object, read_strict};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value, json};
use std::fmt;

fn names() -> Vec<String> {
    ["name", "teams", "level"].map(Into::into).into()
}

/// A value as the gateway reads it.
fn object(value: &Value) -> Object {
    read_strict(value.to_string().as_bytes()).unwrap()
}

fn rows(value: Value) -> Result<Rows, String> {
    Rows::read(&object(&value), &names())
}

fn claims(value: Value) -> Claims {
    Claims::read(&object(&value), &names()).unwrap()
}

fn permits(conditions: Value, document: &str, of: Value) -> bool {
    rows(conditions).unwrap().permit(document.as_bytes(), &claims(of))
}

#[test]
fn all_conditions_must_hold() {
    let conditions = json!({ "customerId": "$name", "team": { "in": "$teams" } });
    let ann = || json!({ "name": "ann", "teams": ["red", "blue"] });
    let of = |document| permits(conditions.clone(), document, ann());
    assert!(of(r#"{"customerId":"ann","team":"blue"}"#));
    assert!(!of(r#"{"customerId":"bob","team":"blue"}"#));
    assert!(!of(r#"{"customerId":"ann","team":"green"}"#));
    assert!(!of(r#"{"customerId":"ann"}"#));
}

#[test]
fn a_missing_or_mistyped_claim_satisfies_nothing() {
    let document = r#"{"owner":"ann","team":"red","empty":null}"#;
    for (conditions, of) in [
        (json!({ "owner": "$name" }), json!({})),
        (json!({ "empty": "$name" }), json!({ "name": null })),
        (json!({ "empty": { "in": "$teams" } }), json!({ "teams": [null] })),
        (json!({ "owner": "$name" }), json!({ "name": ["ann"] })),
        (json!({ "team": { "in": "$teams" } }), json!({ "teams": "red" })),
        (json!({ "team": { "in": "$teams" } }), json!({ "teams": [] })),
        (json!({ "owner": { "in": ["$name", "bob"] } }), json!({ "name": ["ann"] })),
    ] {
        assert!(!permits(conditions.clone(), document, of.clone()), "{conditions} {of}");
    }
}

#[test]
fn values_of_different_types_are_not_equal() {
    for (condition, member, holds) in [
        (json!(1), "1", true),
        (json!(1), "1.0", true),
        (json!(1), "10e-1", true),
        (json!(1), "\"1\"", false),
        (json!("1"), "1", false),
        (json!(true), "true", true),
        (json!(true), "\"true\"", false),
        (json!(null), "null", true),
        (json!(null), "\"null\"", false),
        (json!(0), "-0.0e7", true),
        (json!(0), "false", false),
        (json!("a"), "[\"a\"]", false),
        (json!("a"), "\"A\"", false),
        (json!(9_007_199_254_740_992_u64), "9007199254740993", false),
        (json!({ "in": [1, "x"] }), "\"x\"", true),
        (json!({ "in": [1, "x"] }), "\"1\"", false),
        (json!({ "contains": "x" }), "[\"y\",\"x\"]", true),
        (json!({ "contains": "x" }), "[[\"x\"]]", false),
        (json!({ "contains": "x" }), "\"x\"", false),
        (json!({ "contains": "x" }), "{\"x\":\"x\"}", false),
        (json!("$$name"), "\"$name\"", true),
    ] {
        let document = format!("{{\"of\":{member}}}");
        assert_eq!(permits(json!({ "of": condition }), &document, json!({})), holds, "{condition} of {document}");
    }
}

#[test]
fn members_are_found_as_any_reader_of_json_finds_them() {
    for (path, document, holds) in [
        ("a.b", r#"{"a":{"b":"ann"}}"#, true),
        ("a.b", r#"{"a.b":"ann"}"#, false),
        ("a.b", r#"{"a":[{"b":"ann"}]}"#, false),
        ("a", r#"{"\u0061":"ann"}"#, true),
        ("a", r#"{"a":"\u0061nn"}"#, true),
        ("a", r#"{"x":{"a":"ann"}}"#, false),
        ("a", r#"{"a":"bob","a":"ann"}"#, false),
        ("a", r#"{"a":"ann","\u0061":"bob"}"#, false),
        ("a.b", r#"{"a":{"b":"ann"},"a":{"b":"bob"}}"#, false),
        ("a", r#"{"A":"ann"}"#, false),
        ("a", r#"{"a":"ann""#, false),
        ("a", r#"{"a":"ann",}"#, false),
        ("a", r#"{"a":"ann","b":}"#, false),
        ("a", r#"{"a":"ann"} {}"#, false),
        ("a", r#"["a","ann"]"#, false),
        ("a", "", false),
    ] {
        let condition = json!({ path: "$name" });
        assert_eq!(permits(condition, document, json!({ "name": "ann" })), holds, "{path} in {document}");
    }
}

#[test]
fn an_error_names_the_condition() {
    for (conditions, named) in [
        (json!({}), "name at least one condition"),
        (json!({ "a": "$nmae" }), "a: \"$nmae\" is not a claim; the declared claims are: name, teams, level"),
        (json!({ "a..b": 1 }), "a..b: a path has"),
        (json!({ "@metadata.owner": 1 }), "@metadata.owner: conditions are about members"),
        (json!({ "a": [1] }), "a: a list or an object"),
        (json!({ "a": { "in": [] } }), "a: in: a list has 1 to 256 values"),
        (json!({ "a": { "in": "x" } }), "a: in: needs a list"),
        (json!({ "a": { "in": ["$x"] } }), "a: in: \"$x\" is not a claim"),
        (json!({ "a": { "contains": ["x"] } }), "a: contains: a list"),
        (json!({ "a": { "in": [1], "contains": 1 } }), "a: a condition is a value"),
        (json!({ "a": { "is": 1 } }), "a: a condition is a value"),
        (json!({ "a": {} }), "a: a condition is a value"),
    ] {
        let error = rows(conditions.clone()).unwrap_err();
        assert!(error.starts_with(named), "{conditions}: {error}");
    }
}

#[test]
fn claims_are_declared_and_comparable() {
    let read = |value| Claims::read(&object(&value), &names()).map(|_| ());
    assert_eq!(read(json!({ "name": "ann", "teams": ["a", 1, true], "level": 3 })), Ok(()));
    assert_eq!(read(json!({ "role": null })), Ok(()));
    assert!(read(json!({ "role": "admin" })).unwrap_err().starts_with("role: "));
    assert!(read(json!({ "name": { "first": "ann" } })).unwrap_err().starts_with("name: "));
    assert!(read(json!({ "teams": [["a"]] })).unwrap_err().starts_with("teams: "));
    assert_eq!(declared(&names()), Ok(()));
    for wrong in [["a", "a"], ["", "b"], ["1a", "b"], ["a-b", "c"]] {
        assert!(declared(&wrong.map(Into::into)).unwrap_err().starts_with("claims."), "{wrong:?}");
    }
}

/// A document as `serde_json` reads it, with all members: also those whose name stands twice.
#[derive(Debug)]
enum Seen {
    One(Value),
    List(Vec<Seen>),
    Members(Vec<(String, Seen)>),
}

impl<'de> serde::Deserialize<'de> for Seen {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Seen;
            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("JSON")
            }
            fn visit_unit<E>(self) -> Result<Seen, E> {
                Ok(Seen::One(Value::Null))
            }
            fn visit_bool<E>(self, value: bool) -> Result<Seen, E> {
                Ok(Seen::One(value.into()))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Seen, E> {
                Ok(Seen::One(value.into()))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Seen, E> {
                Ok(Seen::One(value.into()))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Seen, E> {
                Ok(Seen::One(value.into()))
            }
            fn visit_str<E>(self, value: &str) -> Result<Seen, E> {
                Ok(Seen::One(value.into()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Seen, A::Error> {
                let mut seen = Vec::new();
                while let Some(element) = list.next_element()? {
                    seen.push(element);
                }
                Ok(Seen::List(seen))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Seen, A::Error> {
                let mut seen = Vec::new();
                while let Some(member) = map.next_entry()? {
                    seen.push(member);
                }
                Ok(Seen::Members(seen))
            }
        }
        from.deserialize_any(Reader)
    }
}

/// The rules once more, over what `serde_json` has read; shares no code with the judge.
fn expected(conditions: &Map<String, Value>, document: &Seen, claims: &Map<String, Value>) -> bool {
    conditions.iter().all(|(path, condition)| {
        let mut at = document;
        for name in path.split('.') {
            let Seen::Members(members) = at else { return false };
            let named: Vec<_> = members.iter().filter(|(of, _)| of == name).collect();
            let [(_, value)] = named[..] else { return false };
            at = value;
        }
        let resolve = |value: &Value| match value.as_str().and_then(|text| text.strip_prefix('$')) {
            Some(claim) => claims.get(claim).filter(|value| !value.is_null()).cloned(),
            None => Some(value.clone()),
        };
        let equal = |seen: &Seen, wanted: &Value| match (seen, wanted) {
            (_, Value::Array(_)) => false,
            (Seen::One(Value::Number(a)), Value::Number(b)) => a.as_f64() == b.as_f64(),
            (Seen::One(value), wanted) => value == wanted,
            _ => false,
        };
        if let Some(list) = condition.get("in") {
            return match list {
                Value::Array(list) => list.iter().filter_map(resolve).any(|wanted| equal(at, &wanted)),
                claim => matches!(resolve(claim), Some(Value::Array(list)) if list.iter().any(|one| !one.is_null() && equal(at, one))),
            };
        }
        if let Some(one) = condition.get("contains") {
            let Some(wanted) = resolve(one) else { return false };
            return matches!(at, Seen::List(list) if list.iter().any(|seen| equal(seen, &wanted)));
        }
        resolve(condition).is_some_and(|wanted| equal(at, &wanted))
    })
}

/// A random text that is nearly always a document, with names and values that conditions are about.
fn document(random: &mut Random) -> String {
    let mut text = String::from("{");
    for at in 0..1 + random.below(3) {
        let name = *random.pick(&["a", "b", "c", "d", r"\u0061", "e", "f"]);
        let value = value(random, 2);
        text.push_str(&format!("{}\"{name}\" : {value}", if at > 0 { "," } else { "" }));
    }
    text.push('}');
    if random.below(20) == 0 {
        let at = random.below(text.len());
        let fault = *random.pick(&["", "}", ",", "\"", "\\\\", "[", "0"]);
        text.replace_range(at..=at, fault);
    }
    text
}

fn value(random: &mut Random, depth: usize) -> String {
    let one = |random: &mut Random| {
        (*random.pick(&["1", "1.0", "\"1\"", "\"x\"", "\"x\"", r#""\u0078""#, "null"])).to_owned()
    };
    match random.below(6) {
        0 if depth > 0 => format!("{{\"a\":{},\"b\":{}}}", value(random, depth - 1), one(random)),
        1 if depth > 0 => format!("[{},{}]", value(random, depth - 1), one(random)),
        2 => "[]".into(),
        _ => one(random),
    }
}

#[test]
fn random_documents_are_judged_as_by_a_judge_written_apart() {
    let mut random = Random(26);
    let constants = [json!(1), json!("x"), json!("x"), json!(1), json!(null), json!("1")];
    let (mut permitted, mut read) = (0, 0);
    for round in 0..60_000 {
        let operand = |random: &mut Random| match random.below(3) {
            0 => json!(*random.pick(&["$name", "$teams", "$level"])),
            _ => random.pick(&constants).clone(),
        };
        let mut conditions = Map::new();
        for _ in 0..=random.below(5) / 4 {
            let path = *random.pick(&["a", "a", "b", "a.a", "a.b"]);
            let condition = match random.below(4) {
                0 => json!({ "in": "$teams" }),
                1 => json!({ "in": [operand(&mut random), operand(&mut random)] }),
                2 => json!({ "contains": operand(&mut random) }),
                _ => operand(&mut random),
            };
            conditions.insert(path.into(), condition);
        }
        let mut of = Map::new();
        for name in names() {
            let claim = match random.below(3) {
                0 => Value::Array(constants[..random.below(5)].to_vec()),
                _ => random.pick(&constants).clone(),
            };
            of.insert(name, claim);
        }
        let text = document(&mut random);
        let judged = rows(conditions.clone().into()).unwrap().permit(text.as_bytes(), &claims(of.clone().into()));
        let seen = serde_json::from_str::<Seen>(&text).ok();
        read += usize::from(seen.is_some());
        let wanted = seen.is_some_and(|seen| expected(&conditions, &seen, &of));
        // Of a text that is not JSON the judge may find a member that stands before the fault only if the object ends well.
        if wanted || serde_json::from_str::<Value>(&text).is_ok() {
            assert_eq!(judged, wanted, "round {round}: {conditions:?} {of:?} {text}");
        }
        permitted += usize::from(judged);
    }
    assert!(permitted > 1_000 && read > 30_000, "{permitted} permitted, {read} read");
}
