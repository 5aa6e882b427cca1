//! Queries: the calls that an app made become RQL and its parameters, once, when the query is sent.
//!
//! The façade only records (`[["collection","Orders"],["whereEquals","name","a"],…]`); here the calls are checked in
//! their order and rendered. What the app gives as a value goes into the parameters, as the JSON that it is, and is
//! never read; what it gives as a name goes through `field`, which leaves nothing that RQL could read as anything else.
//! The texts are those of RavenDB's own clients, so that indexes and caches are shared with them.

mod calls;
mod clause;
mod field;
mod select;
mod word;

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use crate::error::{Code, Error};
use crate::json;
use calls::Call;
use clause::Clauses;
use field::Names;
use select::Select;
use word::Word;

/// A query while its calls are read.
#[derive(Default)]
struct Query<'a> {
    from: String,
    /// Whether it is a collection that is asked, and not an index by its name: then RavenDB makes the index.
    dynamic: bool,
    raw: Option<Cow<'a, str>>,
    names: Names<'a>,
    parameters: Parameters<'a>,
    clauses: Clauses<'a>,
    groups: Vec<String>,
    select: Select,
    orders: Vec<String>,
    includes: Vec<String>,
    timings: bool,
    skip: Option<&'a [u8]>,
    take: Option<&'a [u8]>,
    wait: Option<&'a [u8]>,
    no_caching: bool,
}

/// Parameters by name; values are JSON.
#[derive(Default)]
struct Parameters<'a>(Vec<(String, &'a [u8])>);

impl<'a> Parameters<'a> {
    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }

    /// Adds a value under the next free name, and gives the name.
    fn add(&mut self, value: &'a [u8]) -> String {
        let mut number = self.0.len() as u64;
        loop {
            let mut name = String::from("p");
            json::push_integer(&mut name, number);
            if !self.has(&name) {
                self.0.push((name.clone(), value));
                return name;
            }
            number += 1;
        }
    }
}

/// What cannot be meant at this place of a query.
#[cold]
#[inline(never)]
fn misplaced(message: &'static str) -> Error {
    Error::new(Code::InvalidOperation, message)
}

/// What no call can take.
#[cold]
#[inline(never)]
fn invalid(message: &'static str) -> Error {
    Error::new(Code::InvalidArgument, message)
}

/// Renders recorded calls, a JSON array of `[name, …arguments]`, as the body of `POST /queries`.
///
/// The names are those of npm `ravendb`'s `IDocumentQuery`; besides `collection`, `index` or `raw` say what is asked. With
/// `check` as the last one nothing is rendered: the query is not complete yet.
pub fn render(calls: &str) -> Result<String, Error> {
    let mut query = Query::default();
    let mut all = Vec::new();
    for call in json::elements(calls.as_bytes()) {
        let call = Call::read(call).ok_or_else(|| invalid("the calls of a query are not what the façade records"))?;
        query.names.qualified |= select::wants_name(&call);
        all.push(call);
    }
    for call in &all {
        query.apply(call)?;
    }
    if all.last().is_some_and(|call| call.word == Word::Check) { Ok(String::new()) } else { query.finish() }
}

