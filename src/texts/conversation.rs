//! A conversation with its texts, for hosts that have no store: the lease hub.

use super::{Attempt, Dialogue, Executor, Input};
use crate::error::{Code, Error};
use crate::http::{self, Call, Request};
use crate::source::Exchange;

/// What the caller does next.
#[derive(Debug, PartialEq, Eq)]
pub enum Next<T> {
    /// Send [`Conversation::request`] to this address.
    Send(Attempt),
    /// Wait for this many milliseconds.
    Pause(u64),
    /// The exchange has ended.
    Done(T),
    /// The exchange has failed.
    Fail(Error),
}

/// An exchange with one time limit for all its requests.
#[derive(Clone, Debug)]
pub struct Conversation<E: Exchange> {
    dialogue: Dialogue<E>,
    conversation: http::Conversation,
}

impl<E: Exchange> Conversation<E> {
    /// Begins an exchange; `call` contains the time limit.
    pub fn new(exchange: E, call: Call) -> Conversation<E> {
        let dialogue = Dialogue::new(exchange);
        let conversation = http::Conversation::new(call, dialogue.rule());
        Conversation { dialogue, conversation }
    }

    /// The request of the last [`Next::Send`].
    pub fn request(&self) -> Option<&Request> {
        self.dialogue.request()
    }

    /// Advances the exchange with the result of the last step. `now` in milliseconds; `random`: any number, for the jitter of a pause.
    pub fn step(&mut self, executor: &mut Executor, input: Input, now: u64, random: u32) -> Next<E::Output> {
        let (node, conversation) = (self.conversation.node(), &mut self.conversation);
        let next =
            self.dialogue.step(input, node, |report| conversation.step(&mut executor.nodes, report, now, random));
        match (next, self.dialogue.request()) {
            (http::Next::Send(attempt), Some(request)) => Next::Send(executor.addresses.attempt(attempt, request)),
            (http::Next::Pause(pause), _) => Next::Pause(pause),
            _ => match self.dialogue.take_result() {
                Some(Ok(output)) => Next::Done(output),
                Some(Err(error)) => Next::Fail(error),
                None => Next::Fail(Error::new(Code::InvalidOperation, "the exchange has no request")),
            },
        }
    }
}

#[cfg(test)]
#[path = "conversation_tests.rs"]
mod tests;
