//! The table of suites: what they are called, what they prove, what they need.

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
    /// `cargo test` over the workspace.
    Native,
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
    /// `RAVENDB_URL`, and `RAVENDB_START`: a command that starts one more (takes `--port N -- FLAGS…`).
    RavenDb,
    /// `RAVENDB_62_URL` and `RAVENDB_54_URL`.
    OlderRavenDb,
    /// `AUTHORITY_URL`, and `AUTHORITY_BIN`: the program, for suites that start their own.
    Authority,
    /// `AUTHORITY_WORKERD_URL`.
    AuthorityInWorkerd,
}

use Need::{Authority, AuthorityInWorkerd, Build, Chromium, OlderRavenDb, RavenDb};

/// All suites in the order in which they run.
pub(super) const SUITES: &[Suite] = &[
    // The core's rules, the law under simulation, the authority; xtask itself.
    Suite { name: "native", kind: Kind::Native },
    // The same requests to the authority and to real servers, answers compared field by field.
    Suite { name: "conformance", kind: Kind::Js(&[Build, Authority, AuthorityInWorkerd, RavenDb, OlderRavenDb]) },
    // The package in Node against both servers.
    Suite { name: "server", kind: Kind::Js(&[Build, Authority, RavenDb]) },
    // The package in Chromium.
    Suite { name: "browsers", kind: Kind::Js(&[Build, Authority, RavenDb, Chromium]) },
    // The package in workerd.
    Suite { name: "runtimes", kind: Kind::Js(&[Build, Authority, RavenDb]) },
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
            Kind::Native => &[],
            Kind::Js(needs) => needs,
        }
    }

    /// Whether there is something to run.
    pub(super) fn exists(&self) -> bool {
        match self.kind {
            Kind::Native => true,
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
