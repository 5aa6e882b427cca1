//! The devices, the network, and the events between them.

mod adapter;
mod apps;
mod ending;
mod faults;
mod life;
mod moves;
mod siblings;
pub(crate) mod visits;
mod wires;

use crate::app::{App, CAPACITY};
use crate::disk::Disk;
use crate::judge::Judge;
use crate::plan::{Habits, SECOND, Weather};
use crate::queue::Queue;
use crate::server::Server;
use crate::tab::{Phase, TAGS, Tab};
use crate::variants::Variant;
use ending::Stage;
use fastrand::Rng;
use faults::Fault;
use moves::Transaction;
use raven_edge::hilo::waiters;
use raven_edge::protocol::presence;
use raven_edge::source::custom::{CustomSource, ResponseFormat};
use raven_edge::source::document::{Document, SPELLINGS};
use raven_edge::source::{AnySource, server};
use std::collections::BTreeMap;
use visits::Moment;
pub use visits::{Cost, Crowd, visits};
use wires::{Packet, Reply, Task};

/// An event.
pub(crate) enum Event {
    /// A device without a tab opens one.
    Visit(usize),
    /// The app in a tab acts.
    Act(usize),
    /// A request arrives at a node.
    Arrives(Box<Packet>),
    /// A response arrives, or the request is given up.
    Responds { task: u32, attempt: u32, response: Reply },
    /// The pause before the next attempt is over.
    Resumes { task: u32, attempt: u32 },
    /// A transaction joins the queue of its device, for the first time or again.
    Queues(u32),
    /// A transaction's turn.
    Runs(u32),
    /// A transaction is complete.
    Ends(u32),
    /// The result of a transaction arrives at its tab.
    Reported(u32),
    /// The time that a tab waits for a transaction is over.
    Late(u32),
    /// The engine flushes what was written.
    Flushes(usize),
    /// An event for waiting callers.
    Waits { at: At, group: u32, event: waiters::Event },
    /// A message of a sibling arrives at a tab.
    Receives { tab: usize, message: u8, of: usize },
    /// The time to respond to a tab's question has passed.
    Over(usize),
    /// A disposal has waited long enough.
    Goodbye { tab: usize, era: u32 },
    /// A page in the back/forward cache is restored or dropped.
    Comes { tab: usize, era: u32 },
    /// A fault begins or ends.
    Fault(Fault),
    /// A visit of an ordinary page.
    Visits(Moment),
    /// The end of the seed, step by step.
    Ending(Stage),
}

/// One tag of one tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct At {
    pub(crate) tab: usize,
    pub(crate) hilo: usize,
}

struct Device {
    habits: Habits,
    disk: Disk,
    /// The transaction whose turn it is.
    busy: Option<u32>,
    tabs: Vec<usize>,
    offline: bool,
    /// At the end of the seed its pool was taken out.
    emptied: bool,
}

/// The result of a seed.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What happened although it must not.
    pub verdicts: Vec<String>,
    /// Ids issued.
    pub issued: u64,
    /// Requests that reached a node.
    pub requests: u64,
    /// Ids that a device issued twice because the server was restored, which the device could not know.
    pub unknowable: u64,
    /// Grants of an app without fences that were mistaken for a regression.
    pub false_alarms: u64,
    /// Events processed.
    pub events: u64,
}

pub(crate) struct World {
    now: u64,
    queue: Queue<Event>,
    rng: Rng,
    weather: Weather,
    variant: Variant,
    verbose: bool,
    server: Server,
    /// The sources of each [`crate::plan::Origin`], in its order.
    sources: [AnySource; 4],
    app: App,
    devices: Vec<Device>,
    tabs: Vec<Tab>,
    tasks: BTreeMap<u32, Task>,
    transactions: BTreeMap<u32, Transaction>,
    /// The last number that was given to a task, a transaction or a caller.
    numbers: u32,
    judge: Judge,
    /// `Max` of each tag on a single node.
    max: [u64; TAGS.len()],
    requests: u64,
    /// Number of lease requests and of return requests.
    leases: u64,
    returns: u64,
    /// Whether all faults have ended; apps do not act by themselves any more.
    calm: bool,
    /// The devices that will visit, the next one last.
    guests: Vec<usize>,
    /// Whether half of the visiting pages call `take()`.
    takes: bool,
}

/// More events than any seed has, unless it loops.
const MOST_EVENTS: u64 = 300_000;

/// Runs a seed to its end, or to the first verdict. `verbose`: prints what happens.
#[must_use]
pub fn run(seed: u64, variant: Variant, verbose: bool) -> Outcome {
    let mut world = World::new(seed, variant, verbose);
    let events = world.runs_out(MOST_EVENTS);
    let Judge { verdicts, count, unknowable, false_alarms, .. } = world.judge;
    Outcome { verdicts, issued: count, requests: world.requests, unknowable, false_alarms, events }
}

impl World {
    /// The world of a seed: its participants and faults.
    fn new(seed: u64, variant: Variant, verbose: bool) -> Self {
        let mut rng = Rng::with_seed(seed);
        let weather = Weather::of(&mut rng);
        let (devices, end) = (weather.devices, weather.end);
        let mut world = Self { variant, verbose, ..Self::empty(weather, rng) };
        world.note(|| format!("{:?}", world.weather));
        for device in 0..devices {
            let habits = Habits::of(&mut world.rng);
            world.add_device(habits);
            let at = world.rng.u64(0..3 * SECOND);
            world.queue.add(at, Event::Visit(device));
        }
        world.plan_faults();
        world.queue.add(end, Event::Ending(Stage::Calm));
        world
    }

