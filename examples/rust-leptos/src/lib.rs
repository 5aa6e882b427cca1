//! A page in Leptos: it creates orders and lists them. `index.html` loads it.

use std::time::Duration;

use leptos::ev::SubmitEvent;
use leptos::mount::mount_to_body;
use leptos::prelude::*;
use leptos::task::spawn_local;
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

/// Shows the orders of a database.
#[wasm_bindgen]
pub fn start(url: &str, database: &str) -> std::result::Result<(), JsError> {
    let store = DocumentStore::new(url, database)?;
    mount_to_body(move || view! { <Orders store /> });
    Ok(())
}

#[component]
fn Orders(store: DocumentStore) -> impl IntoView {
    // A store stays on its thread, the only one of a page.
    let store = StoredValue::new_local(store);
    let [customer, problem] = [(); 2].map(|()| RwSignal::new(String::new()));
    let orders = LocalResource::new(move || list(store.get_value()));
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        spawn_local(async move {
            match create(store.get_value(), customer.get_untracked()).await {
                Ok(_) => orders.refetch(),
                Err(error) => problem.set(error.to_string()),
            }
        });
    };
    let lines = move || match orders.get() {
        Some(Ok(lines)) => lines,
        Some(Err(error)) => vec![error.to_string()],
        None => vec![],
    };
    view! {
        <form on:submit=submit>
            <label>"Customer " <input id="customer" bind:value=customer required /></label>
            <button type="submit">"Create"</button>
        </form>
        <p id="problem" role="alert">{problem}</p>
        <ul id="orders">{move || lines().into_iter().map(|line| view! { <li>{line}</li> }).collect_view()}</ul>
    }
}

async fn create(store: DocumentStore, customer: String) -> Result<String> {
    let session = store.session();
    let order = session.store(Order { customer }).await?;
    session.save().await?;
    Ok(order.id())
}

async fn list(store: DocumentStore) -> Result<Vec<String>> {
    let session = store.session();
    let query = session.query("from Orders order by customer").wait_for_non_stale_results(Duration::from_secs(10));
    let orders: Vec<Entity<Order>> = query.all().await?;
    Ok(orders.iter().map(|order| format!("{} {}", order.id(), order.customer)).collect())
}
