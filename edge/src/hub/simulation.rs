//! Seeded simulations of one hub, its clients and its server: crashes before and after each write, requests and
//! responses that are lost or repeated, servers that are rolled back. No number is ever with two clients.

use super::config::Config;
use super::lease_hub::{Hub, HubRequest, Reply, Step};
use super::lease_sizes::SizeBounds;
use super::source_conversation::{OutgoingRequest, Report};
use super::storage_trait::MemoryHubStorage;
use raven_edge::http::NodeId;
use raven_edge::json;
use raven_edge::source::server::{LeaseExchange, Server};
use raven_edge::source::{Ask, Echo, Exchange, Grant, Return, Size, Source, Step as LeaseStep};
use raven_edge::texts::Input;
use raven_edge_authority::{Authority, Identity, MemoryStorage, Node, Options, Request, Timestamp};
use std::collections::BTreeMap;

/// Number of seeds: in the normal run, and in the run that takes minutes.
const SEEDS: [u64; 2] = [100, 5_000];
const STEPS: u64 = 300;
const BASE: &str = "http://a";

/// A small deterministic generator: a seed gives the same history on every platform.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn one_in(&mut self, sides: u64) -> bool {
        self.roll(sides) == 0
    }
}

fn authority(seed: u64) -> Authority<MemoryStorage> {
    let mut incarnation = [0; 16];
    incarnation[..8].copy_from_slice(&seed.to_be_bytes());
    let options = Options {
        database: "d".into(),
        node_tag: "A".into(),
        nodes: vec![Node { tag: "A".into(), url: BASE.into() }],
        topology_etag: 2,
        check_origin: false,
        identity: Identity::from_random(incarnation, incarnation),
    };
    Authority::new(MemoryStorage::default(), options).unwrap()
}

/// The name of all clients that lease from the server directly.
const OTHERS: u32 = 0;

/// A client of the hub.
#[derive(Clone, Default)]
struct Client {
    /// Identifies the owner of numbers; tabs of one device share a name.
    name: u32,
    page: bool,
    echo: Option<Echo>,
}

struct World {
    dice: Dice,
    now: u64,
    server: Authority<MemoryStorage>,
    backup: Option<Authority<MemoryStorage>>,
    incarnations: u64,
    hub: Hub<MemoryHubStorage>,
    /// The owner of each number, by the incarnation that granted it.
    out: BTreeMap<(String, u64), u32>,
    clients: Vec<Client>,
    names: u32,
    /// Loans that clients may still return.
    loans: Vec<Grant>,
    /// Returns that were sent and may be repeated.
    sent: Vec<Vec<u8>>,
    secrets: u64,
    lent: u64,
    returned: u64,
    /// Whether a conversation of the hub is running. Other requests arrive meanwhile; those that need the source
    /// wait.
    talking: bool,
    /// Whether the database may be recreated, also during a conversation.
    goes_back: bool,
    /// The client that waits for a response; it sends nothing else meanwhile.
    waiting: u32,
}

impl World {
    fn new(seed: u64) -> Self {
        World {
            dice: Dice(seed),
            now: 1_795_224_636_754,
            server: authority(seed),
            backup: None,
            incarnations: seed,
            hub: new_hub(MemoryHubStorage::default()),
            out: BTreeMap::new(),
            clients: vec![Client::default(); 6],
            names: 0,
            loans: Vec::new(),
            sent: Vec::new(),
            secrets: 0,
            lent: 0,
            returned: 0,
            talking: false,
            waiting: 0,
            goes_back: false,
        }
    }

    fn have(&mut self, grant: &Grant, who: u32) {
        let incarnation = grant.incarnation.clone().unwrap();
        for number in grant.range.low()..=grant.range.high() {
            if let Some(other) = self.out.insert((incarnation.clone(), number), who) {
                panic!("{number} is with client {other} and with client {who}");
            }
        }
    }

