//! The suites: their names, what they prove, and what they need.

use super::tally::Tally;
use super::{native, simulation};
use crate::repo;
use anyhow::{Context, Result};
use std::fs;
use std::path::PathBuf;

/// A suite of tests.
pub(super) struct Suite {
    /// Its name on the command line; for JavaScript also its folder in `tests/`.
    pub(super) name: &'static str,
    /// How to run it.
    pub(super) kind: Kind,
}

/// How to run a suite.
pub(super) enum Kind {
    /// `cargo test` for the workspace, or a part of it.
    Native(fn(bool) -> Result<Tally>),
    /// `node --test` on `tests/NAME/*.test.mjs`, if these exist.
    Js(&'static [Need]),
}

/// What a JavaScript suite needs besides node_modules; passed to it in environment variables.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// The built modules.
    Build,
    /// `CHROMIUM`.
    Chromium,
    /// Firefox and WebKitGTK; the tests find them without a variable.
    OtherBrowsers,
    /// nginx and Caddy; the tests find them without a variable.
    Proxies,
    /// `RAVENDB_URL`, a server's address, and `RAVENDB_START`, a command that starts another server (takes `--port N -- FLAGS…`).
    RavenDb,
    /// `RAVENDB_62_URL` and `RAVENDB_54_URL`.
    OlderRavenDb,
    /// `AUTHORITY_URL`, and `AUTHORITY_BIN`: the program, for suites that start their own.
    Authority,
    /// `AUTHORITY_WORKERD_URL`.
    AuthorityInWorkerd,
}

use Need::{Authority, AuthorityInWorkerd, Build, Chromium, OlderRavenDb, OtherBrowsers, Proxies, RavenDb};

/// All suites in the order in which they run.
pub(super) const SUITES: &[Suite] = &[
    // The core's rules, the authority, the gateway's core, the hub, and xtask itself.
    Suite { name: "native", kind: Kind::Native(native::run) },
    // The law (no id twice) in every state: the real ledger and pool in a model checker.
    Suite { name: "law", kind: Kind::Native(native::law) },
    // The session's law in every state: its real decisions in the same model checker.
    Suite { name: "session-law", kind: Kind::Native(native::session_law) },
    // The law of the offline queue in every state: its real decisions in the same model checker.
    Suite { name: "offline-law", kind: Kind::Native(native::offline_law) },
    // The law in long runs: core, authority and dozens of devices in simulated time.
    Suite { name: "simulation", kind: Kind::Native(simulation::run) },
    // The same requests to the authority and to real servers; responses are compared field by field.
    Suite { name: "conformance", kind: Kind::Js(&[Build, Authority, AuthorityInWorkerd, RavenDb, OlderRavenDb]) },
    // Parts of the package in Node, without a server.
    Suite { name: "unit", kind: Kind::Js(&[Build]) },
    // The package in Node with both servers.
    Suite { name: "server", kind: Kind::Js(&[Build, Authority, RavenDb]) },
    // The documentation: examples, error codes and names.
    Suite { name: "docs", kind: Kind::Js(&[Build, RavenDb, Chromium]) },
    // The same programs with this package and with npm `ravendb`.
    Suite { name: "compat", kind: Kind::Js(&[Build, RavenDb]) },
    // The package in Chromium; tests of crashes, of the back/forward cache and of some others also in Firefox and WebKitGTK.
    Suite { name: "browsers", kind: Kind::Js(&[Build, Authority, RavenDb, Chromium, OtherBrowsers, Proxies]) },
    // The package in workerd.
    Suite { name: "runtimes", kind: Kind::Js(&[Build, Authority, RavenDb]) },
    // The gateway in workerd: what it forwards and refuses, and tests of leases, returns and saves again through it.
    Suite { name: "gateway", kind: Kind::Js(&[Build, Authority, RavenDb, Chromium]) },
    // The packed package, installed in empty folders.
    Suite { name: "package", kind: Kind::Js(&[Build, Authority, RavenDb, Chromium]) },
];

/// The names for the command line.
pub(super) fn names() -> Vec<&'static str> {
    SUITES.iter().map(|suite| suite.name).collect()
}

impl Suite {
    /// What must be available before the suite runs.
    pub(super) fn needs(&self) -> &'static [Need] {
        match self.kind {
            Kind::Native(_) => &[],
            Kind::Js(needs) => needs,
        }
    }

    /// Whether the suite has any tests.
    pub(super) fn exists(&self) -> bool {
        match self.kind {
            Kind::Native(_) => true,
            Kind::Js(_) => self.files().is_ok_and(|files| !files.is_empty()),
        }
    }

    /// The test files of a JavaScript suite, sorted.
    pub(super) fn files(&self) -> Result<Vec<PathBuf>> {
        let folder = repo::path("tests").join(self.name);
        let entries = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
        let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
        let mut files: Vec<PathBuf> = paths.filter(|path| path.to_string_lossy().ends_with(".test.mjs")).collect();
        files.sort();
        Ok(files)
    }
}
