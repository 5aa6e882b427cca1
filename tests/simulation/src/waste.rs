//! What the pool costs and saves: the same visits under several policies.

use crate::plan::SECOND;
use crate::server::{DATABASE, Server};
use crate::world::visits::{documents, order};
use crate::world::{Cost, Crowd, visits};
use fastrand::Rng;
use raven_edge::json;
use raven_edge::source::server::wire::lease_query;
use raven_edge::source::{Ask, Echo, Size};
use raven_edge_authority::Request;

/// A way to deal with numbers that are left over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// `keep` so many; `grow`: for each number that the device has used.
    Keep {
        /// Numbers that stay parked.
        keep: u64,
        /// Whether more stay where more are used.
        grow: bool,
    },
    /// npm `ravendb`: a page loses its range when it goes.
    Npm,
}

/// What a table shows: a name and a policy.
pub const POLICIES: [(&str, Policy); 5] = [
    ("keep 0", Policy::Keep { keep: 0, grow: false }),
    ("keep 8", Policy::Keep { keep: 8, grow: false }),
    ("default", DEFAULT),
    ("keep Infinity", Policy::Keep { keep: u64::MAX, grow: false }),
    ("npm ravendb", Policy::Npm),
];

/// What the package does when nothing is said.
pub const DEFAULT: Policy = Policy::Keep { keep: 8, grow: true };

/// What a crowd's visits cost under a policy.
#[must_use]
pub fn cost(crowd: Crowd, policy: Policy) -> Cost {
    match policy {
        Policy::Keep { keep, grow } => visits(crowd, keep, grow),
        Policy::Npm => npm(crowd),
    }
}

/// Each visit leases as npm `ravendb` does, and gives nothing back: a page has nobody who would call `dispose`.
fn npm(crowd: Crowd) -> Cost {
    let mut rng = Rng::with_seed(0);
    let mut server = Server::new(1, &mut rng);
    let mut cost = Cost::default();
    for visit in 0..order(crowd, &mut rng).len() {
        let (mut left, mut echo) = (0, None);
        for document in 0..documents(&mut rng) {
            if left == 0 {
                // Pauses between documents do not matter: they are too few to be granted more.
                let now = (visit as u64 * 60 + document) * SECOND;
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

/// `GET hilo/next`, and what the next one tells of it.
fn lease(server: &mut Server, echo: Option<Echo>, now: u64) -> Echo {
    let ask = Ask { tag: "orders".into(), size: Size::Adaptive(echo), above: 0, proof: None, nonce: now };
    let url = format!("/databases/{DATABASE}/hilo/next{}", lease_query(&ask, '/'));
    let body = server.handle(0, &Request::get(url), now).body.into_bytes();
    let size = json::get(&body, "LastSize").and_then(json::integer).expect("a grant");
    Echo { size, at: json::get(&body, "LastRangeAt").and_then(json::string).expect("a grant") }
}
