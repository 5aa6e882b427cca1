//! The program: keep-alive, refused origins and addresses, shutdown, two nodes and their replication.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

struct Server {
    child: Child,
    ports: Vec<u16>,
}

impl Server {
    fn start(nodes: usize, args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_raven-edge-authority"))
            .args(["--database", "t", "--nodes", &nodes.to_string()])
            .args(args)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let ports = lines
            .take(nodes)
            .map(|line| line.expect("a line").rsplit(':').next().and_then(|p| p.parse().ok()).expect("a port"));
        let ports = ports.collect();
        Self { child, ports }
    }

    fn connect(&self, node: usize) -> BufReader<TcpStream> {
        let stream = TcpStream::connect(("127.0.0.1", self.ports[node])).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(5))).expect("a timeout");
        BufReader::new(stream)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Ends the program if a test failed; otherwise it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Status and body of a request on a connection that stays open.
fn send(connection: &mut BufReader<TcpStream>, method: &str, url: &str, headers: &str) -> (u16, String) {
    write!(connection.get_mut(), "{method} {url} HTTP/1.1\r\nHost: x\r\n{headers}\r\n").expect("it takes the request");
    let mut line = String::new();
    connection.read_line(&mut line).expect("a status line");
    let status = line.split(' ').nth(1).and_then(|s| s.parse().ok()).expect("a status");
    let mut length = 0;
    loop {
        let mut header = String::new();
        connection.read_line(&mut header).expect("a header");
        if let Some(value) = header.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
        if header == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body).expect("the body");
    (status, String::from_utf8(body).expect("text"))
}

#[test]
fn a_connection_serves_many_requests_and_the_program_ends_cleanly() {
    let mut server = Server::start(1, &[]);
    let mut connection = server.connect(0);
    for round in 0..50 {
        let (status, body) = send(&mut connection, "GET", "/databases/t/hilo/next?tag=orders", "");
        assert_eq!(status, 201);
        assert!(body.contains(&format!(r#""Low":{},"#, round * 32 + 1)), "{body}");
    }
    assert_eq!(send(&mut connection, "GET", "/databases/t/docs?id=x", "Origin: http://elsewhere\r\n").0, 403);
    assert_eq!(send(&mut connection, "GET", &format!("/databases/t/docs?id={}", "x".repeat(17_000)), "").0, 414);
    // An idle connection must not delay the shutdown.
    let pid = server.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill").success());
    let before = Instant::now();
    assert!(server.child.wait().expect("it ends").success());
    assert!(before.elapsed() < Duration::from_secs(2));
}

#[test]
fn two_nodes_list_each_other_in_the_topology() {
    let server = Server::start(2, &["--allow-any-origin"]);
    let (mut a, mut b) = (server.connect(0), server.connect(1));
    let (_, topology) = send(&mut a, "GET", "/topology?name=t", "Origin: http://elsewhere\r\n");
    for port in &server.ports {
        assert!(topology.contains(&port.to_string()), "{topology}");
    }
    let (_, first) = send(&mut a, "GET", "/databases/t/hilo/next?tag=orders", "");
    let (_, second) = send(&mut b, "GET", "/databases/t/hilo/next?tag=orders", "");
    assert!(first.contains(r#""Low":1,"#) && first.contains(r#""ServerTag":"A""#), "{first}");
    assert!(second.contains(r#""Low":33,"#) && second.contains(r#""ServerTag":"B""#), "{second}");
}

#[test]
fn replication_can_be_delayed() {
    let server = Server::start(2, &["--replication-delay-ms", "2000"]);
    let (mut a, mut b) = (server.connect(0), server.connect(1));
    send(&mut a, "GET", "/databases/t/hilo/next?tag=orders", "");
    let (_, early) = send(&mut b, "GET", "/databases/t/hilo/next?tag=orders", "");
    assert!(early.contains(r#""Low":1,"#), "{early}");
    let until = Instant::now() + Duration::from_secs(20);
    while send(&mut b, "GET", "/databases/t/docs?id=Raven/Hilo/orders", "").1.matches("A:").count() == 0 {
        assert!(Instant::now() < until, "nothing arrived");
        std::thread::sleep(Duration::from_millis(20));
    }
}
