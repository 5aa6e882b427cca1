//! Cold starts: in workerd, compared with npm `ravendb`; in Chromium, compared with a page that uses `fetch` by hand.

use crate::entry_bytes::thousands;
use crate::{authority, process, say, setup};
use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::BTreeMap;

/// What `tests/bench/start/worker.mjs` prints: medians in milliseconds, and gzipped bytes.
#[derive(Deserialize)]
struct Figures {
    /// An empty Worker, from the start of its process to its first response.
    floor: f64,
    us: Client,
    /// `raven-edge/hilo`: only ids.
    ids: Client,
    peer: Client,
    /// npm `ravendb` without undici and ws.
    bare: usize,
}

#[derive(Deserialize)]
struct Client {
    /// Time until the client can be used, minus `floor`.
    ready: f64,
    /// The first id, from a hub on loopback.
    id: f64,
    bytes: usize,
    /// The client without minification: `wrangler deploy` minifies only on request.
    plain: Plain,
}

#[derive(Deserialize)]
struct Plain {
    ready: f64,
    bytes: usize,
}

/// What `tests/bench/start/page.mjs` prints of one visit: milliseconds since the navigation.
#[derive(Deserialize)]
struct Visit {
    /// The last byte of the module; 0 if it came from the cache.
    module: Option<f64>,
    id: f64,
    saved: Option<f64>,
}

/// By page, and whether it was visited before.
type Visits = BTreeMap<String, BTreeMap<String, Visit>>;

/// Measures and prints.
pub(super) fn run() -> Result<()> {
    let server = authority::start(&authority::build()?)?;
    workers(&server.url)?;
    pages(&server.url)
}

fn pages(server: &str) -> Result<()> {
    let wait = say::Wait::new("visits of pages in Chromium, in turn");
    let mut node = setup::node();
    node.arg("tests/bench/start/page.mjs").env("SERVER_URL", server);
    let visits: Visits =
        serde_json::from_str(&process::run_quietly(&mut node)?).context("tests/bench/start/page.mjs")?;
    wait.done("");
    let time = |at: Option<f64>| at.map_or_else(String::new, |at| format!("{at:.0}"));
    let mut rows = Vec::new();
    for (page, kinds) in &visits {
        for (kind, Visit { module, id, saved }) in kinds {
            let since = module.filter(|at| *at > 0.0).map(|at| id - at);
            let name = format!("{page}, cache {kind}");
            rows.push(vec![
                name,
                time(*module),
                time(Some(*id)),
                time(since),
                time(*saved),
                time(saved.map(|at| at - id)),
            ]);
        }
    }
    say::table(
        &["100 ms, 10 Mbit/s; ms since navigation", "module", "first id", "after module", "saved", "after id"],
        &rows,
    );
    Ok(())
}

fn workers(server: &str) -> Result<()> {
    let wait = say::Wait::new("cold starts in workerd, in turn");
    let mut node = setup::node();
    node.arg("tests/bench/start/worker.mjs").env("SERVER_URL", server);
    let figures: Figures =
        serde_json::from_str(&process::run_quietly(&mut node)?).context("tests/bench/start/worker.mjs")?;
    wait.done("");
    let Figures { floor, us, ids, peer, bare } = figures;
    let row = |name: &str, us: f64, ids: f64, peer: f64| {
        let times = |own: f64| format!("{:.1}", peer / own);
        vec![name.to_owned(), format!("{us:.1}"), times(us), format!("{ids:.1}"), times(ids), format!("{peer:.1}")]
    };
    say::table(
        &["cold start in workerd, ms", "raven-edge", "faster", "raven-edge/hilo", "faster", "npm ravendb"],
        &[
            row("until it can be used, minified", us.ready, ids.ready, peer.ready),
            row("the same, not minified", us.plain.ready, ids.plain.ready, peer.plain.ready),
            row("first id from a hub", us.id, ids.id, peer.id),
        ],
    );
    say::note(&format!("an empty Worker takes {floor:.1} ms, which is subtracted from the first two rows"));
    let share = |own: usize, peer: usize| format!("{:.3}", own as f64 / peer as f64);
    let line = |name: &str, bytes, us, ids| vec![name.into(), thousands(bytes), share(us, bytes), share(ids, bytes)];
    let minified = |name, bytes| line(name, bytes, us.bytes, ids.bytes);
    say::table(
        &["what is uploaded, gzip -9", "bytes", "raven-edge / it", "raven-edge/hilo / it"],
        &[
            minified("raven-edge", us.bytes),
            minified("raven-edge/hilo", ids.bytes),
            minified("npm ravendb", peer.bytes),
            minified("npm ravendb without undici and ws", bare),
            line("npm ravendb, none minified", peer.plain.bytes, us.plain.bytes, ids.plain.bytes),
        ],
    );
    Ok(())
}
