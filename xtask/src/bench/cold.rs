//! A cold start in workerd: this package beside npm `ravendb`, in one run.

use crate::sizes::thousands;
use crate::{authority, process, say, setup};
use anyhow::{Context, Result};
use serde::Deserialize;

/// What `tests/bench/cold.mjs` prints: medians in milliseconds, and gzipped bytes.
#[derive(Deserialize)]
struct Figures {
    /// A Worker with nothing in it, from its process to its first answer.
    floor: f64,
    us: Client,
    peer: Client,
    /// The peer without undici and ws.
    bare: usize,
}

#[derive(Deserialize)]
struct Client {
    /// Until the client can be used, less the floor.
    ready: f64,
    /// The first id, from a hub on loopback.
    id: f64,
    bytes: usize,
}

/// Measures and prints.
pub(super) fn run() -> Result<()> {
    let server = authority::start(&authority::build()?)?;
    let wait = say::Wait::new("cold starts in workerd, in turn");
    let mut node = setup::node();
    node.arg("tests/bench/cold.mjs").env("SERVER_URL", &server.url);
    let figures: Figures = serde_json::from_str(&process::run_quietly(&mut node)?).context("tests/bench/cold.mjs")?;
    wait.done("");
    let Figures { floor, us, peer, bare } = figures;
    let row = |name: &str, us: f64, peer: f64| {
        vec![name.to_owned(), format!("{us:.1}"), format!("{peer:.1}"), format!("{:.1}", peer / us)]
    };
    say::table(
        &["cold start in workerd, ms", "raven-edge", "npm ravendb", "times faster"],
        &[row("until it can be used", us.ready, peer.ready), row("first id from a hub", us.id, peer.id)],
    );
    say::note(&format!("a Worker with nothing in it takes {floor:.1} ms, which the first row is without"));
    let share = |peer: usize| format!("{:.3}", us.bytes as f64 / peer as f64);
    say::table(
        &["what is uploaded, gzip -9", "bytes", "raven-edge / it"],
        &[
            vec!["raven-edge".into(), thousands(us.bytes), share(us.bytes)],
            vec!["npm ravendb".into(), thousands(peer.bytes), share(peer.bytes)],
            vec!["npm ravendb without undici and ws".into(), thousands(bare), share(bare)],
        ],
    );
    Ok(())
}
