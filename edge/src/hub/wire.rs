//! RavenDB's lease and return requests, as a hub reads and responds to them.

use super::allocator::Proof;
use super::lease_sizes::SizeHint;
use super::stored_records::Loan;
use crate::prelude::*;
use crate::reply;
use core::fmt::Write;
use raven_edge::ids::{key, tag};
use raven_edge::protocol::path;
use raven_edge::source::server::wire::{HILO_PREFIX, MOVE_SCRIPT};
use raven_edge_authority::Timestamp;
use raven_edge_authority::json::{Object, Value, read_object, write_string};
use raven_edge_authority::query::{Query, decode};

/// A client's request for a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LeaseRequest {
    /// In the client's spelling.
    pub(super) tag: String,
    /// What the client puts between tag and number.
    pub(super) separator: char,
    pub(super) size_hint: SizeHint,
    /// All numbers must lie above this one.
    pub(super) above: u64,
    /// The database's incarnation that the client knows.
    pub(super) incarnation: Option<String>,
    /// The form of the request, which determines that of the response.
    pub(super) form: Form,
}

/// The form of a lease request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `GET hilo/next`.
    Plain,
    /// Inside a `multi_get`.
    Wrapped,
    /// Inside a `multi_get`, followed by a read of the counter document, which yields the fence.
    Fenced,
}

/// The end of a loan that a client returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LoanReturn {
    /// In the client's spelling.
    pub(super) tag: String,
    /// `None` if the fence does not come from a hub.
    pub(super) proof: Option<Proof>,
    pub(super) high: u64,
    pub(super) last: u64,
}

/// Reads a lease from the query of `hilo/next`; `None` if it is invalid, so that RavenDB reports what is wrong.
pub(super) fn parse_lease(query: &str, form: Form) -> Option<LeaseRequest> {
    let query = Query::parse(query.strip_prefix('?').unwrap_or(query));
    let tag = query.required("tag").ok()?;
    let separator = match query.first("identityPartsSeparator").filter(|text| !text.trim().is_empty()) {
        None => '/',
        Some(text) => tag::check_separator(text).ok()?,
    };
    tag::check(tag, separator).ok()?;
    let count =
        |name| query.long(name).ok().map(|number| u64::try_from(number.unwrap_or_default()).unwrap_or_default());
    let at = query.first("lastRangeAt").and_then(Timestamp::parse);
    let size_hint = SizeHint { last: count("lastBatchSize")?, at };
    let incarnation = query.first("incarnation").map(str::to_owned);
    Some(LeaseRequest { tag: tag.to_owned(), separator, size_hint, above: count("lastMax")?, incarnation, form })
}

/// Reads the lease from a `multi_get` that contains nothing else.
pub(super) fn parse_wrapped_lease(body: &Object) -> Option<LeaseRequest> {
    let Some(Value::Array(requests)) = body.get("Requests") else { return None };
    let (lease, read) = match &requests[..] {
        [lease] => (lease, None),
        [lease, read] => (lease, Some(read)),
        _ => return None,
    };
    let (_, query) = inner_request(lease, "GET", path::LEASE)?;
    let ask = parse_lease(query, if read.is_some() { Form::Fenced } else { Form::Wrapped })?;
    if let Some(read) = read {
        let (_, query) = inner_request(read, "GET", path::DOCS)?;
        let query = Query::parse(query.strip_prefix('?').unwrap_or(query));
        if counter_tag(query.required("id").ok()?)? != key::key(&ask.tag) {
            return None;
        }
    }
    Some(ask)
}

/// The content of the batch in a `multi_get` that contains nothing else: a page sends its returns this way when it
/// closes.
pub(super) fn wrapped_batch(body: &Object) -> Option<&Object> {
    let Some(Value::Array(requests)) = body.get("Requests") else { return None };
    let [request] = &requests[..] else { return None };
    match inner_request(request, "POST", path::BATCH)?.0.get("Content") {
        Some(Value::Object(content)) => Some(content),
        _ => None,
    }
}

/// Reads the returns from a batch that contains nothing else.
pub(super) fn parse_returns(body: &Object) -> Option<Vec<LoanReturn>> {
    let Some(("Commands", Value::Array(commands))) = body.iter().next() else { return None };
    let backs: Option<Vec<LoanReturn>> = commands.iter().map(parse_return).collect();
    backs.filter(|backs| !backs.is_empty())
}

/// Reads a JSON object.
pub(super) fn parse_object(body: &[u8]) -> Option<Object> {
    read_object(body).ok()
}

