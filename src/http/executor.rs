//! Which node gets a request, how long it may take, and whether a failure is tried again.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Repeat, Request, push_encoded};
use crate::error::{Code, Error};
use crate::protocol::path;

/// The first pause after every node failed, in milliseconds; it doubles up to [`MAX_PAUSE`].
const FIRST_PAUSE: u64 = 100;
/// The first pause after somebody else was quicker, in milliseconds: they are done by then.
const FIRST_STEP_ASIDE: u64 = 10;
/// The longest pause between rounds, in milliseconds: how late a client may notice that the server is back.
const MAX_PAUSE: u64 = 2_000;

/// The longest time that a timer can run, in milliseconds; a longer one would be over at once.
const LONGEST: u64 = i32::MAX as u64;

/// Identity of a node for as long as the store lives, whatever happens to the topology meanwhile.
///
/// A fence is only good on the node that granted the lease, so this must never come to mean another server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// A request on its way: its deadline and what was tried.
#[derive(Clone, Debug)]
pub struct Call {
    deadline: u64,
    /// How much of it the server may use up by waiting.
    wait: u64,
    tried: Vec<NodeId>,
    round: u32,
    /// The node to begin with, in place of the one in use.
    first: Option<NodeId>,
    /// Whether what was sent last is known never to have left.
    unsent: bool,
    /// Whether a connection broke behind which the request may have arrived.
    broken: bool,
}

impl Call {
    /// The server was asked to wait for something, so many milliseconds at most: they are added to the time limit.
    pub fn extend(&mut self, wait: u64) {
        self.wait = wait;
        self.deadline = self.deadline.saturating_add(wait);
    }

    /// The next request of the same conversation: under the same deadline, and a node that failed before may be asked.
    pub fn next(&mut self) {
        self.tried.clear();
    }

    /// The last attempt failed before anything was sent: even what must not arrive twice may go to another node.
    pub fn unsent(&mut self) {
        self.unsent = true;
    }
}

/// One sending of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The node it goes to.
    pub node: NodeId,
    /// The full address.
    pub url: String,
    /// Time limit in milliseconds.
    pub limit: u64,
}

/// What to do after a failed attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Ask [`Executor::attempt`] again after this many milliseconds.
    Again(u64),
    /// Give this error to the caller.
    Fail(Error),
}

/// An address without its trailing slashes.
pub(super) fn bare(mut url: &str) -> &str {
    while let Some(shorter) = url.strip_suffix("/") {
        url = shorter;
    }
    url
}

/// The addresses of a database's nodes and the one in use.
#[derive(Clone, Debug)]
pub struct Executor {
    database: String,
    /// Every node ever heard of; an entry never changes or goes, so that a [`NodeId`] keeps its meaning.
    urls: Vec<String>,
    /// The nodes to use, in order of preference after the one in use.
    nodes: Vec<NodeId>,
    current: NodeId,
    timeout: u64,
    topology_etag: u64,
}

impl Executor {
    /// An executor for `database`, with a time limit in milliseconds; [`Executor::add`] tells where it is reached.
    pub fn new(database: &str, timeout: u64) -> Executor {
        Executor {
            database: String::from(database),
            urls: Vec::new(),
            nodes: Vec::new(),
            current: NodeId(0),
            timeout,
            topology_etag: 0,
        }
    }

    /// One more address, after those that are known; trailing slashes do not matter.
    pub fn add(&mut self, url: &str) {
        let id = self.intern(bare(url));
        if !self.nodes.contains(&id) {
            self.nodes.push(id);
        }
    }

    fn intern(&mut self, url: &str) -> NodeId {
        let at = self.urls.iter().position(|known| known == url).unwrap_or_else(|| {
            self.urls.push(String::from(url));
            self.urls.len() - 1
        });
        NodeId(at as u32)
    }

    /// The path of a route of this database: `/databases/Shop/docs`. A route that begins with `/` is one of the server, and
    /// stays as it is.
    pub fn route(&self, route: &str) -> String {
        if route.starts_with('/') {
            return String::from(route);
        }
        let mut path = String::from(path::DATABASES);
        push_encoded(&mut path, &self.database);
        path.push('/');
        path.push_str(route);
        path
    }

    /// A request on its way, to be over after at most `limit` milliseconds.
    pub fn call(&self, now: u64, limit: u64) -> Call {
        Call {
            deadline: now.saturating_add(limit.min(self.timeout)),
            wait: 0,
            tried: Vec::new(),
            round: 0,
            first: None,
            unsent: false,
            broken: false,
        }
    }

    /// A read that may begin with any node takes the one whose turn it is (`readBalanceBehavior: "RoundRobin"`).
    pub fn spread(&self, call: &mut Call, turn: u32) {
        call.first = self.nodes.get((turn as usize).checked_rem(self.nodes.len()).unwrap_or_default()).copied();
    }

