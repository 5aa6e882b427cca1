//! CPU time of reading a time series of 100,000 entries, compared with npm `ravendb`. Each process has the response inside.

use crate::{process, say, setup};
use anyhow::{Context, Result};
use serde::Deserialize;

const US: &str = "raven-edge";
const PEER: &str = "ravendb";

/// Runs per client, alternating. The lowest figure counts, because other load on the machine only adds to it.
const RUNS: usize = 3;

/// What `tests/bench/time-series.mjs` prints, in milliseconds.
#[derive(Clone, Copy, Deserialize)]
struct Times {
    first: f64,
    later: f64,
}

/// Measures and prints.
pub(super) fn run() -> Result<()> {
    let wait = say::Wait::new("time series of 100,000 entries in Node, both clients in turn");
    let mut best = [Times { first: f64::INFINITY, later: f64::INFINITY }; 2];
    for _ in 0..RUNS {
        for (client, best) in [US, PEER].iter().zip(&mut best) {
            let mut node = setup::node();
            // With a single thread, the work of V8's helper threads is counted too, and counted once.
            node.args(["--single-threaded", "tests/bench/time-series.mjs", client]);
            let text = process::run_quietly(&mut node)?;
            let Times { first, later } = serde_json::from_str(&text).context("tests/bench/time-series.mjs")?;
            *best = Times { first: best.first.min(first), later: best.later.min(later) };
        }
    }
    wait.done("");
    let [us, peer] = best;
    let rows = [
        row("CPU of the first get of a process, ms", us.first, peer.first),
        row("CPU of a later get, ms", us.later, peer.later),
    ];
    say::table(&["a time series of 100,000 entries", US, PEER, "of its"], &rows);
    Ok(())
}

fn row(name: &str, us: f64, peer: f64) -> Vec<String> {
    vec![name.to_owned(), format!("{us:.1}"), format!("{peer:.1}"), format!("{:.2}", us / peer)]
}
