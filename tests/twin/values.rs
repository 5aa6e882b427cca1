//! Random values, and damage to texts.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

/// This many values of a strategy, the same in each run.
pub(crate) fn some<S: Strategy>(count: usize, strategy: S) -> Vec<S::Value> {
    let mut runner = TestRunner::deterministic();
    (0..count).map(|_| strategy.new_tree(&mut runner).expect("a value").current()).collect()
}

/// Tags that RavenDB accepts, ids that need escapes, and letters of all kinds.
pub(crate) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,8}",
        Just(String::from("my orders")),
        Just(String::from("ΟΔΟΣ")),
        Just(String::from("a\"b\\c/d")),
        "\\PC{1,6}",
    ]
}

/// Values that RavenDB does not send in the place of another one; `RAW` stands for a number that JSON would write in another way.
fn odds() -> Vec<Value> {
    let texts = ["", "x", "5", "a-b", "A:1-y, B:2-z t", "RAFT:1-y t", "RAW1e1", "RAW10.0", "RAW1E0"];
    let whole = [0_u64, 1, 8, 9, 10, 31, 32, 33, 40, 41, 71, 72, 73, 201, 503, (1 << 53) - 1, 1 << 53];
    let others = [json!(null), json!(true), json!([]), json!({}), json!(-1), json!(1.5)];
    texts
        .into_iter()
        .map(|text| json!(text))
        .chain(whole.into_iter().map(|number| json!(number)))
        .chain(others)
        .collect()
}

fn odd() -> impl Strategy<Value = Value> {
    proptest::sample::select(odds())
}

/// The texts of a value in which one member or element is missing, or is another one: every one of them.
pub(crate) fn each_damaged(value: &Value) -> Vec<String> {
    let mut all = odds();
    damage(value, &mut |whole| all.push(whole));
    all.iter().map(written).collect()
}

fn damage(value: &Value, add: &mut dyn FnMut(Value)) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let mut with = |changed: Option<Value>| {
                    let mut changed_members = members.clone();
                    match changed {
                        Some(changed) => changed_members.insert(name.clone(), changed),
                        None => changed_members.remove(name),
                    };
                    add(Value::Object(changed_members));
                };
                with(None);
                odds().into_iter().for_each(|odd| with(Some(odd)));
                damage(member, &mut |changed| with(Some(changed)));
            }
        }
        Value::Array(elements) => {
            for at in 0..elements.len() {
                let mut with = |changed: Option<Value>| {
                    let mut changed_elements = elements.clone();
                    match changed {
                        Some(changed) => changed_elements[at] = changed,
                        None => drop(changed_elements.remove(at)),
                    }
                    add(Value::Array(changed_elements));
                };
                with(None);
                odds().into_iter().for_each(|odd| with(Some(odd)));
                damage(&elements[at], &mut |changed| with(Some(changed)));
            }
        }
        _ => {}
    }
}

/// Damages one member of a JSON value: another value, no value, or a value below it.
fn damaged(value: Value, path: u64, odd: Value, removes: bool) -> Value {
    match value {
        Value::Object(mut members) if !members.is_empty() => {
            let at = path as usize % members.len();
            let name = members.keys().nth(at).cloned().expect("a member");
            let rest = path / members.len() as u64;
            let below = members.get(&name).is_some_and(|value| value.is_object() || value.is_array());
            if below && !rest.is_multiple_of(3) {
                let member = members.remove(&name).expect("a member");
                members.insert(name, damaged(member, rest / 3, odd, removes));
            } else if removes {
                members.remove(&name);
            } else {
                members.insert(name, odd);
            }
            Value::Object(members)
        }
        Value::Array(mut elements) if !elements.is_empty() => {
            let at = path as usize % elements.len();
            let rest = path / elements.len() as u64;
            if rest.is_multiple_of(5) {
                elements.remove(at);
            } else {
                let element = elements.remove(at);
                elements.insert(at, damaged(element, rest / 5, odd, removes));
            }
            Value::Array(elements)
        }
        _ => odd,
    }
}

/// The text of a value, with raw numbers.
fn written(value: &Value) -> String {
    let mut text = value.to_string();
    for raw in ["1e1", "10.0", "1E0"] {
        text = text.replace(&format!("\"RAW{raw}\""), raw);
    }
    text
}

/// The text of a value as it is, with one damaged member, or with a damaged byte.
pub(crate) fn body(value: Value) -> impl Strategy<Value = String> {
    let intact = value.to_string();
    let length = intact.len();
    let bytes = (0..length, proptest::sample::select(&b"\"{}[]:,0159eE.-nA\\ "[..]), 0..3_u8);
    prop_oneof![
        2 => Just(intact.clone()),
        5 => (any::<u64>(), odd(), any::<bool>()).prop_map(move |(path, odd, removes)| {
            written(&damaged(value.clone(), path, odd, removes))
        }),
        2 => bytes.prop_map(move |(at, byte, how)| {
            let mut bytes = intact.clone().into_bytes();
            match how {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => bytes.truncate(at),
            }
            String::from_utf8_lossy(&bytes).into_owned()
        }),
    ]
}
