//! The bytes that a page downloads until its first `saveChanges` has resolved, and those that a Worker uploads.

use crate::wasm::Built;
use crate::{process, repo, say, setup};
use anyhow::{Context, Result, bail};
use flate2::{Compression, write::GzEncoder};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The most that wasm, glue and façade of an entry may weigh together, gzipped. The goal is 60,000, 52,000 and 36,000 in a page,
/// 58,000, 48,000 and 30,000 in a Worker.
const LIMITS: [(&str, usize); 11] = [
    (MAIN, 77_900),
    (SESSION, 72_000),
    (HILO, 42_500),
    (WORKER_MAIN, 82_800),
    (WORKER_SESSION, 69_800),
    (WORKER_HILO, 32_400),
    (GATEWAY, 107_900),
    (GATEWAY_LIVE, 115_200),
    (HUB, 65_400),
    (CHANGES, 19_600),
    (AUTHORITY, 66_700),
];

const MAIN: &str = "raven-edge";
const SESSION: &str = "raven-edge/session";
const HILO: &str = "raven-edge/hilo";
const WORKER_MAIN: &str = "raven-edge in a Worker";
const WORKER_SESSION: &str = "raven-edge/session in a Worker";
const WORKER_HILO: &str = "raven-edge/hilo in a Worker";
/// A Worker with nothing else uploads this.
const GATEWAY: &str = "raven-edge/gateway";
const GATEWAY_LIVE: &str = "raven-edge/gateway-live";
const HUB: &str = "raven-edge/hub";
const CHANGES: &str = "raven-edge/changes-hub";
const AUTHORITY: &str = "raven-edge/authority";

/// A text or module in three sizes.
#[derive(Clone, Copy, Default)]
pub(crate) struct Size {
    /// Uncompressed.
    pub(crate) raw: usize,
    /// `gzip -9`.
    pub(crate) gzip: usize,
    /// Brotli at its highest level, 11.
    pub(crate) brotli: usize,
}

impl Size {
    /// Measures bytes.
    pub(crate) fn of(bytes: &[u8]) -> Result<Self> {
        Ok(Self { raw: bytes.len(), gzip: gzipped(bytes)?.len(), brotli: brotli_length(bytes)? })
    }

    /// Measures a file.
    pub(crate) fn of_file(file: &Path) -> Result<Self> {
        Self::of(&fs::read(file).with_context(|| file.display().to_string())?)
    }

    /// The sum of both, which are compressed separately.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self { raw: self.raw + other.raw, gzip: self.gzip + other.gzip, brotli: self.brotli + other.brotli }
    }

    /// A line of the table.
    pub(crate) fn row(self, name: &str) -> Vec<String> {
        vec![name.to_owned(), thousands(self.raw), thousands(self.gzip), thousands(self.brotli)]
    }
}

/// `gzip -9`.
pub(crate) fn gzipped(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(bytes)?;
    Ok(gzip.finish()?)
}

/// The length of bytes as Node compresses them with brotli: a crate takes many seconds for it, because xtask is compiled without optimisation.
fn brotli_length(bytes: &[u8]) -> Result<usize> {
    const SCRIPT: &str = "const { readFileSync } = require('node:fs'), { brotliCompressSync } = require('node:zlib');
        console.log(brotliCompressSync(readFileSync(process.argv[1])).length)";
    let folder = process::temporary_folder(&repo::target())?;
    let file = folder.path().join("bytes");
    fs::write(&file, bytes).with_context(|| file.display().to_string())?;
    let length = process::run_quietly(setup::node().args(["-e", SCRIPT]).arg(&file))?;
    length.trim().parse().with_context(|| format!("node printed {length:?}"))
}

