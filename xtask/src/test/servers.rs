//! The servers for the suites: each is started once, when first needed, and ends with the run.

use super::suites::{Need, Suite};
use super::tally::in_ci;
use crate::service::Service;
use crate::{authority, build, entry_bytes, process, ravendb, repo, say, setup};
use anyhow::{Context, Result};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Older servers: the variables that name them, and their versions.
const OLDER: [(&str, &str); 2] = [("RAVENDB_62_URL", "6.2.4"), ("RAVENDB_54_URL", "5.4.0")];

/// Chromium's path. Prints its version: Debian offers only one at a time, so it cannot be pinned.
fn chromium() -> Result<String> {
    let path = setup::chromium()?;
    say::note(process::run_quietly(Command::new(&path).arg("--version"))?.trim());
    Ok(path.display().to_string())
}

/// Downloads the servers that the suites will need. Failures are reported when a server is needed.
pub(super) fn fetch_ahead(suites: &[&Suite]) {
    let needed = |need| suites.iter().any(|suite| suite.needs().contains(&need));
    if needed(Need::RavenDb) && std::env::var_os("RAVENDB_URL").is_none() {
        let _ = ravendb::prepare(ravendb::VERSION);
    }
    if needed(Need::OlderRavenDb) {
        for (_, version) in OLDER {
            let _ = ravendb::prepare(version);
        }
    }
}

/// The running servers, and the environment variables that name them for the suites.
#[derive(Default)]
pub(super) struct Servers {
    environment: Vec<(String, String)>,
    provided: Vec<Need>,
    ravendb: Vec<ravendb::Server>,
    services: Vec<Service>,
    /// The package exceeds a size limit. This counts as a failure of its own and does not keep suites from running.
    pub(super) too_heavy: Option<anyhow::Error>,
}

impl Servers {
    /// No servers are running yet.
    pub(super) fn new(full: bool) -> Self {
        let mut servers = Self::default();
        if full {
            servers.tell("RAVEN_EDGE_FULL", "1");
        }
        servers
    }

    /// The environment variables for the suites.
    pub(super) fn environment(&self) -> &[(String, String)] {
        &self.environment
    }

    /// Provides what a suite needs. If a RavenDB, a browser or a proxy cannot be had, this is no error: the tests that
    /// need it are skipped, and say what is missing.
    pub(super) fn provide(&mut self, need: Need) -> Result<()> {
        if self.provided.contains(&need) {
            return Ok(());
        }
        match need {
            Need::Build => {
                // CI reports the table of bytes per feature; elsewhere it would only take time.
                let total = build::make(&build::Args { features_table: in_ci(), ..build::Args::default() })?;
                self.too_heavy = entry_bytes::gate(&total).err();
            }
            Need::Chromium => match chromium() {
                Ok(path) => self.tell("CHROMIUM", &path),
                Err(error) => say::note(&format!("no tests in Chromium: {error:#}")),
            },
            Need::OtherBrowsers => {
                for (name, set_up) in [("Firefox", setup::firefox()), ("WebKitGTK", setup::webkit())] {
                    if let Err(error) = set_up {
                        say::note(&format!("no tests in {name}: {error:#}"));
                    }
                }
            }
            Need::Proxies => {
                if let Err(error) = setup::proxies() {
                    say::note(&format!("no tests behind proxies: {error:#}"));
                }
            }
            Need::RavenDb => self.ravendb()?,
            Need::OlderRavenDb => self.older_ravendb(),
            Need::Authority => self.authority()?,
            Need::AuthorityInWorkerd => self.authority_in_workerd()?,
        }
        self.provided.push(need);
        Ok(())
    }

    fn ravendb(&mut self) -> Result<()> {
        let url = match ravendb::given()? {
            Some(url) => url,
            None => match ravendb::prepare(ravendb::VERSION).and_then(|ready| ready.start(0, &[])) {
                Ok(server) => {
                    let url = server.url.clone();
                    self.ravendb.push(server);
                    url
                }
                Err(error) => {
                    say::note(&format!("no tests against RavenDB: {error:#}"));
                    return Ok(());
                }
            },
        };
        self.tell("RAVENDB_URL", &url);
        if ravendb::prepare(ravendb::VERSION).is_ok() {
            let xtask = std::env::current_exe().context("xtask's own path")?;
            self.tell("RAVENDB_START", &format!("{} ravendb --own", xtask.display()));
        }
        Ok(())
    }

    fn older_ravendb(&mut self) {
        for (variable, version) in OLDER {
            match ravendb::prepare(version).and_then(|ready| ready.start(0, &[])) {
                Ok(server) => {
                    self.tell(variable, &server.url);
                    self.ravendb.push(server);
                }
                Err(error) => say::note(&format!("no tests against RavenDB {version}: {error:#}")),
            }
        }
    }

    fn authority(&mut self) -> Result<()> {
        let program = authority::build()?;
        let service = authority::start(&program)?;
        self.tell("AUTHORITY_URL", &service.url);
        self.tell("AUTHORITY_BIN", &program.display().to_string());
        self.services.push(service);
        Ok(())
    }

    fn authority_in_workerd(&mut self) -> Result<()> {
        let script = Path::new("tests/conformance/workerd.mjs");
        if !repo::root().join(script).exists() {
            return Ok(());
        }
        let wait = say::Wait::new("starting the authority in workerd");
        let service = Service::start(setup::node().arg(script), "authority-workerd", Duration::from_secs(60))?;
        wait.done(&service.url);
        self.tell("AUTHORITY_WORKERD_URL", &service.url);
        self.services.push(service);
        Ok(())
    }

    fn tell(&mut self, variable: &str, value: &str) {
        self.environment.push((variable.to_owned(), value.to_owned()));
    }
}
