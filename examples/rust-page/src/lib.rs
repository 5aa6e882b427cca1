//! A page in Rust: it creates orders and lists them. `index.html` loads it; a Worker can call `Shop`, too.
#![cfg(target_family = "wasm")]

use std::time::Duration;

use raven_edge_client::{Document, DocumentStore, Entity, HiLo, Result};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::{Closure, JsError, JsValue, wasm_bindgen};
use wasm_bindgen::{JsCast, UnwrapThrowExt};
use wasm_bindgen_futures::spawn_local;
use web_sys::{Event, HtmlInputElement};

#[derive(Serialize, Deserialize)]
struct Order {
    customer: String,
}

impl Document for Order {
    const COLLECTION: &'static str = "Orders";
}

/// The orders of a database.
#[wasm_bindgen]
#[derive(Clone)]
pub struct Shop {
    store: DocumentStore,
    ids: HiLo,
}

#[wasm_bindgen]
impl Shop {
    /// The shop in a database. Sends nothing.
    #[wasm_bindgen(constructor)]
    pub fn new(url: &str, database: &str) -> Result<Shop, JsError> {
        let store = DocumentStore::new(url, database)?;
        let ids = store.hilo("orders")?;
        Ok(Shop { store, ids })
    }

    /// The next id, without a document.
    pub async fn next(&self) -> Result<String, JsError> {
        Ok(self.ids.next().await?)
    }

    /// Stores an order; returns its id.
    pub async fn create(&self, customer: String) -> Result<String, JsError> {
        let session = self.store.session();
        let order = session.store(Order { customer }).await?;
        session.save().await?;
        Ok(order.id().to_owned())
    }

    /// Stores an order that is an object of JavaScript; returns its id.
    #[wasm_bindgen(js_name = createFrom)]
    pub async fn create_from(&self, order: JsValue) -> Result<String, JsError> {
        let session = self.store.session();
        let id = session.store_js("Orders", &order).await?;
        session.save().await?;
        Ok(id)
    }

    /// An order as an object of JavaScript; `undefined` if there is none.
    pub async fn get(&self, id: String) -> Result<JsValue, JsError> {
        Ok(self.store.session().load_js(id).await?.unwrap_or_default())
    }

    /// Replaces an order. Returns whether there is one.
    pub async fn replace(&self, id: String, order: JsValue) -> Result<bool, JsError> {
        let session = self.store.session();
        if session.load_js(&id).await?.is_none() {
            return Ok(false);
        }
        session.update_js(&id, &order)?;
        session.save().await?;
        Ok(true)
    }

    /// Changes the customer of an order. Returns whether there is such an order.
    pub async fn rename(&self, id: String, customer: String) -> Result<bool, JsError> {
        let session = self.store.session();
        let Some(mut order) = session.load::<Order>(&id).await? else { return Ok(false) };
        order.update(|order| order.customer = customer)?;
        session.save().await?;
        Ok(true)
    }

    /// All orders, a line each: the id and the customer.
    pub async fn list(&self) -> Result<Vec<String>, JsError> {
        let session = self.store.session();
        let query = session.query("from Orders order by customer");
        // An order that was created just now is listed, too.
        let orders: Vec<Entity<Order>> = query.wait_for_non_stale_results(Duration::from_secs(10)).all().await?;
        Ok(orders.iter().map(|order| format!("{} {}", order.id(), order.customer)).collect())
    }

    /// Returns the numbers that are left.
    pub async fn dispose(&self) -> Result<(), JsError> {
        Ok(self.store.dispose().await?)
    }
}

/// Shows the orders of a database, and creates one when the form is sent.
#[wasm_bindgen]
pub fn start(url: &str, database: &str) -> Result<Shop, JsError> {
    let shop = Shop::new(url, database)?;
    let mine = shop.clone();
    let create = Closure::<dyn FnMut(Event)>::new(move |event: Event| {
        event.prevent_default();
        let (shop, input) = (mine.clone(), element("customer").unchecked_into::<HtmlInputElement>());
        spawn_local(async move {
            let created = shop.create(input.value()).await;
            input.set_value("");
            match created {
                Ok(_) => shop.show().await,
                Err(error) => say(error),
            }
        });
    });
    element("new").add_event_listener_with_callback("submit", create.as_ref().unchecked_ref()).unwrap_throw();
    // It listens as long as the page lives.
    create.forget();
    let first = shop.clone();
    spawn_local(async move { first.show().await });
    Ok(shop)
}

impl Shop {
    async fn show(&self) {
        match self.list().await {
            Ok(lines) => element("orders").set_text_content(Some(&lines.join("\n"))),
            Err(error) => say(error),
        }
    }
}

fn say(error: JsError) {
    let text = web_sys::js_sys::Reflect::get(&JsValue::from(error), &"message".into()).ok();
    element("problem").set_text_content(text.and_then(|text| text.as_string()).as_deref());
}

fn element(id: &str) -> web_sys::Element {
    let document = web_sys::window().and_then(|window| window.document());
    document.and_then(|document| document.get_element_by_id(id)).expect_throw("index.html has it")
}
