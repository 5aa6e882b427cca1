//! CPU time of a fresh Node process until a client is imported and until its first id, compared with npm `ravendb`.

use crate::{authority, process, say, setup};
use anyhow::{Context, Result};
use serde::Deserialize;

const US: &str = "raven-edge";
const HILO: &str = "raven-edge/hilo";
const PEER: &str = "ravendb";

/// Runs per client, alternating. The lowest figure counts, because other load on the machine only adds to it.
const RUNS: usize = 7;

/// What `tests/bench/import.mjs` prints, in milliseconds.
#[derive(Clone, Copy, Deserialize)]
struct Times {
    import: f64,
    id: f64,
}

/// Measures and prints.
pub(super) fn run() -> Result<()> {
    let server = authority::start(&authority::build()?)?;
    let wait = say::Wait::new("fresh processes of Node, all clients in turn");
    let clients = [US, HILO, PEER];
    let mut best = [Times { import: f64::INFINITY, id: f64::INFINITY }; 3];
    for _ in 0..RUNS {
        for (client, best) in clients.iter().zip(&mut best) {
            let mut node = setup::node();
            node.args(["tests/bench/import.mjs", client]).env("AUTHORITY_URL", &server.url);
            let text = process::run_quietly(&mut node)?;
            let Times { import, id } = serde_json::from_str(&text).context("tests/bench/import.mjs")?;
            *best = Times { import: best.import.min(import), id: best.id.min(id) };
        }
    }
    wait.done("");
    let peer = best[2];
    let rows: Vec<_> = clients.iter().zip(best).map(|(client, times)| row(client, times, peer)).collect();
    say::table(&["CPU, ms", "import", "less", "then its first id", "less"], &rows);
    Ok(())
}

fn row(client: &str, times: Times, peer: Times) -> Vec<String> {
    let less = |peer: f64, us: f64| format!("{:.1} x", peer / us);
    vec![
        client.to_owned(),
        format!("{:.1}", times.import),
        less(peer.import, times.import),
        format!("{:.1}", times.id),
        less(peer.id, times.id),
    ]
}
