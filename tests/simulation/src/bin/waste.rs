//! Prints the cost of visits under several policies, one at a time and fifty at a time.

use raven_edge_simulation::Crowd;
use raven_edge_simulation::waste::{POLICIES, cost};

fn main() {
    for takes in [false, true] {
        println!("{}", if takes { "\nhalf of the pages use take()" } else { "all pages use next()" });
        print_table(takes);
    }
}

fn print_table(takes: bool) {
    println!("per document     1 at a time           50 at a time");
    println!("                 round trips  numbers  round trips  numbers");
    for (name, policy) in POLICIES {
        let [one, many] = [1, 50].map(|at_once| cost(Crowd { devices: 2_000, visits: 10, at_once, takes }, policy));
        println!(
            "{name:<15}  {:>11.3}  {:>7.2}  {:>11.3}  {:>7.2}",
            one.trips_per_document(),
            one.numbers_per_document(),
            many.trips_per_document(),
            many.numbers_per_document()
        );
    }
}
