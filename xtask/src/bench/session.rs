//! CPU and memory per document of a session, compared with npm `ravendb`, with a hand-written unit of work, and with
//! the engine's `JSON` alone; for each kind of document, in fresh and in warm processes; and the bytes that each step allocates.

use crate::{process, say, setup};
use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::BTreeMap;

const US: &str = "raven-edge";
const PEER: &str = "ravendb";
const HAND: &str = "by hand";

/// The documents are in `tests/bench/session/kinds.mjs`.
const KINDS: [&str; 4] = ["plain", "class", "dates", "list"];

/// The modes of `tests/bench/session/times.mjs`, and the number of processes per client: for fresh processes the
/// median counts; a warm process takes the median of its own rounds.
const MODES: [(&str, usize); 2] = [("fresh", 7), ("warm", 1)];

/// The steps, in the order in which an app performs them.
const STEPS: [&str; 6] =
    ["store", "saveChanges, all new", "hasChanges, none", "load", "hasChanges, loaded", "query of 1,000"];

/// Microseconds, by step.
type Times = BTreeMap<String, f64>;

/// What `tests/bench/session/memory.mjs` prints, in bytes.
#[derive(Deserialize)]
struct Memory {
    saved: f64,
    loaded: f64,
}

/// Measures and prints.
pub(super) fn run() -> Result<()> {
    for (mode, processes) in MODES {
        for kind in KINDS {
            let wait =
                say::Wait::new(&format!("{mode} processes, {kind}: 10,000 documents in Node, all clients in turn"));
            let mut all: [Vec<Times>; 4] = Default::default();
            for _ in 0..processes {
                for (client, runs) in [US, PEER, HAND].iter().zip(&mut all) {
                    runs.push(times(&["tests/bench/session/times.mjs", client, kind, mode])?);
                }
                all[3].push(times(&["tests/bench/session/engine.mjs", kind, mode])?);
            }
            wait.done("");
            print(mode, kind, &all.map(median))?;
        }
    }
    memory()?;
    allocations()
}

fn print(mode: &str, kind: &str, [us, peer, hand, engine]: &[Times; 4]) -> Result<()> {
    let mut rows = Vec::new();
    for step in STEPS {
        let of = |by: &Times| by.get(step).copied().context("tests/bench/session/times.mjs: a step is missing");
        let mut row = row(step, of(us)?, of(peer)?, of(hand)?, 2);
        // Steps that do not use the engine's JSON have no lower bound.
        row.push(engine.get(step).map_or_else(String::new, |least| format!("{least:.2}")));
        rows.push(row);
    }
    let head = format!("{mode}, {kind}: CPU per document, µs");
    say::table(&[head.as_str(), US, PEER, "faster", HAND, "of its time", "JSON alone"], &rows);
    Ok(())
}

/// Memory that each client keeps per class instance.
fn memory() -> Result<()> {
    let wait = say::Wait::new("memory of 10,000 class instances in Node");
    let of = |client: &str| -> Result<Memory> {
        let mut node = setup::node();
        node.args(["--expose-gc", "tests/bench/session/memory.mjs", client, "class"]);
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

/// Bytes that each step allocates per document, garbage included.
fn allocations() -> Result<()> {
    let mut rows = Vec::new();
    for kind in KINDS {
        let of = |client| {
            let heap = ["--min-semi-space-size=512", "--max-semi-space-size=512"];
            times(&[heap[0], heap[1], "tests/bench/session/allocations.mjs", client, kind])
        };
        let (us, hand) = (of(US)?, of(HAND)?);
        for (step, bytes) in us {
            let least = hand.get(&step).copied().context("tests/bench/session/allocations.mjs: a step is missing")?;
            let share = format!("{:.2}", bytes / least);
            rows.push(vec![format!("{kind}: {step}"), format!("{bytes:.0}"), format!("{least:.0}"), share]);
        }
    }
    say::table(&["bytes allocated per document", US, HAND, "of its bytes"], &rows);
    Ok(())
}

fn times(program: &[&str]) -> Result<Times> {
    let mut node = setup::node();
    node.args(program);
    serde_json::from_str(&process::run_quietly(&mut node)?).with_context(|| program.join(" "))
}

/// The median of each step.
fn median(runs: Vec<Times>) -> Times {
    let mut by_step: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (step, time) in runs.into_iter().flatten() {
        by_step.entry(step).or_default().push(time);
    }
    let middle = |mut list: Vec<f64>| {
        list.sort_by(f64::total_cmp);
        list[list.len() / 2]
    };
    by_step.into_iter().map(|(step, list)| (step, middle(list))).collect()
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
