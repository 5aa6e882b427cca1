//! A Worker in Rust, with the crate `worker`: `POST /orders?customer=Ada` creates an order, `GET /orders` lists all.
#![cfg(target_family = "wasm")]

use std::time::Duration;

use raven_edge_client::{Document, DocumentStore, Entity, Result};
use serde::{Deserialize, Serialize};
use worker::{Context, Env, Method, Request, Response, event};

#[derive(Serialize, Deserialize)]
struct Order {
    customer: String,
}

impl Document for Order {
    const COLLECTION: &'static str = "Orders";
}

/// The variables `RAVENDB_URL` and `DATABASE` say where the orders are.
#[event(fetch)]
async fn fetch(request: Request, env: Env, context: Context) -> worker::Result<Response> {
    let (url, database) = (env.var("RAVENDB_URL")?.to_string(), env.var("DATABASE")?.to_string());
    // Each request has a store of its own: a Worker's runtime ends a request that waits for another one.
    let Ok(store) = DocumentStore::new(url, database) else {
        return Response::error("the variables name no database", 500);
    };
    let customer =
        request.url()?.query_pairs().find(|(name, _)| name == "customer").map(|(_, value)| value.into_owned());
    let done = match (request.method(), customer) {
        (Method::Post, Some(customer)) => create(&store, customer).await.map(|id| vec![id]),
        (Method::Get, _) => list(&store).await,
        _ => return Response::error("POST with ?customer=, or GET", 405),
    };
    // The response does not wait for the return of the numbers that are left.
    context.wait_until(async move { drop(store.dispose().await) });
    match done {
        Ok(lines) => Response::from_json(&lines),
        Err(error) => Response::error(error.to_string(), 502),
    }
}

async fn create(store: &DocumentStore, customer: String) -> Result<String> {
    let session = store.session();
    let order = session.store(Order { customer }).await?;
    session.save().await?;
    Ok(order.id())
}

async fn list(store: &DocumentStore) -> Result<Vec<String>> {
    let session = store.session();
    let query = session.query("from Orders order by customer").wait_for_non_stale_results(Duration::from_secs(10));
    let orders: Vec<Entity<Order>> = query.all().await?;
    Ok(orders.iter().map(|order| format!("{} {}", order.id(), order.customer)).collect())
}
