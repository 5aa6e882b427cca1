//! Decides about requests: the list of all routes that are allowed.

use super::attachments::{self, Download, is_upload_route};
use super::config::Config;
use super::gather::complete;
use super::give_back::{GiveBack, only};
use super::lease::Lease;
#[cfg(feature = "live")]
use super::live;
use super::multi_get::Several;
use super::named::{Scan, Stream, Sync};
use super::origin;
use super::plan::{Call, Exchange, FollowUp, Operation, Plan, Step, Turn};
use super::read::Read;
use super::receipt::check_user;
use super::refusal::{Kind, Refusal, refused};
use super::request::{Incoming, Query, decode};
use super::response::{Response, UpstreamResponse};
use super::write::Write;
use crate::prelude::*;
use raven_edge::ids::key;
use raven_edge::protocol::path;
use raven_edge_authority::json::{Object, Value, write_string};

/// Returns what the request does, or why it is refused.
pub(crate) fn decide(request: &Incoming, config: &Config) -> Result<Plan, Refusal> {
    origin::check(request, config)?;
    if request.body.len() > config.limits.body {
        return Err(refused(Kind::Limit, "the body is too large"));
    }
    let target = request.target().strip_prefix(config.path.as_str()).ok_or_else(unknown)?;
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    if path == path::TOPOLOGY {
        return topology(request, query, config);
    }
    let (name, route) = path.strip_prefix(path::DATABASES).and_then(|rest| rest.split_once('/')).ok_or_else(unknown)?;
    own_database(name, config)?;
    if request.is_upload && !is_upload_route(&request.method, route) {
        return Err(refused(Kind::Malformed, "the body must have the content type application/json or text/plain"));
    }
    match (request.method.as_str(), route) {
        ("GET", path::LEASE) => {
            request.no_body()?;
            lease(Lease::read(query, false, config)?)
        }
        ("POST", path::SEVERAL) => several(query, &request.json()?, config),
        ("POST", path::BATCH) => {
            Query::read(query, &[])?;
            batch(&request.json()?, Form::of(request), config)
        }
        ("GET", path::DOCS) => {
            request.no_body()?;
            reading(Read::get(query, config)?)
        }
        ("HEAD", path::DOCS) => {
            request.no_body()?;
            reading(Read::head(query, config)?)
        }
        ("POST", path::DOCS) => {
            let mut body = request.json()?;
            let user = body.remove(USER);
            Ok(Plan { user, ..reading(Read::post(query, &body, config)?)? })
        }
        ("PUT", path::DOCS) => {
            let id = one_id(query)?;
            writing(Write::one(&id, request.header("if-match"), request.json()?, config)?)
        }
        ("DELETE", path::DOCS) => {
            request.no_body()?;
            writing(Write::deletion(&one_id(query)?, request.header("if-match"), config)?)
        }
        ("GET" | "HEAD", attachments::ROUTE) => {
            request.no_body()?;
            let (download, operations) = Download::read(query, request, config)?;
            Ok(Plan::new(operations, Call::Download(download)))
        }
        ("PUT", attachments::ROUTE) => writing(Write::attachment(query, request.header("if-match"), config)?),
        ("DELETE", attachments::ROUTE) => {
            request.no_body()?;
            writing(Write::attachment_deletion(query, request.header("if-match"), config)?)
        }
        ("POST", route) => {
            let (is_stream, rest) = route.strip_prefix(STREAMS).map_or((false, route), |rest| (true, rest));
            let name = rest.strip_prefix(NAMED).ok_or_else(unknown)?;
            Query::read(query, &[])?;
            match name.strip_suffix(SYNC) {
                Some(name) if !is_stream => named(&decode(name)?, Results::Sync, request, config),
                _ => named(&decode(name)?, if is_stream { Results::Stream } else { Results::Page }, request, config),
            }
        }
        _ => Err(unknown()),
    }
}

/// The route of named queries, before the name.
const NAMED: &str = "queries/named/";

/// What stands before it for a stream.
const STREAMS: &str = "streams/";

/// What stands behind it for a comparison with what the caller has.
const SYNC: &str = "/sync";

