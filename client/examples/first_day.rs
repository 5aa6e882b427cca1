//! A shop: three collections, an index, a patch, and a conflict that is resolved.
//!
//! `cargo run --example first_day -- http://localhost:8080 Shop`

use std::time::Duration;

use raven_edge_client::{
    Document, DocumentStore, Entity, Error, IndexDefinition, Patch, Result, Session, SessionOptions,
};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Customer {
    name: String,
    city: String,
}

impl Document for Customer {
    const COLLECTION: &'static str = "Customers";
}

#[derive(Serialize, Deserialize)]
struct Product {
    name: String,
    price: u32,
    stock: u32,
}

impl Document for Product {
    const COLLECTION: &'static str = "Products";
}

#[derive(Serialize, Deserialize)]
struct Order {
    customer: String,
    state: State,
    lines: Vec<Line>,
}

#[derive(PartialEq, Serialize, Deserialize)]
enum State {
    Open,
    Paid,
}

#[derive(Serialize, Deserialize)]
struct Line {
    product: String,
    pieces: u32,
    price: u32,
}

impl Document for Order {
    const COLLECTION: &'static str = "Orders";
}

/// A result of the index.
#[derive(Deserialize)]
struct Sales {
    customer: String,
    total: f64,
}

const SALES: &str = "Orders/Sales";

async fn create_index(store: &DocumentStore) -> Result<()> {
    let map = "from order in docs.Orders
        select new { order.customer, total = order.lines.Sum(line => line.pieces * line.price) }";
    let reduce = "from result in results group result by result.customer into of
        select new { customer = of.Key, total = of.Sum(each => each.total) }";
    store.operations().put_index(&IndexDefinition::new(SALES).map(map).reduce(reduce)).await
}

/// Takes products from the stock and stores an order: both or neither.
async fn buy(session: &Session, customer: &str, product: &str, pieces: u32) -> Result<Entity<Order>> {
    let mut product: Entity<Product> = session.load(product).await?.expect("the product exists");
    product.update(|product| product.stock = product.stock.saturating_sub(pieces))?;
    let line = Line { product: product.id(), pieces, price: product.price };
    let order = Order { customer: customer.to_owned(), state: State::Open, lines: vec![line] };
    let order = session.store(order).await?;
    session.save().await?;
    Ok(order)
}

/// Sells one piece, however many others sell at the same time.
async fn sell_one(store: &DocumentStore, product: String) -> Result<u32> {
    let session = store.session_with(SessionOptions::optimistic());
    let mut product: Entity<Product> = session.load(product).await?.expect("the product exists");
    loop {
        product.update(|product| product.stock -= 1)?;
        match session.save().await {
            // Somebody was faster: read the document again, and repeat the change.
            Err(Error::Concurrency(_)) => session.refresh(&mut product).await?,
            saved => return saved.map(|()| product.stock),
        }
    }
}

/// What the program has seen.
pub(crate) struct Report {
    pub order: String,
    pub sales: Vec<(String, f64)>,
    pub stock: u32,
    pub open: usize,
}

pub(crate) async fn run(url: &str, database: &str) -> Result<Report> {
    let store = DocumentStore::builder(url, database).timeout(Duration::from_secs(60)).build()?;
    create_index(&store).await?;

    let session = store.session();
    let ada = session.store(Customer { name: "Ada".into(), city: "London".into() }).await?;
    let tea = session.store(Product { name: "Tea".into(), price: 4, stock: 100 }).await?;
    session.save().await?;
    println!("{} lives in {}", ada.name, ada.city);

    let order = buy(&session, &ada.id(), &tea.id(), 3).await?;
    buy(&session, &ada.id(), &tea.id(), 2).await?;

    // The server changes the document; nothing is loaded.
    let patch = Patch::script("this.state = args.state").arg("state", State::Paid);
    session.patch(order.id(), &patch)?;
    session.save().await?;

    let (one, other) = tokio::join!(sell_one(&store, tea.id()), sell_one(&store, tea.id()));
    let stock = one?.min(other?);

    let session = store.session();
    let sales = session.query::<Sales>(format!("from index '{SALES}' where total > $min")).bind("min", 10);
    let sales = sales.wait_for_non_stale_results(Duration::from_secs(15)).rows().await?;
    let sales = sales.results.into_iter().map(|row| (row.value.customer, row.value.total));
    let open = session.query::<Order>("from Orders where state = $state").bind("state", State::Open);
    let open = open.wait_for_non_stale_results(Duration::from_secs(15)).all().await?;

    store.dispose().await?;
    Ok(Report { order: order.id(), sales: sales.collect(), stock, open: open.len() })
}

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().unwrap_or_else(|| "http://localhost:8080".into());
    let Report { order, sales, stock, open } = run(&url, &arguments.next().unwrap_or_else(|| "Shop".into())).await?;
    println!("{order} is paid, {open} order is open, {stock} pieces are left");
    sales.iter().for_each(|(customer, total)| println!("{customer} bought for {total}"));
    Ok(())
}
