//! The app's configuration of a hub.

use super::lease_sizes::SizeBounds;
use super::members::{self, Members};
use crate::prelude::*;

/// A valid configuration; the app's options are checked in `pkg/src/hub/hub-options.ts`.
#[derive(Clone, Debug)]
pub(super) struct Config {
    /// The source; the codes are those that `pkg/src/numbers/number-source.ts` passes to the core.
    pub(super) kind: u8,
    /// Depends on `kind`. A document: the index of its spelling; a function that leases ranges: 1 if it takes numbers back,
    /// else 0; a function that returns the next Hi: how many numbers a Hi has.
    pub(super) detail: u64,
    pub(super) scoped: bool,
    /// Identifies the source. Numbers that another source granted are discarded.
    pub(super) identity: String,
    /// The server's addresses; the first is preferred.
    pub(super) urls: Vec<String>,
    /// The node tag for numbers that the source grants without one.
    pub(super) node_tag: Option<String>,
    /// Timeout of a conversation with the source, in milliseconds.
    pub(super) timeout: u64,
    /// Sizes of loans; `most` limits clients that name a number.
    pub(super) loans: SizeBounds,
    pub(super) most: u64,
    /// Sizes of ranges from the source.
    pub(super) ranges: SizeBounds,
}

impl Config {
    /// Reads a configuration; the error names the member.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        members::read(text, |config| {
            let kind = u8::try_from(config.number("kind")?).map_err(|_| "`kind` is unknown".to_owned())?;
            Ok(Self {
                kind,
                detail: config.number("detail")?,
                scoped: config.flag("scoped")?,
                identity: config.text("identity")?,
                urls: config.texts("urls")?,
                node_tag: config.optional_text("nodeTag")?,
                timeout: config.number("timeout")?,
                loans: bounds(config.object("loans")?)?,
                most: config.number("most")?,
                ranges: bounds(config.object("ranges")?)?,
            })
        })
    }
}

fn bounds(span: Members<'_>) -> Result<SizeBounds, String> {
    Ok(SizeBounds { first: span.number("first")?, largest: span.number("largest")? })
}
