//! The cost and benefit of the pool: the same visits under several policies.

use crate::plan::SECOND;
use crate::server::{DATABASE, Server};
use crate::world::visits::{chances, documents};
use crate::world::{Cost, Crowd, visits};
use fastrand::Rng;
use raven_edge::json;
use raven_edge::source::server::wire::lease_query;
use raven_edge::source::{Ask, Echo, Size};
use raven_edge_authority::Request;

/// What happens to unused numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// `keep`, or its default.
    Keep(Option<u64>),
    /// npm `ravendb`: a page loses its range when it is closed.
    Npm,
}

/// The rows of a table: name and policy.
pub const POLICIES: [(&str, Policy); 5] = [
    ("keep 0", Policy::Keep(Some(0))),
    ("keep 8", Policy::Keep(Some(8))),
    ("default", DEFAULT),
    ("keep Infinity", Policy::Keep(Some(u64::MAX))),
    ("npm ravendb", Policy::Npm),
];

/// The package's default.
pub const DEFAULT: Policy = Policy::Keep(None);

/// The cost of a crowd's visits under a policy.
#[must_use]
pub fn cost(crowd: Crowd, policy: Policy) -> Cost {
    match policy {
        Policy::Keep(keep) => visits(crowd, keep),
        Policy::Npm => npm(crowd),
    }
}

/// Each visit leases like npm `ravendb` and returns nothing, because a closing page does not call `dispose`.
fn npm(crowd: Crowd) -> Cost {
    let mut rng = Rng::with_seed(0);
    let mut server = Server::new(1, &mut rng);
    let mut cost = Cost::default();
    for visit in 0..(crowd.devices * crowd.visits) as u64 {
        let (mut left, mut echo) = (0, None);
        for document in 0..documents(&mut chances(visit)) {
            if left == 0 {
                // Pauses between documents do not matter: there are too few for larger grants.
                let now = (visit * 60 + document) * SECOND;
                echo = Some(lease(&mut server, echo, now));
                left = echo.as_ref().map_or(0, |echo| echo.size);
                cost.leases += 1;
            }
            left -= 1;
            cost.documents += 1;
        }
    }
    Cost { numbers: server.max(0, "orders"), ..cost }
}

/// `GET hilo/next`; returns what the next request repeats about it.
fn lease(server: &mut Server, echo: Option<Echo>, now: u64) -> Echo {
    let ask =
        Ask { tag: "orders".into(), size: Size::Adaptive(echo), above: 0, proof: None, incarnation: None, nonce: now };
    let url = format!("/databases/{DATABASE}/hilo/next{}", lease_query(&ask, '/'));
    let body = server.handle(0, &Request::get(url), now).body.into_bytes();
    let size = json::get(&body, "LastSize").and_then(json::integer).expect("a grant");
    Echo { size, at: json::get(&body, "LastRangeAt").and_then(json::string).expect("a grant") }
}