    /// One transaction of the hub. The hub may crash before the commit or right after it.
    fn write<T>(&mut self, change: impl FnOnce(&mut Hub<MemoryHubStorage>) -> T) -> Option<T> {
        let before = self.hub.storage.clone();
        let result = change(&mut self.hub);
        let kept = match self.dice.roll(60) {
            0 => before,
            1 => self.hub.storage.clone(),
            _ => return Some(result),
        };
        self.hub = new_hub(kept);
        None
    }

    fn serve(&mut self, method: &str, url: &str, body: Vec<u8>) -> (u16, Vec<u8>, Option<String>) {
        let mut random = || [7; 16];
        let request = Request::new(method, url).body(body);
        let response = self.server.handle(&request, Timestamp::from_unix_millis(self.now), &mut random);
        let incarnation = response.header("Database-Cluster-Tx-Id").map(str::to_owned);
        (response.status, response.body.into_bytes(), incarnation)
    }

    /// Runs a conversation of the hub; it ends early if the hub crashes.
    fn converse(&mut self, begin: impl FnOnce(&mut Hub<MemoryHubStorage>, u64, u64) -> Step) {
        let (now, nonce) = (self.now, self.dice.roll(1 << 30));
        let mut next = self.write(|hub| begin(hub, now, nonce));
        while let Some(step) = next {
            self.now += self.dice.roll(50);
            let input = match step {
                Step::Done | Step::Failed(..) => return,
                Step::Pause(pause) => {
                    self.now += pause;
                    Input::Proceed
                }
                Step::Send(outgoing) => self.send(outgoing),
            };
            let report = Report { input, now: self.now, random: 7 };
            next = self.write(|hub| hub.step(report).unwrap());
        }
    }

    fn between(&mut self) {
        self.talking = true;
        for _ in 0..self.dice.roll(4) {
            match self.dice.roll(3) {
                0 => self.return_to_hub(),
                1 if self.goes_back && self.dice.one_in(4) => {
                    self.incarnations += 1_000_000;
                    self.server = authority(self.incarnations);
                    self.backup = None;
                }
                _ => self.lease_from_hub(),
            }
        }
        self.talking = false;
    }

    fn send(&mut self, outgoing: OutgoingRequest) -> Input {
        self.between();
        let input = self.deliver_to_server(outgoing);
        self.between();
        input
    }

    fn deliver_to_server(&mut self, OutgoingRequest { method, url, body, .. }: OutgoingRequest) -> Input {
        let (path, body) = (url.strip_prefix(BASE).unwrap().to_owned(), body.unwrap_or_default());
        let lost = Input::Unreachable { reason: "lost".into(), unsent: false };
        if path.contains("bulk_docs") {
            // A proxy may deliver it again at any time.
            self.sent.push(body.clone());
        }
        match self.dice.roll(12) {
            0 => lost,
            1 => {
                self.serve(method, &path, body);
                lost
            }
            _ => {
                let (status, body, incarnation) = self.serve(method, &path, body);
                Input::Response { status, body, incarnation }
            }
        }
    }

    fn ask(&mut self, echo: Option<Echo>, incarnation: Option<Box<str>>) -> LeaseExchange {
        let size = match self.dice.roll(4) {
            0 => Size::Exact(1 + self.dice.roll(200)),
            _ => Size::Adaptive(echo),
        };
        let above = if self.dice.one_in(20) { self.dice.roll(3_000) } else { 0 };
        Server::new("d", '/').lease(Ask {
            tag: "orders".into(),
            size,
            above,
            proof: None,
            incarnation,
            nonce: self.dice.roll(1 << 30),
        })
    }

    /// Picks a client, sometimes a new one: an isolate, or a tab of one of two devices.
    fn client(&mut self) -> usize {
        let at = self.dice.roll(self.clients.len() as u64) as usize;
        if self.clients[at].name == 0 || self.dice.one_in(10) {
            self.names += 1;
            let page = at < 2;
            let name = if page { 1_000_000 } else { self.names };
            self.clients[at] = Client { name, page, echo: None };
        }
        at
    }

