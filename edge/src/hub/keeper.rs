//! A hub over its shelf: what it answers, what it says to the source. Each call is one transaction of the caller's.

use super::allocator::{self, Admission, Client, Want};
use super::book::{Book, Chunk, Granted};
use super::sending::{Asking, Report, Sending};
use super::shelf::{Result, Shelf};
use super::sizes::{self, Span};
use super::wire::{self, Ask, Back, Form};
use raven_edge::error::{Code, Error};
use raven_edge::hilo::Range;
use raven_edge::http::{Answer, Executor, Input, Next, NodeId};
use raven_edge::source::document::{Document, SPELLINGS};
use raven_edge::source::own::{Own, Words};
use raven_edge::source::server::Server;
use raven_edge::source::{self, Choice, Grant, Output, Return, Size, Source};
use raven_edge_authority::Timestamp;
use raven_edge_authority::id::fold;
use raven_edge_authority::query::decode;
use serde::Deserialize;

/// What the app chose.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Config {
    /// The source, as `pkg/lib/source.js` has it for the core.
    pub(super) kind: u8,
    pub(super) detail: u64,
    pub(super) scoped: bool,
    /// Names the source: what another one granted is burnt.
    pub(super) identity: String,
    /// The server's addresses, the first one preferred.
    pub(super) urls: Vec<String>,
    /// The node tag of numbers that come without one.
    pub(super) node_tag: Option<String>,
    /// Milliseconds for a conversation with the source.
    pub(super) timeout: u64,
    /// What clients get, and the most for those who name a number.
    pub(super) loans: Span,
    pub(super) most: u64,
    /// What the source is asked for.
    pub(super) ranges: Span,
}

/// A request as it came.
#[derive(Clone, Debug)]
pub(super) struct Asked<'a> {
    pub(super) method: &'a str,
    /// Path and query from `/databases/` on.
    pub(super) target: &'a str,
    pub(super) body: &'a [u8],
    /// The database's incarnation as the sender last heard it.
    pub(super) heard: Option<&'a str>,
    /// Whether a page sends it: its device may have numbers that other tabs leased.
    pub(super) page: bool,
    /// Random, for this request alone.
    pub(super) secret: String,
    /// Milliseconds since 1970.
    pub(super) now: u64,
}

/// What becomes of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// It is answered.
    Answer(Said),
    /// The source has to be asked first: [`Keeper::refill`], then the same request again.
    Wait,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) status: u16,
    pub(super) body: String,
    pub(super) incarnation: Option<String>,
    /// Whether the source should be asked before the numbers run out.
    pub(super) low: bool,
}

/// What the caller does next for a conversation with the source.
#[derive(Debug)]
pub(super) enum Step {
    Send(Sending),
    Pause(u64),
    Done,
    /// The status and body to answer those who wait with.
    Failed(u16, String),
}

/// What a conversation is about.
#[derive(Debug)]
enum Purpose {
    /// A range. Somebody has heard of this incarnation before the source was asked: the grant tells whether it is so.
    Lease(Option<String>),
    /// Whether the end of this grant could go back.
    Counter(Granted),
    Return,
}

/// What the next range has to have.
#[derive(Clone, Debug, Default)]
struct Need {
    count: u64,
    above: u64,
    /// Somebody has heard of this incarnation: the next grant that is asked for will tell.
    heard: Option<String>,
}

/// One hub.
#[derive(Debug)]
pub(super) struct Keeper<S> {
    pub(super) shelf: S,
    config: Config,
    need: Need,
    asking: Option<(Asking, Purpose)>,
}

impl<S: Shelf> Keeper<S> {
    pub(super) fn new(shelf: S, config: Config) -> Self {
        Self { shelf, config, need: Need::default(), asking: None }
    }

    /// The facts; burns what is of another source than the configured one. Its marks stay: under the same node tag the same
    /// numbers would be the same ids.
    fn open(&mut self) -> Result<Book> {
        let mut book = self.shelf.book()?.unwrap_or_default();
        if book.source != self.config.identity {
            let marks = core::mem::take(&mut book.marks);
            allocator::burn(&mut self.shelf, &mut book)?;
            book = Book { source: self.config.identity.clone(), loans: book.loans, marks, ..Book::default() };
        }
        Ok(book)
    }

