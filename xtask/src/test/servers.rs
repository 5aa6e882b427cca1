//! What suites need besides node_modules: the built package, servers, browsers. Each is provided once and ends with the run.

use super::schedule::Finished;
use super::suites::Need;
use super::tally::Tally;
use crate::service::Service;
use crate::{authority, build, entry_bytes, process, ravendb, setup, wasm};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

/// Older servers: the variables that name them, and their versions.
const OLDER: [(&str, &str); 2] = [("RAVENDB_62_URL", "6.2.4"), ("RAVENDB_54_URL", "5.4.0")];

/// The running servers, and the environment variables that name them for the suites. Dropping it ends the servers.
#[derive(Default)]
pub(super) struct Servers {
    environment: Mutex<Vec<(Need, String, String)>>,
    ravendb: Mutex<Vec<(Need, ravendb::Server)>>,
    services: Mutex<Vec<Service>>,
    users: Mutex<Users>,
    /// CPU seconds of the servers that have ended.
    spent: Mutex<f64>,
    /// Those that do not respond any more, and why.
    lost: Mutex<BTreeMap<Need, String>>,
}

/// How many jobs still need each.
#[derive(Default)]
struct Users(BTreeMap<Need, usize>);

impl Users {
    fn expect(&mut self, needs: &[Need]) {
        needs.iter().for_each(|need| *self.0.entry(*need).or_default() += 1);
    }

    /// Returns what no job needs any more.
    fn release(&mut self, needs: &[Need]) -> Vec<Need> {
        let mut idle = Vec::new();
        for need in needs {
            let left = self.0.entry(*need).or_default();
            *left = left.saturating_sub(1);
            if *left == 0 {
                idle.push(*need);
            }
        }
        idle
    }
}

impl Servers {
    /// The environment variables for a suite with these needs.
    pub(super) fn environment(&self, needs: &[Need], full: bool) -> Result<Vec<(String, String)>> {
        let told = self.environment.lock().ok().context("a provider panicked")?;
        let told = told.iter().filter(|(need, ..)| needs.contains(need));
        let mut all: Vec<_> = told.map(|(_, name, value)| (name.clone(), value.clone())).collect();
        if full {
            all.push(("RAVEN_EDGE_FULL".to_owned(), "1".to_owned()));
        }
        Ok(all)
    }

    /// Notes that a job will need these.
    pub(super) fn expect(&self, needs: &[Need]) -> Result<()> {
        self.users.lock().ok().context("a provider panicked")?.expect(needs);
        Ok(())
    }

    /// Notes that a job has ended, and ends the RavenDBs that only such jobs needed: also an idle one takes a hundredth of a core.
    pub(super) fn release(&self, needs: &[Need]) -> Result<()> {
        let idle = self.users.lock().ok().context("a provider panicked")?.release(needs);
        self.end(|need| idle.contains(&need))
    }

    /// Ends all, and returns their CPU seconds.
    pub(super) fn end_all(self) -> Result<f64> {
        self.end(|_| true)?;
        let services: f64 = self.services.lock().ok().context("a provider panicked")?.iter().map(Service::cpu).sum();
        Ok(services + *self.spent.lock().ok().context("a provider panicked")?)
    }

    fn end(&self, is_idle: impl Fn(Need) -> bool) -> Result<()> {
        let mut servers = self.ravendb.lock().ok().context("a provider panicked")?;
        let cpu: f64 = servers.iter().filter(|(need, _)| is_idle(*need)).map(|(_, server)| server.cpu()).sum();
        servers.retain(|(need, _)| !is_idle(*need));
        *self.spent.lock().ok().context("a provider panicked")? += cpu;
        Ok(())
    }

    /// Refuses work with a RavenDB that has stopped responding: each test would wait for its own limit.
    pub(super) fn assert_alive(&self, needs: &[Need]) -> Result<()> {
        let mut lost = self.lost.lock().ok().context("a provider panicked")?;
        let servers = self.ravendb.lock().ok().context("a provider panicked")?;
        for (need, server) in servers.iter().filter(|(need, _)| needs.contains(need)) {
            if let Some(reason) = lost.get(need) {
                bail!("{reason}");
            }
            if let Err(error) = server.version() {
                lost.insert(*need, format!("{error:#}"));
                return Err(error);
            }
        }
        Ok(())
    }

