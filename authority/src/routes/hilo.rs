//! `GET hilo/next` and `PUT hilo/return`.

use crate::authority::Authority;
use crate::document::Incoming;
use crate::error::{Error, Failure, json_string};
use crate::id;
use crate::json::Value;
use crate::message::{Request, Response};
use crate::prelude::*;
use crate::query::Query;
use crate::storage::Storage;
use crate::time::Timestamp;
use raven_edge::source::server::wire::HILO_PREFIX;

const SMALLEST: i64 = 32;
const LARGEST_DOUBLED: i64 = 1_048_576;

/// Grants a range.
pub(super) fn next<S: Storage>(
    authority: &mut Authority<S>,
    request: &Request,
    now: Timestamp,
) -> Result<Response, Failure> {
    let query = Query::parse(request.query());
    let tag = query.required("tag")?;
    let separator = separator(&query)?;
    let last_batch = query.long("lastBatchSize")?.unwrap_or(0);
    let last_max = query.long("lastMax")?.unwrap_or(0);
    let size = size(last_batch, query.first("lastRangeAt").and_then(Timestamp::parse), now);
    if tag.ends_with('/') {
        return Err(Error::not_implemented(format!(
            "The tag '{tag}' ends in '/': RavenDB grants the same range to every caller of such a tag. Use one without the slash."
        ))
        .into());
    }
    let id = format!("{HILO_PREFIX}{tag}");
    let node_tag = authority.options.node_tag.clone();
    let (low, high) = authority.transaction(now, |transaction| {
        id::check_new(&id)?;
        let (mut document, max) = match transaction.get(&id)?.and_then(|record| record.content) {
            Some(content) => {
                let document = Incoming::from_stored(&content)?;
                let max = max_of(document.body.get("Max"))?.max(last_max);
                (document, max)
            }
            // Without a document there is no `Max` to compare with: `lastMax` is used as it is, also if it is negative.
            None => (Incoming::hilo(), last_max),
        };
        let (low, high) = range(max, size).ok_or_else(|| {
            Error::overflow(format!("No range of {size} numbers for tag '{tag}' fits above {max}. RavenDB would wrap around and issue numbers again."))
        })?;
        document.body.set("Max", Value::Number(high.to_string()));
        transaction.write(&id, Some(document.into_content()))?;
        Ok((low, high))
    })?;
    let prefix = json_string(&format!("{tag}{separator}"));
    let node_tag = json_string(&node_tag);
    Ok(Response::new(
        201,
        format!(
            r#"{{"Prefix":{prefix},"Low":{low},"High":{high},"LastSize":{size},"ServerTag":{node_tag},"LastRangeAt":"{now}"}}"#
        ),
    ))
}

/// Takes back the unused end of a range: sets `Max` to `last` if `Max` is still `end`. Not safe to repeat, as in
/// RavenDB.
pub(super) fn give_back<S: Storage>(
    authority: &mut Authority<S>,
    request: &Request,
    now: Timestamp,
) -> Result<Response, Failure> {
    let query = Query::parse(request.query());
    let id = format!("{HILO_PREFIX}{}", query.required("tag")?);
    let (end, last) = (query.required_long("end")?, query.required_long("last")?);
    id::check_lookup(&id)?;
    authority.transaction(now, |transaction| {
        let Some(content) = transaction.get(&id)?.and_then(|record| record.content) else { return Ok(()) };
        let mut document = Incoming::from_stored(&content)?;
        let max = max_of(document.body.get("Max"))?;
        if max == end && last <= max {
            document.body.set("Max", Value::Number(last.to_string()));
            transaction.write(&id, Some(document.into_content()))?;
        }
        Ok(())
    })?;
    Ok(Response::new(200, ""))
}

/// The character between tag and number: one UTF-16 code unit; blank means `/`.
fn separator(query: &Query) -> Result<char, Error> {
    let Some(text) = query.first("identityPartsSeparator").filter(|text| !text.trim().is_empty()) else {
        return Ok('/');
    };
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) if c <= '\u{ffff}' => Ok(c),
        _ => Err(Error::invalid_operation(format!(
            "Query string identityPartsSeparator is expecting single character, but got '{text}'."
        ))),
    }
}

