//! The table of suites: what they are called, what they prove, what they need.

use super::tally::Tally;
use super::{native, simulation};
use crate::repo;
use anyhow::{Context, Result};
use std::fs;
use std::path::PathBuf;

/// A suite of tests.
pub(super) struct Suite {
    /// Its name on the command line, for JavaScript also its folder in `tests/`.
    pub(super) name: &'static str,
    /// How it is run.
    pub(super) kind: Kind,
}

/// How a suite is run.
pub(super) enum Kind {
    /// `cargo test` over the workspace, or over a part of it.
    Native(fn(bool) -> Result<Tally>),
    /// `node --test` over `tests/NAME/*.test.mjs`, when these are there.
    Js(&'static [Need]),
}

/// What a JavaScript suite needs beside node_modules; it finds all of it in its environment.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// The built modules.
    Build,
    /// `CHROMIUM`.
    Chromium,
    /// Firefox and WebKitGTK, which the tests find by themselves.
    OtherBrowsers,
    /// nginx and Caddy, which the tests find by themselves.
    Proxies,
    /// `RAVENDB_URL`, and `RAVENDB_START`: a command that starts one more (takes `--port N -- FLAGS…`).
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
    // The core's rules, the authority; xtask itself.
    Suite { name: "native", kind: Kind::Native(native::run) },
    // The law in every state: the real ledger and pool under a model checker.
    Suite { name: "law", kind: Kind::Native(native::law) },
    // The session's law in every state: its real decisions under the same checker.
    Suite { name: "session-law", kind: Kind::Native(native::session_law) },
    // The law in long runs: core, authority and dozens of devices in simulated time.
    Suite { name: "simulation", kind: Kind::Native(simulation::run) },
    // The same requests to the authority and to real servers, answers compared field by field.
    Suite { name: "conformance", kind: Kind::Js(&[Build, Authority, AuthorityInWorkerd, RavenDb, OlderRavenDb]) },
    // The package in Node against both servers.
    Suite { name: "server", kind: Kind::Js(&[Build, Authority, RavenDb]) },
    // What the pages promise: each of their examples, codes, names.
    Suite { name: "docs", kind: Kind::Js(&[Build, RavenDb, Chromium]) },
    // One program with this package and with npm `ravendb`.
    Suite { name: "compat", kind: Kind::Js(&[Build, RavenDb]) },
    // The package in Chromium; what dies and comes back in Firefox and WebKitGTK, too.
    Suite { name: "browsers", kind: Kind::Js(&[Build, Authority, RavenDb, Chromium, OtherBrowsers, Proxies]) },
    // The package in workerd.
    Suite { name: "runtimes", kind: Kind::Js(&[Build, Authority, RavenDb]) },
    // The gateway in workerd: what passes, what is refused, and the lease suites through it.
    Suite { name: "gateway", kind: Kind::Js(&[Build, Authority, RavenDb, Chromium]) },
    // The packed package, installed in empty folders.
    Suite { name: "package", kind: Kind::Js(&[Build, Authority, RavenDb, Chromium]) },
];

/// The names that the command line takes.
pub(super) fn names() -> Vec<&'static str> {
    SUITES.iter().map(|suite| suite.name).collect()
}

impl Suite {
    /// What must be there before it runs.
    pub(super) fn needs(&self) -> &'static [Need] {
        match self.kind {
            Kind::Native(_) => &[],
            Kind::Js(needs) => needs,
        }
    }

    /// Whether there is something to run.
    pub(super) fn exists(&self) -> bool {
        match self.kind {
            Kind::Native(_) => true,
            Kind::Js(_) => self.files().is_ok_and(|files| !files.is_empty()),
        }
    }

    /// A JavaScript suite's test files, sorted.
    pub(super) fn files(&self) -> Result<Vec<PathBuf>> {
        let folder = repo::path("tests").join(self.name);
        let entries = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
        let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
        let mut files: Vec<PathBuf> = paths.filter(|path| path.to_string_lossy().ends_with(".test.mjs")).collect();
        files.sort();
        Ok(files)
    }
}
