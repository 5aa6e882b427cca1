//! `raven-edge-rust-bench CLIENT URL DATABASE COUNT`: prints the times natively. `CLIENT`: `raven-edge`, or `by-hand` (with `reqwest`).

use raven_edge_rust_bench::{Done, Watch, by_hand, with_client};
use serde_json::Value;
use std::sync::LazyLock;
use std::time::Instant;

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Done<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [client, url, database, count] = arguments.as_slice() else { return Err("CLIENT URL DATABASE COUNT".into()) };
    let mut watch = Watch::new(count.parse()?, || START.elapsed().as_secs_f64() * 1e6);
    match client.as_str() {
        "raven-edge" => with_client(url, database, &mut watch).await?,
        _ => {
            let http = reqwest::Client::new();
            let post = async |route: &str, body: &Value| -> Done<Value> {
                let request = http.post(format!("{url}/databases/{database}/{route}")).body(serde_json::to_vec(body)?);
                let response = request.header("Content-Type", "application/json").send().await?.error_for_status()?;
                Ok(serde_json::from_slice(&response.bytes().await?)?)
            };
            by_hand(post, &mut watch).await?;
        }
    }
    println!("{}", watch.json()?);
    Ok(())
}
