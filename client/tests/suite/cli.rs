//! The example on the command line does what its page says.

#[allow(dead_code, reason = "its main is not called")]
#[path = "../../../examples/rust-cli/src/main.rs"]
mod program;

use crate::support::Database;

#[tokio::test]
async fn the_command_line_creates_lists_and_pays_orders() {
    let database = Database::new();
    let orders = async |command: &[&str]| {
        let arguments = [&[database.url.as_str(), database.name.as_str()], command].concat();
        program::run(&arguments).await.unwrap()
    };
    assert_eq!(orders(&["create", "Bob", "2.5"]).await, "orders/1-A");
    assert_eq!(orders(&["create", "Ada", "10"]).await, "orders/2-A", "the first run has returned the rest");
    assert_eq!(orders(&["pay", "orders/1-A"]).await, "orders/1-A is paid");
    assert_eq!(orders(&["pay", "orders/1-A"]).await, "orders/1-A was paid before");
    assert_eq!(orders(&["pay", "orders/9-A"]).await, "orders/9-A does not exist");
    assert_eq!(orders(&["list"]).await, "orders/2-A Ada 10\norders/1-A Bob 2.5 paid");
    assert_eq!(orders(&["create", "Ada", "ten"]).await, "ten is no number");
    assert!(orders(&["buy"]).await.starts_with("orders URL DATABASE"));
}
