//! Parameters of named queries and patches: declared in the configuration, checked in each request.
//!
//! ```js
//! parameters: { from: { type: "number", min: 0, default: 0 }, status: { type: "enum", values: ["open", "paid"] } }
//! ```
//!
//! What is not declared is refused. A value is written anew from what was understood, so that RavenDB reads no text of a caller.

use super::parameter_types::Rule;
use crate::gateway::gather::all;
use crate::prelude::*;
use raven_edge_authority::json::{Object, Value, write, write_string};

/// Most parameters of a query or patch.
const MAX_PARAMETERS: usize = 64;
/// The declared parameters of a query or patch, in the order of the configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parameters(Vec<Parameter>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Parameter {
    name: String,
    rule: Rule,
    absent: Absent,
}

/// What a parameter that is not given means.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Absent {
    Refused,
    Null,
    Default(Value),
}

impl Parameters {
    /// Reads the declarations. An error begins with the name of the parameter.
    pub(crate) fn read(raw: Option<&Value>) -> Result<Self, String> {
        let raw = match raw {
            None => return Ok(Self::default()),
            Some(Value::Object(raw)) => raw,
            Some(_) => return Err("must be an object".into()),
        };
        if raw.iter().count() > MAX_PARAMETERS {
            return Err(format!("there may be {MAX_PARAMETERS} parameters at most"));
        }
        let read = |(name, value): (&str, &Value)| {
            check_name(name).and_then(|()| Parameter::read(name, value)).map_err(|reason| format!("{name}: {reason}"))
        };
        all(raw.iter().map(read)).map(Self)
    }

    /// The declared names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|parameter| parameter.name.as_str())
    }

    /// Checks the member `Parameters` of a request, which may be absent. Returns the members of an object, without its braces.
    pub(crate) fn given(&self, given: Option<&Value>) -> Result<String, String> {
        let none = Object::default();
        let given = match given {
            None | Some(Value::Null) => &none,
            Some(Value::Object(given)) => given,
            Some(_) => return Err("Parameters must be an object".into()),
        };
        let mut text = String::new();
        self.push(given, &mut text)?;
        Ok(text)
    }

    /// Checks the values of a request and appends them as the members of a JSON object, with commas between them. The error names the parameter, and says what would be accepted.
    fn push(&self, given: &Object, to: &mut String) -> Result<(), String> {
        for (name, _) in given.iter() {
            if !self.names().any(|known| known == name) {
                let known: Vec<&str> = self.names().collect();
                return Err(format!("there is no parameter \"{name}\"; the parameters are: {}", known.join(", ")));
            }
        }
        for parameter in &self.0 {
            let value = match (given.get(&parameter.name), &parameter.absent) {
                (None | Some(Value::Null), Absent::Null) => &Value::Null,
                (Some(value), _) => {
                    parameter
                        .rule
                        .check(value)
                        .map_err(|reason| format!("the parameter {} {reason}", parameter.name))?;
                    value
                }
                (None, Absent::Default(value)) => value,
                (None, Absent::Refused) => return Err(format!("the parameter {} is missing", parameter.name)),
            };
            if !to.is_empty() {
                to.push(',');
            }
            write_string(to, &parameter.name);
            to.push(':');
            write(to, value);
        }
        Ok(())
    }
}

fn check_name(name: &str) -> Result<(), String> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let is_plain = name.chars().all(plain) && name.starts_with(|letter: char| letter.is_ascii_alphabetic());
    if is_plain {
        Ok(())
    } else {
        Err("a name begins with a letter and consists of letters, digits and underscores".into())
    }
}

