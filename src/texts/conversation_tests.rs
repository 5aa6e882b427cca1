use super::*;
use crate::http::{Method, Repeat};
use crate::protocol::reply;
use crate::source::{Expects, Single};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

const LIMIT: u64 = 1_000;

fn executor(nodes: &[&str]) -> Executor {
    let mut executor = Executor::new("d", LIMIT);
    nodes.iter().for_each(|url| executor.add(url));
    executor
}

fn single(executor: &Executor, repeat: Repeat) -> Conversation<Single> {
    let request = Request::post(String::from("/write"), vec![1], repeat);
    Conversation::new(Single::new(request, Expects::Status(201)), executor.call(0, LIMIT))
}

fn response(status: u16) -> Input {
    Input::Response { status, body: Vec::new(), incarnation: Some(String::from("i")) }
}

fn url<T: core::fmt::Debug>(next: Next<T>) -> String {
    let Next::Send(attempt) = next else { panic!("{next:?}") };
    attempt.url
}

#[test]
fn an_exchange_of_one_request_ends_with_its_response() {
    let mut executor = executor(&["http://a"]);
    let mut conversation = single(&executor, Repeat::Never);
    assert_eq!(url(conversation.step(&mut executor, Input::Proceed, 0, 0)), "http://a/write");
    assert_eq!(conversation.request().map(|request| request.method), Some(Method::Post));
    let Next::Done(response) = conversation.step(&mut executor, response(201), 5, 0) else { panic!("not done") };
    assert_eq!((response.status, response.incarnation.as_deref()), (201, Some("i")));
}

#[test]
fn a_refusal_names_its_request() {
    let mut executor = executor(&["http://a"]);
    let mut conversation = single(&executor, Repeat::Never);
    conversation.step(&mut executor, Input::Proceed, 0, 0);
    let Next::Fail(error) = conversation.step(&mut executor, response(409), 5, 0) else { panic!("not refused") };
    assert_eq!((error.code, error.request.as_str()), (Code::Concurrency, "POST /write"));
}

#[test]
fn a_read_goes_to_the_next_node_at_once_and_begins_anew_after_a_pause() {
    let mut executor = executor(&["http://a", "http://b"]);
    let mut conversation = single(&executor, Repeat::Anywhere);
    assert_eq!(url(conversation.step(&mut executor, Input::Proceed, 0, 0)), "http://a/write");
    assert_eq!(url(conversation.step(&mut executor, Input::Late, 0, 0)), "http://b/write");
    let next = conversation.step(&mut executor, response(503), 0, 0);
    assert!(matches!(next, Next::Pause(1..)), "{next:?}");
    url(conversation.step(&mut executor, Input::Proceed, 100, 0));
}

#[test]
fn a_write_is_sent_once_unless_nothing_was_sent() {
    let lost = Input::Unreachable { reason: String::new(), unsent: false };
    let unsent = Input::Unreachable { reason: String::new(), unsent: true };
    let body = br#"{"Type":"Raven.Client.Exceptions.Database.DatabaseNotRelevantException"}"#.to_vec();
    let moved = Input::Response { status: 410, body, incarnation: None };
    let page = response(410);
    for (input, again) in [(lost, false), (unsent, true), (moved, true), (page, false), (response(503), false)] {
        let mut executor = executor(&["http://a", "http://b"]);
        let mut conversation = single(&executor, Repeat::Never);
        conversation.step(&mut executor, Input::Proceed, 0, 0);
        let next = conversation.step(&mut executor, input.clone(), 0, 0);
        assert_eq!(matches!(next, Next::Send(_)), again, "{input:?}: {next:?}");
    }
}

#[test]
fn reports_of_the_package_are_decoded_as_inputs() {
    let text = || Some(String::from("why"));
    for (status, input) in [
        (reply::PROCEED, Input::Proceed),
        (reply::UNREACHABLE, Input::Unreachable { reason: "why".into(), unsent: false }),
        (reply::UNSENT, Input::Unreachable { reason: "why".into(), unsent: true }),
        (reply::LATE, Input::Late),
        (200, Input::Response { status: 200, body: vec![7], incarnation: text() }),
    ] {
        let body = if status == 200 { vec![7] } else { Vec::new() };
        assert_eq!(Input::reported(status, body, text()), input);
    }
}
