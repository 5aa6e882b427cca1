//! The package's bytes compared with those of npm `ravendb`.

use crate::entry_bytes::Size;
use crate::{process, say, setup};
use anyhow::Result;

/// Prints the package's total next to that of npm `ravendb`.
pub(super) fn compare(total: Size) -> Result<()> {
    let peer = peer()?;
    let share = |size: Size| format!("{:.2}", size.gzip as f64 / peer.gzip as f64);
    let mut rows = vec![total.row("raven-edge"), peer.row("npm ravendb, bundled for a Worker")];
    for (row, size) in rows.iter_mut().zip([total, peer]) {
        row.push(share(size));
    }
    say::table(&["package", "raw", "gzip -9", "brotli 11", "gzip / peer"], &rows);
    Ok(())
}

/// npm `ravendb` bundled for a Worker: minified, tree-shaken, with Node's modules left to the runtime.
fn peer() -> Result<Size> {
    let mut command = setup::npm_bin("esbuild");
    command.args(["tests/bench/peer.mjs", "--bundle", "--minify", "--format=esm", "--target=es2022"]);
    command.args(["--platform=browser", "--conditions=workerd,worker,browser", "--external:node:*"]);
    Size::of(process::run_quietly(command.arg("--log-level=error"))?.as_bytes())
}
