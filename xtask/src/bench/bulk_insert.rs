//! CPU time per document of a bulk insert, compared with npm `ravendb` and with hand-written code. A server in another process takes the
//! bytes, so the figures are those of the client and its connection.

use crate::{process, say, setup};
use anyhow::{Context, Result};
use serde::Deserialize;

/// The hand-written code is the lower bound: `JSON.stringify` and one streamed `fetch`.
const CLIENTS: [&str; 3] = ["by-hand", "raven-edge", "ravendb"];
const DOCUMENTS: &str = "200000";

/// Runs per client, alternating. The lowest figure counts, because other load on the machine only adds to it.
const RUNS: usize = 3;

/// Output of `tests/bench/bulk-insert/peer.mjs`: microseconds per document, bytes beyond those of the first tenth.
#[derive(Clone, Copy, Deserialize)]
struct Pass {
    cpu: f64,
    growth: f64,
}

/// Measures and prints.
pub(super) fn run() -> Result<()> {
    let wait = say::Wait::new("bulk inserts of 200,000 documents in Node, all clients in turn");
    let mut best = [Pass { cpu: f64::INFINITY, growth: f64::INFINITY }; 3];
    for _ in 0..RUNS {
        for (client, best) in CLIENTS.iter().zip(&mut best) {
            let Pass { cpu, growth } = pass(client)?;
            *best = Pass { cpu: best.cpu.min(cpu), growth: best.growth.min(growth) };
        }
    }
    wait.done("");
    let peer = best[2];
    let rows: Vec<_> = CLIENTS.iter().zip(best).map(|(client, pass)| row(client, pass, peer)).collect();
    say::table(&["a bulk insert of 200,000 documents", "CPU per document, µs", "of ravendb's", "growth, MB"], &rows);
    Ok(())
}

fn pass(client: &str) -> Result<Pass> {
    let mut node = setup::node();
    // With a single thread, the work of V8's helper threads is counted too, and counted once.
    node.args(["--single-threaded", "tests/bench/bulk-insert/peer.mjs", client, "class", DOCUMENTS]);
    serde_json::from_str(&process::run_quietly(&mut node)?).context("tests/bench/bulk-insert/peer.mjs")
}

fn row(client: &str, pass: Pass, peer: Pass) -> Vec<String> {
    vec![
        client.to_owned(),
        format!("{:.2}", pass.cpu),
        format!("{:.2}", pass.cpu / peer.cpu),
        format!("{:.1}", pass.growth / 1e6),
    ]
}
