//! CPU and memory per document of a session, beside npm `ravendb` and a unit of work that was written by hand.

use crate::{process, say, setup};
use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::BTreeMap;

const US: &str = "raven-edge";
const PEER: &str = "ravendb";
const HAND: &str = "by hand";

/// How often each client runs, in turn: the least busy moment of a shared machine is the figure.
const RUNS: usize = 3;

/// Microseconds by step.
type Times = BTreeMap<String, f64>;

/// What `tests/bench/session/memory.mjs` prints, in bytes.
#[derive(Deserialize)]
struct Memory {
    saved: f64,
    loaded: f64,
}

/// Measures and prints.
pub(super) fn run() -> Result<()> {
    let wait = say::Wait::new("sessions of 10,000 documents in Node, all clients in turn");
    let mut best: [Times; 3] = Default::default();
    let mut engine = Times::new();
    for _ in 0..RUNS {
        for (client, best) in [US, PEER, HAND].iter().zip(&mut best) {
            keep_least(best, times(&["tests/bench/session/times.mjs", client])?);
        }
        keep_least(&mut engine, times(&["tests/bench/session/engine.mjs"])?);
    }
    wait.done("");
    let mut rows = Vec::new();
    for (step, us) in &best[0] {
        let of = |by: &Times| by.get(step).copied().context("tests/bench/session/times.mjs: a step is missing");
        let peer = of(&best[1])?;
        let mut row = row(step, *us, peer, of(&best[2])?, 2);
        // What asks nothing of the engine's coders has no such floor.
        row.extend(
            engine
                .get(step)
                .map_or_else(Default::default, |least| [format!("{least:.2}"), format!("{:.1} x", peer / least)]),
        );
        rows.push(row);
    }
    let head = ["CPU per document, µs", US, PEER, "faster", HAND, "of its time", "JSON alone", "faster"];
    say::table(&head, &rows);
    let wait = say::Wait::new("memory of 10,000 documents in Node");
    let of = |client: &str| -> Result<Memory> {
        let mut node = setup::node();
        node.args(["--expose-gc", "tests/bench/session/memory.mjs", client]);
        serde_json::from_str(&process::run_quietly(&mut node)?).context("tests/bench/session/memory.mjs")
    };
    let (us, peer, hand) = (of(US)?, of(PEER)?, of(HAND)?);
    wait.done("");
    let rows = [
        row("stored and saved", us.saved, peer.saved, hand.saved, 0),
        row("loaded", us.loaded, peer.loaded, hand.loaded, 0),
    ];
    say::table(&["bytes per document", US, PEER, "smaller", HAND, "of its size"], &rows);
    Ok(())
}

fn times(program: &[&str]) -> Result<Times> {
    let mut node = setup::node();
    // What helper threads do is work, too: on one thread all of it is counted, and nothing twice.
    node.arg("--single-threaded").args(program);
    serde_json::from_str(&process::run_quietly(&mut node)?).with_context(|| program.join(" "))
}

fn keep_least(best: &mut Times, times: Times) {
    for (step, time) in times {
        let least = best.entry(step).or_insert(f64::INFINITY);
        *least = least.min(time);
    }
}

fn row(name: &str, us: f64, peer: f64, hand: f64, digits: usize) -> Vec<String> {
    vec![
        name.to_owned(),
        format!("{us:.digits$}"),
        format!("{peer:.digits$}"),
        format!("{:.1} x", peer / us),
        format!("{hand:.digits$}"),
        format!("{:.2}", us / hand),
    ]
}