fn parse_return(command: &Value) -> Option<LoanReturn> {
    let Value::Object(command) = command else { return None };
    let text = |object: &Object, name: &str| object.get(name).and_then(Value::as_str).map(str::to_owned);
    let Some(Value::Object(patch)) = command.get("Patch") else { return None };
    if command.get("Type").and_then(Value::as_str) != Some("PATCH")
        || !matches!(command.get("ChangeVector"), None | Some(Value::Null))
        || text(patch, "Script")? != MOVE_SCRIPT
    {
        return None;
    }
    let id = text(command, "Id")?;
    counter_tag(&id)?;
    let tag = id.get(HILO_PREFIX.len()..)?.to_owned();
    let Some(Value::Object(values)) = patch.get("Values") else { return None };
    let number = |name| match values.get(name) {
        Some(Value::Number(digits)) => digits.parse().ok(),
        _ => None,
    };
    Some(LoanReturn {
        tag,
        proof: text(values, "fence").as_deref().and_then(parse_proof),
        high: number("high")?,
        last: number("last")?,
    })
}

/// A request inside a `multi_get` and its query, if it has this method and route.
fn inner_request<'a>(request: &'a Value, method: &str, route: &str) -> Option<(&'a Object, &'a str)> {
    let Value::Object(request) = request else { return None };
    let text = |name| request.get(name).and_then(Value::as_str);
    if text("Method").unwrap_or("GET") != method {
        return None;
    }
    // The database in the inner URL is ignored; that of the outer request counts.
    let (_, inner) = text("Url")?.strip_prefix(path::DATABASES)?.split_once('/')?;
    (decode(inner).eq_ignore_ascii_case(route)).then_some((request, text("Query")?))
}

/// The tag of a counter document, folded as RavenDB compares ids.
fn counter_tag(id: &str) -> Option<String> {
    let (prefix, tag) = id.split_at_checked(HILO_PREFIX.len())?;
    (key::surely_same(prefix, HILO_PREFIX) && !tag.is_empty()).then(|| key::key(tag))
}

/// The change vector of a loan. It names no node, which tells the client not to join ranges of different loans.
fn loan_change_vector(loan: &Loan) -> String {
    format!("hub:{}-{},", loan.id, loan.secret.as_deref().unwrap_or_default())
}

/// Reads the proof from a fence, which is a change vector and a time.
fn parse_proof(fence: &str) -> Option<Proof> {
    let (vector, _) = fence.split_once(' ')?;
    let (loan, secret) = vector.strip_prefix("hub:")?.strip_suffix(',')?.split_once('-')?;
    Some(Proof { loan: loan.parse().ok()?, secret: secret.to_owned() })
}