/// The member that names the user on whose device the response is kept.
const USER: &str = "User";

/// What is asked of a named query.
enum Results {
    Page,
    Stream,
    Sync,
}

/// A page of a named query, a stream of it, or a comparison.
fn named(name: &str, results: Results, request: &Incoming, config: &Config) -> Result<Plan, Refusal> {
    // The same message for a name that does not exist and for one that may not be used: `authorize` decides about the latter.
    let query = config.queries.named(name);
    let query = query.ok_or_else(|| refused(Kind::Route, "there is no query of this name"))?;
    let mut body = request.json()?;
    let user = body.remove(USER);
    let (operation, call) = match results {
        Results::Stream => {
            let stream = Stream::read(query, &body)?;
            (stream.operation(), Call::Stream(Box::new(stream)))
        }
        Results::Sync => {
            let sync = Sync::read(query, &body)?;
            (sync.operation(), Call::Sync(Box::new(sync)))
        }
        Results::Page => {
            let scan = Scan::read(query, &body, request.header("if-none-match"), config)?;
            (scan.operation(), Call::Named(Box::new(scan)))
        }
    };
    Ok(Plan { user, ..Plan::new(vec![operation], call) })
}

impl Plan {
    /// The request to the server, or the response if none is needed; refuses what the caller may not do.
    pub(crate) fn bind(&self, turn: &Turn<'_>) -> Result<Step, Refusal> {
        if let Some(user) = &self.user {
            check_user(user.as_str(), turn.caller)?;
        }
        match &self.call {
            Call::Topology { base } => Ok(Step::Response(nodes(base, turn.config))),
            #[cfg(feature = "live")]
            Call::Live => Ok(Step::Response(live::no_socket())),
            Call::Lease(lease) => lease.forward(turn),
            Call::GiveBack(returns) => returns.forward(turn),
            Call::Write(write) => write.forward(turn),
            Call::Read(read) => read.forward(turn),
            Call::Several(reads) => reads.forward(turn),
            Call::Download(download) => download.forward(turn),
            Call::Named(scan) => scan.forward(turn),
            Call::Stream(stream) => stream.forward(turn),
            Call::Sync(sync) => sync.forward(turn),
        }
    }

    /// What follows from the server's response.
    pub(crate) fn response(self, turn: &Turn<'_>, upstream: &UpstreamResponse) -> FollowUp<Self> {
        let Self { operations, call, user } = self;
        let follow_up = match call {
            Call::Topology { base } => FollowUp::Response(nodes(&base, turn.config)),
            #[cfg(feature = "live")]
            Call::Live => FollowUp::Response(live::no_socket()),
            Call::Lease(lease) => lease.response(turn, upstream).map(Call::Lease),
            Call::GiveBack(returns) => returns.response(turn, upstream).map(Call::GiveBack),
            Call::Write(write) => write.response(turn, upstream).map(Call::Write),
            Call::Read(read) => read.response(turn, upstream).map(Call::Read),
            Call::Several(reads) => reads.response(turn, upstream).map(Call::Several),
            Call::Download(download) => download.response(turn, upstream).map(Call::Download),
            Call::Named(scan) => scan.response(turn, upstream).map(|scan| Call::Named(Box::new(scan))),
            Call::Stream(stream) => stream.response(turn, upstream).map(|stream| Call::Stream(Box::new(stream))),
            Call::Sync(sync) => sync.response(turn, upstream).map(|sync| Call::Sync(Box::new(sync))),
        };
        match follow_up {
            FollowUp::Response(mut response) => {
                response.pass(upstream);
                FollowUp::Response(response)
            }
            FollowUp::Next(call) => FollowUp::Next(Self { operations, call, user }),
        }
    }

    /// Whether the request changes nothing: it may be aborted when its caller is gone.
    pub(super) fn only_reads(&self) -> bool {
        matches!(
            self.call,
            Call::Read(_)
                | Call::Several(_)
                | Call::Topology { .. }
                | Call::Download(_)
                | Call::Named(_)
                | Call::Stream(_)
                | Call::Sync(_)
        )
    }
}

