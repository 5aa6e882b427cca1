//! The only script that is supported: the fenced move of a counter.

use crate::document::{Incoming, Record};
use crate::error::{Conflict, Error, Failure, json_string};
use crate::json::{Decimal, Object, Value};
use crate::prelude::*;
use crate::storage::Storage;
use crate::time::NEVER;
use crate::transaction::Transaction;
use raven_edge::source::server::wire::MOVE_SCRIPT;

/// The arguments of the return script; absent ones are `undefined`.
#[derive(Debug)]
pub(super) struct Patch {
    fence: Option<Value>,
    high: Option<Value>,
    last: Option<Value>,
}

/// Reads the `Patch` of a command.
pub(super) fn read(command: &Object) -> Result<Patch, Error> {
    let patch = match command.get("Patch") {
        None => return Err(Error::invalid_operation("PATCH command must have a 'Patch' property")),
        Some(Value::Null) => return Err(Error::null_reference("Patch")),
        Some(Value::Object(patch)) => patch,
        Some(other) => return Err(Error::invalid_start(other.token())),
    };
    let script = patch
        .get("Script")
        .and_then(Value::as_str)
        .ok_or_else(|| Error::invalid_data("Missing 'Script' property on 'Patch'"))?;
    if script != MOVE_SCRIPT {
        return Err(Error::not_implemented(format!(
            "Scripts other than that of a fenced return, which is: {MOVE_SCRIPT}"
        )));
    }
    let none = Object::default();
    let values = match patch.get("Values") {
        None | Some(Value::Null) => &none,
        Some(Value::Object(values)) => values,
        Some(other) => return Err(Error::format(other, "Sparrow.Json.BlittableJsonReaderObject")),
    };
    let value = |name| values.get(name).cloned();
    Ok(Patch { fence: value("fence"), high: value("high"), last: value("last") })
}

impl Patch {
    pub(super) fn run<S: Storage>(
        &self,
        transaction: &mut Transaction<'_, S>,
        id: &str,
        expected: Option<&str>,
    ) -> Result<String, Failure> {
        if id.is_empty() || id.ends_with('/') || id.ends_with('|') {
            return Err(Error::argument(format!("The ID argument has invalid value: '{id}' (Parameter 'id')")).into());
        }
        let live = transaction.get(id)?.filter(|record| record.content.is_some());
        let actual = live.as_ref().map(|record| record.change_vector.as_str());
        if let Some(expected) = expected
            && actual != Some(expected)
        {
            let conflict =
                Conflict { id: Some(id.into()), expected: Some(expected.into()), actual: actual.map(Into::into) };
            return Err(Error::concurrency(
                format!("Could not patch document '{id}' because non current change vector was used"),
                conflict,
            )
            .into());
        }
        let Some((record, content)) = live.as_ref().and_then(|record| Some((record, record.content.as_ref()?))) else {
            return Ok(result(id, "null", NEVER, "DocumentDoesNotExist"));
        };
        let mut document = Incoming::from_stored(content)?;
        let Some(last) = self.decide(&fence(record), document.body.get("Max"))? else {
            return Ok(result(id, "null", NEVER, "NotModified"));
        };
        document.body.set("Max", Value::Number(last));
        // A patch keeps the id's spelling.
        let written = transaction.write(&record.id, Some(document.into_content()))?;
        Ok(result(id, &json_string(&written.change_vector), &transaction.now().to_string(), "Patched"))
    }

