//! The package's own JavaScript and its declarations: `pkg/src` becomes `pkg/dist`, `pkg/lib` and `pkg/dts`.

use crate::{process, say, setup};
use anyhow::Result;

/// Writes all; an error of types fails the build.
pub(crate) fn build() -> Result<()> {
    process::run(setup::node().args(["xtask/js/dist.mjs", "--types"]))
}

/// Writes all for development: JavaScript is written despite type errors, which are only printed.
pub(crate) fn build_fast() {
    if let Err(error) = build() {
        say::note(&format!("types: {error:#}"));
    }
}
