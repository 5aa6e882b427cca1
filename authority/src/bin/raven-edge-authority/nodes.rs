//! The nodes of the program, one for each port. They give the authority the time and random bytes, and replicate its
//! writes.

use crate::args::Args;
use raven_edge_authority::authority::Node;
use raven_edge_authority::cluster::Cluster;
use raven_edge_authority::{Request, Response, Timestamp};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub(crate) struct Nodes {
    cluster: RefCell<Cluster>,
    delay: Duration,
}

impl Nodes {
    pub(crate) fn new(urls: impl Iterator<Item = String>, args: &Args) -> Result<Self, String> {
        let nodes = ["A", "B"].into_iter().zip(urls).map(|(tag, url)| Node { tag: tag.into(), url });
        let mut cluster = Cluster::new(nodes.collect(), args.check_origin);
        for name in &args.databases {
            cluster.create(name, &mut random).map_err(|e| e.to_string())?;
        }
        Ok(Self { cluster: RefCell::new(cluster), delay: Duration::from_millis(args.replication_delay_ms) })
    }

    pub(crate) fn list(&self) -> Vec<Node> {
        self.cluster.borrow().nodes().to_vec()
    }

    /// Handles a request on a node, and replicates its writes to the other node.
    pub(crate) fn handle(self: &Rc<Self>, node: usize, request: &Request) -> Response {
        let mut cluster = self.cluster.borrow_mut();
        let response = cluster.handle(node, request, now(), &mut random);
        if cluster.nodes().len() > 1 && request.method != "HEAD" {
            if self.delay.is_zero() {
                replicate(&mut cluster);
            } else {
                let this = Rc::clone(self);
                tokio::task::spawn_local(async move {
                    tokio::time::sleep(this.delay).await;
                    replicate(&mut this.cluster.borrow_mut());
                });
            }
        }
        response
    }
}

fn replicate(cluster: &mut Cluster) {
    if let Err(error) = cluster.replicate_all() {
        eprintln!("replication failed: {error}");
    }
}

fn now() -> Timestamp {
    // A clock before 1970 counts as 1970.
    Timestamp::from_unix_nanos(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos()))
}

fn random() -> [u8; 16] {
    let mut bytes = [0; 16];
    // Without randomness two databases could have the same identity.
    getrandom::fill(&mut bytes).expect("the operating system should return random bytes");
    bytes
}
