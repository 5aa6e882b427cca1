//! The client for Rust: microseconds per document beside the npm package and beside code by hand, with one server in one run; and the bytes
//! of the example `rust-page` as an app would publish it, with what each crate takes of them.

use super::write::{Table, write};
use crate::entry_bytes::{gzipped, thousands};
use crate::{cargo, functions, process, ravendb, repo, say, setup, wasm};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::process::Command;

const DOCUMENTS: &str = "10000";
const STEPS: [&str; 4] = ["id", "store", "save", "load"];
const CLIENTS: [&str; 3] = ["raven-edge", "by-hand", "npm"];

/// Runs per client, alternating. The lowest figure counts, because other load on the machine only adds to it.
const RUNS: usize = 3;

/// Crates that take less are counted together.
const SMALLEST: usize = 1_000;

type Times = BTreeMap<String, f64>;

/// The chapter of the page.
const CHAPTER: &str = "The client for Rust";

/// Measures and prints, and writes the tables into the page.
pub(super) fn run(writes: bool) -> Result<()> {
    let given = ravendb::given()?;
    let own = if given.is_none() { Some(ravendb::prepare(ravendb::VERSION)?.start(0, &[])?) } else { None };
    let url = given.or_else(|| own.as_ref().map(|server| server.url.clone())).context("a server")?;
    let tables = [natively(&url)?, in_a_page(&url)?, size()?];
    if writes { write(CHAPTER, &tables) } else { Ok(()) }
}

/// A table of the clients' times.
fn table(place: &str, by_hand: &str, best: &[&Times]) -> Table {
    let of = |times: &Times, step: &str| times.get(step).map_or_else(String::new, |time| format!("{time:.2}"));
    let row = |step: &str| [vec![step.to_owned()], best.iter().map(|times| of(times, step)).collect()].concat();
    let title = format!("{place}: µs per document");
    let head = [&title, "client for Rust", by_hand, "npm package"].map(str::to_owned).to_vec();
    printed(Table { head, rows: STEPS.map(row).to_vec() })
}

fn printed(table: Table) -> Table {
    table.print();
    table
}

fn in_a_page(url: &str) -> Result<Table> {
    let folder = process::temporary_folder(&repo::target().join("xtask"))?;
    let (_, small) = wasm::example_released("rust-bench", folder.path())?;
    std::fs::rename(small, folder.path().join("page_bg.wasm"))?;
    let wait = say::Wait::new("10,000 documents in Chromium, all clients in turn");
    let mut node = setup::node();
    node.arg("tests/bench/rust/page.mjs").arg(url).arg(folder.path()).args([DOCUMENTS, &RUNS.to_string()]);
    let output = process::run_quietly(node.env("CHROMIUM", setup::chromium()?).current_dir(repo::root()))?;
    // Node's test runner, which the helpers of tests import, prints a line of its own.
    let times = output.lines().rfind(|line| line.starts_with('{')).unwrap_or_default();
    let best: BTreeMap<String, Times> = serde_json::from_str(times).context("tests/bench/rust/page.mjs")?;
    wait.done("");
    Ok(table("in a page", "`gloo-net` + `serde_json`", &CLIENTS.map(|client| &best[client])))
}

fn natively(url: &str) -> Result<Table> {
    // For speed, unlike the modules, which are built for their size.
    let settings = ["opt-level=3", "lto=false", "codegen-units=16"].map(|set| format!("profile.release.{set}"));
    let settings = settings.iter().flat_map(|set| ["--config", set.as_str()]);
    let speed: Vec<&str> = ["--release", "--package", "raven-edge-rust-bench"].into_iter().chain(settings).collect();
    let program = cargo::build(&speed)?.into_iter().find(|made| made.program).context("cargo made no program")?.file;
    let wait = say::Wait::new("10,000 documents, all clients in turn");
    let mut best = [const { Times::new() }; 3];
    for run in 0..RUNS {
        for (client, best) in CLIENTS.iter().zip(&mut best) {
            let name = format!("bench-rust-{}-{run}-{client}", std::process::id());
            admin(
                url,
                "PUT",
                &format!("?name={name}&replicationFactor=1"),
                &format!("{{\"DatabaseName\":\"{name}\"}}"),
            )?;
            let mut command = if *client == "npm" { setup::node() } else { Command::new(&program) };
            command.arg(if *client == "npm" { "tests/bench/rust/npm.mjs" } else { client });
            let output = process::run_quietly(command.args([url, &name, DOCUMENTS]).current_dir(repo::root()))?;
            let times: Times = serde_json::from_str(&output).context("a bench's output")?;
            for (step, time) in times {
                let least = best.entry(step).or_insert(time);
                *least = least.min(time);
            }
            let gone = format!("{{\"DatabaseNames\":[\"{name}\"],\"HardDelete\":true}}");
            admin(url, "DELETE", "", &gone)?;
        }
    }
    wait.done("");
    let [client, by_hand, npm] = &best;
    Ok(table("natively", "`reqwest` + `serde_json`", &[client, by_hand, npm]))
}

/// Creates or deletes a database.
fn admin(url: &str, method: &str, query: &str, body: &str) -> Result<()> {
    const PROGRAM: &str = "const [url, method, body] = process.argv.slice(1);
        const response = await fetch(url, { method, body, headers: { 'content-type': 'application/json' } });
        if (!response.ok) throw new Error(await response.text());";
    let mut node = setup::node();
    node.args(["--input-type=module", "--eval", PROGRAM, &format!("{url}/admin/databases{query}"), method, body]);
    process::run_quietly(&mut node).map(drop)
}

fn size() -> Result<Table> {
    let folder = process::temporary_folder(&repo::target().join("xtask"))?;
    let (named, sent) = wasm::example_released("rust-page", folder.path())?;
    let bytes = std::fs::read(&sent).with_context(|| sent.display().to_string())?;
    let mut crates = BTreeMap::<String, usize>::new();
    for (name, bytes) in functions::read(&named)? {
        *crates.entry(functions::crate_of(&name)).or_default() += bytes;
    }
    let mut crates: Vec<_> = crates.into_iter().collect();
    crates.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    let total: usize = crates.iter().map(|(_, bytes)| bytes).sum();
    let (large, small): (Vec<_>, Vec<_>) = crates.into_iter().partition(|(_, bytes)| *bytes >= SMALLEST);
    let row = |name: &str, bytes: usize| {
        vec![name.to_owned(), thousands(bytes), format!("{:.1} %", bytes as f64 * 100.0 / total as f64)]
    };
    let mut rows: Vec<_> = large.iter().map(|(name, bytes)| row(name, *bytes)).collect();
    rows.push(row(&format!("{} others", small.len()), small.iter().map(|(_, bytes)| bytes).sum()));
    rows.push(row("all code", total));
    rows.push(vec!["the module, with its data".to_owned(), thousands(bytes.len()), String::new()]);
    rows.push(vec!["the module, gzip".to_owned(), thousands(gzipped(&bytes)?.len()), String::new()]);
    let head = ["rust-page: bytes by crate", "bytes", "of the code"].map(str::to_owned).to_vec();
    Ok(printed(Table { head, rows }))
}
