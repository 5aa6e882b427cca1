//! The device of a store: parked numbers, page events, siblings. The protocol is that of the npm package: see `raven_edge::pool`.

#[cfg(target_family = "wasm")]
mod js;
#[cfg(target_family = "wasm")]
mod moves;
#[cfg(not(target_family = "wasm"))]
mod native;
#[cfg(target_family = "wasm")]
mod page;
#[cfg(target_family = "wasm")]
mod parting;

#[cfg(not(target_family = "wasm"))]
pub(crate) use native::Device;
#[cfg(target_family = "wasm")]
pub(crate) use page::Device;

/// What the numbers of a store belong to.
#[cfg_attr(not(target_family = "wasm"), allow(dead_code, reason = "native programs have no device"))]
pub(crate) struct Scope {
    /// The source's name, as the package spells it.
    pub(crate) source: &'static str,
    /// What the ids of the source's counter documents begin with, if it writes them itself.
    pub(crate) counters: Option<String>,
    /// The first address of the server.
    pub(crate) server: String,
    pub(crate) database: String,
    pub(crate) separator: String,
}
