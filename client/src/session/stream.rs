//! Results of a query one by one, as they arrive.

use std::collections::VecDeque;
use std::marker::PhantomData;
use std::ops::Deref;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::runtime::{assert_runtime, within};
use crate::store::Answer;
use crate::transport::{Body, BoxFuture, NoResponse};
use crate::{Error, Result};

/// A result of a query that is not the session's. Reads like the value inside.
#[derive(Debug)]
#[non_exhaustive]
pub struct Row<T> {
    /// The id of the document, if the result has one.
    pub id: Option<String>,
    /// The value.
    pub value: T,
}

impl<T> Deref for Row<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

type Piece = (Box<dyn Body>, std::result::Result<Option<Vec<u8>>, NoResponse>);

/// The results of [`Query::stream`](crate::Query::stream).
pub struct QueryStream<T> {
    request: String,
    /// Milliseconds for each piece.
    limit: u64,
    /// The next piece of the body; `None`: the stream has ended.
    reading: Option<BoxFuture<'static, Piece>>,
    results: Splitter,
    of: PhantomData<fn() -> T>,
}

fn piece(mut body: Box<dyn Body>, limit: u64) -> BoxFuture<'static, Piece> {
    let late = move |reason: String| Err(NoResponse { reason, unsent: false });
    Box::pin(async move {
        let piece = match assert_runtime() {
            Ok(()) => within(limit, body.next()).await,
            Err(error) => Some(late(error.to_string())),
        };
        (body, piece.unwrap_or_else(|| late(format!("nothing has come for {limit} ms"))))
    })
}

impl<T: DeserializeOwned> QueryStream<T> {
    /// `limit`: milliseconds for each piece of the body.
    pub(super) fn new(answer: Answer, limit: u64) -> QueryStream<T> {
        let reading = answer.stream.map(|body| piece(body, limit));
        QueryStream { request: answer.request, limit, reading, results: Splitter::default(), of: PhantomData }
    }

    /// The next result; `None`: there are no more.
    pub async fn next(&mut self) -> Option<Result<Row<T>>> {
        std::future::poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    fn fail(&mut self, reason: &str) -> Poll<Option<Result<Row<T>>>> {
        self.reading = None;
        self.results.ready.clear();
        Poll::Ready(Some(Err(Error::answer(&self.request, reason))))
    }
}

impl<T: DeserializeOwned> Stream for QueryStream<T> {
    type Item = Result<Row<T>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(text) = self.results.ready.pop_front() {
                let Ok(value) = serde_json::from_slice::<Value>(&text) else {
                    return self.fail("a result is not JSON");
                };
                return Poll::Ready(Some(Row::read(value)));
            }
            let Some(reading) = &mut self.reading else { return Poll::Ready(None) };
            let (body, next) = ready!(reading.as_mut().poll(context));
            match next {
                Ok(Some(bytes)) => {
                    if !self.results.push(&bytes) {
                        return self.fail("it is not a list of results");
                    }
                    self.reading = Some(piece(body, self.limit));
                }
                Ok(None) if self.results.has_ended() => self.reading = None,
                Ok(None) => return self.fail("it breaks off"),
                Err(error) => return self.fail(&format!("it breaks off: {}", error.reason)),
            }
        }
    }
}

impl<T> Unpin for QueryStream<T> {}

/// Finds the elements of the array `Results` in a text that arrives in pieces.
#[derive(Default)]
struct Splitter {
    /// The texts of elements that are whole.
    ready: VecDeque<Vec<u8>>,
    /// The element, or the text outside of `Results`, so far.
    text: Vec<u8>,
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    /// Whether the array is open.
    in_results: bool,
    begun: bool,
    ended: bool,
}

impl Splitter {
    /// Returns whether the text can still be a list of results.
    fn push(&mut self, bytes: &[u8]) -> bool {
        bytes.iter().all(|byte| self.take(*byte))
    }

    fn take(&mut self, byte: u8) -> bool {
        if self.in_string {
            self.keep(byte);
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return true;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.keep(byte);
            }
            b'{' | b'[' => {
                self.depth += 1;
                if self.depth == 2 && byte == b'[' && self.text.ends_with(b"\"Results\":") {
                    self.in_results = true;
                    self.text.clear();
                } else {
                    self.keep(byte);
                }
            }
            b'}' | b']' => {
                let Some(depth) = self.depth.checked_sub(1) else { return false };
                self.depth = depth;
                if self.in_results && depth == 1 {
                    self.element();
                    self.in_results = false;
                } else {
                    self.keep(byte);
                }
                self.ended |= depth == 0;
            }
            b',' if self.in_results && self.depth == 2 => self.element(),
            b' ' | b'\t' | b'\r' | b'\n' => {}
            _ => self.keep(byte),
        }
        // An HTML page, for example.
        self.begun |= self.depth > 0;
        self.begun
    }

    /// Outside of the results only the name of the member before the next array matters.
    fn keep(&mut self, byte: u8) {
        if !self.in_results && self.text.len() >= 64 {
            self.text.drain(..32);
        }
        self.text.push(byte);
    }

    fn element(&mut self) {
        if !self.text.is_empty() {
            self.ready.push_back(std::mem::take(&mut self.text));
        }
    }

    fn has_ended(&self) -> bool {
        self.ended && self.depth == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = r#"{"ResultEtag":7,"Note":"\"Results\":[","Results":[{"a":"],} \" x"},{"b":[1,{"c":2}]}, 3],"IncludeCompareExchangeValues":null}"#;

    #[test]
    fn the_results_of_a_body_that_arrives_in_pieces_are_found() {
        for size in 1..BODY.len() {
            let mut splitter = Splitter::default();
            assert!(BODY.as_bytes().chunks(size).all(|piece| splitter.push(piece)));
            assert!(splitter.has_ended());
            let texts = splitter.ready.iter().map(|text| String::from_utf8_lossy(text).into_owned());
            assert_eq!(texts.collect::<Vec<_>>(), [r#"{"a":"],} \" x"}"#, r#"{"b":[1,{"c":2}]}"#, "3"], "{size}");
        }
    }

    #[test]
    fn a_body_that_breaks_off_has_not_ended() {
        for end in 0..BODY.len() {
            let mut splitter = Splitter::default();
            splitter.push(&BODY.as_bytes()[..end]);
            assert!(!splitter.has_ended(), "{end}");
        }
        assert!(!Splitter::default().push(b"<html>"));
    }
}
