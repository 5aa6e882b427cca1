//! The .NET runtime that a RavenDB from the wheel needs.

use crate::{process, setup};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The frameworks that RavenDB's runtimeconfig.json requires.
const FRAMEWORKS: [&str; 2] = ["Microsoft.NETCore.App", "Microsoft.AspNetCore.App"];
/// RavenDB 7 requires version 10; older servers run on it with a roll-forward.
const MAJOR: u32 = 10;

/// The `dotnet` program of DOTNET_ROOT or PATH, if it has the required frameworks.
pub(super) fn find() -> Result<PathBuf> {
    let advice = format!("install the ASP.NET Core runtime {MAJOR} and set DOTNET_ROOT to its folder");
    let program = match std::env::var_os("DOTNET_ROOT").map(|root| Path::new(&root).join("dotnet")) {
        Some(program) if program.is_file() => program,
        Some(program) => bail!("DOTNET_ROOT has no {}: {advice}", program.display()),
        None => setup::on_path("dotnet").with_context(|| format!("no .NET {MAJOR} runtime: {advice}"))?,
    };
    let runtimes = process::run_quietly(Command::new(&program).arg("--list-runtimes"))?;
    for framework in FRAMEWORKS {
        if !has(&runtimes, framework) {
            bail!("{} has no {framework} {MAJOR}: {advice}", program.display());
        }
    }
    Ok(program)
}

/// Whether `dotnet --list-runtimes` lists the framework in the required version.
fn has(runtimes: &str, framework: &str) -> bool {
    runtimes.lines().any(|line| {
        let mut words = line.split_whitespace();
        words.next() == Some(framework) && words.next().is_some_and(|version| version.starts_with(&format!("{MAJOR}.")))
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn both_frameworks_are_required() {
        let list = "Microsoft.AspNetCore.App 10.0.12 [/d/shared]\nMicrosoft.NETCore.App 8.0.1 [/d/shared]\n";
        assert!(super::has(list, "Microsoft.AspNetCore.App"));
        assert!(!super::has(list, "Microsoft.NETCore.App"));
    }
}
