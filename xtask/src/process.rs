//! Runs other programs. Each gets its own process group, so that it ends together with everything it started: when it
//! is dropped, on Ctrl-C, and when xtask receives a signal.

use anyhow::{Context, Result, bail};
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, waitid, waitpid};
use nix::unistd::{Pid, getpgid};
use std::cell::Cell;
use std::io::{self, ErrorKind};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The running process groups.
static GROUPS: Mutex<Vec<Pid>> = Mutex::new(Vec::new());
/// Set when a signal ends xtask: from then on only the signal handler's thread acts.
static ENDING: AtomicBool = AtomicBool::new(false);

/// Temporary folders to remove when a signal ends xtask; otherwise their owners remove them.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// How long programs may take to end before they are killed.
const GRACE: Duration = Duration::from_secs(8);

/// On Ctrl-C and termination signals: ends all started programs, then xtask.
pub(crate) fn end_children_on_signals() -> Result<()> {
    ctrlc::set_handler(|| {
        ENDING.store(true, Ordering::SeqCst);
        let groups = GROUPS.lock().map(|list| list.clone()).unwrap_or_default();
        end_groups(&groups);
        for folder in FOLDERS.lock().map(|list| list.clone()).unwrap_or_default() {
            // A folder that cannot be removed stays in the system's temporary folder.
            let _ = std::fs::remove_dir_all(folder);
        }
        std::process::exit(130);
    })
    .context("cannot listen for Ctrl-C")
}

/// A temporary folder that is removed when it is dropped or when a signal ends xtask.
pub(crate) fn temporary_folder(inside: &Path) -> Result<TempDir> {
    let folder = tempfile::Builder::new().prefix("raven-edge-").tempdir_in(inside);
    let folder = folder.with_context(|| format!("cannot make a folder in {}", inside.display()))?;
    if let Ok(mut folders) = FOLDERS.lock() {
        folders.push(folder.path().to_path_buf());
    }
    Ok(folder)
}

/// A running program and its process group.
pub(crate) struct Running {
    child: Child,
    group: Pid,
    name: String,
}

impl Running {
    /// Starts the program in its own process group, without standard input.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let name = command.get_program().to_string_lossy().into_owned();
        command.stdin(Stdio::null()).process_group(0);
        let child = command.spawn().map_err(|error| cannot_start(&name, &error))?;
        let group = Pid::from_raw(i32::try_from(child.id()).context("a process id out of range")?);
        if let Ok(mut groups) = GROUPS.lock() {
            groups.push(group);
        }
        Ok(Self { child, group, name })
    }

    /// The started process, for its pipes.
    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// CPU seconds of the processes of its group so far, while it runs.
    pub(crate) fn cpu(&self) -> f64 {
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).map(Pid::from_raw);
        let own = ids.filter(|id| getpgid(Some(*id)) == Ok(self.group));
        own.filter_map(cpu_seconds).sum()
    }

    /// The process group's id.
    pub(crate) fn group(&self) -> i32 {
        self.group.as_raw()
    }

    /// Waits until the program ends by itself.
    pub(crate) fn wait(&mut self) -> Result<ExitStatus> {
        // Leaves the ended process in the table, where its times can still be read.
        let _ = waitid(Id::Pid(self.group), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT);
        spend(cpu_seconds(self.group).unwrap_or(0.0));
        let status = self.child.wait();
        stay_quiet_while_ending();
        status.with_context(|| format!("lost sight of {}", self.name))
    }

    /// As [`Running::wait`]; `None` if it had to be ended because it took longer than this.
    pub(crate) fn wait_at_most(&mut self, limit: Duration) -> Result<Option<ExitStatus>> {
        let (ended, end) = mpsc::channel::<()>();
        let group = self.group;
        let watch = thread::spawn(move || {
            let late = end.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
            if late {
                end_groups(&[group]);
            }
            late
        });
        let status = self.wait();
        drop(ended);
        Ok(if watch.join().unwrap_or(false) { None } else { Some(status?) })
    }
}

thread_local! {
    /// CPU seconds of the programs that this thread has started and that have ended.
    static SPENT: Cell<f64> = const { Cell::new(0.0) };
}

/// CPU seconds of the programs that ended in this thread, and of all processes below them that ended before them and were waited
/// for; 0 where there is no `/proc`.
pub(crate) fn cpu_spent() -> f64 {
    SPENT.get()
}

/// Counts what was used on behalf of this thread.
pub(crate) fn spend(seconds: f64) {
    SPENT.set(SPENT.get() + seconds);
}