fn lease((lease, collection): (Lease, String)) -> Result<Plan, Refusal> {
    Ok(Plan::new(vec![Operation::on("lease", &collection, None)], Call::Lease(lease)))
}

fn reading((read, operations): (Read, Vec<Operation>)) -> Result<Plan, Refusal> {
    Ok(Plan::new(operations, Call::Read(read)))
}

fn writing((write, operations): (Write, Vec<Operation>)) -> Result<Plan, Refusal> {
    Ok(Plan::new(operations, Call::Write(write)))
}

/// Checks the percent-encoded name of the database. Only the configured one exists for callers; names are
/// case-insensitive, as in RavenDB.
pub(super) fn own_database(name: &str, config: &Config) -> Result<(), Refusal> {
    if key::surely_same(decode(name)?, &config.database) {
        return Ok(());
    }
    Err(refused(Kind::Route, "the gateway does not serve this database"))
}

fn one_id(query: &str) -> Result<String, Refusal> {
    let query = Query::read(query, &["id"])?;
    let mut ids = query.all("id");
    match (ids.next(), ids.next()) {
        (Some(id), None) => Ok(id.into()),
        _ => Err(refused(Kind::Malformed, "the request must name exactly one id")),
    }
}

pub(super) fn unknown() -> Refusal {
    refused(
        Kind::Route,
        "the gateway does not support this route: queries have names, and operations and other streams are not forwarded",
    )
}

fn topology(request: &Incoming, query: &str, config: &Config) -> Result<Plan, Refusal> {
    let query = Query::read(query, &["name"])?;
    if request.method != "GET" || !query.get("name").is_some_and(|name| key::surely_same(name, &config.database)) {
        return Err(unknown());
    }
    request.no_body()?;
    let operation = Operation { collection: None, ..Operation::on("topology", "", None) };
    let base = [request.origin(), &config.path].concat();
    Ok(Plan::new(vec![operation], Call::Topology { base }))
}

/// The topology: the gateway is the only node. RavenDB's own etags begin at 2, so none is older than this.
fn nodes(base: &str, config: &Config) -> Response {
    let mut text = String::from("{\"Nodes\":[{\"Url\":");
    write_string(&mut text, base);
    text.push_str(",\"ClusterTag\":\"A\",\"ServerRole\":\"Member\",\"Database\":");
    write_string(&mut text, &config.database);
    text.push_str("}],\"Etag\":2}");
    Response::json(200, text)
}

/// How a batch arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Alone,
    /// Inside a `multi_get`.
    Wrapped,
    /// Before the contents of attachments.
    Upload,
}

impl Form {
    fn of(request: &Incoming) -> Self {
        if request.is_upload { Self::Upload } else { Self::Alone }
    }
}

/// Why a PATCH without a name is refused. It is the return of a range if it has exactly the client's script, alone in its batch.
pub(super) const NO_SCRIPTS: &str =
    "a page sends no scripts: declare the patch in the gateway's `patches`, and name it";

/// `bulk_docs`: either returns only, or documents, their attachments and named patches only. Clients never mix them.
fn batch(body: &Object, form: Form, config: &Config) -> Result<Plan, Refusal> {
    let wrong = || refused(Kind::Malformed, "a batch must have Commands, all of them objects, and nothing else");
    let Some(Value::Array(commands)) = body.get("Commands").filter(|_| only(body, &["Commands"])) else {
        return Err(wrong());
    };
    if commands.is_empty() || commands.len() > config.limits.commands {
        return Err(refused(Kind::Limit, format!("a batch has 1 to {} commands", config.limits.commands)));
    }
    let commands = complete(commands.iter().map(Value::as_object)).ok_or_else(wrong)?;
    let is_patch = |command: &Object| command.get("Type").and_then(Value::as_str) == Some("PATCH");
    let patches = commands.iter().filter(|command| is_patch(command) && command.get("Named").is_none()).count();
    let wrapped = form == Form::Wrapped;
    if patches == commands.len() && form != Form::Upload {
        let (returns, operations) = GiveBack::read(&commands, wrapped, config)?;
        return Ok(Plan::new(operations, Call::GiveBack(returns)));
    }
    if patches > 0 || wrapped {
        return Err(refused(Kind::Document, NO_SCRIPTS));
    }
    let (write, operations) = Write::batch(&commands, config)?;
    if write.contents(config).is_empty() == (form == Form::Upload) {
        let message = "a batch that stores attachments, and no other one, has the content type multipart/mixed";
        return Err(refused(Kind::Malformed, message));
    }
    writing((write, operations))
}