/// The size of the range: doubled for clients that come back soon, halved for those that come back late.
fn size(last: i64, last_range_at: Option<Timestamp>, now: Timestamp) -> i64 {
    let Some(at) = last_range_at else { return last.max(SMALLEST) };
    // A time in the future counts as now.
    let age = now.ticks().saturating_sub(at.ticks());
    if age < Timestamp::seconds(30) {
        last.saturating_mul(2).clamp(SMALLEST, LARGEST_DOUBLED)
    } else if age <= Timestamp::seconds(60) {
        last.max(SMALLEST)
    } else {
        (last / 2).max(SMALLEST)
    }
}

/// The range of `size` numbers above `max`.
fn range(max: i64, size: i64) -> Option<(i64, i64)> {
    Some((max.checked_add(1)?, max.checked_add(size)?))
}

/// A stored `Max` as the server reads it: any value that can be converted to an integer.
pub(crate) fn max_of(value: Option<&Value>) -> Result<i64, Error> {
    let refuse = |value| Err(Error::format(value, "System.Int64"));
    Ok(match value {
        None | Some(Value::Null) => 0,
        Some(Value::Bool(b)) => i64::from(*b),
        Some(value @ Value::Number(_)) => value.as_decimal().map_or(0, |number| number.truncated()),
        Some(value @ Value::String(text)) => match text.trim().parse() {
            Ok(number) => number,
            Err(_) => return refuse(value),
        },
        Some(value) => return refuse(value),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read;
    use proptest::prelude::*;

    #[test]
    fn the_size_of_a_range_depends_on_the_age_of_the_last() {
        let now = Timestamp::from_unix_millis(1_795_224_636_754);
        let ago = |tenths: u64| Some(Timestamp::from_ticks(now.ticks() - Timestamp::seconds(tenths) / 10));
        for (last, at, expected) in [
            (0, None, 32),
            (5_000_000, None, 5_000_000),
            (-3, None, 32),
            (32, ago(0), 64),
            (31, ago(10), 62),
            (65, ago(299), 130),
            (65, ago(300), 65),
            (31, ago(450), 32),
            (2_000_001, ago(450), 2_000_001),
            (65, ago(600), 65),
            (65, ago(601), 32),
            (2_000_001, ago(1000), 1_000_000),
            (1_048_575, ago(1), 1_048_576),
            (2_000_000, ago(1), 1_048_576),
            (i64::MAX, ago(1), 1_048_576),
            (i64::MIN, ago(1), 32),
            (64, Timestamp::parse("9999-12-31T23:59:59.9999999Z"), 128),
            (64, Timestamp::parse("0001-01-01T00:00:00.0000000Z"), 32),
        ] {
            assert_eq!(size(last, at, now), expected, "{last} {at:?}");
        }
    }

    #[test]
    fn a_stored_max_is_read_in_any_notation() {
        for (text, expected) in [
            ("null", Some(0)),
            ("-3", Some(-3)),
            (r#""5""#, Some(5)),
            (r#"" 5""#, Some(5)),
            (r#""5x""#, None),
            (r#""5.7""#, None),
            (r#""""#, None),
            ("5.7", Some(5)),
            ("-5.7", Some(-5)),
            ("1e3", Some(1000)),
            ("true", Some(1)),
            ("[]", None),
            ("{}", None),
            ("9007199254740993", Some(9_007_199_254_740_993)),
            ("9007199254740993.0", Some(9_007_199_254_740_993)),
            ("1e30", Some(i64::MAX)),
        ] {
            let value = read(text.as_bytes()).expect(text);
            assert_eq!(max_of(Some(&value)).ok(), expected, "{text}");
        }
        assert_eq!(max_of(None), Ok(0));
    }

    proptest! {
        #[test]
        fn ranges_lie_above_max_or_are_refused(max in any::<i64>(), size in SMALLEST..i64::MAX) {
            match range(max, size) {
                Some((low, high)) => prop_assert!(low > max && high > max && i128::from(high) - i128::from(low) + 1 == i128::from(size)),
                None => prop_assert!(i128::from(max) + i128::from(size) > i128::from(i64::MAX)),
            }
        }

        #[test]
        fn a_size_is_never_below_the_smallest(last in any::<i64>(), at in proptest::option::of(any::<u64>()), now in any::<u64>()) {
            prop_assert!(size(last, at.map(Timestamp::from_ticks), Timestamp::from_ticks(now)) >= SMALLEST);
        }
    }
}
