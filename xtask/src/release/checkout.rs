//! A clean checkout of a commit, with its own target folder.

use crate::{process, repo, say};
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A checkout.
pub(super) struct Checkout {
    /// Its root.
    pub(super) folder: PathBuf,
}

impl Checkout {
    /// Checks out a commit of this repository, without ignored or untracked files.
    pub(super) fn of(commit: &str, folder: &Path) -> Result<Self> {
        say::step(&format!("a checkout of {commit} in {}", folder.display()));
        let mut clone = Command::new("git");
        clone.args(["clone", "--quiet", "--no-checkout"]).arg(repo::root()).arg(folder);
        process::run(&mut clone)?;
        let mut checkout = Command::new("git");
        process::run(checkout.current_dir(folder).args(["checkout", "--quiet", "--detach", commit]))?;
        Ok(Self { folder: folder.to_owned() })
    }

    /// Runs a command of the checkout's own xtask, built from the checkout.
    pub(super) fn xtask(&self, arguments: &[&str]) -> Result<()> {
        self.cargo(&[&["xtask"], arguments].concat())
    }

    /// Runs cargo in the checkout.
    pub(super) fn cargo(&self, arguments: &[&str]) -> Result<()> {
        say::step(&format!("cargo {}", arguments.join(" ")));
        let mut command = Command::new("cargo");
        command.current_dir(&self.folder).args(arguments);
        // cargo's variables describe the checkout of this xtask, not the other one.
        command.env_remove("CARGO_MANIFEST_DIR").env("CARGO_TARGET_DIR", self.folder.join("target"));
        process::run(&mut command)
    }
}
