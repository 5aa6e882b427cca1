//! Exchanges of a single request, and the enum of all exchanges.

use super::{Exchange, Grant, LeaseExchange, Step};
use alloc::boxed::Box;

use crate::error::Error;
use crate::http::{Request, Response, describe};
use crate::json;

/// Which responses are results; every other one is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expects {
    /// Any response; the caller checks it.
    Any,
    /// Only this status.
    Status(u16),
    /// Documents: 200, or 404 without a body if none of the ids exists. A 404 with a body means a wrong address.
    Documents,
    /// The result of a command, which includes 404 (not found) and 304 (not modified).
    Command,
}

impl Expects {
    fn accepts(self, response: &Response) -> bool {
        match self {
            Expects::Any => true,
            Expects::Status(status) => response.status == status,
            Expects::Documents => response.status == 200 || response.status == 404 && response.body.is_empty(),
            // A 404 with a type means that the database or the index does not exist.
            Expects::Command => {
                response.status < 400 || response.status == 404 && json::get(&response.body, "Type").is_none()
            }
        }
    }
}

/// One request and its response.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Single {
    /// `None` after it was sent.
    request: Option<Box<Request>>,
    expects: Expects,
}

impl Single {
    /// The exchange that sends `request`.
    pub fn new(request: Box<Request>, expects: Expects) -> Single {
        Single { request: Some(request), expects }
    }
}

impl Exchange for Single {
    type Output = Box<Response>;

    fn step(&mut self, input: Option<Result<Box<Response>, Error>>) -> Step<Box<Response>> {
        match (self.request.take(), input) {
            (Some(request), _) => Step::Send(request),
            (None, Some(Ok(response))) if self.expects.accepts(&response) => Step::Done(response),
            (None, Some(Ok(response))) => Step::Fail(describe(response.status, &response.body)),
            (None, Some(Err(error))) => Step::Fail(error),
            (None, None) => Step::Fail(describe(0, &[])),
        }
    }
}

/// A lease, or a single request.
#[allow(clippy::large_enum_variant, reason = "there is one for each request under way, and it is not moved")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AnyExchange {
    /// A lease.
    Lease(LeaseExchange),
    /// A single request.
    Single(Single),
}

/// The result of an [`AnyExchange`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// The range of a lease.
    Grant(Box<Grant>),
    /// The response to a single request.
    Response(Box<Response>),
}

impl Exchange for AnyExchange {
    type Output = Output;

    fn step(&mut self, input: Option<Result<Box<Response>, Error>>) -> Step<Output> {
        match self {
            AnyExchange::Lease(lease) => lease.step(input).map(Output::Grant),
            AnyExchange::Single(single) => single.step(input).map(Output::Response),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::NodeId;
    use alloc::string::String;

    fn ended(expects: Expects, status: u16, body: &[u8]) -> bool {
        let mut single = Single::new(Request::get(String::from("/docs")), expects);
        assert!(matches!(single.step(None), Step::Send(_)));
        let response = Response { status, body: body.to_vec(), node: NodeId(0), incarnation: None };
        matches!(single.step(Some(Ok(Box::new(response)))), Step::Done(_))
    }

    #[test]
    fn the_expectation_decides_whether_a_response_is_a_result_or_an_error() {
        for (expects, status, body, result) in [
            (Expects::Status(201), 201, "{}", true),
            (Expects::Status(201), 200, "{}", false),
            (Expects::Documents, 200, "{}", true),
            (Expects::Documents, 404, "", true),
            (Expects::Documents, 404, "<html>", false),
            (Expects::Documents, 409, "", false),
            (Expects::Command, 404, "<html>", true),
            (Expects::Command, 404, r#"{"Type":"DatabaseDoesNotExistException"}"#, false),
            (Expects::Command, 304, "", true),
            (Expects::Command, 400, "", false),
            (Expects::Command, 500, "", false),
            (Expects::Any, 500, "", true),
        ] {
            assert_eq!(ended(expects, status, body.as_bytes()), result, "{expects:?} {status} {body}");
        }
    }
}
