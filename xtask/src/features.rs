//! The size of each feature of the main module.

use crate::entry_bytes::{Size, thousands};
use crate::{say, wasm::Built};
use anyhow::Result;

/// Each module has one more feature than the one before it: ids in a Worker, ids, sessions.
const ADDED: [&str; 3] = ["ids", "+ pool", "+ session"];

/// Prints how much larger each module is than the one before it.
pub(crate) fn print(modules: [&Built; 3]) -> Result<()> {
    let mut rows = Vec::new();
    let mut before = Size::default();
    for (name, built) in ADDED.iter().zip(modules) {
        let size = Size::of_file(&built.wasm)?.plus(Size::of_file(&built.glue)?);
        let added = |now: usize, then: usize| format!("{:+}", now as i64 - then as i64);
        let (gzip, brotli) = (added(size.gzip, before.gzip), added(size.brotli, before.brotli));
        let name = (*name).to_owned();
        rows.push(vec![name, thousands(size.raw), thousands(size.gzip), gzip, thousands(size.brotli), brotli]);
        before = size;
    }
    say::table(&["wasm + glue by feature", "raw", "gzip -9", "adds", "brotli 11", "adds"], &rows);
    Ok(())
}
