//! All states of a small world: two clients, two texts to watch, a server, connections that break, and the hub as it is shipped.

mod steps;
mod world;

use super::effect::Limits;
use raven_edge_checker::explore;

/// How often each may still happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Budget {
    joins: u8,
    watches: u8,
    unwatches: u8,
    changes: u8,
    losses: u8,
    deaths: u8,
    evictions: u8,
    ticks: u8,
}

/// The model.
struct Small {
    limits: Limits,
    budget: Budget,
}

const LIMITS: Limits = Limits { ask: 1, lag: 2, grace: 2, quiet: 2, silence: 2, connect: 2, pause: 1 };
const NOTHING: Budget =
    Budget { joins: 2, watches: 2, unwatches: 0, changes: 0, losses: 0, deaths: 0, evictions: 0, ticks: 0 };

fn prove(limits: Limits, budget: Budget) {
    let report = explore(&Small { limits, budget });
    println!("{} states, {} steps deep, {:.1?}", report.states, report.depth, report.time);
    if let Some(trace) = report.trace {
        panic!("{} ({} steps)\n{}", trace.law, trace.steps, trace.lines.join("\n"));
    }
}

/// Some configurations are small enough for every run of the tests; `--full` explores larger ones.
macro_rules! proofs {
    ($($(#[$more:meta])* $name:ident: $budget:expr;)*) => {$(
        #[test]
        $(#[$more])*
        fn $name() {
            prove(LIMITS, $budget);
        }
    )*};
}

proofs! {
    a_lost_connection_loses_no_change: Budget { joins: 1, watches: 1, changes: 1, losses: 2, ticks: 2, ..NOTHING };
    a_lost_memory_loses_no_change: Budget { joins: 1, changes: 1, evictions: 1, ..NOTHING };
    a_silent_connection_loses_no_change: Budget { joins: 1, watches: 1, changes: 1, deaths: 1, ticks: 3, ..NOTHING };
    a_listener_that_lags_misses_nothing: Budget { joins: 1, watches: 1, changes: 4, ticks: 2, ..NOTHING };
    watches_end_and_begin_again: Budget { joins: 1, watches: 2, unwatches: 1, changes: 1, ..NOTHING };
    two_listeners_share_a_connection: Budget { changes: 1, losses: 1, ..NOTHING };
    #[ignore = "takes a minute"]
    two_watches_are_lost_twice: Budget { joins: 1, changes: 1, losses: 2, ticks: 2, ..NOTHING };
    #[ignore = "takes a minute"]
    watches_end_twice: Budget { joins: 1, watches: 3, unwatches: 2, changes: 1, ..NOTHING };
    #[ignore = "takes a minute"]
    listeners_and_memory_are_lost: Budget { changes: 1, losses: 1, evictions: 1, ..NOTHING };
}
