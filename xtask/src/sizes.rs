//! How many bytes a page fetches until its first `saveChanges` has resolved.

use crate::wasm::Built;
use crate::{process, repo, say, setup};
use anyhow::{Context, Result, bail};
use flate2::{Compression, write::GzEncoder};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The most that wasm, glue and façade may weigh together, gzipped, at this stage. The decisions of saves and of callers that wait
/// have moved into WebAssembly and have not been made small yet: before that it was 79,500. The goal is 60,000, the wish 36,000.
const LIMIT: usize = 86_900;

/// The same for the entry without queries.
const SESSION_LIMIT: usize = 73_200;

/// The most that the entry of ids alone may weigh, in hundredths of the main one.
const HILO_SHARE: usize = 60;

/// The most that it may add to a Worker. An eighth of npm `ravendb`, which is wanted, would be 37,800.
const WORKER_LIMIT: usize = 39_100;

/// One text or module in the three sizes that matter.
#[derive(Clone, Copy, Default)]
pub(crate) struct Size {
    /// As it is.
    pub(crate) raw: usize,
    /// `gzip -9`.
    pub(crate) gzip: usize,
    /// `brotli -q 11`.
    pub(crate) brotli: usize,
}

impl Size {
    /// Measures bytes.
    pub(crate) fn of(bytes: &[u8]) -> Result<Self> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(bytes)?;
        let mut small = Vec::new();
        brotli::CompressorWriter::new(&mut small, 1 << 16, 11, 22).write_all(bytes)?;
        Ok(Self { raw: bytes.len(), gzip: gzip.finish()?.len(), brotli: small.len() })
    }

    /// Measures a file.
    pub(crate) fn of_file(file: &Path) -> Result<Self> {
        Self::of(&fs::read(file).with_context(|| file.display().to_string())?)
    }

    /// Both together, compressed apart as they travel.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self { raw: self.raw + other.raw, gzip: self.gzip + other.gzip, brotli: self.brotli + other.brotli }
    }

    /// A line of the table.
    pub(crate) fn row(self, name: &str) -> Vec<String> {
        vec![name.to_owned(), thousands(self.raw), thousands(self.gzip), thousands(self.brotli)]
    }
}

/// What the entries weigh: wasm, glue and façade together.
#[derive(Clone, Copy, Default)]
pub(crate) struct Totals {
    /// `raven-edge`, until the first `saveChanges` has resolved.
    pub(crate) main: Size,
    /// `raven-edge/session`, until the first `saveChanges` has resolved.
    pub(crate) session: Size,
    /// `raven-edge/hilo`, until the first id is there.
    pub(crate) hilo: Size,
    /// The same in a Worker.
    pub(crate) worker: Size,
}

/// The conditions under which a page and a Worker find their files.
const PAGE: [&str; 2] = ["browser", "default"];
const WORKER: [&str; 2] = ["workerd", "default"];

/// Prints the table of the entries and gives their totals.
pub(crate) fn print(main: &Built, session: &Built, hilo: &Built, workers: &[Built]) -> Result<Totals> {
    let mut rows = Vec::new();
    let mut entry = |name: &str, path: &str, store: &str, built: &Built, conditions: [&str; 2]| -> Result<Size> {
        let wasm = Size::of_file(&built.wasm)?;
        let script = Size::of(&bundle(&file_of(path, conditions)?, store, conditions)?)?;
        let total = wasm.plus(script);
        rows.push(wasm.row(&format!("{name}: wasm")));
        rows.push(script.row("  glue and façade"));
        rows.push(total.row("  total"));
        Ok(total)
    };
    let totals = Totals {
        main: entry("raven-edge", ".", "DocumentStore", main, PAGE)?,
        session: entry("raven-edge/session", "./session", "DocumentStore", session, PAGE)?,
        hilo: entry("raven-edge/hilo", "./hilo", "HiLoStore", hilo, PAGE)?,
        worker: {
            let [main, session, hilo] = workers else { bail!("a Worker has three modules") };
            entry("raven-edge in a Worker", ".", "DocumentStore", main, WORKER)?;
            entry("raven-edge/session in a Worker", "./session", "DocumentStore", session, WORKER)?;
            entry("raven-edge/hilo in a Worker", "./hilo", "HiLoStore", hilo, WORKER)?
        },
    };
    say::table(&["bytes until the first use", "raw", "gzip -9", "brotli 11"], &rows);
    Ok(totals)
}

/// Fails when an entry is too heavy.
pub(crate) fn gate(totals: Totals) -> Result<()> {
    let Totals { main, session, hilo, worker } = totals;
    if main.gzip > LIMIT {
        bail!("the main entry weighs {} bytes gzipped, {} more than allowed", main.gzip, main.gzip - LIMIT);
    }
    if session.gzip > SESSION_LIMIT {
        bail!("raven-edge/session weighs {} bytes gzipped, more than {SESSION_LIMIT}", session.gzip);
    }
    if hilo.gzip * 100 > main.gzip * HILO_SHARE {
        bail!("raven-edge/hilo weighs {} bytes gzipped, more than {HILO_SHARE} % of {}", hilo.gzip, main.gzip);
    }
    if worker.gzip > WORKER_LIMIT {
        bail!("raven-edge/hilo adds {} bytes gzipped to a Worker, more than {WORKER_LIMIT}", worker.gzip);
    }
    Ok(())
}

/// The file of an import under the first of these conditions that package.json has.
fn file_of(path: &str, conditions: [&str; 2]) -> Result<PathBuf> {
    let file = repo::path("pkg/package.json");
    let package: Value = serde_json::from_str(&fs::read_to_string(&file)?).context("pkg/package.json")?;
    let main = &package["exports"][path];
    let entry = conditions.iter().find_map(|condition| main[condition].as_str());
    let entry = entry.with_context(|| format!("pkg/package.json: exports[\"{path}\"] has none of {conditions:?}"))?;
    Ok(repo::path("pkg").join(entry))
}

/// What a page loads when it is first used: the inlined copy of the module, and the parts that `pkg/lib/parts/later.js` lists.
const LATER: [&str; 7] = [
    "gen/inline",
    "gen/inline_session",
    "gen/inline_hilo",
    "gen/plural",
    "apart/hilo-generators",
    "apart/session",
    "apart/stream",
];

/// Glue and façade as the bundler of an app makes them that imports the store: one minified file. In a page without what is loaded
/// later; in a Worker with all of it, because it is uploaded.
fn bundle(entry: &Path, store: &str, conditions: [&str; 2]) -> Result<Vec<u8>> {
    let app = repo::path("target/app.js");
    let module = serde_json::to_string(entry)?;
    fs::write(&app, format!("export {{ {store} }} from {module};\n")).with_context(|| app.display().to_string())?;
    let mut command = setup::bundler(&app);
    command.arg("--minify").arg("--external:*.wasm");
    for name in LATER.iter().filter(|_| conditions == PAGE) {
        command.arg(format!("--external:*/{name}.js"));
    }
    Ok(process::run_quietly(&mut command)?.into_bytes())
}

/// 12,345 for 12345.
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
