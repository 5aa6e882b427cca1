//! What is measured, natively (`main.rs`) and in a page (`measure`): microseconds per document until ids are there, documents are stored in
//! a session, saved and loaded; by the client, and by hand (`serde_json`, ids by counting, no session).

use std::collections::BTreeMap;
use std::error::Error;

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

/// Microseconds per document, by step.
pub type Times = BTreeMap<&'static str, f64>;
/// What a measurement gives.
pub type Done<T> = Result<T, Box<dyn Error>>;

/// Times the steps.
pub struct Watch {
    now: fn() -> f64,
    since: f64,
    count: usize,
    times: Times,
}

impl Watch {
    /// For so many documents; `now` tells the time in microseconds.
    pub fn new(count: usize, now: fn() -> f64) -> Watch {
        Watch { now, since: now(), count, times: Times::new() }
    }

    /// What was measured, as JSON.
    pub fn json(&self) -> Done<String> {
        Ok(serde_json::to_string(&self.times)?)
    }

    fn start(&mut self) {
        self.since = (self.now)();
    }

    fn lap(&mut self, name: &'static str) {
        self.times.insert(name, ((self.now)() - self.since) / self.count as f64);
        self.start();
    }
}

/// By the client for Rust.
pub async fn with_client(url: &str, database: &str, watch: &mut Watch) -> Done<()> {
    let store = DocumentStore::new(url, database)?;
    let ids = store.hilo("ids")?;
    ids.next().await?;
    watch.start();
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

/// By hand; `post` sends a body to a route of the database.
pub async fn by_hand(post: impl AsyncFn(&str, &Value) -> Done<Value>, watch: &mut Watch) -> Done<()> {
    watch.start();
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

/// In a page.
#[cfg(target_family = "wasm")]
pub mod page {
    use super::{Value, Watch, by_hand, with_client};
    use gloo_net::http::Request;
    use wasm_bindgen::prelude::{JsError, wasm_bindgen};
    // `wasm_bindgen` makes promises of futures with it.
    use wasm_bindgen_futures as _;

    #[wasm_bindgen]
    extern "C" {
        /// In milliseconds.
        #[wasm_bindgen(js_namespace = performance)]
        fn now() -> f64;
    }

    /// The times of `client` (`raven-edge` or `by-hand`), as JSON.
    #[wasm_bindgen]
    pub async fn measure(client: &str, url: &str, database: &str, count: usize) -> Result<String, JsError> {
        let mut watch = Watch::new(count, || now() * 1_000.0);
        let done = match client {
            "raven-edge" => with_client(url, database, &mut watch).await,
            _ => {
                let post = async |route: &str, body: &Value| {
                    let request = Request::post(&format!("{url}/databases/{database}/{route}"));
                    let request =
                        request.header("Content-Type", "application/json").body(serde_json::to_string(body)?)?;
                    Ok(serde_json::from_slice(&request.send().await?.binary().await?)?)
                };
                by_hand(post, &mut watch).await
            }
        };
        done.and_then(|()| watch.json()).map_err(|error| JsError::new(&error.to_string()))
    }
}
