//! `raven-edge-rust-bench CLIENT URL DATABASE COUNT`: microseconds per document until ids are there, documents are stored in a session, saved
//! and loaded. `CLIENT`: `raven-edge`, or `by-hand` (`reqwest` and `serde_json`, ids by counting, no session).

use std::collections::BTreeMap;
use std::error::Error;
use std::time::Instant;

use raven_edge_client::{Document, DocumentStore, Entity};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Serialize, Deserialize)]
struct Order {
    customer: String,
    total: f64,
    lines: Vec<Line>,
}

#[derive(Serialize, Deserialize)]
struct Line {
    product: String,
    pieces: u32,
}

impl Document for Order {
    const COLLECTION: &'static str = "Orders";
}

/// As `npm.mjs` makes it.
fn order(number: usize) -> Order {
    let line = |at: usize| Line { product: format!("products/{at}-A"), pieces: 3 };
    Order { customer: format!("customers/{number}-A"), total: number as f64 * 1.5, lines: (0..3).map(line).collect() }
}

/// How many documents a request loads.
const PAGE: usize = 1_000;

type Times = BTreeMap<&'static str, f64>;
type Done<T> = Result<T, Box<dyn Error>>;

struct Watch {
    since: Instant,
    count: usize,
    times: Times,
}

impl Watch {
    fn lap(&mut self, name: &'static str) {
        self.times.insert(name, self.since.elapsed().as_secs_f64() * 1e6 / self.count as f64);
        self.since = Instant::now();
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Done<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [client, url, database, count] = arguments.as_slice() else { return Err("CLIENT URL DATABASE COUNT".into()) };
    let count = count.parse()?;
    let mut watch = Watch { since: Instant::now(), count, times: Times::new() };
    match client.as_str() {
        "raven-edge" => with_client(url, database, &mut watch).await?,
        _ => by_hand(url, database, &mut watch).await?,
    }
    println!("{}", serde_json::to_string(&watch.times)?);
    Ok(())
}

async fn with_client(url: &str, database: &str, watch: &mut Watch) -> Done<()> {
    let store = DocumentStore::new(url, database)?;
    let ids = store.hilo("ids")?;
    ids.next().await?;
    watch.since = Instant::now();
    for _ in 0..watch.count {
        if ids.take().is_none() {
            ids.next().await?;
        }
    }
    watch.lap("id");
    let session = store.session();
    let mut ids = Vec::new();
    for number in 0..watch.count {
        ids.push(session.store(order(number)).await?.id());
    }
    watch.lap("store");
    session.save().await?;
    watch.lap("save");
    let session = store.session();
    for page in ids.chunks(PAGE) {
        for loaded in session.load_many::<Order>(page).await? {
            let _: Entity<Order> = loaded?.ok_or("a document is missing")?;
        }
    }
    watch.lap("load");
    store.dispose().await?;
    Ok(())
}

async fn by_hand(url: &str, database: &str, watch: &mut Watch) -> Done<()> {
    let http = reqwest::Client::new();
    let post = async |route: &str, body: &Value| -> Done<Value> {
        let request = http.post(format!("{url}/databases/{database}/{route}")).body(serde_json::to_vec(body)?);
        let response = request.header("Content-Type", "application/json").send().await?.error_for_status()?;
        Ok(serde_json::from_slice(&response.bytes().await?)?)
    };
    watch.since = Instant::now();
    let ids: Vec<String> = (0..watch.count).map(|number| format!("orders/hand-{number}-A")).collect();
    watch.lap("id");
    let command = |(number, id): (usize, &String)| -> Done<Value> {
        let mut document = serde_json::to_value(order(number))?;
        document["@metadata"] = json!({ "@collection": "Orders" });
        Ok(json!({ "Type": "PUT", "Id": id, "Document": document }))
    };
    let commands = ids.iter().enumerate().map(command).collect::<Done<Vec<_>>>()?;
    watch.lap("store");
    post("bulk_docs", &json!({ "Commands": commands })).await?;
    watch.lap("save");
    for page in ids.chunks(PAGE) {
        let mut found = post("docs", &json!({ "Ids": page })).await?;
        let orders: Vec<Order> = serde_json::from_value(found["Results"].take())?;
        assert_eq!(orders.len(), page.len(), "a document is missing");
    }
    watch.lap("load");
    Ok(())
}
