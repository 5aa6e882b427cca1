//! Orders on the command line:
//!
//! ```sh
//! orders http://localhost:8080 Shop create Ada 10
//! orders http://localhost:8080 Shop list
//! orders http://localhost:8080 Shop pay orders/1-A
//! ```

use std::process::ExitCode;
use std::time::Duration;

use raven_edge_client::{Document, DocumentStore, Entity, Error, Patch, PatchStatus, Result};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Order {
    customer: String,
    total: f64,
    paid: bool,
}

impl Document for Order {
    const COLLECTION: &'static str = "Orders";
}

const USAGE: &str = "orders URL DATABASE create CUSTOMER TOTAL | list | pay ID";

/// What to do, and what the program prints.
pub(crate) async fn run(arguments: &[&str]) -> Result<String> {
    let [url, database, command @ ..] = arguments else { return Ok(USAGE.to_owned()) };
    let store = DocumentStore::new(*url, *database)?;
    let done = match command {
        ["create", customer, total] => create(&store, customer, total).await,
        ["list"] => list(&store).await,
        ["pay", id] => pay(&store, id).await,
        _ => Ok(USAGE.to_owned()),
    };
    // Returns the numbers that are left, also after an error.
    store.dispose().await?;
    done
}

async fn create(store: &DocumentStore, customer: &str, total: &str) -> Result<String> {
    let Ok(total) = total.parse() else { return Ok(format!("{total} is no number")) };
    let session = store.session();
    let order = session.store(Order { customer: customer.to_owned(), total, paid: false }).await?;
    session.save().await?;
    Ok(order.id())
}

async fn list(store: &DocumentStore) -> Result<String> {
    let session = store.session();
    let query = session.query("from Orders order by customer").wait_for_non_stale_results(Duration::from_secs(15));
    let orders: Vec<Entity<Order>> = query.all().await?;
    let line = |order: &Entity<Order>| {
        format!("{} {} {}{}", order.id(), order.customer, order.total, if order.paid { " paid" } else { "" })
    };
    Ok(orders.iter().map(line).collect::<Vec<_>>().join("\n"))
}

/// The server changes the document; nothing is loaded.
async fn pay(store: &DocumentStore, id: &str) -> Result<String> {
    let status = store.operations().patch(id, &Patch::script("this.paid = true")).await?;
    Ok(match status {
        PatchStatus::Patched => format!("{id} is paid"),
        PatchStatus::NotModified => format!("{id} was paid before"),
        _ => format!("{id} does not exist"),
    })
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments.iter().map(String::as_str).collect::<Vec<_>>()).await {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(error @ Error::Unreachable(_)) => {
            eprintln!("{error}: is the server running?");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
