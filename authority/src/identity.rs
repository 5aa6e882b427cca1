//! Identities: `companies|` counts 1, 2, 3, … for the whole database (protocol.md §7).
//!
//! A call that carries a `raft-request-id` is remembered with its answer, so that a client that lost
//! the answer asks again and burns no number. The last [`REMEMBERED`] are, as many as RavenDB's log
//! keeps by default.

use crate::error::{Error, Failure};
use crate::id;
use crate::storage::{Storage, StorageError};

/// How many calls are remembered.
const REMEMBERED: u64 = 2048;
/// Longest name and longest request id. Ids of documents have this limit anyway; RavenDB takes about
/// 2,000 bytes, and a name beyond that stops its whole cluster.
const MAX_BYTES: usize = 512;

/// Name of the number of calls so far.
const CALLS: &str = "identity-calls";
/// Before a name: the number of the call that changed it last, and its value.
const VALUE: &str = "identity/";
/// Before a request id: what was asked, and what was answered.
const ANSWER: &str = "identity-answer/";
/// Before a place in the ring of remembered calls: the request id there.
const PLACE: &str = "identity-place/";

/// What a call does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Act {
    Next,
    Seed { value: i64, force: bool },
}

/// The next number of an identity. The name's last `|` may be left out.
pub(crate) fn next(storage: &mut impl Storage, name: &str, request: Option<&str>) -> Result<i64, Failure> {
    call(storage, name, request, Act::Next)
}

/// Sets what was given last: never lower than it is, unless `force` says so.
pub(crate) fn seed(
    storage: &mut impl Storage,
    name: &str,
    value: i64,
    force: bool,
    request: Option<&str>,
) -> Result<i64, Failure> {
    // RavenDB stores a negative number and answers zero.
    call(storage, name, request, Act::Seed { value, force }).map(|value| value.max(0))
}

/// All names and what was given last, the one that was changed last at the end.
pub(crate) fn list(storage: &impl Storage) -> Result<Vec<(String, i64)>, StorageError> {
    let mut found = Vec::new();
    for (name, text) in storage.metas(VALUE)? {
        let (changed, value) = read(&text)?;
        found.push((changed, name.strip_prefix(VALUE).unwrap_or_default().to_owned(), value));
    }
    found.sort_by_key(|(changed, _, _)| *changed);
    Ok(found.into_iter().map(|(_, name, value)| (name, value)).collect())
}

/// Makes the identities of one node those of another: on RavenDB every change is on all nodes before
/// it is answered.
pub(crate) fn share(from: &impl Storage, to: &mut impl Storage) -> Result<(), StorageError> {
    let calls = from.meta(CALLS)?;
    if to.meta(CALLS)? == calls {
        return Ok(());
    }
    for prefix in [VALUE, ANSWER, PLACE] {
        for (name, _) in to.metas(prefix)? {
            to.remove_meta(&name)?;
        }
        for (name, value) in from.metas(prefix)? {
            to.set_meta(&name, &value)?;
        }
    }
    to.set_meta(CALLS, &calls.unwrap_or_default())
}

fn call(storage: &mut impl Storage, name: &str, request: Option<&str>, act: Act) -> Result<i64, Failure> {
    if name.len() > MAX_BYTES || request.is_some_and(|request| request.len() > MAX_BYTES) {
        return Err(Error::argument(format!(
            "The name of an identity and a raft-request-id cannot exceed {MAX_BYTES} bytes: '{name}'."
        ))
        .into());
    }
    if let Some(answer) = request.map(|request| remembered(storage, request, act)).transpose()?.flatten() {
        return Ok(answer);
    }
    let pipe = if name.ends_with('|') { "" } else { "|" };
    let key = format!("{VALUE}{}{pipe}", id::fold(name));
    let old = storage.meta(&key)?.as_deref().map(read).transpose()?.map(|(_, value)| value);
    let value = match act {
        Act::Next => old.unwrap_or(0).checked_add(1).ok_or_else(|| {
            Error::overflow(format!("The identity '{name}' is at its end: seed it with a lower value and 'force'."))
        })?,
        Act::Seed { value, force: false } => old.map_or(value, |old| old.max(value)),
        Act::Seed { value, force: true } => value,
    };
    let calls = storage.meta(CALLS)?.and_then(|text| text.parse::<u64>().ok()).unwrap_or(0).wrapping_add(1);
    storage.set_meta(CALLS, &calls.to_string())?;
    if old != Some(value) {
        storage.set_meta(&key, &format!("{calls} {value}"))?;
    }
    if let Some(request) = request {
        remember(storage, request, calls, act, value)?;
    }
    Ok(value)
}

/// The answer that a request id got before, whatever name it came with.
fn remembered(storage: &impl Storage, request: &str, act: Act) -> Result<Option<i64>, Failure> {
    let Some(text) = storage.meta(&format!("{ANSWER}{request}"))? else { return Ok(None) };
    let (kind, answer) = text.split_once(' ').ok_or_else(|| broken(&text))?;
    match act {
        _ if kind == kind_of(act) => Ok(Some(answer.parse().map_err(|_| broken(&text))?)),
        Act::Next => Err(Error::null_reference("the answer to another command with this raft-request-id").into()),
        Act::Seed { .. } => Err(Error::rachis_apply("This raft-request-id belongs to another command.").into()),
    }
}

fn remember(storage: &mut impl Storage, request: &str, calls: u64, act: Act, answer: i64) -> Result<(), StorageError> {
    let place = format!("{PLACE}{}", calls % REMEMBERED);
    if let Some(oldest) = storage.meta(&place)? {
        storage.remove_meta(&format!("{ANSWER}{oldest}"))?;
    }
    storage.set_meta(&place, request)?;
    storage.set_meta(&format!("{ANSWER}{request}"), &format!("{} {answer}", kind_of(act)))
}

const fn kind_of(act: Act) -> &'static str {
    match act {
        Act::Next => "next",
        Act::Seed { .. } => "seed",
    }
}

fn read(text: &str) -> Result<(u64, i64), StorageError> {
    let numbers = text.split_once(' ').and_then(|(changed, value)| Some((changed.parse().ok()?, value.parse().ok()?)));
    numbers.ok_or_else(|| broken(text))
}

fn broken(text: &str) -> StorageError {
    StorageError(format!("a stored identity cannot be read: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::MemoryStorage;

    #[test]
    fn the_oldest_call_is_forgotten() {
        let mut storage = MemoryStorage::default();
        let mut ask = |request: u64| next(&mut storage, "a", Some(&request.to_string())).ok();
        for request in 1..=REMEMBERED {
            ask(request);
        }
        assert_eq!(ask(1), Some(1));
        let another = i64::try_from(REMEMBERED).unwrap_or(0) + 1;
        assert_eq!(ask(REMEMBERED + 1), Some(another));
        assert_eq!(ask(2), Some(2));
        assert_eq!(ask(1), Some(another + 1), "forgotten");
    }

    #[test]
    fn the_end_is_an_error_that_changes_nothing() {
        let mut storage = MemoryStorage::default();
        assert_eq!(seed(&mut storage, "a", i64::MAX, false, None).ok(), Some(i64::MAX));
        let before = storage.clone();
        assert!(next(&mut storage, "A|", Some("r")).is_err());
        assert_eq!(storage, before);
    }
}