impl<'a> Query<'a> {
    fn apply(&mut self, call: &Call<'a>) -> Result<(), Error> {
        match call.word {
            Word::Skip => self.skip = Some(call.count(0)?),
            Word::Take => self.take = Some(call.count(0)?),
            Word::Wait => self.wait(call.count(0)?),
            Word::NoCaching => self.no_caching = true,
            Word::Timings => self.timings = true,
            Word::Check => {}
            Word::AddParameter => {
                let name = call.text(0)?;
                let name = String::from(name.strip_prefix('$').unwrap_or(&name));
                if self.parameters.has(&name) {
                    return Err(misplaced("a parameter of that name was already added"));
                }
                self.parameters.0.push((name, call.value(1)));
            }
            Word::Raw => self.raw = Some(call.text(0)?),
            Word::Identity => self.names.identity = call.text(0)?,
            Word::DefaultOperator => self.clauses.default_operator(call.value(0) == br#""OR""#)?,
            _ if self.raw.is_some() => {
                return Err(misplaced(
                    "a raw query says everything in its text: only parameters, paging and options can be added",
                ));
            }
            Word::Collection | Word::Index => {
                self.dynamic = call.word == Word::Collection;
                self.from.push_str(if self.dynamic { "from " } else { "from index " });
                field::push_quoted(&mut self.from, &call.text(0)?);
                // What a function of the app's own calls documents.
                let alias = call.optional_text(1)?;
                if !alias.is_empty() {
                    self.from.push_str(" as ");
                    self.from.push_str(&alias);
                }
            }
            Word::GroupBy | Word::GroupByArray => {
                if !self.dynamic {
                    return Err(misplaced("groupBy works on collections, not on an index of its own"));
                }
                self.names.grouped = true;
                let name = self.field(call)?;
                let array = call.word == Word::GroupByArray;
                self.groups.push(if array { ["Array(", &name, ")"].concat() } else { name });
            }
            Word::Include => {
                let path = call.text(0)?;
                // RavenDB's own clients quote more here than elsewhere.
                let plain = path.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
                let text = if plain && !self.names.qualified { field::alias(&path) } else { field::quoted(&path) };
                if !self.includes.contains(&text) {
                    self.includes.push(text);
                }
            }
            Word::OrderBy | Word::OrderByDescending => {
                let mut order = self.field(call)?;
                order_options(&mut order, call, call.word == Word::OrderByDescending)?;
                self.orders.push(order);
            }
            Word::OrderByScore => self.orders.push(String::from("score()")),
            Word::OrderByScoreDescending => self.orders.push(String::from("score() desc")),
            Word::RandomOrdering => {
                self.no_caching = true;
                let mut order = String::from("random(");
                let seed = call.optional_text(0)?;
                if !seed.is_empty() {
                    field::push_quoted(&mut order, &seed);
                }
                order.push(')');
                self.orders.push(order);
            }
            Word::SelectFields | Word::Distinct | Word::SelectKey | Word::SelectSum | Word::SelectCount => {
                self.select.apply(call, &self.names)?;
            }
            _ => {
                self.clauses.apply(call, &self.names, &mut self.parameters)?;
            }
        }
        Ok(())
    }

    /// The field that a call is about, as RQL names it.
    fn field(&self, call: &Call<'_>) -> Result<String, Error> {
        Ok(self.names.name(&call.text(0)?))
    }

    /// The longest time that was asked for counts.
    fn wait(&mut self, millis: &'a [u8]) {
        let known = self.wait.and_then(json::integer).unwrap_or_default();
        if json::integer(millis).unwrap_or_default() > known {
            self.wait = Some(millis);
        }
    }

    fn finish(mut self) -> Result<String, Error> {
        let mut text = String::new();
        match &self.raw {
            Some(raw) => text.push_str(raw),
            None if self.from.is_empty() => {
                return Err(misplaced("a query needs a collection or the name of an index"));
            }
            None => self.compose(&mut text)?,
        }
        // To skip none is to say nothing.
        let skip = self.skip.filter(|count| self.take.is_some() || *count != b"0");
        if skip.is_some() || self.take.is_some() {
            let null = &b"null"[..];
            for (between, value) in [(" limit $", skip), (", $", self.take)] {
                text.push_str(between);
                text.push_str(&self.parameters.add(value.unwrap_or(null)));
            }
        }
        Ok(self.body(&text))
    }

    fn compose(&self, text: &mut String) -> Result<(), Error> {
        text.push_str(&self.from);
        if self.names.qualified {
            text.push_str(" as ");
            text.push_str(field::DOCUMENT);
        }
        push_list(text, " group by ", &self.groups, ", ");
        self.clauses.push(text)?;
        push_list(text, " order by ", &self.orders, ", ");
        self.select.push(text);
        push_list(text, " include ", &self.includes, ",");
        if self.timings {
            text.push_str(if self.includes.is_empty() { " include timings()" } else { ",timings()" });
        }
        Ok(())
    }

    fn body(&self, text: &str) -> String {
        let mut body = String::from(r#"{"Query":"#);
        json::push_string(&mut body, text);
        if let Some(millis) = self.wait {
            body.push_str(r#","WaitForNonStaleResults":true,"WaitForNonStaleResultsTimeout":"#);
            push_json(&mut body, millis);
        }
        if self.no_caching {
            body.push_str(r#","DisableCaching":true"#);
        }
        body.push_str(r#","QueryParameters":{"#);
        for (at, (name, value)) in self.parameters.0.iter().enumerate() {
            if at > 0 {
                body.push(',');
            }
            json::push_string(&mut body, name);
            body.push(':');
            push_json(&mut body, value);
        }
        body.push_str("}}");
        body
    }
}

/// Appends the ordering that a call asks for: `String` (the default), `Long`, `Double`, `AlphaNumeric`, or a sorter by its
/// name; where nulls go.
fn order_options(order: &mut String, call: &Call<'_>, descending: bool) -> Result<(), Error> {
    let sorter = call.optional_text(3)?;
    if !sorter.is_empty() {
        order.insert_str(0, "custom(");
        order.push_str(", ");
        field::push_quoted(order, &sorter);
        order.push(')');
    }
    order.push_str(match call.value(1) {
        br#""Long""# => " as long",
        br#""Double""# => " as double",
        br#""AlphaNumeric""# => " as alphaNumeric",
        _ => "",
    });
    if descending {
        order.push_str(" desc");
    }
    order.push_str(match call.value(2) {
        br#""First""# => " nulls first",
        br#""Last""# => " nulls last",
        _ => "",
    });
    Ok(())
}

fn push_list(text: &mut String, before: &str, items: &[String], between: &str) {
    for (at, item) in items.iter().enumerate() {
        text.push_str(if at == 0 { before } else { between });
        text.push_str(item);
    }
}

/// Appends a piece of the text that the calls came in.
fn push_json(out: &mut String, value: &[u8]) {
    out.push_str(core::str::from_utf8(value).unwrap_or("null"));
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
