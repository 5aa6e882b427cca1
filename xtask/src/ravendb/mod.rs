//! A real RavenDB for tests: a running one, the one next to the repository, or a downloaded one.

mod container;
mod dotnet;
mod shared;
mod wheel;

use crate::say;
use crate::service::{self, Service};
use anyhow::{Context, Result, bail};
use std::process::Command;
use std::time::{Duration, Instant};

/// The version that all tests run with.
pub(crate) const VERSION: &str = "7.2.7";

/// The command line.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The server's version: 7.2.7, 6.2.4 or 5.4.0
    #[arg(long, env = "RAVENDB_VERSION", default_value = VERSION)]
    version: String,
    /// The port on 127.0.0.1; 0 lets the server choose a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Start a server also when RAVENDB_URL names one
    #[arg(long)]
    own: bool,
    /// RavenDB's own flags, e.g. --RunInMemory=false --DataDir=DIR
    #[arg(last = true)]
    flags: Vec<String>,
}

/// Starts a server (or uses the given one), prints its address, and stays until it is ended.
pub(crate) fn run(args: &Args) -> Result<()> {
    if !args.own
        && let Some(url) = given()?
    {
        println!("Server available on: {url}");
        return Ok(());
    }
    service::assert_free(args.port)?;
    let server = prepare(&args.version)?.start(args.port, &args.flags)?;
    println!("Server available on: {}", server.url);
    say::note("Ctrl-C ends it");
    server.wait()
}

/// The server that RAVENDB_URL names, if it responds.
pub(crate) fn given() -> Result<Option<String>> {
    let Ok(url) = std::env::var("RAVENDB_URL") else {
        return Ok(None);
    };
    let url = url.trim_end_matches('/').to_owned();
    if url.starts_with("https:") {
        say::note(&format!("RAVENDB_URL is {url}: used unchecked (xtask does not support TLS)"));
        return Ok(Some(url));
    }
    let version = version_of(&url)
        .with_context(|| format!("RAVENDB_URL names {url}, which does not respond: start it, or unset the variable"))?;
    say::note(&format!("RAVENDB_URL: RavenDB {version} at {url}"));
    Ok(Some(url))
}

/// A RavenDB on this machine that can be started.
pub(crate) struct Prepared {
    version: String,
    command: fn(&str) -> Result<Launch>,
}

/// How to start a server: the command up to the port, and its temporary folder.
struct Launch {
    command: Command,
    /// Formats the port, which is an argument or part of a flag.
    port: fn(u16) -> String,
    _data: Option<tempfile::TempDir>,
}

/// Downloads RavenDB if necessary. The error says what is missing and how to get it.
pub(crate) fn prepare(version: &str) -> Result<Prepared> {
    if shared::there() {
        shared::prepare(version)?;
        return Ok(Prepared { version: version.to_owned(), command: shared::launch });
    }
    let missing = match wheel::prepare(version) {
        Ok(()) => {
            return Ok(Prepared { version: version.to_owned(), command: wheel::launch });
        }
        Err(missing) => missing,
    };
    bail!("no RavenDB {version} here: {missing:#}; or {}", container::advice(version))
}

/// A running server; dropping it ends it.
pub(crate) struct Server {
    /// Where it listens.
    pub(crate) url: String,
    service: Service,
    _data: Option<tempfile::TempDir>,
}

impl Prepared {
    /// Starts the server and waits until it responds.
    pub(crate) fn start(&self, port: u16, flags: &[String]) -> Result<Server> {
        let wait = say::Wait::new(&format!("starting RavenDB {}", self.version));
        let mut launch = (self.command)(&self.version)?;
        launch.command.arg((launch.port)(port)).args(flags);
        // Databases that live for one test: a third less CPU without the runtime's profiling of new code, another quarter if it optimises
        // only what is called 4,096 times (hexadecimal) and collects garbage as on a workstation.
        // Another twentieth if threads of its pool sleep at once instead of spinning until there is work, and code is written where it runs.
        launch.command.envs([
            ("DOTNET_TieredPGO", "0"),
            ("DOTNET_TC_CallCountThreshold", "1000"),
            ("DOTNET_gcServer", "0"),
            ("DOTNET_ThreadPool_UnfairSemaphoreSpinLimit", "0"),
            ("DOTNET_EnableWriteXorExecute", "0"),
        ]);
        let name = format!("ravendb-{}", self.version);
        let service = Service::start(&mut launch.command, &name, Duration::from_secs(120))
            .context("RavenDB did not start: mend what its log says, or set RAVENDB_URL to a server that runs")?;
        let url = service.url.clone();
        let server = Server { url, service, _data: launch._data };
        let version = server.version()?;
        wait.done(&format!("RavenDB {version} at {}", server.url));
        Ok(server)
    }
}

impl Server {
    /// Its version. The error shows the end of its log, if it does not respond for a minute.
    pub(crate) fn version(&self) -> Result<String> {
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            match version_of(&self.url) {
                Err(error) if Instant::now() > until => {
                    let log = self.service.end_of_log();
                    return Err(error.context(format!("RavenDB at {} does not respond{log}", self.url)));
                }
                Err(_) => std::thread::sleep(Duration::from_millis(100)),
                version => return version,
            }
        }
    }

    /// CPU seconds so far.
    pub(crate) fn cpu(&self) -> f64 {
        self.service.cpu()
    }

    /// Waits until the server ends by itself.
    fn wait(self) -> Result<()> {
        self.service.wait()
    }
}

/// The version that a server reports at `/build/version`.
fn version_of(url: &str) -> Result<String> {
    let request = ureq::get(format!("{url}/build/version"));
    let mut response = request.config().timeout_global(Some(Duration::from_secs(10))).build().call()?;
    let body: serde_json::Value = serde_json::from_str(&response.body_mut().read_to_string()?)?;
    let version = body["FullVersion"].as_str().or_else(|| body["ProductVersion"].as_str());
    version.map(str::to_owned).context("its /build/version names no version")
}
