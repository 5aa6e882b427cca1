//! The program of the first day works, and needs nothing that the client could have spared it.

#[allow(dead_code, reason = "its main is not called")]
#[path = "../../examples/first_day.rs"]
mod program;

use crate::support::Database;

const PROGRAM: &str = include_str!("../../examples/first_day.rs");
const PAGE: &str = include_str!("../../../docs/rust.md");

#[tokio::test]
async fn the_program_of_the_first_day_does_what_its_page_says() {
    let database = Database::new();
    let report = program::run(&database.url, &database.name).await.unwrap();
    assert_eq!((report.order.as_str(), report.stock, report.open), ("orders/1-A", 93, 1));
    assert_eq!(report.sales, [("customers/1-A".to_owned(), 20.0)]);
    assert_eq!(database.document("orders/1-A").unwrap()["state"], "Paid");
    assert_eq!(database.max("orders"), 2, "what was left was returned");
}

#[test]
fn the_program_needs_no_clone_no_lifetime_and_no_shared_pointer_and_stands_in_the_page() {
    for word in [".clone()", "Rc<", "Arc", "RefCell", "Mutex", "<'", "&'a"] {
        assert!(!PROGRAM.contains(word), "{word}");
    }
    assert!(PROGRAM.lines().count() <= 150);
    let body = PROGRAM.split_once("use std").unwrap().1;
    assert!(PAGE.contains(body), "docs/rust.md shows the program as it is");
    let (version, _) = env!("CARGO_PKG_VERSION").rsplit_once('.').unwrap();
    assert!(PAGE.contains(&format!("raven-edge-client = \"{version}\"")));
    assert!(PAGE.contains(concat!("Rust ", env!("CARGO_PKG_RUST_VERSION"))));
}
