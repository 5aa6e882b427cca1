//! The cost of the default `keep`. `cargo xtask bench waste` prints the whole table.

use raven_edge_simulation::Crowd;
use raven_edge_simulation::waste::{DEFAULT, Policy, cost};

#[test]
fn the_default_is_cheap_in_round_trips_and_in_numbers() {
    let cost = cost(Crowd { devices: 2_000, visits: 10, at_once: 1, takes: false }, DEFAULT);
    assert!(cost.trips_per_document() <= 0.15, "{cost:?}: {:.4} round trips per document", cost.trips_per_document());
    assert!(cost.numbers_per_document() <= 3.0, "{cost:?}: {:.3} numbers per document", cost.numbers_per_document());
}

#[test]
fn pages_that_use_take_lose_at_most_one_more_number_per_visit() {
    for policy in [Policy::Keep(Some(0)), Policy::Keep(Some(8)), DEFAULT] {
        let crowd = Crowd { devices: 500, visits: 10, at_once: 1, takes: false };
        let (next, take) = (cost(crowd, policy), cost(Crowd { takes: true, ..crowd }, policy));
        assert_eq!(take.documents, next.documents, "both have the same visits");
        assert!(take.numbers <= next.numbers + 5_000, "{policy:?}: {take:?}, {next:?}");
    }
}

#[test]
fn npm_ravendb_leases_one_range_per_visit() {
    let cost = cost(Crowd { devices: 200, visits: 10, at_once: 1, takes: false }, Policy::Npm);
    assert_eq!(cost.numbers, cost.leases * 32, "no visit creates more than a lease holds");
    assert!(cost.trips_per_document() > 0.3);
}
