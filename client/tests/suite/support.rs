// A database of its own for each test, and a proxy that counts, loses and replaces. Also part of examples of the documentation.

use std::future::Future;
use std::io::{Read, Write};
use std::net::TcpStream as Blocking;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use raven_edge_client::{Document, DocumentStore};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Order {
    pub n: i64,
    #[serde(default)]
    pub lines: Vec<String>,
}

impl Document for Order {
    const COLLECTION: &'static str = "Orders";
}

/// A busy machine takes its time.
const LIMIT: Duration = Duration::from_secs(60);

pub fn order(n: i64) -> Order {
    Order { n, lines: Vec::new() }
}

/// The server: `cargo xtask test rust` starts one.
pub fn server() -> String {
    std::env::var("RAVENDB_URL").expect("RAVENDB_URL names a RavenDB: run the tests with `cargo xtask test rust`")
}

/// A database, deleted at the end.
pub struct Database {
    pub url: String,
    pub name: String,
}

impl Database {
    pub fn new() -> Database {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos();
        let name = format!("rust-{}-{now:x}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let database = Database { url: server(), name };
        let path = format!("/admin/databases?name={}&replicationFactor=1", database.name);
        let (status, text) = database.send("PUT", &path, Some(json!({ "DatabaseName": database.name })));
        assert_eq!(status, 201, "{text}");
        database
    }

    pub fn store(&self) -> DocumentStore {
        DocumentStore::builder(&self.url, &self.name).timeout(LIMIT).build().unwrap()
    }

    /// A request besides the client: status and body.
    pub fn send(&self, method: &str, path: &str, body: Option<Value>) -> (u16, String) {
        let host = self.url.trim_start_matches("http://");
        let mut stream = Blocking::connect(host).unwrap();
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (head[9..12].parse().unwrap(), body.to_owned())
    }

    pub fn document(&self, id: &str) -> Option<Value> {
        let id = id.replace('/', "%2F").replace('|', "%7C");
        let (status, text) = self.send("GET", &format!("/databases/{}/docs?id={id}", self.name), None);
        (status == 200).then(|| serde_json::from_str::<Value>(&text).unwrap()["Results"][0].clone())
    }

    pub fn put(&self, id: &str, document: Value) {
        let (status, text) = self.send("PUT", &format!("/databases/{}/docs?id={id}", self.name), Some(document));
        assert_eq!(status, 201, "{text}");
    }

    pub fn max(&self, tag: &str) -> u64 {
        self.document(&format!("Raven/Hilo/{tag}")).map_or(0, |counter| counter["Max"].as_u64().unwrap())
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let body = json!({ "DatabaseNames": [self.name], "HardDelete": true });
        self.send("DELETE", "/admin/databases", Some(body));
    }
}

/// A request that went through a proxy.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub method: String,
    pub path: String,
    pub body: String,
}

impl Recorded {
    pub fn is_save(&self) -> bool {
        self.path.contains("/bulk_docs") && !self.body.contains("Raven/Hilo")
    }

    pub fn is_lease(&self) -> bool {
        self.path.contains("/multi_get") && self.body.contains("hilo/next")
    }

    pub fn is_read(&self) -> bool {
        self.path.ends_with("/docs")
    }
}

/// What the proxy does with a request.
pub enum Rule {
    Pass,
    /// The server gets it, the client no response.
    Lose,
    /// The connection ends before the server gets it.
    Drop,
    /// Neither forwards nor responds.
    Hole,
    /// The response ends after so many bytes.
    Cut(usize),
    /// The server gets it, the client this response.
    Instead(u16, &'static str),
    /// Responds without the server.
    Respond(u16, &'static str),
}

type Decide = Box<dyn FnMut(&Recorded) -> Rule + Send>;

struct Wire {
    target: String,
    requests: Mutex<Vec<Recorded>>,
    rule: Mutex<Decide>,
    arrived: Notify,
}

pub struct Proxy {
    pub url: String,
    wire: Arc<Wire>,
    listening: tokio::task::JoinHandle<()>,
}

impl Proxy {
    pub async fn new(database: &Database) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let target = database.url.trim_start_matches("http://").to_owned();
        let wire = Arc::new(Wire {
            target,
            requests: Mutex::default(),
            rule: Mutex::new(Box::new(|_| Rule::Pass)),
            arrived: Notify::new(),
        });
        let shared = Arc::clone(&wire);
        let listening = tokio::spawn(async move {
            // Connections end with the proxy.
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                connections.spawn(serve(client, Arc::clone(&shared)));
            }
        });
        Proxy { url, wire, listening }
    }

