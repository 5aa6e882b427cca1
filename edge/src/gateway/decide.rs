//! From a request to what may be done about it: the list of routes, and nothing beside it.

use super::answer::{Answer, Upstream, failure, sub_answers};
use super::config::Config;
use super::give_back::{GiveBack, only};
use super::lease::Lease;
use super::origin;
use super::plan::{Call, Caller, Forward, Operation, Plan};
use super::read::Read;
use super::refusal::{Kind, Refusal, refused};
use super::request::{Incoming, Query, decode};
use super::write::Write;
use raven_edge_authority::json::{Object, Value, write_string};

/// What is to be done now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Ask the server.
    Forward(Forward),
    /// Answer without it.
    Answer(Answer),
}

/// What a request may do, or why it may not.
pub(crate) fn decide(request: &Incoming, config: &Config) -> Result<Plan, Refusal> {
    origin::check(request, config)?;
    if request.body.len() > config.limits.body {
        return Err(refused(Kind::Limit, "the body is too large"));
    }
    let target = request.target().strip_prefix(config.path.as_str()).ok_or_else(unknown)?;
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    if path == "/topology" {
        return topology(request, query, config);
    }
    let (name, route) = path.strip_prefix("/databases/").and_then(|rest| rest.split_once('/')).ok_or_else(unknown)?;
    own_database(name, config)?;
    match (request.method.as_str(), route) {
        ("GET", "hilo/next") => {
            request.no_body()?;
            lease(Lease::read(query, false, config)?)
        }
        ("POST", "multi_get") => several(query, &request.json()?, config),
        ("POST", "bulk_docs") => {
            Query::read(query, &[])?;
            batch(&request.json()?, false, config)
        }
        ("GET", "docs") => {
            request.no_body()?;
            reading(Read::get(query, config)?)
        }
        ("HEAD", "docs") => {
            request.no_body()?;
            reading(Read::head(query, config)?)
        }
        ("POST", "docs") => reading(Read::post(query, &request.json()?, config)?),
        ("PUT", "docs") => {
            let id = one_id(query)?;
            writing(Write::one(&id, request.header("if-match"), request.json()?, config)?)
        }
        ("DELETE", "docs") => {
            request.no_body()?;
            writing(Write::deletion(&one_id(query)?, request.header("if-match"), config)?)
        }
        _ => Err(unknown()),
    }
}

impl Plan {
    /// What the caller's tokens allow. `seen`: the incarnation of the database that was heard of last.
    pub(crate) fn bind(&self, config: &Config, caller: &Caller, seen: Option<&str>) -> Result<Step, Refusal> {
        Ok(Step::Forward(match &self.call {
            Call::Topology { base } => return Ok(Step::Answer(nodes(base, config))),
            Call::Lease(lease) => lease.forward(config, caller, seen),
            Call::GiveBack(returns) => returns.forward(config, caller, seen)?,
            Call::Write(write) => write.forward(config),
            Call::Read(read) => read.forward(config),
            Call::Several(reads) => reads_at_once(reads, config),
        }))
    }

    /// What the caller hears of the server's answer.
    pub(crate) fn answer(&self, config: &Config, caller: &Caller, said: &Upstream, target: &str) -> Answer {
        let mut answer = match &self.call {
            Call::Topology { base } => nodes(base, config),
            Call::Lease(lease) => lease.answer(config, caller, said, target),
            Call::GiveBack(returns) => returns.answer(said, target),
            Call::Write(write) => write.answer(said, target),
            Call::Read(read) => read.answer(config, said, target),
            Call::Several(reads) => answers_at_once(reads, config, said, target),
        };
        answer.pass(said);
        answer
    }
}

fn lease((lease, collection): (Lease, String)) -> Result<Plan, Refusal> {
    Ok(Plan { operations: vec![Operation::on("lease", &collection, None)], call: Call::Lease(lease) })
}

fn reading((read, operations): (Read, Vec<Operation>)) -> Result<Plan, Refusal> {
    Ok(Plan { operations, call: Call::Read(read) })
}

fn writing((write, operations): (Write, Vec<Operation>)) -> Result<Plan, Refusal> {
    Ok(Plan { operations, call: Call::Write(write) })
}

/// A database by its encoded name; others do not exist for callers. RavenDB's names are without case.
fn own_database(name: &str, config: &Config) -> Result<(), Refusal> {
    if decode(name)?.eq_ignore_ascii_case(&config.database) {
        return Ok(());
    }
    Err(refused(Kind::Route, "the gateway has no such database"))
}

fn one_id(query: &str) -> Result<String, Refusal> {
    let query = Query::read(query, &["id"])?;
    let mut ids = query.all("id");
    match (ids.next(), ids.next()) {
        (Some(id), None) => Ok(id.into()),
        _ => Err(refused(Kind::Malformed, "the request is about one id")),
    }
}

fn unknown() -> Refusal {
    refused(Kind::Route, "the gateway has no such route; queries, streams and operations do not pass it")
}

fn topology(request: &Incoming, query: &str, config: &Config) -> Result<Plan, Refusal> {
    let query = Query::read(query, &["name"])?;
    if request.method != "GET" || !query.get("name").is_some_and(|name| name.eq_ignore_ascii_case(&config.database)) {
        return Err(unknown());
    }
    request.no_body()?;
    let operation = Operation { action: "topology", collection: None, ids: Vec::new(), prefix: None };
    let base = [request.origin(), &config.path].concat();
    Ok(Plan { operations: vec![operation], call: Call::Topology { base } })
}

