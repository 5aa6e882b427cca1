//! `POST multi_get`: several requests in order, each in a transaction of its own.

use crate::authority::Authority;
use crate::call::Call;
use crate::error::{Error, Failure};
use crate::json::{Object, Value, read_object, write};
use crate::message::{Request, Response};
use crate::prelude::*;
use crate::storage::Storage;

/// An inner request.
enum Entry {
    /// Url or Query is missing: the response is `{}`.
    Incomplete,
    Request(Request),
}

pub(super) fn run<S: Storage>(
    authority: &mut Authority<S>,
    request: &Request,
    call: &mut Call<'_>,
) -> Result<Response, Failure> {
    let body = read_object(&request.body)?;
    let entries = match body.get("Requests") {
        None => {
            return Err(Error::argument("Request should have a property name 'Requests' which is mandatory.").into());
        }
        Some(Value::Null) => return Err(Error::null_reference("Requests").into()),
        Some(Value::Array(entries)) => entries,
        Some(other) => return Err(Error::format(other, "Sparrow.Json.BlittableJsonReaderArray").into()),
    };
    let mut results = Vec::with_capacity(entries.len());
    for entry in entries {
        results.push(match read_entry(entry)? {
            Entry::Incomplete => "{}".into(),
            Entry::Request(inner) => wrapped(authority.route(&inner, call, true)?),
        });
    }
    Ok(Response::new(200, format!(r#"{{"Results":[{}]}}"#, results.join(","))))
}

fn read_entry(entry: &Value) -> Result<Entry, Error> {
    let entry = match entry {
        Value::Object(entry) => entry,
        Value::Null => return Err(Error::null_reference("a request of multi_get")),
        other => return Err(Error::invalid_cast(other)),
    };
    let url = match entry.get("Url") {
        Some(Value::String(url)) => url.as_str(),
        Some(Value::Null) => return Err(Error::null_reference("Url")),
        _ => return Ok(Entry::Incomplete),
    };
    let query = match entry.get("Query") {
        Some(Value::String(query)) => query.as_str(),
        Some(Value::Null) => "",
        _ => return Ok(Entry::Incomplete),
    };
    if !query.is_empty() && !query.starts_with('?') {
        return Err(Error::argument("The leading '?' must be included for a non-empty query. (Parameter 'Query')"));
    }
    let method = entry.get("Method").and_then(Value::as_str).unwrap_or("GET");
    let body = read_content(entry)?;
    let mut request = Request::new(method, format!("{}{query}", escape_query(url)));
    // Only POST keeps its content: RavenDB ignores the body of a PUT inside multi_get.
    if method == "POST" {
        request.body = body;
    }
    match entry.get("Headers") {
        None => {}
        Some(Value::Null) => return Err(Error::null_reference("Headers")),
        Some(Value::Object(headers)) => {
            request.headers = headers
                .iter()
                .filter_map(|(name, value)| Some((name.to_owned(), value.as_str()?.to_owned())))
                .collect();
        }
        Some(other) => return Err(Error::format(other, "Sparrow.Json.BlittableJsonReaderObject")),
    }
    Ok(Entry::Request(request))
}

/// A `?` inside `Url` is part of the path here, so no route matches.
fn escape_query(url: &str) -> String {
    url.replace('?', "%3F")
}

fn read_content(entry: &Object) -> Result<Vec<u8>, Error> {
    match entry.get("Content") {
        None => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(text.clone().into_bytes()),
        Some(content @ Value::Object(_)) => {
            let mut text = String::new();
            write(&mut text, content);
            Ok(text.into_bytes())
        }
        Some(Value::Null) => Err(Error::end_of_stream()),
        Some(other) => Err(Error::invalid_cast(other)),
    }
}

/// An inner response. RavenDB reports every exception as a 500 here, also conflicts and timeouts, without their
/// additional members.
fn wrapped(response: Response) -> String {
    let (status, body) = match response.status {
        408 | 409 => (500, plain(&response.body)),
        status => (status, response.body.clone()),
    };
    let body = if body.is_empty() { "null" } else { body.as_str() };
    let mut headers = String::new();
    if let Some(etag) = response.header("ETag") {
        headers = format!(r#""ETag":{}"#, crate::error::json_string(etag));
    }
    format!(r#"{{"Result":{body},"StatusCode":{status},"Headers":{{{headers}}}}}"#)
}

/// Keeps the members that all error bodies have.
fn plain(body: &str) -> String {
    let mut out = String::new();
    if let Ok(mut object) = read_object(body.as_bytes()) {
        object.retain(|name| matches!(name, "Url" | "Type" | "Message" | "Error"));
        write(&mut out, &Value::Object(object));
    }
    out
}
