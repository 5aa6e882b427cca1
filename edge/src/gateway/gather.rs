//! What `collect` does, with a third of its code: it allocates for what comes, not for what may come.

use crate::prelude::*;

/// All items, or the first error.
pub(crate) fn all<T, E>(items: impl Iterator<Item = Result<T, E>>) -> Result<Vec<T>, E> {
    let mut found = Vec::new();
    for item in items {
        found.push(item?);
    }
    Ok(found)
}

/// All items; `None` if one of them is.
pub(crate) fn complete<T>(items: impl Iterator<Item = Option<T>>) -> Option<Vec<T>> {
    let mut found = Vec::new();
    for item in items {
        found.push(item?);
    }
    Some(found)
}

/// All items.
pub(crate) fn gathered<T>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for item in items {
        found.push(item);
    }
    found
}