/// The response to a lease.
pub(super) fn lease_response(ask: &LeaseRequest, loan: &Loan, node_tag: &str) -> (u16, String) {
    let at = Timestamp::from_ticks(loan.at);
    let mut grant = String::from("{\"Prefix\":");
    write_string(&mut grant, &format!("{}{}", ask.tag, ask.separator));
    let (low, high, size) = (loan.low, loan.high, loan.high - loan.low + 1);
    let _ = write!(
        grant,
        r#","Low":{low},"High":{high},"LastSize":{size},"ServerTag":"{node_tag}","LastRangeAt":"{at}"}}"#
    );
    if ask.form == Form::Plain {
        return (201, grant);
    }
    let mut body = format!(r#"{{"Results":[{{"Result":{grant},"StatusCode":201,"Headers":{{}}}}"#);
    if ask.form == Form::Fenced {
        let (mut id, mut fence) = (String::new(), String::new());
        write_string(&mut id, &format!("{HILO_PREFIX}{}", ask.tag));
        write_string(&mut fence, &loan_change_vector(loan));
        let _ = write!(
            body,
            r#",{{"Result":{{"Results":[{{"Max":{high},"@metadata":{{"@collection":"@hilo","@change-vector":{fence},"@id":{id},"@last-modified":"{at}"}}}}],"Includes":{{}}}},"StatusCode":200,"Headers":{{}}}}"#
        );
    }
    body.push_str("]}");
    (200, body)
}

/// The result of one return.
pub(super) fn return_result(back: &LoanReturn, applied: bool) -> String {
    reply::patched(&format!("{HILO_PREFIX}{}", back.tag), if applied { "Patched" } else { "NotModified" })
}

/// The response to a batch; `wrapped`: the batch came inside a `multi_get`.
pub(super) fn batch_response(results: &[String], wrapped: bool) -> (u16, String) {
    let batch = reply::batch(results);
    if wrapped { (200, reply::wrapped(&batch)) } else { (201, batch) }
}

/// An error in RavenDB's format; `code` is stable.
pub(super) fn error_body(url: &str, code: &str, message: &str) -> String {
    reply::error(url, &format!("RavenEdge.Hub.{code}"), message, "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use raven_edge::hilo::Range;
    use raven_edge::http::{NodeId, Response};
    use raven_edge::source::server::{Server, wire};
    use raven_edge::source::{Exchange, Return, Size, Source, Step};

    fn loan() -> Loan {
        let at = Timestamp::from_unix_millis(1_795_224_636_754).ticks();
        Loan { id: 7, secret: Some("s3cret".into()), grant: 1, low: 33, high: 48, at }
    }

    /// The request that a client of the core sends, and how it reads the hub's response.
    #[test]
    fn client_and_hub_understand_each_others_messages() {
        let server = Server::new("Shop", '/');
        let ask = raven_edge::source::Ask {
            tag: "Orders".into(),
            size: Size::Exact(40),
            above: 32,
            proof: None,
            incarnation: None,
            nonce: 9,
        };
        let mut lease = server.lease(ask);
        let Step::Send(request) = lease.step(None) else { panic!("nothing to send") };
        let request = parse_wrapped_lease(&parse_object(&request.body.unwrap()).unwrap()).unwrap();
        assert_eq!((request.tag.as_str(), request.separator, request.above), ("Orders", '/', 32));
        assert_eq!((request.size_hint, request.form), (SizeHint { last: 40, at: None }, Form::Fenced));
        let (status, body) = lease_response(&request, &loan(), "A");
        let response = Response { status, body: body.into_bytes(), node: NodeId(0), incarnation: None };
        let Step::Done(grant) = lease.step(Some(Ok(Box::new(response)))) else { panic!("no grant") };
        assert_eq!(
            (grant.range, grant.prefix.as_str(), grant.tag.as_str()),
            (Range::new(33, 48).unwrap(), "Orders/", "A")
        );
        assert!(!grant.is_single_node(), "a client must not join two loans under one fence");
        let back = Return { tag: "Orders".into(), fence: grant.fence.unwrap(), high: 48, last: 35 };
        let sent = server.give_back(&[back], NodeId(0)).body.unwrap();
        let read = parse_returns(&parse_object(&sent).unwrap()).unwrap();
        let proof = Some(Proof { loan: 7, secret: "s3cret".into() });
        assert_eq!(read, [LoanReturn { tag: "Orders".into(), proof, high: 48, last: 35 }]);
        for applied in [true, false] {
            let (status, body) = batch_response(&[return_result(&read[0], applied)], false);
            let response = Response { status, body: body.into_bytes(), node: NodeId(0), incarnation: None };
            assert_eq!(server.applied(&response, 0), applied);
        }
    }

    #[test]
    fn a_request_with_more_than_a_lease_is_not_for_a_hub() {
        let next = r#"{"Url":"/databases/x/HILO/next","Query":"?tag=orders","Method":"GET"}"#;
        let read = r#"{"Url":"/databases/x/docs","Query":"?id=raven/hilo/ORDERS","Method":"GET"}"#;
        let other = r#"{"Url":"/databases/x/docs","Query":"?id=orders/1-A","Method":"GET"}"#;
        for (requests, expected) in [
            (format!("[{next}]"), Some(Form::Wrapped)),
            (format!("[{next},{read}]"), Some(Form::Fenced)),
            (format!("[{next},{other}]"), None),
            (format!("[{read},{next}]"), None),
            (format!("[{next},{read},{other}]"), None),
            (format!("[{next},{}]", read.replace("?id=", "?id=a&id=")), None),
            (format!("[{}]", next.replace("orders", "x/")), None),
            (format!("[{}]", next.replace("\"GET\"", "\"PUT\"")), None),
            ("[]".into(), None),
            ("{}".into(), None),
        ] {
            let body = parse_object(format!(r#"{{"Requests":{requests}}}"#).as_bytes()).unwrap();
            assert_eq!(parse_wrapped_lease(&body).map(|ask| ask.form), expected, "{requests}");
        }
    }

    #[test]
    fn a_batch_with_more_than_returns_is_not_for_a_hub() {
        let back = |fence: &str| Return { tag: "orders".into(), fence: fence.into(), high: 8, last: 3 };
        let good = wire::return_body(HILO_PREFIX, &[back("hub:7-x, 2026"), back("A:7-x 2026")]);
        let read = parse_returns(&parse_object(good.as_bytes()).unwrap()).unwrap();
        assert_eq!(read.iter().map(|back| back.proof.is_some()).collect::<Vec<_>>(), [true, false]);
        for (from, to) in [
            ("\"PATCH\"", "\"PUT\""),
            ("Raven/Hilo/orders", "orders/1-A"),
            ("Raven/Hilo/orders", "Raven/Hilo/"),
            ("this.Max = args.last", "this.Max = 0"),
            ("\"ChangeVector\":null", "\"ChangeVector\":\"A:1\""),
            ("\"last\":3", "\"last\":-1"),
            ("\"last\":3", "\"last\":\"3\""),
            ("\"last\":3", "\"last\":3.5"),
            ("{\"Commands\"", "{\"a\":1,\"Commands\""),
        ] {
            let bad = good.replacen(from, to, 1);
            assert_ne!(bad, good, "{from}");
            assert_eq!(parse_returns(&parse_object(bad.as_bytes()).unwrap()), None, "{to}");
        }
    }
}