/// One node for ever: the gateway. RavenDB's own versions of a topology begin at 2, so that none is older.
fn nodes(base: &str, config: &Config) -> Answer {
    let mut text = String::from("{\"Nodes\":[{\"Url\":");
    write_string(&mut text, base);
    text.push_str(",\"ClusterTag\":\"A\",\"ServerRole\":\"Member\",\"Database\":");
    write_string(&mut text, &config.database);
    text.push_str("}],\"Etag\":2}");
    Answer::json(200, text)
}

/// `bulk_docs`: all returns, or all documents. A mixture is nothing that a client sends.
fn batch(body: &Object, wrapped: bool, config: &Config) -> Result<Plan, Refusal> {
    let wrong = || refused(Kind::Malformed, "a batch has Commands, each of them an object, and nothing else");
    let Some(Value::Array(commands)) = body.get("Commands").filter(|_| only(body, &["Commands"])) else {
        return Err(wrong());
    };
    if commands.is_empty() || commands.len() > config.limits.commands {
        return Err(refused(Kind::Limit, format!("a batch has 1 to {} commands", config.limits.commands)));
    }
    let commands: Option<Vec<&Object>> = commands
        .iter()
        .map(|command| if let Value::Object(command) = command { Some(command) } else { None })
        .collect();
    let commands = commands.ok_or_else(wrong)?;
    let patches =
        commands.iter().filter(|command| command.get("Type").and_then(Value::as_str) == Some("PATCH")).count();
    if patches == commands.len() {
        let (returns, operations) = GiveBack::read(&commands, wrapped, config)?;
        return Ok(Plan { operations, call: Call::GiveBack(returns) });
    }
    if patches > 0 || wrapped {
        return Err(refused(Kind::Document, "a PATCH passes only as the return of a range, beside nothing else"));
    }
    writing(Write::batch(&commands, config)?)
}

/// A request within a `multi_get`.
struct Part<'a> {
    method: &'a str,
    route: &'a str,
    query: &'a str,
    content: Option<&'a Object>,
}

/// `multi_get`: a lease with its fence, a beacon's returns, or reads. It is never nested, and nothing is mixed.
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
        [next, counter] if (next.method, next.route) == ("GET", "hilo/next") => {
            if (counter.method, counter.route) != ("GET", "docs") || next.content.or(counter.content).is_some() {
                return Err(refused(Kind::Route, "a lease comes with the read of its counter"));
            }
            let (found, collection) = Lease::read(next.query, true, config)?;
            found.is_fenced_by(counter.query)?;
            lease((found, collection))
        }
        [Part { method: "POST", route: "bulk_docs", query: "", content: Some(content) }] => {
            batch(content, true, config)
        }
        reads => {
            let mut found = Vec::new();
            let mut operations = Vec::new();
            for part in reads {
                if (part.method, part.route, part.content) != ("GET", "docs", None) {
                    return Err(refused(Kind::Route, "this does not pass within a multi_get"));
                }
                let (read, of_it) = Read::get(part.query, config)?;
                found.push(read);
                operations.extend(of_it);
            }
            if found.iter().map(Read::count).sum::<usize>() > config.limits.ids {
                return Err(refused(Kind::Limit, format!("a request has at most {} ids", config.limits.ids)));
            }
            Ok(Plan { operations, call: Call::Several(found) })
        }
    }
}

/// A request within a `multi_get`; `None` where it is none.
fn part<'a>(request: &'a Object, config: &Config) -> Result<Option<Part<'a>>, Refusal> {
    let text = |name| request.get(name).and_then(Value::as_str);
    let bare = match request.get("Headers") {
        None => true,
        Some(Value::Object(headers)) => headers.iter().count() == 0,
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
    let Some((name, route)) = url.strip_prefix("/databases/").and_then(|rest| rest.split_once('/')) else {
        return Ok(None);
    };
    // RavenDB does not look at the name here; whoever writes another one means another one.
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

fn reads_at_once(reads: &[Read], config: &Config) -> Forward {
    let base = config.base();
    let mut body = String::from("{\"Requests\":[");
    for read in reads {
        body.push_str(if body.ends_with('[') { "{\"Url\":" } else { ",{\"Url\":" });
        write_string(&mut body, &format!("{base}/docs"));
        body.push_str(",\"Query\":");
        write_string(&mut body, &read.target());
        body.push_str(",\"Method\":\"GET\"}");
    }
    body.push_str("]}");
    Forward::post(format!("{base}/multi_get"), body)
}

fn answers_at_once(reads: &[Read], config: &Config, said: &Upstream, target: &str) -> Answer {
    let parts = (said.status == 200).then(|| sub_answers(&said.body)).flatten();
    let Some(parts) = parts.filter(|parts| parts.len() == reads.len()) else { return failure(said, target, true) };
    let mut included = Vec::new();
    let texts: Vec<String> =
        reads.iter().zip(&parts).map(|(read, said)| read.sub_answer(config, said, target, &mut included)).collect();
    Answer { included, ..Answer::json(200, format!("{{\"Results\":[{}]}}", texts.join(","))) }
}