    /// Where to send it now, and for how long.
    pub fn attempt(&self, call: &Call, request: &Request, now: u64) -> Attempt {
        let node = request.node.unwrap_or_else(|| self.choose(call));
        let left = call.deadline.saturating_sub(now);
        // With other nodes to turn to, one that hangs must not use up the whole limit.
        let others = self.untried(call) > usize::from(self.nodes.contains(&node));
        let elsewhere = request.is_for_any_node() && others;
        let limit = if elsewhere { left - left.saturating_sub(call.wait) / 2 } else { left };
        let mut url = self.urls.get(node.0 as usize).cloned().unwrap_or_default();
        url.push_str(&request.path);
        Attempt { node, url, limit: limit.clamp(1, LONGEST) }
    }

    fn choose(&self, call: &Call) -> NodeId {
        let preferred = call.first.unwrap_or(self.current);
        if !call.tried.contains(&preferred) {
            return preferred;
        }
        self.nodes.iter().copied().find(|node| !call.tried.contains(node)).unwrap_or(self.current)
    }

    fn untried(&self, call: &Call) -> usize {
        self.nodes.iter().filter(|node| !call.tried.contains(node)).count()
    }

    /// An attempt was answered: its node stays in use, unless it was chosen by turns.
    pub fn answered(&mut self, call: &Call, node: NodeId) {
        if call.first.is_none() && self.nodes.contains(&node) {
            self.current = node;
        }
    }

    /// An attempt failed; `random` is any number, for the jitter of the pause.
    pub fn failed(
        &mut self,
        call: &mut Call,
        request: &Request,
        node: NodeId,
        mut error: Error,
        now: u64,
        random: u32,
    ) -> Verdict {
        // Of this attempt alone: the next one may have left.
        let unsent = core::mem::take(&mut call.unsent);
        if !error.is_outage() {
            return Verdict::Fail(error);
        }
        error.unsent = unsent && error.code == Code::Unreachable;
        call.broken |= error.code == Code::Unreachable && !unsent;
        call.tried.push(node);
        let mut elsewhere = request.is_for_any_node();
        if request.repeat == Repeat::Never && request.node.is_none() {
            self.leave(node);
            elsewhere = unsent;
        }
        if elsewhere && self.untried(call) > 0 {
            return Verdict::Again(0);
        }
        match request.repeat {
            Repeat::Never => Verdict::Fail(error),
            Repeat::EachNode => second_round(call, error, now),
            Repeat::Anywhere | Repeat::SameNode => pause(call, FIRST_PAUSE, error, now, random),
        }
    }

    /// The next request begins elsewhere: this one is not sent again, but the app may repeat it.
    fn leave(&mut self, node: NodeId) {
        // A topology may have come that has it no more.
        let behind = self.nodes.iter().position(|known| *known == node).map_or(0, |at| at + 1);
        if let Some(next) = self.nodes.get(behind).or(self.nodes.first()).filter(|_| node == self.current) {
            self.current = *next;
        }
    }

    /// Somebody else was quicker: how long to step aside before the conversation begins anew.
    pub fn contended(&self, call: &mut Call, error: Error, now: u64, random: u32) -> Verdict {
        pause(call, FIRST_STEP_ASIDE, error, now, random)
    }

    /// The request that reads the topology.
    pub fn topology_request(&self) -> Box<Request> {
        let mut path = [path::TOPOLOGY, "?name="].concat();
        push_encoded(&mut path, &self.database);
        Request::get(path)
    }

    /// Version of the topology in use; sent as `Topology-Etag`.
    pub fn topology_etag(&self) -> u64 {
        self.topology_etag
    }

    /// Begins a newer topology: its reachable nodes are to be added in its order, then the app's own addresses as the
    /// last resort. The node in use stays in use while it answers: behind a proxy or in a container the addresses that
    /// the server knows of itself may be out of reach.
    pub fn begin_topology(&mut self, etag: u64) {
        self.topology_etag = etag;
        self.nodes.clear();
    }
}

/// Every node was asked: each of them once more where a connection broke, and never after that.
fn second_round(call: &mut Call, error: Error, now: u64) -> Verdict {
    if !call.broken || call.round > 0 || now >= call.deadline {
        return Verdict::Fail(error);
    }
    call.next();
    call.round = 1;
    Verdict::Again(0)
}

/// A pause that doubles each time, with jitter; none where it would end after the time limit: what the server may wait for is
/// no time to wait for the server.
fn pause(call: &mut Call, first: u64, error: Error, now: u64, random: u32) -> Verdict {
    call.next();
    let pause = (first << call.round.min(8)).min(MAX_PAUSE);
    call.round += 1;
    let jittered = pause / 2 + u64::from(random) % (pause / 2 + 1);
    if now.saturating_add(jittered) >= call.deadline.saturating_sub(call.wait) {
        return Verdict::Fail(error);
    }
    Verdict::Again(jittered)
}

#[cfg(test)]
#[path = "executor_tests.rs"]
mod tests;