    /// Provides what suites need. If a browser or a proxy cannot be had, this is no error: the tests that need it are skipped, and
    /// the lines say what is missing. A server that does not start is one. `full`: also what takes long to compile.
    pub(super) fn provide(&self, need: Need, full: bool) -> Result<Finished> {
        let mut finished = Finished::default();
        let mut missing = |tests: &str, error: anyhow::Error| {
            finished.lines.push(format!("  no tests {tests}: {error:#}"));
        };
        match need {
            Need::Build => {
                let total = build::make(&build::Args::default())?;
                // A package above its limits can be tested all the same.
                if let Err(error) = entry_bytes::gate(&total) {
                    finished.tally = Tally::failure(format!("{error:#}"));
                }
            }
            Need::Chromium => match setup::chromium() {
                // Debian offers only one version at a time, so it cannot be pinned.
                Ok(path) => {
                    let version = process::run_quietly(Command::new(&path).arg("--version"))?;
                    finished.lines.push(format!("  {}", version.trim()));
                    let path = path.display().to_string();
                    // Who names a browser wants it in all tests, not the shell of another one.
                    if std::env::var_os("CHROMIUM").is_some() {
                        self.tell(need, "CHROMIUM_SHELL", &path)?;
                    }
                    self.tell(need, "CHROMIUM", &path)?;
                }
                Err(error) => missing("in Chromium", error),
            },
            Need::OtherBrowsers => {
                for (name, set_up) in [("in Firefox", setup::firefox()), ("in WebKitGTK", setup::webkit())] {
                    if let Err(error) = set_up {
                        missing(name, error);
                    }
                }
            }
            Need::Proxies => {
                if let Err(error) = setup::proxies() {
                    missing("behind proxies", error);
                }
            }
            Need::RustPage => {
                let [page, sessions] = wasm::programs(wasm::PAGES)?;
                self.tell(need, "RUST_PAGE", &page.display().to_string())?;
                self.tell(need, "RUST_SESSIONS", &sessions.display().to_string())?;
                if full {
                    let [worker] = wasm::programs(["rust-worker"])?;
                    self.tell(need, "RUST_WORKER", &worker.display().to_string())?;
                    self.tell(need, "RUST_LEPTOS", &wasm::leptos()?.display().to_string())?;
                }
            }
            Need::RavenDb => self.ravendb()?,
            Need::OlderRavenDb => {
                for (variable, version) in OLDER {
                    let server = ravendb::prepare(version)?.start(0, &[])?;
                    self.tell(need, variable, &server.url)?;
                    self.keep(need, server)?;
                }
            }
            Need::Authority => {
                let program = authority::build()?;
                let service = authority::start(&program)?;
                self.tell(need, "AUTHORITY_URL", &service.url)?;
                self.tell(need, "AUTHORITY_BIN", &program.display().to_string())?;
                self.services.lock().ok().context("a provider panicked")?.push(service);
            }
            Need::AuthorityInWorkerd => {
                let script = Path::new("tests/conformance/workerd.mjs");
                let command = &mut setup::node();
                let service = Service::start(command.arg(script), "authority-workerd", Duration::from_secs(60))?;
                self.tell(need, "AUTHORITY_WORKERD_URL", &service.url)?;
                self.services.lock().ok().context("a provider panicked")?.push(service);
            }
        }
        Ok(finished)
    }

    /// The server that RAVENDB_URL names, or one of ours.
    fn ravendb(&self) -> Result<()> {
        match ravendb::given()? {
            Some(url) => self.tell(Need::RavenDb, "RAVENDB_URL", &url)?,
            None => {
                let server = ravendb::prepare(ravendb::VERSION)?.start(0, &[])?;
                self.tell(Need::RavenDb, "RAVENDB_URL", &server.url)?;
                self.keep(Need::RavenDb, server)?;
            }
        }
        if ravendb::prepare(ravendb::VERSION).is_ok() {
            let xtask = std::env::current_exe().context("xtask's own path")?;
            self.tell(Need::RavenDb, "RAVENDB_START", &format!("{} ravendb --own", xtask.display()))?;
        }
        Ok(())
    }

    fn keep(&self, need: Need, server: ravendb::Server) -> Result<()> {
        self.ravendb.lock().ok().context("a provider panicked")?.push((need, server));
        Ok(())
    }

    fn tell(&self, need: Need, variable: &str, value: &str) -> Result<()> {
        let mut told = self.environment.lock().ok().context("a provider panicked")?;
        told.push((need, variable.to_owned(), value.to_owned()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Need, Users};

    #[test]
    fn a_server_ends_with_the_last_job_that_needs_it() {
        let mut users = Users::default();
        users.expect(&[Need::RavenDb, Need::OlderRavenDb]);
        users.expect(&[Need::RavenDb]);
        users.expect(&[Need::RavenDb, Need::OlderRavenDb]);
        assert_eq!(users.release(&[Need::RavenDb, Need::OlderRavenDb]), []);
        assert_eq!(users.release(&[Need::RavenDb, Need::OlderRavenDb]), [Need::OlderRavenDb]);
        assert_eq!(users.release(&[Need::RavenDb]), [Need::RavenDb]);
    }
}