    /// Answers a request, if that can be done without the source.
    pub(super) fn handle(&mut self, asked: Asked<'_>) -> Result<Reply> {
        let (path, query) = asked.target.split_once('?').unwrap_or((asked.target, ""));
        let Some((database, route)) = path.strip_prefix("/databases/").and_then(|rest| rest.split_once('/')) else {
            return Ok(refused(asked.target));
        };
        let (database, route) = (decode(database), decode(route).to_ascii_lowercase());
        let body = || wire::object(asked.body);
        match (asked.method, route.as_str()) {
            ("GET", "hilo/next") => match wire::ask(query, Form::Plain) {
                Some(ask) => self.lend(&database, &ask, asked),
                None => Ok(refused(asked.target)),
            },
            ("POST", "multi_get") => match body().and_then(|body| wire::ask_in(&body)) {
                Some(ask) => self.lend(&database, &ask, asked),
                None => Ok(refused(asked.target)),
            },
            ("POST", "bulk_docs") => match body().and_then(|body| wire::backs(&body)) {
                Some(backs) => self.take_back(&backs),
                None => Ok(refused(asked.target)),
            },
            _ => Ok(refused(asked.target)),
        }
    }

    fn lend(&mut self, database: &str, ask: &Ask, asked: Asked<'_>) -> Result<Reply> {
        let mut book = self.open()?;
        if book.tag.is_empty() {
            (book.database, book.tag) = (database.to_owned(), ask.tag.clone());
        } else if fold(&book.tag) != fold(&ask.tag) || fold(&book.database) != fold(database) {
            // Numbers of one counter under another one's name would be anybody's.
            return Ok(refused(asked.target));
        }
        // RavenDB would count on beyond 64 bits, from the beginning.
        if ask.above >= Range::MAX {
            let body = wire::failure(asked.target, Code::Exhausted.name(), "above this number there is none");
            return Ok(Reply::Answer(Said { status: 500, body, incarnation: None, low: false }));
        }
        let now = Timestamp::from_unix_millis(asked.now);
        let share = sizes::share(ask.wish, now, self.config.loans, self.config.most);
        let news = asked.heard.filter(|heard| {
            book.incarnation.as_deref().is_some_and(|known| known != *heard) && book.refuted.as_deref() != Some(*heard)
        });
        let loan = match news {
            Some(_) => None,
            None => {
                let client = client_of(ask, asked.page);
                let Asked { secret, .. } = asked;
                let want = Want { share, client, above: ask.above, secret, now: now.ticks() };
                allocator::lend(&mut self.shelf, &mut book, want)?
            }
        };
        let Some(loan) = loan else {
            self.need.count = self.need.count.max(share.count);
            self.need.above = self.need.above.max(ask.above);
            self.need.heard = news.map(str::to_owned).or(self.need.heard.take());
            self.shelf.keep(&book)?;
            return Ok(Reply::Wait);
        };
        book.lent_at = asked.now;
        self.shelf.keep(&book)?;
        let node_tag = self.shelf.grant(loan.grant)?.map(|granted| granted.tag).unwrap_or_default();
        let (status, body) = wire::lent(ask, &loan, &node_tag);
        let low = self.shelf.held(&node_tag, allocator::top(&book, &node_tag))? < book.size / 4;
        Ok(Reply::Answer(Said { status, body, incarnation: told(&book), low }))
    }

    fn take_back(&mut self, backs: &[Back]) -> Result<Reply> {
        let mut book = self.open()?;
        let mut results = Vec::new();
        for back in backs {
            let applied = match &back.proof {
                Some(proof) if fold(&back.tag) == fold(&book.tag) => {
                    allocator::take_back(&mut self.shelf, &mut book, proof, back.high, back.last)?
                }
                _ => false,
            };
            results.push(wire::returned(back, applied));
        }
        self.shelf.keep(&book)?;
        let (status, body) = wire::batch(&results, false);
        Ok(Reply::Answer(Said { status, body, incarnation: told(&book), low: false }))
    }

    /// When the last loan was made, in milliseconds since 1970.
    pub(super) fn lent_at(&self) -> Result<u64> {
        Ok(self.shelf.book()?.map_or(0, |book| book.lent_at))
    }

    /// Burns all that is here.
    pub(super) fn burn(&mut self) -> Result<()> {
        let mut book = self.open()?;
        let marks = core::mem::take(&mut book.marks);
        allocator::burn(&mut self.shelf, &mut book)?;
        // The database is the same one, so what it grants next has to lie above all that it granted before.
        book.marks = marks;
        self.shelf.keep(&book)
    }