/// Fields 14 to 17 of `/proc/PID/stat`: clock ticks, 100 a second on every Linux. The name in field 2 may contain blanks.
fn cpu_seconds(process: Pid) -> Option<f64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let fields = text.rsplit_once(") ")?.1.split(' ');
    let ticks: u32 = fields.skip(11).take(4).map(|field| field.parse::<u32>().unwrap_or(0)).sum();
    Some(f64::from(ticks) / 100.0)
}

impl Drop for Running {
    fn drop(&mut self) {
        stay_quiet_while_ending();
        end_groups(&[self.group]);
        if let Ok(mut groups) = GROUPS.lock() {
            groups.retain(|group| *group != self.group);
        }
    }
}

/// Runs a program and shows its output; a non-zero exit code is an error.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let shown = describe(command);
    let status = Running::start(command)?.wait()?;
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    Ok(())
}

/// Runs a program and returns its output; if the program fails, what it printed is in the error.
pub(crate) fn run_quietly(command: &mut Command) -> Result<String> {
    let shown = describe(command);
    let output = output(command)?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        bail!("`{shown}` failed ({})\n{text}{errors}", output.status);
    }
    Ok(text)
}

/// Runs a program and returns its output, whatever the exit code.
pub(crate) fn output(command: &mut Command) -> Result<Output> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = Running::start(command)?;
    let stderr = running.child().stderr.take().map(|pipe| thread::spawn(move || read_all(pipe)));
    let stdout = running.child().stdout.take().map(read_all).unwrap_or_default();
    let stderr = stderr.and_then(|reader| reader.join().ok()).unwrap_or_default();
    Ok(Output { status: running.wait()?, stdout, stderr })
}

fn read_all(mut pipe: impl io::Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A broken pipe ends the text; the exit code reports the cause.
    let _ = pipe.read_to_end(&mut bytes);
    bytes
}

/// The command as a person would type it: without the folders of the program and of the repository.
fn describe(command: &Command) -> String {
    let root = format!("{}/", crate::repo::root().display());
    let program = Path::new(command.get_program());
    let program = program.file_name().unwrap_or(program.as_os_str());
    let words = std::iter::once(program).chain(command.get_args());
    let words: Vec<String> = words.map(|word| word.to_string_lossy().replace(&root, "")).collect();
    words.join(" ")
}

/// A line that says what is missing and how to get it.
fn cannot_start(program: &str, error: &io::Error) -> anyhow::Error {
    if error.kind() != ErrorKind::NotFound {
        return anyhow::anyhow!("cannot start `{program}`: {error}");
    }
    let advice = match program {
        "node" | "npm" => "install Node.js 20 or later, npm comes with it",
        "rustup" | "cargo" => "install Rust with rustup",
        "python3" => "install Python 3 with pip",
        "apt-get" => "this system is not Debian; install it manually",
        _ if program.contains("node_modules") => "delete node_modules and run the command again",
        _ => "install it and put it on PATH",
    };
    anyhow::anyhow!("`{program}` is missing: {advice}")
}

/// If a signal is ending all programs, the waiting thread must not report their end as a failure.
fn stay_quiet_while_ending() {
    while ENDING.load(Ordering::SeqCst) {
        thread::park();
    }
}

/// Sends a termination signal to the groups, waits, and kills those that are left.
fn end_groups(groups: &[Pid]) {
    for signal in [Signal::SIGTERM, Signal::SIGKILL] {
        for group in groups {
            // An error means that the group is empty.
            let _ = killpg(*group, signal);
        }
        let until = Instant::now() + GRACE;
        while groups.iter().any(|group| lives(*group)) {
            if Instant::now() > until {
                break;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Whether the group still has a member. The `waitpid` comes first because an ended process that nobody has waited
/// for would count as one.
fn lives(group: Pid) -> bool {
    let _ = waitpid(group, Some(WaitPidFlag::WNOHANG));
    killpg(group, None).is_ok()
}

#[cfg(test)]
mod tests {
    use super::Running;
    use anyhow::Result;
    use std::process::Command;
    use std::time::Duration;

    #[test]
    fn a_program_that_takes_too_long_is_ended() -> Result<()> {
        let mut running = Running::start(Command::new("sleep").arg("3600"))?;
        assert!(running.wait_at_most(Duration::from_millis(10))?.is_none());
        let ended = Running::start(&mut Command::new("true"))?.wait_at_most(Duration::from_secs(3_600))?;
        assert!(ended.is_some_and(|status| status.success()));
        Ok(())
    }
}
