//! A server that runs beside xtask until it is dropped.

use crate::process::Running;
use crate::repo;
use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// A running server. Dropping it ends the server and everything that it started.
pub(crate) struct Service {
    /// Where it listens.
    pub(crate) url: String,
    running: Running,
    log: PathBuf,
    _watchdog: Watchdog,
}

impl Service {
    /// Starts the server and waits for the line of its output that contains the address. All output is written to
    /// `target/xtask/NAME.log`; if the server does not start, the end of the log is shown.
    pub(crate) fn start(command: &mut Command, name: &str, patience: Duration) -> Result<Self> {
        let log = log_file(name)?;
        let file = File::create(&log).with_context(|| log.display().to_string())?;
        command.stdout(Stdio::piped()).stderr(file.try_clone()?);
        let mut running = Running::start(command)?;
        let watchdog = Watchdog::over(running.group())?;
        let stdout = running.child().stdout.take().context("the server's output")?;
        let found = await_address(stdout, file);
        let until = Instant::now() + patience;
        loop {
            match found.recv_timeout(Duration::from_millis(100)) {
                Ok(url) => {
                    return Ok(Self { url, running, log, _watchdog: watchdog });
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() < until => {}
                Err(RecvTimeoutError::Timeout) => {
                    bail!("{name} printed no address within {} s{}", patience.as_secs(), tail(&log));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    bail!("{name} ended before it printed an address{}", tail(&log))
                }
            }
        }
    }

    /// The last lines that it has printed, for an error message.
    pub(crate) fn end_of_log(&self) -> String {
        tail(&self.log)
    }

    /// CPU seconds so far.
    pub(crate) fn cpu(&self) -> f64 {
        self.running.cpu()
    }

    /// Waits until the server ends by itself.
    pub(crate) fn wait(mut self) -> Result<()> {
        let status = self.running.wait()?;
        if !status.success() {
            bail!("the server ended by itself ({status})");
        }
        Ok(())
    }
}

/// Refuses a port of the command line that another program listens on.
pub(crate) fn assert_free(port: u16) -> Result<()> {
    if let Err(error) = TcpListener::bind(("127.0.0.1", port)) {
        bail!("port {port} cannot be used ({error}): end the program that listens there, or choose another --port");
    }
    Ok(())
}

fn log_file(name: &str) -> Result<PathBuf> {
    let folder = repo::target().join("xtask");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    Ok(folder.join(format!("{name}.log")))
}

/// Copies the output to the log and sends the first address in it.
fn await_address(stdout: ChildStdout, mut log: File) -> Receiver<String> {
    let (send, receive) = channel();
    thread::spawn(move || {
        let mut send = Some(send);
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            // The log is only a help for people; a full disk must not stop the server.
            let _ = writeln!(log, "{line}");
            if let Some(url) = address(&line)
                && let Some(send) = send.take()
            {
                let _ = send.send(url);
            }
        }
    });
    receive
}

/// The address in a line `… available on: http://…`, or in a line that is an address.
fn address(line: &str) -> Option<String> {
    let text = line.split_once("available on: ").map_or(line, |(_, rest)| rest).trim();
    let first = text.split_whitespace().next()?;
    first.starts_with("http").then(|| first.trim_end_matches('/').to_owned())
}

/// The last lines of a log, for an error message.
fn tail(log: &PathBuf) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().filter(|line| tells(line)).collect();
    let last = lines.get(lines.len().saturating_sub(8)..).unwrap_or_default();
    let shown: String = last.iter().map(|line| format!("\n    {line}")).collect();
    if shown.is_empty() { String::new() } else { format!("; the end of its log:{shown}") }
}

/// Whether a line of a log is useful; stack frames are not.
fn tells(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with("at ") && !line.starts_with("---")
}

/// Ends a process group if xtask dies without running any code (SIGKILL): the watchdog waits on a pipe that only
/// xtask holds open.
struct Watchdog(Child);

impl Watchdog {
    fn over(group: i32) -> Result<Self> {
        use std::os::unix::process::CommandExt;
        let script = "read -r _
            kill -TERM -\"$0\"
            for _ in 1 2 3 4 5 6 7 8; do kill -0 -\"$0\" || exit 0; sleep 1; done
            kill -KILL -\"$0\"";
        let mut command = Command::new("sh");
        command.args(["-c", script]).arg(group.to_string()).process_group(0);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        child.map(Self).context("cannot start `sh`")
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        // The group has ended. Without this the watchdog could signal a group id that was reused meanwhile.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn a_port_that_is_taken_is_refused_with_what_to_do() -> anyhow::Result<()> {
        let taken = std::net::TcpListener::bind("127.0.0.1:0")?;
        let port = taken.local_addr()?.port();
        let error = super::assert_free(port).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(&format!("port {port} ")) && error.contains("--port"), "{error}");
        drop(taken);
        super::assert_free(0)
    }

    #[test]
    fn addresses_are_found() {
        assert_eq!(address("Server available on: http://127.0.0.1:41"), Some("http://127.0.0.1:41".into()));
        assert_eq!(address("Authority A available on: http://127.0.0.1:5/ "), Some("http://127.0.0.1:5".into()));
        assert_eq!(address("http://127.0.0.1:8787"), Some("http://127.0.0.1:8787".into()));
        assert_eq!(address("see http://example.invalid"), None);
    }
}
