//! The exchange of a lease: `multi_get` with a fence, else `hilo/next` without one.

use alloc::boxed::Box;
use alloc::string::String;

use super::{response, wire};
use crate::error::Error;
use crate::http::{Repeat, Request, Response, describe};
use crate::json::push_integer;
use crate::source::{Ask, Exchange, Grant, Step};

/// A lease in progress.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LeaseExchange {
    base: String,
    separator: char,
    ask: Ask,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    WithFence,
    Plain,
}

impl LeaseExchange {
    pub(super) fn new(base: &str, separator: char, ask: Ask) -> LeaseExchange {
        LeaseExchange { base: String::from(base), separator, ask, state: State::WithFence }
    }

    fn with_fence(&self) -> Box<Request> {
        let mut path = self.base.clone();
        path.push_str("/multi_get?nonce=");
        push_integer(&mut path, self.ask.nonce);
        Request::post(path, wire::lease_body(&self.base, &self.ask, self.separator).into_bytes(), Repeat::Anywhere)
    }

    fn plain(&self) -> Box<Request> {
        let mut path = self.base.clone();
        path.push_str("/hilo/next");
        path.push_str(&wire::lease_query(&self.ask, self.separator));
        Request::get(path)
    }

    /// The result in a response; `None` if the route does not exist.
    fn outcome(&self, response: &Response) -> Option<Result<Box<Grant>, Error>> {
        Some(match self.state {
            State::WithFence if response.status == 200 => response::leased(response, &self.ask, self.separator),
            State::WithFence => {
                let error = describe(response.status, &response.body);
                if is_missing_route(response.status, &error) {
                    return None;
                }
                Err(error)
            }
            State::Plain if response.status == 201 => {
                response::granted(&response.body, response, &self.ask, self.separator)
            }
            State::Plain => Err(describe(response.status, &response.body)),
        })
    }
}

/// Whether the response means that the route `multi_get` does not exist, as opposed to an error of the lease itself.
fn is_missing_route(status: u16, error: &Error) -> bool {
    let of_server = error.server_type();
    match status {
        400 => of_server.is_none_or(|name| name.ends_with("RouteNotFoundException")),
        // An empty 403 is RavenDB's refusal of a foreign origin, which applies to all routes.
        403 => of_server.is_some(),
        404 | 405 | 501 => true,
        _ => false,
    }
}

impl Exchange for LeaseExchange {
    type Output = Box<Grant>;

    fn step(&mut self, input: Option<Result<Box<Response>, Error>>) -> Step<Box<Grant>> {
        let outage = match input {
            None => None,
            Some(Err(error)) => return Step::Fail(error),
            Some(Ok(response)) => match self.outcome(&response) {
                Some(Ok(grant)) => return Step::Done(grant),
                None => {
                    self.state = State::Plain;
                    return Step::Send(self.plain());
                }
                // The executor does not see an outage inside of a `multi_get` response. Without the pause of `Again` the lease would
                // be retried at once, without end.
                Some(Err(error)) if error.is_outage() => Some(error),
                Some(Err(error)) => return Step::Fail(error),
            },
        };
        self.state = State::WithFence;
        let request = self.with_fence();
        match outage {
            None => Step::Send(request),
            Some(error) => Step::Again(request, error),
        }
    }
}