    /// Asks the source for a range.
    pub(super) fn refill(&mut self, now: u64, nonce: u64) -> Result<Step> {
        let book = self.open()?;
        let since = now.saturating_sub(book.granted_at);
        let count = sizes::range(book.size, since, self.need.count, self.config.ranges);
        let heard = self.need.heard.take();
        Ok(self.ask(&book, count, self.need.above, heard, now, nonce))
    }

    fn ask(&mut self, book: &Book, count: u64, above: u64, heard: Option<String>, now: u64, nonce: u64) -> Step {
        let ask = source::Ask { tag: book.tag.clone(), size: Size::Exact(count), above, proof: None, nonce };
        let lease = self.choice(book).lease(ask);
        let asking = Asking::lease(self.executor(book), &self.config.urls, lease, now);
        self.begin(asking, Purpose::Lease(heard), now)
    }

    /// Those who wait are told, and what they needed is nobody's need any more: what cannot be had must not be asked for
    /// again by those who come after.
    fn give_up(&mut self, error: &Error) -> Step {
        self.need = Need::default();
        failed(error)
    }

    fn begin(&mut self, asking: Asking, purpose: Purpose, now: u64) -> Step {
        let (asking, _) = self.asking.insert((asking, purpose));
        match asking.step(Report { input: Input::Proceed, now, random: 0 }) {
            Next::Send(attempt) => Step::Send(asking.sending(attempt)),
            Next::Pause(pause) => Step::Pause(pause),
            Next::Done(_) => Step::Done,
            Next::Fail(error) => self.give_up(&error),
        }
    }

    fn executor(&self, book: &Book) -> Executor {
        Executor::new(&book.database, self.config.timeout)
    }

    fn choice(&self, book: &Book) -> Choice {
        let Config { kind, detail, scoped, .. } = self.config;
        match kind {
            0 => Choice::Server(Server::new(&book.database, '/')),
            1 => {
                let spelling = usize::try_from(detail).ok().and_then(|at| SPELLINGS.get(at)).unwrap_or(&SPELLINGS[0]);
                Choice::Document(Document::new(&book.database, '/', spelling))
            }
            2 => Choice::Own(Own::new(Words::Range { releasable: detail > 0 }, scoped, '/')),
            _ => Choice::Own(Own::new(Words::Hi { capacity: detail }, scoped, '/')),
        }
    }

    /// Goes on with what came of the last step.
    pub(super) fn step(&mut self, report: Report) -> Result<Step> {
        let (now, random) = (report.now, report.random);
        let Some((asking, _)) = &mut self.asking else { return Ok(Step::Done) };
        let outcome = match asking.step(report) {
            Next::Send(attempt) => return Ok(Step::Send(asking.sending(attempt))),
            Next::Pause(pause) => return Ok(Step::Pause(pause)),
            Next::Done(output) => Ok(output),
            Next::Fail(error) => Err(error),
        };
        let Some((asking, purpose)) = self.asking.take() else { return Ok(Step::Done) };
        match (purpose, outcome) {
            (_, Err(error)) => Ok(self.give_up(&error)),
            (Purpose::Lease(heard), Ok(Output::Grant(grant))) => {
                let url = asking.url(grant.node);
                self.granted(grant, url, heard, now, u64::from(random))
            }
            (Purpose::Counter(granted), Ok(Output::Answer(answer))) => self.read(&granted, &answer, now),
            _ => Ok(Step::Done),
        }
    }

    fn granted(&mut self, mut grant: Grant, url: String, heard: Option<String>, now: u64, nonce: u64) -> Result<Step> {
        let mut book = self.open()?;
        if grant.tag.is_empty() {
            grant.tag = self.config.node_tag.clone().unwrap_or_default();
        }
        // Ids have no case: numbers under the same tag in other letters would be the same ones.
        if let Some(known) = book.marks.keys().find(|known| known.eq_ignore_ascii_case(&grant.tag)) {
            grant.tag.clone_from(known);
        }
        if let Some(problem) = unusable(&book, &grant) {
            return Ok(self.give_up(&problem));
        }
        let admission = allocator::admit(&mut self.shelf, &mut book, &grant, url)?;
        let step = match admission {
            Admission::Held => {
                book.granted_at = now;
                self.need = Need::default();
                if let Some(heard) = heard.filter(|heard| book.incarnation.as_ref() != Some(heard)) {
                    book.refuted = Some(heard);
                }
                Step::Done
            }
            Admission::Again(above) => self.ask(&book, grant.range.len(), above, heard, now, nonce),
        };
        self.shelf.keep(&book)?;
        Ok(step)
    }