    /// The effect of the script: the new `Max`, or `None`.
    fn decide(&self, fence: &str, max: Option<&Value>) -> Result<Option<String>, Error> {
        let fenced = self.fence.as_ref().and_then(Value::as_str) == Some(fence);
        if !fenced || !is_same(max, self.high.as_ref()) {
            return Ok(None);
        }
        let number = |value: Option<&Value>| value.and_then(Value::as_decimal);
        let last = number(self.last.as_ref());
        let whole = last
            .as_ref()
            .and_then(whole)
            .ok_or_else(|| Error::not_implemented("The value 'last' of a return must be a whole number below 2^53."))?;
        // RavenDB writes nothing if a script does not change the document.
        if number(max) == last {
            return Ok(None);
        }
        // A number that was stored as a double stays a double.
        let double = matches!(max, Some(Value::Number(text)) if text.parse::<i64>().is_err());
        Ok(Some(if double { format!("{whole}.0") } else { whole.to_string() }))
    }
}

/// JavaScript's `===`, but numbers beyond 2^53 are compared exactly: a string never equals a number, an object equals only itself.
fn is_same(a: Option<&Value>, b: Option<&Value>) -> bool {
    match (a, b) {
        (Some(Value::Number(_)), Some(Value::Number(_))) => {
            a.and_then(Value::as_decimal) == b.and_then(Value::as_decimal)
        }
        (Some(Value::Object(_) | Value::Array(_)), _) => false,
        _ => a == b,
    }
}

/// The fence as the script computes it from the metadata.
fn fence(record: &Record) -> String {
    format!("{} {}", record.change_vector, record.modified)
}

/// The number as an integer, if it is one below 2^53.
fn whole(number: &Decimal) -> Option<i64> {
    let integer = number.truncated();
    (number.is_whole() && integer.unsigned_abs() < 1 << 53).then_some(integer)
}

fn result(id: &str, change_vector: &str, modified: &str, status: &str) -> String {
    format!(
        r#"{{"Id":{},"ChangeVector":{change_vector},"LastModified":"{modified}","Type":"PATCH","PatchStatus":"{status}","Debug":null}}"#,
        json_string(id)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read as parse;

    fn decide(fence: &str, high: &str, last: &str, max: &str) -> Result<Option<String>, u16> {
        let value = |text: &str| parse(text.as_bytes()).ok();
        let patch = Patch { fence: value(fence), high: value(high), last: value(last) };
        patch.decide("A:1-x 2026", value(max).as_ref()).map_err(|e| e.status)
    }

    #[test]
    fn the_decision_is_that_of_the_script() {
        let fence = r#""A:1-x 2026""#;
        for (fence, high, last, max, expected) in [
            (fence, "32", "5", "32", Ok(Some("5"))),
            (fence, "32.0", "-5", "32", Ok(Some("-5"))),
            (fence, "32", "1e1", "32", Ok(Some("10"))),
            (fence, "32", "32", "32", Ok(None)),
            (fence, "32", "5", "32.0", Ok(Some("5.0"))),
            (fence, "31", "5", "32", Ok(None)),
            (fence, r#""32""#, "5", "32", Ok(None)),
            (fence, "32", "5", r#""32""#, Ok(None)),
            (fence, "32", "5", "", Ok(None)),
            (fence, "", "5", "", Ok(Some("5"))),
            (fence, "null", "5", "", Ok(None)),
            (fence, "null", "5", "null", Ok(Some("5"))),
            (fence, r#""32""#, "64", r#""32""#, Ok(Some("64"))),
            (fence, r#""32""#, "64", r#""032""#, Ok(None)),
            (fence, "[]", "5", "[]", Ok(None)),
            (r#""A:2-x 2026""#, "32", "5", "32", Ok(None)),
            (r#""A:1-x 2027""#, "32", "5", "32", Ok(None)),
            (r#""A:1-x""#, "32", "5", "32", Ok(None)),
            ("null", "32", "5", "32", Ok(None)),
            ("", "32", "5", "32", Ok(None)),
            (fence, "32", "5.5", "32", Err(501)),
            (fence, "32", "null", "32", Err(501)),
            (fence, "32", "", "32", Err(501)),
        ] {
            assert_eq!(
                decide(fence, high, last, max),
                expected.map(|o| o.map(str::to_owned)),
                "{fence} {high} {last} {max}"
            );
        }
    }
}