/// What an entry weighs, by its name: wasm, glue and façade together, until the first `saveChanges` has resolved or the first id
/// is there.
pub(crate) type Totals = Vec<(&'static str, Size)>;

/// The export conditions of a page and of a Worker.
const PAGE: [&str; 2] = ["browser", "default"];
const WORKER: [&str; 2] = ["workerd", "default"];

/// Prints the table of the entries and gives their totals.
pub(crate) fn print(main: &Built, hilo: &Built, workers: &[Built], edge: [&Built; 5]) -> Result<Totals> {
    let [worker, worker_hilo] = workers else { bail!("a Worker has two modules") };
    let [gateway, gateway_live, hub, changes, authority] = edge;
    let mut rows = Vec::new();
    let mut totals = Vec::new();
    for (name, path, store, built, conditions) in [
        (MAIN, ".", "DocumentStore", main, PAGE),
        (SESSION, "./session", "DocumentStore", main, PAGE),
        (HILO, "./hilo", "HiLoStore", hilo, PAGE),
        (WORKER_MAIN, ".", "DocumentStore", worker, WORKER),
        (WORKER_SESSION, "./session", "DocumentStore", worker, WORKER),
        (WORKER_HILO, "./hilo", "HiLoStore", worker_hilo, WORKER),
        (GATEWAY, "./gateway", "default", gateway, WORKER),
        (GATEWAY_LIVE, "./gateway-live", "default", gateway_live, WORKER),
        (HUB, "./hub", "hub", hub, WORKER),
        (CHANGES, "./changes-hub", "ChangesHub", changes, WORKER),
        (AUTHORITY, "./authority", "AuthorityObject", authority, WORKER),
    ] {
        let wasm = Size::of_file(&built.wasm)?;
        let script = Size::of(&bundle(&file_of(path, conditions)?, store, conditions, &[])?)?;
        let total = wasm.plus(script);
        rows.push(wasm.row(&format!("{name}: wasm")));
        rows.push(script.row("  glue and façade"));
        rows.push(total.row("  total"));
        totals.push((name, total));
    }
    say::table(&["bytes until the first use", "raw", "gzip -9", "brotli 11"], &rows);
    Ok(totals)
}

/// Fails if an entry is too large.
pub(crate) fn gate(totals: &Totals) -> Result<()> {
    for ((name, limit), (_, total)) in LIMITS.iter().zip(totals) {
        if total.gzip > *limit {
            bail!("{name} has {} bytes gzipped, {} more than allowed", total.gzip, total.gzip - limit);
        }
    }
    Ok(())
}

/// The file of an export under the first of these conditions that package.json has.
fn file_of(path: &str, conditions: [&str; 2]) -> Result<PathBuf> {
    let file = repo::path("pkg/package.json");
    let package: Value = serde_json::from_str(&fs::read_to_string(&file)?).context("pkg/package.json")?;
    let main = &package["exports"][path];
    let entry = conditions.iter().find_map(|condition| main[condition].as_str());
    let entry = entry.with_context(|| format!("pkg/package.json: exports[\"{path}\"] has none of {conditions:?}"))?;
    Ok(repo::path("pkg").join(entry))
}

/// What Workers load on demand (`pkg/src/entries/parts`). A Worker's upload has them, too.
const WORKERS_LATER: [&str; 4] =
    ["parts/capabilities-later", "parts/extras", "parts/named-calls", "parts/worker-sockets"];

/// What pages load on demand: names that `pkg/lib` and `pkg/dist` share.
const PAGES_LATER: [&str; 10] = [
    "inline",
    "plural",
    "capabilities-later",
    "document-iterator",
    "extras",
    "live",
    "named-calls",
    "other-sources",
    "rarely-used",
    "render",
];

/// Glue and façade, bundled and minified as the bundler of an app would do it that imports the store. Without the capabilities; for
/// pages without the other modules that are loaded on demand. For Workers with these, because they are uploaded.
fn bundle(entry: &Path, store: &str, conditions: [&str; 2], more: &[&str]) -> Result<Vec<u8>> {
    let app = repo::path("target/app.js");
    let module = serde_json::to_string(entry)?;
    fs::write(&app, format!("export {{ {store} }} from {module};\n")).with_context(|| app.display().to_string())?;
    let mut command = setup::bundler(&app);
    command.arg("--minify").arg("--external:*.wasm").args(more);
    let later: &[&str] = if conditions == PAGE { &PAGES_LATER } else { &WORKERS_LATER };
    command.args(later.iter().map(|name| format!("--external:*/{name}.js")));
    Ok(process::run_quietly(&mut command)?.into_bytes())
}

/// Bundles the main entry as a page loads it, from a file for each source, with more of esbuild's flags.
pub(crate) fn bundle_page(more: &[&str]) -> Result<()> {
    bundle(&repo::path("pkg/dist/entries/web.js"), "DocumentStore", PAGE, more).map(drop)
}

/// Formats 12345 as 12,345.
pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn thousands_are_parted() {
        let texts = [0, 12, 999, 1_000, 123_456, 1_234_567].map(super::thousands);
        assert_eq!(texts, ["0", "12", "999", "1,000", "123,456", "1,234,567"]);
    }
}