    /// A world with a server and no devices.
    fn empty(weather: Weather, mut rng: Rng) -> Self {
        Self {
            now: 0,
            queue: Queue::default(),
            variant: Variant::Nothing,
            verbose: false,
            server: Server::new(weather.nodes, &mut rng),
            sources: [
                AnySource::Server(server::Server::new(crate::server::DATABASE, '/')),
                AnySource::Document(Document::new(crate::server::DATABASE, '/', SPELLINGS[0])),
                AnySource::Custom(CustomSource::new(ResponseFormat::Hi { capacity: CAPACITY }, true, '/')),
                AnySource::Custom(CustomSource::new(ResponseFormat::Range { releasable: true }, true, '/')),
            ],
            app: App::default(),
            devices: Vec::new(),
            tabs: Vec::new(),
            tasks: BTreeMap::new(),
            transactions: BTreeMap::new(),
            numbers: 0,
            judge: Judge::new(weather.past),
            max: [0; TAGS.len()],
            requests: 0,
            leases: 0,
            returns: 0,
            calm: false,
            guests: Vec::new(),
            takes: false,
            weather,
            rng,
        }
    }

    /// Processes events until none is left or there is a verdict; returns their number.
    fn runs_out(&mut self, most: u64) -> u64 {
        let mut events = 0;
        while let Some((at, event)) = self.queue.next() {
            self.now = at;
            self.happen(event);
            events += 1;
            if events > most {
                self.judge.object(String::from("the seed does not end"));
            }
            if !self.judge.verdicts.is_empty() {
                break;
            }
        }
        events
    }

    fn add_device(&mut self, habits: Habits) -> usize {
        self.note(|| format!("device: {habits:?}"));
        let disk = Disk::default();
        self.devices.push(Device { habits, disk, busy: None, tabs: Vec::new(), offline: false, emptied: false });
        self.devices.len() - 1
    }

    fn happen(&mut self, event: Event) {
        if let Some(tab) = self.addressee(&event) {
            match self.tabs[tab].phase {
                // Numbers that a disposed tab has parked are stored nevertheless.
                Phase::Gone if !matches!(event, Event::Runs(_) | Event::Reported(_)) => return,
                // A page that has left may run for another moment, or freeze at once.
                Phase::Away if self.rng.bool() => return self.defer(tab, event),
                _ => {}
            }
        }
        match event {
            Event::Visit(device) => self.visit(device),
            Event::Act(tab) => self.app_acts(tab),
            Event::Arrives(packet) => self.arrives(*packet),
            Event::Responds { task, attempt, response } => self.receives_response(task, attempt, response),
            Event::Resumes { task, attempt } => self.resumes(task, attempt),
            Event::Queues(transaction) => self.queues(transaction),
            Event::Runs(transaction) => self.runs(transaction),
            Event::Ends(transaction) => self.ends(transaction),
            Event::Reported(transaction) => self.reported(transaction),
            Event::Late(transaction) => self.late(transaction),
            Event::Flushes(device) => self.devices[device].disk.flush(),
            Event::Waits { at, group, event } => self.notify_waiters(at, group, event),
            Event::Receives { tab, message, of } => self.receives(tab, message, of),
            Event::Over(tab) => self.receives(tab, presence::OVER, tab),
            Event::Goodbye { tab, era } => self.goodbye(tab, era),
            Event::Comes { tab, era } => self.comes(tab, era),
            Event::Fault(fault) => self.fault(fault),
            Event::Visits(moment) => self.visits(moment),
            Event::Ending(stage) => self.ending(stage),
        }
    }

    /// The tab in which an event runs, if it runs in one.
    fn addressee(&self, event: &Event) -> Option<usize> {
        match *event {
            Event::Responds { task, .. } | Event::Resumes { task, .. } => Some(self.tasks.get(&task)?.at.tab),
            Event::Runs(number) | Event::Reported(number) | Event::Late(number) => {
                Some(self.transactions.get(&number)?.at.tab)
            }
            Event::Waits { at, .. } => Some(at.tab),
            _ => None,
        }
    }

    /// Keeps an event of a frozen tab for when it is restored.
    fn defer(&mut self, tab: usize, event: Event) {
        let event = match event {
            Event::Runs(transaction) => {
                self.steps_aside(transaction);
                Event::Queues(transaction)
            }
            event => event,
        };
        self.tabs[tab].deferred.push(event);
    }

    fn number(&mut self) -> u32 {
        self.numbers += 1;
        self.numbers
    }

    fn chance(&mut self, chance: f64) -> bool {
        chance > 0.0 && self.rng.f64() < chance
    }

    fn later(&mut self, micros: u64, event: Event) {
        self.queue.add(self.now + micros, event);
    }

    fn note(&self, text: impl FnOnce() -> String) {
        if self.verbose {
            println!("{:>11.6} {}", self.now as f64 / SECOND as f64, text());
        }
    }
}