/// A request within a `multi_get`.
struct Part<'a> {
    method: &'a str,
    route: &'a str,
    query: &'a str,
    content: Option<&'a Object>,
}

/// `multi_get`: a lease and the read of its counter, a beacon's returns, or reads. Nesting and mixing are refused.
fn several(query: &str, body: &Object, config: &Config) -> Result<Plan, Refusal> {
    Query::read(query, &["nonce"])?.integer("nonce")?;
    let wrong = || refused(Kind::Malformed, "a multi_get has Requests, each with Url, Query and Method");
    let Some(Value::Array(requests)) = body.get("Requests").filter(|_| only(body, &["Requests"])) else {
        return Err(wrong());
    };
    if requests.is_empty() || requests.len() > config.limits.requests {
        return Err(refused(Kind::Limit, format!("a multi_get has 1 to {} requests", config.limits.requests)));
    }
    let mut parts = Vec::new();
    for request in requests {
        let Value::Object(request) = request else { return Err(wrong()) };
        parts.push(part(request, config)?.ok_or_else(wrong)?);
    }
    match parts.as_slice() {
        [next, counter] if (next.method, next.route) == ("GET", path::LEASE) => {
            if (counter.method, counter.route) != ("GET", path::DOCS) || next.content.or(counter.content).is_some() {
                return Err(refused(Kind::Route, "a lease must be followed by the read of its counter"));
            }
            let (found, collection) = Lease::read(next.query, true, config)?;
            found.is_fenced_by(counter.query)?;
            lease((found, collection))
        }
        [Part { method: "POST", route: path::BATCH, query: "", content: Some(content) }] => {
            batch(content, Form::Wrapped, config)
        }
        reads => {
            let mut found = Vec::new();
            let mut operations = Vec::new();
            for part in reads {
                if (part.method, part.route, part.content) != ("GET", path::DOCS, None) {
                    return Err(refused(Kind::Route, "this request is not accepted inside a multi_get"));
                }
                let (read, of_it) = Read::get(part.query, config)?;
                found.push(read);
                operations.extend(of_it);
            }
            Ok(Plan::new(operations, Call::Several(Several::new(found, config)?)))
        }
    }
}

/// Reads a request inside a `multi_get`; `None` if the part is not a supported request.
fn part<'a>(request: &'a Object, config: &Config) -> Result<Option<Part<'a>>, Refusal> {
    let text = |name| request.get(name).and_then(Value::as_str);
    // The client asks for a lease without compression. The gateway asks for it itself, so the header is not forwarded.
    let is_known = |(name, value): (&str, &Value)| name == "Accept-Encoding" && value.as_str() == Some("identity");
    let bare = match request.get("Headers") {
        None => true,
        Some(Value::Object(headers)) => headers.iter().all(is_known),
        Some(_) => false,
    };
    let known = only(request, &["Url", "Query", "Method", "Headers", "Content"]);
    let (Some(url), Some(query), Some(method)) = (text("Url"), text("Query"), text("Method")) else { return Ok(None) };
    if !bare || !known {
        return Ok(None);
    }
    let content = match request.get("Content") {
        None => None,
        Some(Value::Object(content)) => Some(content),
        Some(_) => return Ok(None),
    };
    let Some((name, route)) = url.strip_prefix(path::DATABASES).and_then(|rest| rest.split_once('/')) else {
        return Ok(None);
    };
    // RavenDB ignores the database named here. The gateway refuses a wrong one: it was not meant for this database.
    own_database(name, config)?;
    let query = match query {
        "" => "",
        query => match query.strip_prefix('?') {
            Some(query) => query,
            None => return Ok(None),
        },
    };
    Ok(Some(Part { method, route, query, content }))
}