    /// Gives back what is left of the newest range, if it still is the server's last one; nothing where there is none.
    pub(super) fn give_back(&mut self, now: u64) -> Result<Step> {
        let book = self.open()?;
        let Some((granted, chunk)) = allocator::rest(&self.shelf, &book)? else { return Ok(Step::Done) };
        let Some(request) = self.choice(&book).counters().map(|counters| counters.read([book.tag.clone()].into_iter()))
        else {
            return self.send_back(book, &granted, chunk, now);
        };
        let asking = Asking::single(self.executor(&book), &granted.url, request, now);
        Ok(self.begin(asking, Purpose::Counter(granted), now))
    }

    fn read(&mut self, granted: &Granted, answer: &Answer, now: u64) -> Result<Step> {
        let book = self.open()?;
        let counters = self.choice(&book);
        let counter = counters.counters().and_then(|counters| counters.fence(answer, &book.tag));
        let current = counter.is_some_and(|(max, fence, _)| max == granted.high && Some(fence) == granted.fence)
            && answer.incarnation == book.incarnation;
        // Meanwhile some of it may have been lent, or a newer range have come.
        match allocator::rest(&self.shelf, &book)? {
            Some((newest, chunk)) if current && newest == *granted => self.send_back(book, granted, chunk, now),
            _ => Ok(Step::Done),
        }
    }

    fn send_back(&mut self, mut book: Book, granted: &Granted, chunk: Chunk, now: u64) -> Result<Step> {
        let choice = self.choice(&book);
        let node = if choice.counters().is_some() { NodeId(0) } else { NodeId(u32::MAX) };
        let fence = granted.fence.clone().unwrap_or_default();
        let back = Return { tag: book.tag.clone(), fence, high: granted.high, last: chunk.range.low() - 1 };
        let request = choice.give_back(&[back], node);
        allocator::part_with(&mut self.shelf, &mut book, granted, chunk)?;
        self.shelf.keep(&book)?;
        let asking = Asking::single(self.executor(&book), &granted.url, request, now);
        Ok(self.begin(asking, Purpose::Return, now))
    }
}

/// Why a client could not make ids of this grant.
fn unusable(book: &Book, grant: &Grant) -> Option<Error> {
    let say = |text: &'static str| Some(Error::new(Code::BadAnswer, text));
    if grant.prefix.strip_suffix('/') != Some(book.tag.as_str()) {
        return say("a hub lends ids such as orders/1-A alone: the source's prefix is another one");
    }
    if grant.tag.is_empty() {
        return say("a hub lends ids such as orders/1-A alone: give it a nodeTag, for the source has none");
    }
    None
}

/// What a lease tells of the client: a first one names neither a size nor a time.
fn client_of(ask: &Ask, page: bool) -> Client {
    match ask.wish.at {
        _ if page => Client::Unknown,
        Some(at) if ask.wish.last > 0 => Client::Known(at.ticks()),
        _ if ask.wish.last == 0 && ask.above == 0 => Client::New,
        _ => Client::Unknown,
    }
}

/// The incarnation that clients are told: none where the numbers do not come from the database.
fn told(book: &Book) -> Option<String> {
    book.incarnation.clone().filter(|incarnation| !incarnation.is_empty())
}

fn refused(target: &str) -> Reply {
    let message = "a hub answers the leases and fenced returns of its own counter; everything else is RavenDB's";
    let body = wire::failure(target, "NotForHub", message);
    Reply::Answer(Said { status: 400, body, incarnation: None, low: false })
}

/// What those who wait are answered with: the server's own words where it said something.
fn failed(error: &Error) -> Step {
    match error.code {
        Code::Server | Code::Concurrency if !error.body.is_empty() => {
            Step::Failed(error.status, String::from_utf8_lossy(&error.body).into_owned())
        }
        code => {
            let status = if error.is_outage() { 503 } else { 500 };
            Step::Failed(status, wire::failure(&error.request, code.name(), &error.message))
        }
    }
}

#[cfg(test)]
#[path = "keeper_tests.rs"]
mod tests;
