//! The strict reader of JSON, the cutter (`raven-edge-json`) and `serde_json` over mutated texts.
//!
//! What the strict reader accepts, `serde_json` reads alike, and no object in it states a name twice; the cutter finds the same
//! members. No text makes any of them panic. `JSON_SEED=…` selects another seed; a failure prints the text.

use raven_edge::json;
use raven_edge_authority::json::{Object, Value, read_strict};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;

const SEEDS: [&str; 8] = [
    r#"{"a":1,"b":[true,false,null,-0.5e-3,1.10,"x"],"c":{"d":{"e":[]}},"@metadata":{"@collection":"Orders","@id":"orders/1-A"}}"#,
    r#"{"name":"\u00fc\ud83d\ude00\"\\\/\b\f\n\r\t","name2":"ü😀","\u006eame":"x"}"#,
    r#"{"a":"x","a":"y"}"#,
    r#" { "a" : [ 1 , 2 ] , "b" : { } } "#,
    r#"{"n":[0,-0,0.0,1e5,1E+5,1e-400,123456789012345678901234567890,9007199254740993,1e308]}"#,
    r#"{"a":[[[[[[[[[[{"b":[[[[]]]]}]]]]]]]]]]}"#,
    r#"{"":"","a.b":{"a":{"":null}},"__proto__":[{}]}"#,
    r"{}",
];

/// What is inserted at random places.
const TOKENS: [&str; 24] = [
    "\"", "\\", "{", "}", "[", "]", ",", ":", "0", "-", "1", ".", "e", "true", "null", "\\u0061", "\\ud800", "\\udc00",
    "\"a\":1,", " ", "\u{0}", "\u{feff}", "NaN", "'",
];

/// A value with all members, also those whose names are stated twice.
#[derive(Debug, PartialEq)]
enum Seen {
    One(serde_json::Value),
    List(Vec<Seen>),
    Members(Vec<(String, Seen)>),
}

impl Seen {
    /// Whether no object states a name twice.
    fn is_unique(&self) -> bool {
        match self {
            Self::One(_) => true,
            Self::List(list) => list.iter().all(Self::is_unique),
            Self::Members(members) => {
                let names: std::collections::BTreeSet<_> = members.iter().map(|(name, _)| name).collect();
                names.len() == members.len() && members.iter().all(|(_, value)| value.is_unique())
            }
        }
    }

    fn is(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::One(one), Value::Null) => one.is_null(),
            (Self::One(one), Value::Bool(value)) => one.as_bool() == Some(*value),
            (Self::One(one), Value::String(text)) => one.as_str() == Some(text),
            (Self::One(one), Value::Number(text)) => {
                // `serde_json` is off by one unit in the last place at times; our reader keeps the text.
                let (Some(seen), Ok(read)) = (one.as_f64(), text.parse::<f64>()) else { return false };
                (seen - read).abs() <= read.abs() * f64::EPSILON
            }
            (Self::List(list), Value::Array(values)) => {
                list.len() == values.len() && list.iter().zip(values).all(|(seen, value)| seen.is(value))
            }
            (Self::Members(members), Value::Object(object)) => {
                members.len() == object.iter().count()
                    && members.iter().zip(object.iter()).all(|((a, seen), (b, value))| a == b && seen.is(value))
            }
            _ => false,
        }
    }
}

impl<'de> Deserialize<'de> for Seen {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Seen;
            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("JSON")
            }
            fn visit_unit<E>(self) -> Result<Seen, E> {
                Ok(Seen::One(serde_json::Value::Null))
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

/// Random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % limit as u64).unwrap()
    }
}

/// One of the texts with up to four faults.
fn mutated(random: &mut Random) -> Vec<u8> {
    let mut text = SEEDS[random.below(SEEDS.len())].as_bytes().to_vec();
    for _ in 0..random.below(5) {
        let at = random.below(text.len() + 1);
        let end = (at + random.below(12)).min(text.len());
        match random.below(6) {
            0 if at < text.len() => text[at] = u8::try_from(random.below(256)).unwrap(),
            1 => drop(text.drain(at..end)),
            2 => {
                let piece = text[at..end].to_vec();
                let to = random.below(text.len() + 1);
                text.splice(to..to, piece);
            }
            3 => text.truncate(at),
            _ => {
                let token = TOKENS[random.below(TOKENS.len())];
                text.splice(at..at, token.bytes());
            }
        }
    }
    text
}

/// The cutter finds the members that the reader has found; names are compared with their escapes resolved.
fn is_cut_alike(text: &[u8], object: &Object) -> bool {
    let cut: Vec<_> = json::members(text).collect();
    let named = |key: &[u8]| json::string(&[b"\"", key, b"\""].concat());
    cut.len() == object.iter().count()
        && cut.iter().zip(object.iter()).all(|((key, value), (name, read))| {
            named(key).as_deref() == Some(name)
                && match read {
                    Value::String(text) => json::string(value).as_ref() == Some(text),
                    Value::Object(inner) => is_cut_alike(value, inner),
                    Value::Array(items) => json::elements(value).count() == items.len(),
                    _ => true,
                }
        })
}

fn run(texts: usize) {
    let seed = std::env::var("JSON_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(26);
    let mut random = Random(seed);
    let mut accepted = 0;
    for number in 0..texts {
        let text = mutated(&mut random);
        let story = || format!("seed {seed}, text {number}: {}", text.escape_ascii());
        // The cutter survives any text.
        json::members(&text).for_each(drop);
        json::elements(&text).for_each(drop);
        let Ok(object) = read_strict(&text) else { continue };
        accepted += 1;
        // RavenDB's reader takes a byte order mark, too.
        let plain = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
        let seen: Seen = serde_json::from_slice(plain).unwrap_or_else(|error| panic!("{error}: {}", story()));
        assert!(seen.is_unique(), "{}", story());
        assert!(seen.is(&Value::Object(object.clone())), "{seen:?} {object:?} {}", story());
        assert!(is_cut_alike(plain, &object), "{object:?} {}", story());
    }
    println!("law: json: {texts} mutated texts, {accepted} accepted");
    assert!(accepted > texts / 10, "{accepted} of {texts}");
}

#[test]
fn a_mutated_text_is_read_alike_or_refused() {
    run(100_000);
}

#[test]
#[ignore = "minutes"]
fn ten_million_mutated_texts_are_read_alike_or_refused() {
    run(10_000_000);
}