    pub fn store(&self, database: &Database) -> DocumentStore {
        DocumentStore::builder(&self.url, &database.name).timeout(LIMIT).disable_topology_updates().build().unwrap()
    }

    pub fn rule(&self, rule: impl FnMut(&Recorded) -> Rule + Send + 'static) {
        *self.wire.rule.lock().unwrap() = Box::new(rule);
    }

    pub fn pass(&self) {
        self.rule(|_| Rule::Pass);
    }

    pub fn all(&self) -> Vec<Recorded> {
        self.wire.requests.lock().unwrap().clone()
    }

    pub fn saves(&self) -> Vec<Recorded> {
        self.all().into_iter().filter(Recorded::is_save).collect()
    }

    /// Waits until a request of this kind has arrived.
    pub async fn arrived(&self, kind: fn(&Recorded) -> bool) {
        loop {
            let arrived = self.wire.arrived.notified();
            tokio::pin!(arrived);
            arrived.as_mut().enable();
            if self.all().iter().any(kind) {
                return;
            }
            tokio::time::timeout(Duration::from_secs(30), arrived).await.expect("a request arrives");
        }
    }

    /// Like a server that has stopped: refuses connections, ends open ones.
    pub async fn off(&mut self) {
        self.listening.abort();
        drop((&mut self.listening).await);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

async fn serve(client: TcpStream, wire: Arc<Wire>) {
    let mut client = BufReader::new(client);
    while let Some((head, body)) = read(&mut client).await {
        let mut words = head.split(' ');
        let (method, path) = (words.next().unwrap().to_owned(), words.next().unwrap().to_owned());
        let request = Recorded { method, path, body: String::from_utf8_lossy(&body).into_owned() };
        let rule = (wire.rule.lock().unwrap())(&request);
        wire.requests.lock().unwrap().push(request.clone());
        wire.arrived.notify_waiters();
        match &rule {
            Rule::Drop => return,
            Rule::Hole => return std::future::pending().await,
            Rule::Respond(status, text) => {
                respond(&mut client, *status, "", text.as_bytes(), usize::MAX).await;
                continue;
            }
            _ => {}
        }
        let Some((status, headers, response)) = forward(&wire.target, &head, &body).await else { return };
        match rule {
            Rule::Lose => return,
            Rule::Cut(bytes) => return respond(&mut client, status, &headers, &response, bytes).await,
            Rule::Instead(status, text) => respond(&mut client, status, "", text.as_bytes(), usize::MAX).await,
            _ => respond(&mut client, status, &headers, &response, usize::MAX).await,
        }
    }
}

/// The head of a message, and its body.
async fn read(stream: &mut (impl AsyncBufReadExt + Unpin)) -> Option<(String, Vec<u8>)> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head).await.ok()? == 0 {
            return None;
        }
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().unwrap())
    });
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await.ok()?;
    Some((head, body))
}

/// HTTP/1.0: the response has no chunks, and ends with its connection.
async fn forward(target: &str, head: &str, body: &[u8]) -> Option<(u16, String, Vec<u8>)> {
    let mut server = TcpStream::connect(target).await.ok()?;
    let head = head.replacen("HTTP/1.1", "HTTP/1.0", 1);
    server.write_all(head.as_bytes()).await.ok()?;
    server.write_all(body).await.ok()?;
    let mut response = Vec::new();
    server.read_to_end(&mut response).await.ok()?;
    let end = response.windows(4).position(|part| part == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&response[..end]).into_owned();
    let of_connection = ["connection", "content-length", "transfer-encoding"];
    let is_kept = |line: &&str| !of_connection.iter().any(|name| line.to_lowercase().starts_with(name));
    let headers = head.lines().skip(1).filter(is_kept).map(|line| format!("{line}\r\n")).collect();
    Some((head.get(9..12)?.parse().ok()?, headers, response[end + 4..].to_vec()))
}

async fn respond(client: &mut BufReader<TcpStream>, status: u16, headers: &str, body: &[u8], most: usize) {
    // A response to HEAD has no body, whatever its length.
    let head = format!("HTTP/1.1 {status} X\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
    drop(client.write_all(head.as_bytes()).await);
    drop(client.write_all(&body[..body.len().min(most)]).await);
    drop(client.flush().await);
}

/// A future that has begun, and is then dropped.
pub async fn begun<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future: Pin<Box<_>> = Box::pin(future);
    std::future::poll_fn(|context| match future.as_mut().poll(context) {
        std::task::Poll::Ready(result) => std::task::Poll::Ready(Some(result)),
        std::task::Poll::Pending => std::task::Poll::Ready(None),
    })
    .await
}
