//! CPU time per document of a stream, compared with npm `ravendb`. Each process has the same server inside.

use crate::{process, say, setup};
use anyhow::{Context, Result};
use serde::Deserialize;

const US: &str = "raven-edge";
const PEER: &str = "ravendb";
const DOCUMENTS: &str = "200000";

/// Runs per client, alternating. The lowest figure counts, because other load on the machine only adds to it.
const RUNS: usize = 3;

/// Output of `tests/bench/stream/peer.mjs`: microseconds per document, resident bytes in each half.
#[derive(Clone, Copy, Deserialize)]
struct Pass {
    cpu: f64,
    first: f64,
    second: f64,
}

/// Measures and prints.
pub(super) fn run() -> Result<()> {
    let wait = say::Wait::new("streams of 200,000 documents in Node, both clients in turn");
    let mut best: [Option<Pass>; 2] = [None; 2];
    for _ in 0..RUNS {
        for (client, best) in [US, PEER].iter().zip(&mut best) {
            let pass = pass(client)?;
            if best.is_none_or(|best| pass.cpu < best.cpu) {
                *best = Some(pass);
            }
        }
    }
    wait.done("");
    let [us, peer] = best.map(|best| best.context("no run"));
    let (us, peer) = (us?, peer?);
    let head = ["a stream of 200,000 documents", US, PEER, "of its"];
    let megabytes = |bytes: f64| bytes / 1e6;
    let rows = [
        row("CPU per document, µs", us.cpu, peer.cpu),
        row("resident, first half, MB", megabytes(us.first), megabytes(peer.first)),
        row("resident, second half, MB", megabytes(us.second), megabytes(peer.second)),
    ];
    say::table(&head, &rows);
    Ok(())
}

fn pass(client: &str) -> Result<Pass> {
    let mut node = setup::node();
    // With a single thread, the work of V8's helper threads is counted too, and counted once.
    node.args(["--single-threaded", "tests/bench/stream/peer.mjs", client, DOCUMENTS]);
    serde_json::from_str(&process::run_quietly(&mut node)?).context("tests/bench/stream/peer.mjs")
}

fn row(name: &str, us: f64, peer: f64) -> Vec<String> {
    vec![name.to_owned(), format!("{us:.2}"), format!("{peer:.2}"), format!("{:.2}", us / peer)]
}