    fn lease_from_hub(&mut self) {
        let at = self.client();
        let Client { name, page, echo } = self.clients[at].clone();
        if self.talking && name == self.waiting {
            return;
        }
        let reported =
            self.dice.one_in(20).then(|| if self.dice.one_in(2) { self.incarnation() } else { "old".into() });
        // The client reports it, or the Worker does.
        let (of_client, of_worker) =
            if self.dice.one_in(2) { (reported.clone(), None) } else { (None, reported.clone()) };
        let mut lease = self.ask(echo, of_client.map(String::into_boxed_str));
        let LeaseStep::Send(request) = lease.step(None) else { panic!("nothing to send") };
        let body = request.body.unwrap();
        for _ in 0..4 {
            self.secrets += 1;
            let (secret, now) = (self.secrets.to_string(), self.now);
            let request = HubRequest {
                method: "POST",
                target: &request.path,
                body: &body,
                client_incarnation: of_worker.as_deref(),
                page,
                secret,
                now,
            };
            match self.write(|hub| hub.handle(request).unwrap()) {
                None => return,
                Some(Reply::NeedsSource) if self.talking => return,
                Some(Reply::NeedsSource) => {
                    self.waiting = name;
                    self.converse(|hub, now, nonce| hub.refill(now, nonce).unwrap());
                    self.waiting = 0;
                }
                Some(Reply::Response(response)) => {
                    let response = raven_edge::http::Response {
                        status: response.status,
                        body: response.body.into_bytes(),
                        node: NodeId(0),
                        incarnation: response.incarnation,
                    };
                    let LeaseStep::Done(grant) = lease.step(Some(Ok(Box::new(response)))) else { panic!("no grant") };
                    self.lent += grant.range.len();
                    // The response is lost: nobody has these numbers.
                    if self.dice.one_in(12) {
                        return self.have(&grant, OTHERS);
                    }
                    let incarnation = grant.incarnation.clone().unwrap();
                    assert!(
                        reported.is_none_or(|reported| reported != self.incarnation() || reported == incarnation),
                        "the client reported the current incarnation and got numbers of another"
                    );
                    let mine = |((of, _), who): &(&(String, u64), &u32)| *of == incarnation && **who == name;
                    let highest = self.out.iter().rev().find(mine).map_or(0, |((_, number), _)| *number);
                    let low = grant.range.low();
                    assert!(
                        low > highest,
                        "client {name} has {highest} and gets {low}: is that a server that went back?"
                    );
                    self.have(&grant, name);
                    // Another client may have taken this place meanwhile.
                    if self.clients[at].name == name {
                        self.clients[at].echo.clone_from(&grant.echo);
                    }
                    self.loans.push(*grant);
                    return;
                }
            }
        }
    }

    /// A client returns the end of a loan. Before that, forged returns of the same loan must be refused.
    fn return_to_hub(&mut self) {
        if self.loans.is_empty() {
            return;
        }
        let at = self.dice.roll(self.loans.len() as u64) as usize;
        let grant = self.loans.swap_remove(at);
        let (low, high) = (grant.range.low(), grant.range.high());
        let last = low - 1 + self.dice.roll(grant.range.len() + 1);
        let incarnation = grant.incarnation.clone().unwrap();
        for number in last + 1..=high {
            self.out.remove(&(incarnation.clone(), number));
        }
        let back = Return { tag: "Orders".into(), fence: grant.fence.unwrap(), high, last };
        let body = Server::new("d", '/').give_back(std::slice::from_ref(&back), NodeId(0)).body.unwrap();
        // Numbers below the loan's own belong to others.
        let greedy = Return { last: low.saturating_sub(1 + self.dice.roll(40) + 1), ..back.clone() };
        let forged = Return { fence: back.fence.replace('-', "-x"), ..back };
        for bad in [greedy, forged] {
            if bad.last < low - 1 || bad.fence.contains("-x") {
                let body = Server::new("d", '/').give_back(&[bad], NodeId(0)).body.unwrap();
                assert_ne!(self.deliver(&body), Some(true), "a return without proof was taken");
            }
        }
        self.sent.push(body.clone());
        if self.deliver(&body) == Some(true) {
            self.returned += high - last;
        }
    }

