//! Identities: `companies|` counts 1, 2, 3, … for the whole database.
//!
//! A call with a `raft-request-id` is stored with its response, so a client that lost the response can repeat the
//! call without skipping a number. The last [`REMEMBERED`] calls are kept, as many as RavenDB's log keeps by default.

use crate::error::{Error, Failure};
use crate::prelude::*;
use crate::storage::{Storage, StorageError};
use raven_edge::ids::key;

/// How many calls are kept.
const REMEMBERED: u64 = 2048;
/// Maximum length of a name and of a request id, in bytes. Document ids have this limit anyway. RavenDB accepts about
/// 2,000 bytes, but a longer name stops its whole cluster.
const MAX_BYTES: usize = 512;

/// Key of the number of calls so far.
const CALLS: &str = "identity-calls";
/// Key prefix of an identity: the number of the call that changed it last, and its value.
const VALUE: &str = "identity/";
/// Key prefix of a request id: the call and its response.
const RESULT: &str = "identity-answer/";
/// Key prefix of a slot in the ring of kept calls: the request id in it.
const PLACE: &str = "identity-place/";

/// What a call does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Act {
    Next,
    Seed { value: i64, force: bool },
}

/// The next number of an identity. The trailing `|` of the name is optional.
pub(crate) fn next(storage: &mut impl Storage, name: &str, request: Option<&str>) -> Result<i64, Failure> {
    call(storage, name, request, Act::Next)
}

/// Sets the last number. Lowers it only if `force` is set.
pub(crate) fn seed(
    storage: &mut impl Storage,
    name: &str,
    value: i64,
    force: bool,
    request: Option<&str>,
) -> Result<i64, Failure> {
    // RavenDB stores a negative number but responds with zero.
    call(storage, name, request, Act::Seed { value, force }).map(|value| value.max(0))
}

/// All names and their last numbers, the most recently changed one last.
pub(crate) fn list(storage: &impl Storage) -> Result<Vec<(String, i64)>, StorageError> {
    let mut found = Vec::new();
    for (name, text) in storage.metas(VALUE)? {
        let (changed, value) = read(&text)?;
        let place = found.partition_point(|(earlier, _, _)| *earlier <= changed);
        found.insert(place, (changed, name.strip_prefix(VALUE).unwrap_or_default().to_owned(), value));
    }
    Ok(found.into_iter().map(|(_, name, value)| (name, value)).collect())
}

/// Copies the identities of one node to another: on RavenDB every node has a change before the response is sent.
pub(crate) fn share(from: &impl Storage, to: &mut impl Storage) -> Result<(), StorageError> {
    let calls = from.meta(CALLS)?;
    if to.meta(CALLS)? == calls {
        return Ok(());
    }
    for prefix in [VALUE, RESULT, PLACE] {
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
    if let Some(result) = request.map(|request| remembered(storage, request, act)).transpose()?.flatten() {
        return Ok(result);
    }
    let pipe = if name.ends_with('|') { "" } else { "|" };
    let key = format!("{VALUE}{}{pipe}", key::key(name));
    let old = storage.meta(&key)?.as_deref().map(read).transpose()?.map(|(_, value)| value);
    let value = match act {
        Act::Next => old.unwrap_or(0).checked_add(1).ok_or_else(|| {
            Error::overflow(format!(
                "The identity '{name}' has no further numbers: seed it with a lower value and 'force'."
            ))
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

/// The response to an earlier call with this request id, whatever name that call had.
fn remembered(storage: &impl Storage, request: &str, act: Act) -> Result<Option<i64>, Failure> {
    let Some(text) = storage.meta(&format!("{RESULT}{request}"))? else { return Ok(None) };
    let (kind, result) = text.split_once(' ').ok_or_else(|| broken(&text))?;
    match act {
        _ if kind == kind_of(act) => Ok(Some(result.parse().map_err(|_| broken(&text))?)),
        Act::Next => Err(Error::null_reference("the result of another command with this raft-request-id").into()),
        Act::Seed { .. } => Err(Error::rachis_apply("This raft-request-id belongs to another command.").into()),
    }
}

fn remember(storage: &mut impl Storage, request: &str, calls: u64, act: Act, result: i64) -> Result<(), StorageError> {
    let place = format!("{PLACE}{}", calls % REMEMBERED);
    if let Some(oldest) = storage.meta(&place)? {
        storage.remove_meta(&format!("{RESULT}{oldest}"))?;
    }
    storage.set_meta(&place, request)?;
    storage.set_meta(&format!("{RESULT}{request}"), &format!("{} {result}", kind_of(act)))
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
    fn an_identity_without_further_numbers_fails_and_stays_unchanged() {
        let mut storage = MemoryStorage::default();
        assert_eq!(seed(&mut storage, "a", i64::MAX, false, None).ok(), Some(i64::MAX));
        let before = storage.clone();
        assert!(next(&mut storage, "A|", Some("r")).is_err());
        assert_eq!(storage, before);
    }
}
