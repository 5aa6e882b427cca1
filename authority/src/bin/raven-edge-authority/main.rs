//! The authority as a native HTTP server, for tests: RavenDB's lease and document routes in memory.
//!
//! Prints one line per node, `Authority A available on: http://127.0.0.1:PORT`, once it listens.

mod args;
mod http;
mod nodes;

use args::Args;
use nodes::Nodes;
use std::io::Write;
use std::process::ExitCode;
use std::rc::Rc;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::LocalSet;

// One thread: a request takes microseconds, and no locks are needed.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let args = match Args::parse(std::env::args().skip(1)) {
        Ok(Some(args)) => args,
        Ok(None) => {
            println!("{}", args::USAGE);
            return ExitCode::SUCCESS;
        }
        Err(problem) => {
            eprintln!("{problem}\n\n{}", args::USAGE);
            return ExitCode::from(2);
        }
    };
    match LocalSet::new().run_until(run(args)).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

async fn run(args: Args) -> Result<(), String> {
    let mut listeners = Vec::new();
    for node in 0..args.nodes {
        // With a fixed port, further nodes use the following ports.
        let port = if args.port == 0 { 0 } else { args.port + u16::from(node) };
        let listener =
            TcpListener::bind(("127.0.0.1", port)).await.map_err(|e| format!("cannot listen on port {port}: {e}"))?;
        let port = listener.local_addr().map_err(|e| e.to_string())?.port();
        listeners.push((listener, format!("http://127.0.0.1:{port}")));
    }
    let nodes = Rc::new(Nodes::new(listeners.iter().map(|(_, url)| url.clone()), &args)?);
    let (stop, stopped) = watch::channel(false);
    let mut servers = Vec::new();
    for (at, (listener, _)) in listeners.into_iter().enumerate() {
        servers.push(tokio::task::spawn_local(http::serve(listener, at, Rc::clone(&nodes), stopped.clone())));
    }
    let mut out = std::io::stdout().lock();
    for node in nodes.list() {
        writeln!(out, "Authority {} available on: {}", node.tag, node.url).map_err(|e| e.to_string())?;
    }
    out.flush().map_err(|e| e.to_string())?;
    drop(out);
    let mut terminate = signal(SignalKind::terminate()).map_err(|e| e.to_string())?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
    // An error means that all servers have ended already.
    let _ = stop.send(true);
    for server in servers {
        server.await.map_err(|e| e.to_string())?;
    }
    Ok(())
}