    /// Whether the hub accepted the return; `None` if the hub crashed.
    fn deliver(&mut self, body: &[u8]) -> Option<bool> {
        let now = self.now;
        let (method, target) = ("POST", "/databases/d/bulk_docs");
        let request =
            HubRequest { method, target, body, client_incarnation: None, page: false, secret: String::new(), now };
        let Some(Reply::Response(response)) = self.write(|hub| hub.handle(request).unwrap()) else { return None };
        let first = json::elements(json::get(response.body.as_bytes(), "Results").unwrap()).next().unwrap();
        Some(json::get(first, "PatchStatus") == Some(b"\"Patched\""))
    }

    fn incarnation(&self) -> String {
        self.server.options().identity.incarnation.clone()
    }

    fn foreign_lease(&mut self) {
        let mut lease = self.ask(None, None);
        let LeaseStep::Send(request) = lease.step(None) else { panic!("nothing to send") };
        let (status, body, incarnation) = self.serve("POST", &request.path, request.body.unwrap());
        let response = raven_edge::http::Response { status, body, node: NodeId(0), incarnation };
        if let LeaseStep::Done(grant) = lease.step(Some(Ok(Box::new(response)))) {
            self.have(&grant, OTHERS);
        }
    }

    fn turn(&mut self, goes_back: bool) {
        self.now += self.dice.roll(5_000);
        match self.dice.roll(100) {
            0..50 => self.lease_from_hub(),
            50..75 => self.return_to_hub(),
            75..85 => {
                let Some(last) = self.sent.len().checked_sub(1) else { return };
                let body = self.sent[last - self.dice.roll(1 + last as u64 / 2) as usize].clone();
                self.deliver(&body);
                self.serve("POST", "/databases/d/bulk_docs", body);
            }
            85..90 => self.converse(|hub, now, _| hub.give_back(now).unwrap()),
            90..95 if !goes_back => self.foreign_lease(),
            90 if goes_back => self.backup = Some(self.server.clone()),
            91 if goes_back => {
                if let Some(backup) = self.backup.take() {
                    self.server = backup;
                }
            }
            92 if goes_back => {
                self.incarnations += 1_000_000;
                self.server = authority(self.incarnations);
                self.backup = None;
            }
            _ => {}
        }
    }
}

fn new_hub(storage: MemoryHubStorage) -> Hub<MemoryHubStorage> {
    let config = Config {
        kind: 0,
        detail: 0,
        scoped: true,
        identity: "server".into(),
        urls: vec![BASE.into()],
        node_tag: None,
        timeout: 1_000,
        loans: SizeBounds { first: 8, largest: 16 },
        most: 100,
        ranges: SizeBounds { first: 64, largest: 512 },
    };
    Hub::new(storage, config)
}

fn run(goes_back: bool, seeds: u64) {
    let (mut lent, mut returned) = (0, 0);
    for seed in 1..=seeds {
        let result = std::panic::catch_unwind(|| {
            let mut world = World::new(seed);
            world.goes_back = goes_back;
            for _ in 0..STEPS {
                world.turn(goes_back);
            }
            (world.lent, world.returned)
        });
        let (of_seed, back) = result.unwrap_or_else(|_| panic!("seed {seed}"));
        lent += of_seed;
        returned += back;
    }
    assert!(lent > seeds * 1_000 && returned > lent / 10, "too little happens: {lent} lent, {returned} returned");
}

#[test]
fn no_number_is_with_two_clients_despite_crashes_and_repeated_messages() {
    run(false, SEEDS[0]);
}

#[test]
fn no_number_is_with_two_clients_when_the_server_is_rolled_back() {
    run(true, SEEDS[0]);
}

#[test]
#[ignore = "minutes"]
fn no_number_is_with_two_clients_in_many_histories() {
    run(false, SEEDS[1]);
    run(true, SEEDS[1]);
}
