//! The suites: their names, what they prove, and what they need.

use super::native::{CLIENT, LAW, OFFLINE_LAW, SESSION_LAW, SIMULATION};
use crate::lint::COMPILER;
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
    /// `cargo test` for the crates that are no suite of their own, and for xtask.
    Workspace,
    /// `cargo test` for a crate that visits millions of states, compiled with the profile `law`.
    Law(&'static str),
    /// The simulation: `cargo test` for its crate, then seeds.
    Simulation(&'static str),
    /// `cargo test` for a crate whose tests need something.
    Crate(&'static str, &'static [Need]),
    /// The static checks of `cargo xtask lint`.
    Lint,
    /// `node --test` on each `tests/NAME/*.test.mjs`.
    Js(&'static [Need]),
}

/// What a suite needs besides node_modules; passed to it in environment variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Need {
    /// The built modules.
    Build,
    /// `CHROMIUM`.
    Chromium,
    /// Firefox and WebKitGTK; the tests find them without a variable.
    OtherBrowsers,
    /// nginx and Caddy; the tests find them without a variable.
    Proxies,
    /// `RUST_PAGE`, `RUST_SESSIONS`: folders with the example `rust-page` and with `tests/rust-web/sessions`, built; with `--full` also
    /// `RUST_WORKER` and `RUST_LEPTOS`.
    RustPage,
    /// `RAVENDB_URL`, a server's address, and `RAVENDB_START`, a command that starts another server (takes `--port N -- FLAGS…`).
    RavenDb,
    /// `RAVENDB_62_URL` and `RAVENDB_54_URL`.
    OlderRavenDb,
    /// `AUTHORITY_URL`, and `AUTHORITY_BIN`: the program, for suites that start their own.
    Authority,
    /// `AUTHORITY_WORKERD_URL`.
    AuthorityInWorkerd,
}

use Need::{Authority, AuthorityInWorkerd, Build, Chromium, OlderRavenDb, OtherBrowsers, Proxies, RavenDb, RustPage};

/// All suites, in the order in which their output is shown.
pub(super) const SUITES: &[Suite] = &[
    // The core's rules, the authority, the gateway's core, the hub, and xtask itself.
    Suite { name: "native", kind: Kind::Workspace },
    // The law (no id twice) in every state: the real ledger and pool in a model checker.
    Suite { name: "law", kind: Kind::Law(LAW) },
    // The session's law in every state: its real decisions in the same model checker.
    Suite { name: "session-law", kind: Kind::Law(SESSION_LAW) },
    // The law of the offline queue in every state: its real decisions in the same model checker.
    Suite { name: "offline-law", kind: Kind::Law(OFFLINE_LAW) },
    // The law in long runs: core, authority and dozens of devices in simulated time.
    Suite { name: "simulation", kind: Kind::Simulation(SIMULATION) },
    // The client for Rust with a real server: ids, sessions, lost responses, its documentation.
    Suite { name: "rust", kind: Kind::Crate(CLIENT, &[Build, RavenDb]) },
    // The same client in a page and in workerd.
    Suite { name: "rust-web", kind: Kind::Js(&[Build, RustPage, RavenDb, Chromium]) },
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
    // Formatting, clippy, types, documentation.
    Suite { name: "lint", kind: Kind::Lint },
];

/// The names of all suites, for people.
pub(super) fn names() -> String {
    SUITES.iter().map(|suite| suite.name).collect::<Vec<_>>().join(", ")
}

impl Suite {
    /// The test files of a JavaScript suite, sorted, without `.test.mjs`.
    pub(super) fn files(&self) -> Result<Vec<(String, PathBuf)>> {
        let folder = repo::path("tests").join(self.name);
        let entries = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
        let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
        let mut files: Vec<_> = paths
            .filter_map(|path| {
                let name = path.file_name()?.to_str()?.strip_suffix(".test.mjs")?.to_owned();
                Some((name, path))
            })
            .collect();
        files.sort();
        Ok(files)
    }
}

impl Suite {
    /// What must be there before its files run.
    pub(super) fn needs(&self) -> &'static [Need] {
        match self.kind {
            Kind::Js(needs) | Kind::Crate(_, needs) => needs,
            // The types of the package are checked against the declarations of the generated glue.
            Kind::Lint => &[Build],
            _ => &[],
        }
    }
}

impl Need {
    /// All, in the order in which they are shown.
    pub(super) const ALL: [Self; 9] =
        [Build, Chromium, OtherBrowsers, Proxies, RustPage, RavenDb, OlderRavenDb, Authority, AuthorityInWorkerd];

    /// Percent of a core for each thread of native jobs. Downloads take next to nothing. What is compiled fits into the machine together, so
    /// that all of it begins at once.
    pub(super) fn cores(self) -> usize {
        match self {
            Build => 100,
            Authority | RustPage => 50,
            _ => 0,
        }
    }

    /// What it shares with others: see `Job::lock`.
    pub(super) fn lock(self) -> Option<&'static str> {
        match self {
            Chromium | OtherBrowsers | Proxies => Some("apt"),
            RavenDb | OlderRavenDb => Some("ravendb"),
            Authority | RustPage => Some(COMPILER),
            Build | AuthorityInWorkerd => None,
        }
    }

    /// The jobs before it.
    pub(super) fn after(self) -> Vec<&'static str> {
        if self == AuthorityInWorkerd { vec![Build.job()] } else { vec![] }
    }

    /// The key of the job that provides it.
    pub(super) fn job(self) -> &'static str {
        match self {
            Build => "set-up/build",
            Chromium => "set-up/chromium",
            OtherBrowsers => "set-up/other-browsers",
            Proxies => "set-up/proxies",
            RustPage => "set-up/rust-page",
            RavenDb => "set-up/ravendb",
            OlderRavenDb => "set-up/older-ravendb",
            Authority => "set-up/authority",
            AuthorityInWorkerd => "set-up/authority-in-workerd",
        }
    }
}
