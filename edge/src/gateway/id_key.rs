//! The comparison of ids. In a Worker the engine knows the case of letters: Rust's tables of them weigh 4 KB.

use crate::prelude::*;

/// The key of an id: equal ids have the same key, as in [`raven_edge::ids::key`].
pub(crate) fn key(id: &str) -> String {
    #[cfg(target_arch = "wasm32")]
    return raven_edge::ids::key::key_by(id, |letter| {
        let lower = lower_case(letter.encode_utf8(&mut [0; 4]));
        let mut letters = lower.chars();
        letters.next().filter(|_| letters.next().is_none())
    });
    #[cfg(not(target_arch = "wasm32"))]
    raven_edge::ids::key::key(id)
}

/// Whether an id begins with a prefix.
pub(crate) fn begins(id: &str, prefix: &str) -> bool {
    key(id).starts_with(&key(prefix))
}

/// A text in lower case, as JavaScript writes it.
pub(crate) fn lower_case(text: &str) -> String {
    #[cfg(target_arch = "wasm32")]
    return js_sys::JsString::from(text).to_lower_case().into();
    #[cfg(not(target_arch = "wasm32"))]
    text.to_lowercase()
}