impl Parameter {
    fn read(name: &str, value: &Value) -> Result<Self, String> {
        let Value::Object(words) = value else { return Err("needs a type, such as { type: \"number\" }".into()) };
        let rule = Rule::read(words, &["default", "required"])?;
        let required = match words.get("required") {
            None => None,
            Some(Value::Bool(required)) => Some(*required),
            Some(_) => return Err("required: must be true or false".into()),
        };
        let absent = match (words.get("default"), required) {
            (Some(_), Some(true)) => return Err("a required parameter has no default".into()),
            (Some(value), _) => {
                rule.check(value).map_err(|reason| format!("default: {reason}"))?;
                Absent::Default(value.clone())
            }
            (None, Some(false)) => Absent::Null,
            (None, _) => Absent::Refused,
        };
        Ok(Self { name: name.into(), rule, absent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raven_edge_authority::json::read_strict;

    fn value(text: &str) -> Value {
        Value::Object(read_strict(text.as_bytes()).unwrap())
    }

    fn declared(text: &str) -> Result<Parameters, String> {
        Parameters::read(Some(&value(text)))
    }

    fn given(declaration: &str, request: &str) -> Result<String, String> {
        declared(declaration).unwrap().given(Some(&value(request))).map(|members| format!("{{{members}}}"))
    }

    #[test]
    fn values_are_checked_and_written_anew() {
        let declaration = r#"{"from":{"type":"number","default":0},"status":{"type":"enum","values":["open","paid",3]},
            "note":{"type":"string","maxLength":3,"required":false}}"#;
        assert_eq!(
            given(declaration, r#"{ "status" : "open", "from" : 1.5e2 }"#).as_deref(),
            Ok(r#"{"from":1.5e2,"status":"open","note":null}"#)
        );
        assert_eq!(
            given(declaration, r#"{"status":3,"note":"äöü"}"#).as_deref(),
            Ok(r#"{"from":0,"status":3,"note":"äöü"}"#)
        );
        // As if it was left out.
        assert_eq!(
            given(declaration, r#"{"status":3,"note":null}"#).as_deref(),
            Ok(r#"{"from":0,"status":3,"note":null}"#)
        );
        for (request, error) in [
            (r#"{}"#, "the parameter status is missing"),
            (r#"{"status":"none"}"#, "the parameter status must be one of \"open\", \"paid\", 3"),
            (r#"{"status":"open","from":"1"}"#, "the parameter from must be a number"),
            (r#"{"status":"open","note":"abcd"}"#, "the parameter note must have 0 to 3 characters"),
            (r#"{"status":null}"#, "the parameter status must be one of \"open\", \"paid\", 3"),
            (r#"{"status":"open","form":1}"#, "there is no parameter \"form\"; the parameters are: from, status, note"),
        ] {
            assert_eq!(given(declaration, request).unwrap_err(), error, "{request}");
        }
    }

    #[test]
    fn each_type_accepts_its_values_only() {
        for (rule, good, bad) in [
            (r#"{"type":"integer","min":1,"max":5}"#, vec!["1", "5"], vec!["0", "6", "1.5", "1e0", "\"1\"", "null"]),
            (r#"{"type":"integer"}"#, vec!["9007199254740991", "-5"], vec!["9007199254740993", "1e400"]),
            (r#"{"type":"number","min":0}"#, vec!["0", "0.5", "1e3"], vec!["-1", "true"]),
            (r#"{"type":"boolean"}"#, vec!["true", "false"], vec!["0", "\"true\"", "null"]),
            (
                r#"{"type":"date"}"#,
                vec!["\"2026-11-23\"", "\"2026-11-23T12:00:00\"", "\"2026-11-23T12:00:00.1234567Z\""],
                vec![
                    "\"2026-13-01\"",
                    "\"23.11.2026\"",
                    "\"2026-11-23T25:00:00\"",
                    "\"2026-11-23T12:00:00.12345678\"",
                    "5",
                ],
            ),
            (r#"{"type":"object","maxBytes":9}"#, vec!["{\"a\":\"b\"}", "{}"], vec!["{\"a\":\"bc\"}", "[]", "\"x\""]),
            (
                r#"{"type":"array","of":{"type":"string","maxLength":1},"maxItems":2}"#,
                vec!["[]", "[\"a\",\"b\"]"],
                vec!["[\"a\",\"b\",\"c\"]", "[\"ab\"]", "[1]", "\"a\"", "[[\"a\"]]"],
            ),
            (r#"{"type":"string","minLength":1}"#, vec!["\"a\""], vec!["\"\"", "1"]),
        ] {
            let declaration = format!("{{\"x\":{rule}}}");
            for one in good {
                assert!(given(&declaration, &format!("{{\"x\":{one}}}")).is_ok(), "{rule} {one}");
            }
            for one in bad {
                let Ok(request) = read_strict(format!("{{\"x\":{one}}}").as_bytes()) else { continue };
                assert!(declared(&declaration).unwrap().push(&request, &mut String::new()).is_err(), "{rule} {one}");
            }
        }
    }

    #[test]
    fn values_are_accepted_as_by_the_client() {
        let cases = include_str!("../../../../tests/unit/named-parameters.json");
        for case in serde_json::from_str::<Vec<serde_json::Value>>(cases).unwrap() {
            let declaration = case["declared"].to_string();
            let of = |list: &str| case[list].as_array().unwrap().clone();
            for x in of("accepted") {
                assert!(given(&declaration, &serde_json::json!({ "x": x }).to_string()).is_ok(), "{declaration} {x}");
            }
            for x in of("refused") {
                let error = given(&declaration, &serde_json::json!({ "x": x }).to_string()).unwrap_err();
                assert!(error.starts_with(case["message"].as_str().unwrap()), "{declaration} {x}: {error}");
            }
        }
    }

    #[test]
    fn an_error_of_a_declaration_names_the_parameter() {
        for (declaration, error) in [
            (r#"{"a b":{"type":"string"}}"#, "a b: a name begins"),
            (r#"{"x":"string"}"#, "x: needs a type"),
            (r#"{"x":{"type":"text"}}"#, "x: type: must be"),
            (r#"{"x":{"type":"string","max":5}}"#, "x: max: is not known for the type string"),
            (r#"{"x":{"type":"string","minLength":5,"maxLength":4}}"#, "x: minLength: is above"),
            (r#"{"x":{"type":"number","min":"a"}}"#, "x: min: must be a number"),
            (r#"{"x":{"type":"number","min":2,"max":1}}"#, "x: min: is above max"),
            (r#"{"x":{"type":"number","default":"a"}}"#, "x: default: must be a number"),
            (r#"{"x":{"type":"number","default":1,"required":true}}"#, "x: a required parameter"),
            (r#"{"x":{"type":"enum","values":[]}}"#, "x: values: "),
            (r#"{"x":{"type":"enum","values":[null]}}"#, "x: values: "),
            (r#"{"x":{"type":"array","of":{"type":"array"}}}"#, "x: of: "),
            (r#"{"x":{"type":"array","of":{"type":"string","default":""}}}"#, "x: of: default: is not known"),
            (r#"{"x":{"type":"object","maxBytes":-1}}"#, "x: maxBytes: must be a whole number"),
        ] {
            let found = declared(declaration).unwrap_err();
            assert!(found.starts_with(error), "{declaration}: {found}");
        }
    }
}
