//! Leases of the source `document`: its real exchange with the modelled counter document. Read and write are two
//! messages each way, and other events may occur in between.

use crate::ids::Ids;
use crate::network::{Granted, Leg};
use crate::server::{Counter, Vector};
use crate::turn::{Broken, Kept, Turn};
use crate::variants::Variant;
use raven_edge::error::{Code, Error};
use raven_edge::http::{NodeId, Request, Response};
use raven_edge::json;
use raven_edge::source::document::{Document, LeaseExchange, SPELLINGS};
use raven_edge::source::{Ask, Exchange, Grant, Size, Source, Step};

/// What an exchange has received until its write. Its state follows from this, so a model state need not contain
/// more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Attempt {
    above: u64,
    size: u64,
    pub(crate) read: Counter,
}

impl Attempt {
    /// The numbers that its write takes.
    pub(crate) fn ids(self) -> Ids {
        Ids::run(0, self.high() - self.size + 1, self.high())
    }

    fn high(self) -> u64 {
        self.read.max.max(self.above) + self.size
    }

    /// The exchange at this point, and the write that it sends.
    fn write(self) -> Result<(LeaseExchange, Box<Request>), Broken> {
        let ask = Ask {
            tag: "orders".into(),
            size: Size::Exact(self.size),
            above: self.above,
            proof: None,
            incarnation: None,
            nonce: 0,
        };
        let mut lease = Document::new("law", '/', SPELLINGS[0]).lease(ask);
        lease.step(None);
        let found = match condition(self.read.vector) {
            none if none.is_empty() => "null".into(),
            vector => {
                let of = format!(r#""@change-vector":"{vector}","@last-modified":"{}""#, self.read.vector.time);
                let metadata = format!(r#"{{"@id":"Raven/Hilo/orders",{of}}}"#);
                format!(r#"{{"Max":{},"@metadata":{metadata}}}"#, self.read.max)
            }
        };
        match lease.step(response(200, format!(r#"{{"Results":[{found},null]}}"#))) {
            Step::Send(write) => Ok((lease, write)),
            other => Err(Broken(format!("after its read an exchange continues with {other:?}"))),
        }
    }
}

/// The change vector without the time. A missing counter has none.
fn condition(vector: Vector) -> String {
    match vector {
        Vector::DEAD => "A:0-dead".into(),
        Vector { writes: [0, 0], .. } => String::new(),
        Vector { writes, incarnation, .. } => format!("A:{}-{incarnation}", writes[0]),
    }
}

fn response(status: u16, body: String) -> Option<Result<Box<Response>, Error>> {
    Some(Ok(Box::new(Response { status, body: body.into(), node: NodeId(0), incarnation: None })))
}

/// The condition of a write.
#[derive(Debug)]
enum WriteCondition {
    /// A PUT: the counter must not exist.
    Missing,
    /// A move: this fence and this `Max`.
    AsRead(String, u64),
}

impl WriteCondition {
    fn holds(&self, counter: Counter, variant: Option<Variant>) -> bool {
        match self {
            _ if variant == Some(Variant::UnconditionalPut) => true,
            WriteCondition::Missing => condition(counter.vector).is_empty(),
            WriteCondition::AsRead(fence, max) => {
                *fence == format!("{} {}", condition(counter.vector), counter.vector.time) && *max == counter.max
            }
        }
    }
}

/// The new `Max` of a write, and its condition.
fn parts(write: &Request) -> Option<(u64, WriteCondition)> {
    let command = json::elements(json::get(write.body.as_ref()?, "Commands")?).next()?;
    let number = |object, name| json::get(object, name).and_then(json::integer);
    if let Some(document) = json::get(command, "Document") {
        let missing = json::get(command, "ChangeVector") == Some(b"\"\"");
        return number(document, "Max").filter(|_| missing).map(|max| (max, WriteCondition::Missing));
    }
    let values = json::get(json::get(command, "Patch")?, "Values")?;
    let fence = json::string(json::get(values, "fence")?)?;
    Some((number(values, "last")?, WriteCondition::AsRead(fence, number(values, "high")?)))
}

impl Turn<'_> {
    /// The read of a lease arrives; the response makes it take this many numbers.
    pub(crate) fn find(&mut self, at: usize, size: u64) -> Kept {
        let server = &self.world.server;
        let (read, incarnation) = (server.nodes[0], server.incarnation);
        let exchange = &mut self.world.network.exchanges[at];
        let Leg::Wanted { above } = exchange.leg else { return Ok(()) };
        exchange.leg = Leg::Found { attempt: Attempt { above, size, read }, incarnation };
        self.say(|| format!("server: responds Max {} under {}", read.max, read.vector));
        Ok(())
    }

    /// The write of a lease arrives; or it arrives twice, and the client gets the second response.
    pub(crate) fn put(&mut self, at: usize, twice: bool) -> Kept {
        let Leg::Put { attempt } = self.world.network.exchanges[at].leg else { return Ok(()) };
        let mut vector = self.execute(attempt)?;
        if twice {
            self.world.budget.late -= 1;
            vector = self.execute(attempt)?;
        }
        self.world.network.exchanges[at].leg =
            Leg::Written { attempt, vector, incarnation: self.world.server.incarnation };
        Ok(())
    }

    /// A write that its client has abandoned arrives. It stays pending as long as it can have an effect.
    pub(crate) fn abandoned(&mut self, at: usize) -> Kept {
        self.execute(self.world.network.abandoned[at]).map(|_| ())
    }

    /// Writes if the condition holds; returns the new change vector, or `None` for a 409.
    fn execute(&mut self, attempt: Attempt) -> Result<Option<Vector>, Broken> {
        let (_, write) = attempt.write()?;
        let (max, condition_of_write) =
            parts(&write).ok_or_else(|| Broken(format!("{write:?} is not a write of a counter")))?;
        self.require(attempt.high() == max, || format!("{attempt:?} writes Max {max}"))?;
        let writes = condition_of_write.holds(self.world.server.nodes[0], self.configuration.variant);
        let vector = writes.then(|| self.world.server.put(max));
        self.say(|| {
            format!("server: Max {max} if {condition_of_write:?} is {}", if writes { "written" } else { "refused" })
        });
        Ok(vector)
    }

    /// The response to the write arrives.
    pub(crate) fn written(&mut self, c: usize, request: u32, attempt: Attempt, result: (Option<Vector>, u8)) -> Kept {
        let (mut exchange, write) = attempt.write()?;
        let moves = matches!(parts(&write), Some((_, WriteCondition::AsRead(..))));
        let anyway = (self.configuration.variant == Some(Variant::RefusedPutUsed)).then_some(Vector::DEAD);
        let (vector, incarnation) = result;
        let input = match vector.or(anyway) {
            Some(vector) => {
                let (of, time) = (condition(vector), vector.time);
                let result = if moves {
                    format!(r#""ChangeVector":"{of}","LastModified":"{time}","PatchStatus":"Patched""#)
                } else {
                    format!(r#""@change-vector":"{of}","@last-modified":"{time}""#)
                };
                response(201, format!(r#"{{"Results":[{{{result}}}]}}"#))
            }
            None if moves => response(201, r#"{"Results":[{"PatchStatus":"NotModified"}]}"#.into()),
            None => response(409, "{}".into()),
        };
        match exchange.step(input) {
            Step::Done(grant) => {
                let single = grant.is_single_node();
                let granted = Granted { range: grant.range, node: grant.node.0, incarnation, lease: None };
                self.granted(c, request, granted, vector.filter(|_| grant.fence.is_some()), single)
            }
            next => self.again(c, request, attempt, &next),
        }
    }

    /// The response to a write is lost. Whether it was written is unknown.
    pub(crate) fn lose(&mut self, at: usize) -> Kept {
        self.world.budget.late -= 1;
        let lost = self.world.network.exchanges.remove(at);
        let (Leg::Put { attempt } | Leg::Written { attempt, .. }) = lost.leg else { return Ok(()) };
        let (c, request) = (lost.client, lost.request);
        self.say(|| format!("{} gets no response to its write", self.configuration.places[c].name));
        self.world.network.abandon(lost.leg);
        let (mut exchange, write) = attempt.write()?;
        let now = self.world.server.nodes[0];
        if self.configuration.variant == Some(Variant::ReadBack) && parts(&write).is_some_and(|(max, _)| max == now.max)
        {
            return self.written(c, request, attempt, (Some(now.vector), self.world.server.incarnation));
        }
        let next = exchange.step(Some(Err(Error::new(Code::Timeout, "lost"))));
        self.again(c, request, attempt, &next)
    }

    /// The lease is repeated, beginning with a read.
    fn again(&mut self, c: usize, request: u32, attempt: Attempt, next: &Step<Box<Grant>>) -> Kept {
        let reads = matches!(next, Step::Again(read, _) if read.body.is_none());
        self.require(reads, || format!("after its write an exchange continues with {next:?}"))?;
        self.send(c, request, Leg::Wanted { above: attempt.above });
        Ok(())
    }
}
