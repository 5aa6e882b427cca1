//! A page with Leptos: it creates orders and lists them. `index.html` loads it.
#![cfg(target_family = "wasm")]

use std::time::Duration;

use leptos::ev::SubmitEvent;
use leptos::mount::mount_to_body;
use leptos::prelude::*;
use raven_edge_client::{Document, DocumentStore, Entity, Result};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

#[derive(Serialize, Deserialize)]
struct Order {
    customer: String,
}

impl Document for Order {
    const COLLECTION: &'static str = "Orders";
}

/// Stores an order; returns its id.
async fn create(store: DocumentStore, customer: String) -> Result<String> {
    let session = store.session();
    let order = session.store(Order { customer }).await?;
    session.save().await?;
    Ok(order.id())
}

/// The ids and customers of all orders.
async fn list(store: DocumentStore) -> Result<Vec<(String, String)>> {
    let session = store.session();
    let query = session.query("from Orders order by customer");
    // An order that was created just now is listed, too.
    let orders: Vec<Entity<Order>> = query.wait_for_non_stale_results(Duration::from_secs(10)).all().await?;
    Ok(orders.iter().map(|order| (order.id(), order.customer.clone())).collect())
}

#[component]
fn Orders(store: DocumentStore) -> impl IntoView {
    // A store of a page stays on its thread.
    let store = StoredValue::new_local(store);
    let customer = RwSignal::new(String::new());
    let created = Action::new_local(move |customer: &String| create(store.get_value(), customer.clone()));
    let orders = LocalResource::new(move || {
        created.version().track();
        list(store.get_value())
    });
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        created.dispatch_local(customer.get());
        customer.set(String::new());
    };
    let lines = move || orders.with(|orders| orders.as_ref()?.as_ref().ok().cloned()).unwrap_or_default();
    let problem = move || {
        let failed = created.value().with(|created| created.as_ref()?.as_ref().err().map(ToString::to_string));
        failed.or_else(|| orders.with(|orders| orders.as_ref()?.as_ref().err().map(ToString::to_string)))
    };
    view! {
        <h1>"Orders"</h1>
        <form on:submit=submit>
            <label>"Customer " <input id="customer" required bind:value=customer /></label>
            <button type="submit">"Create"</button>
        </form>
        <p id="problem" role="alert">{problem}</p>
        <ul id="orders">
            <For each=lines key=|(id, _)| id.clone() let((id, customer))>
                <li>{id} " " {customer}</li>
            </For>
        </ul>
    }
}

/// Shows the orders of a database.
#[wasm_bindgen]
pub fn start(url: &str, database: &str) -> Result<(), JsError> {
    let store = DocumentStore::new(url, database)?;
    mount_to_body(move || view! { <Orders store=store /> });
    Ok(())
}
