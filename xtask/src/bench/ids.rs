//! Nanoseconds per `take()` in Node.

use crate::{authority, process, say, setup};
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Maximum cost of `take()`, as a multiple of a string concatenation.
const LIMIT: f64 = 1.3;

/// What `tests/bench/ids.mjs` prints, by variant.
#[derive(Deserialize)]
struct Figures {
    floor: BTreeMap<String, Times>,
    take: BTreeMap<String, Times>,
}

#[derive(Deserialize)]
struct Times {
    p10: f64,
    median: f64,
}

/// Measures, prints, and fails if an id costs too much.
pub(super) fn run() -> Result<()> {
    let server = authority::start(&authority::build()?)?;
    let wait = say::Wait::new("ids in Node, 220 rounds");
    let mut node = setup::node();
    node.args(["--expose-gc", "tests/bench/ids.mjs"]).env("AUTHORITY_URL", &server.url);
    let figures: Figures = serde_json::from_str(&process::run_quietly(&mut node)?).context("tests/bench/ids.mjs")?;
    wait.done("");
    let mut rows = Vec::new();
    let mut worst: f64 = 0.0;
    for (variant, floor) in &figures.floor {
        let take = figures.take.get(variant).context("tests/bench/ids.mjs: a variant without take()")?;
        let ratio = take.p10 / floor.p10;
        worst = worst.max(ratio);
        rows.push(row(&format!("{variant}: prefix + counter + suffix"), floor, 1.0));
        rows.push(row(&format!("{variant}: take()"), take, ratio));
    }
    say::table(&["ns per id in Node", "p10", "median", "p10 / floor"], &rows);
    if worst > LIMIT {
        bail!("take() costs {worst:.2} times its floor, more than {LIMIT}");
    }
    Ok(())
}

fn row(name: &str, times: &Times, ratio: f64) -> Vec<String> {
    vec![name.to_owned(), format!("{:.1}", times.p10), format!("{:.1}", times.median), format!("{ratio:.2}")]
}
