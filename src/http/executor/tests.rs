use super::retry::MAX_PAUSE_MS;
use super::*;
use crate::error::{Code, Error};
use crate::http::{Method, Repeat};

fn reached_at(urls: &[&str], database: &str, timeout: u64) -> Executor {
    let mut executor = Executor::new(database, timeout);
    urls.iter().for_each(|url| executor.add(url));
    executor
}

fn two() -> Executor {
    reached_at(&["http://a/", "http://b"], "My Shop", 10_000)
}

fn down() -> Error {
    Error::new(Code::Unreachable, "down")
}

#[test]
fn a_route_of_the_server_does_not_get_the_databases_path() {
    let executor = two();
    assert_eq!(executor.route("docs"), "/databases/My%20Shop/docs");
    assert_eq!(executor.route("/admin/databases"), "/admin/databases");
}

#[test]
fn a_method_is_found_by_its_name() {
    let all = ["GET", "POST", "PUT", "DELETE", "HEAD", "PATCH", "RESET"];
    assert_eq!(all.map(|name| Method::named(name).name()), all);
}

#[test]
fn reads_fail_over_at_once_and_then_pause() {
    let mut executor = two();
    let request = Request::get(executor.route("docs"));
    let mut call = executor.call(0, u64::MAX);
    let first = executor.attempt(&call, &request, 0);
    assert_eq!(first.url, "http://a/databases/My%20Shop/docs");
    assert_eq!(executor.failed(&mut call, &request, first.node, down(), 0, 7), Verdict::Again(0));
    let second = executor.attempt(&call, &request, 0);
    assert_eq!(second.url, "http://b/databases/My%20Shop/docs");
    executor.responded(&call, second.node);
    let next = executor.attempt(&executor.call(1, u64::MAX), &request, 1);
    assert_eq!(next.node, second.node, "the node that responded stays the current one");
    let Verdict::Again(pause) = executor.failed(&mut call, &request, second.node, down(), 0, 7) else { panic!() };
    assert!((50..=100).contains(&pause));
}

#[test]
fn balanced_reads_begin_with_the_node_of_their_turn_and_do_not_change_the_current_node() {
    let mut executor = two();
    let request = Request::get("/x".into());
    let begun = |executor: &Executor, turn| {
        let mut call = executor.call(0, u64::MAX);
        executor.spread(&mut call, turn);
        (executor.attempt(&call, &request, 0).node, call)
    };
    assert_eq!([0, 1, 2, 3].map(|turn| begun(&executor, turn).0.0), [0, 1, 0, 1]);
    let (node, mut call) = begun(&executor, 1);
    assert_eq!(executor.failed(&mut call, &request, node, down(), 0, 7), Verdict::Again(0));
    assert_eq!(executor.attempt(&call, &request, 0).node, NodeId(0), "the other node remains");
    executor.responded(&begun(&executor, 1).1, NodeId(1));
    assert_eq!(executor.attempt(&executor.call(0, u64::MAX), &request, 0).node, NodeId(0));
    executor.begin_topology(2);
    begun(&executor, 7);
}

#[test]
fn pauses_grow_and_end_at_the_deadline() {
    let mut executor = reached_at(&["http://a"], "d", 5_000);
    let request = Request::get("/x".into());
    let mut call = executor.call(0, u64::MAX);
    let (mut now, mut tries) = (0, 0);
    while let Verdict::Again(pause) = executor.failed(&mut call, &request, NodeId(0), down(), now, 12345) {
        assert!(pause <= MAX_PAUSE_MS);
        now += pause;
        tries += 1;
        assert!(now < 5_000);
    }
    assert!((4..20).contains(&tries), "{tries}");
}

#[test]
fn clients_that_lose_a_race_retry_with_pauses_until_the_deadline() {
    let executor = reached_at(&["http://a"], "d", 5_000);
    let mut call = executor.call(0, u64::MAX);
    let (mut now, mut pauses) = (0, Vec::new());
    while let Verdict::Again(pause) = executor.contended(&mut call, down(), now, 12345) {
        now += pause;
        pauses.push(pause);
    }
    assert!((5..=10).contains(&pauses[0]), "{pauses:?}");
    assert!(now < 5_000 && pauses.iter().all(|pause| *pause <= MAX_PAUSE_MS), "{pauses:?}");
}

#[test]
fn writes_that_must_not_be_repeated_are_sent_once() {
    let mut executor = two();
    let request = Request::post("/bulk_docs".into(), b"{}".to_vec(), Repeat::Never);
    let mut call = executor.call(0, u64::MAX);
    assert_eq!(executor.failed(&mut call, &request, NodeId(0), down(), 0, 0), Verdict::Fail(down()));
}

#[test]
fn writes_that_must_not_be_repeated_go_to_each_other_node_once_if_nothing_was_sent() {
    let mut executor = two();
    let request = Request::post("/bulk_docs".into(), b"{}".to_vec(), Repeat::Never);
    let mut call = executor.call(0, u64::MAX);
    call.unsent();
    assert_eq!(executor.failed(&mut call, &request, NodeId(0), down(), 0, 0), Verdict::Again(0));
    assert_eq!(executor.attempt(&call, &request, 0).node, NodeId(1));
    let mut lost = call.clone();
    assert_eq!(executor.failed(&mut lost, &request, NodeId(1), down(), 0, 0), Verdict::Fail(down()));
    call.unsent();
    let Verdict::Fail(error) = executor.failed(&mut call, &request, NodeId(1), down(), 0, 0) else { panic!() };
    assert!(error.unsent, "nothing was sent to any node");
}

#[test]
fn after_a_410_a_write_goes_to_another_node_but_does_not_count_as_unsent() {
    let mut executor = reached_at(&["http://a"], "d", 10_000);
    let request = Request::post("/bulk_docs".into(), b"{}".to_vec(), Repeat::Never);
    let mut call = executor.call(0, u64::MAX);
    call.unsent();
    let mut gone = Error::new(Code::Server, "gone");
    gone.status = crate::http::GONE;
    assert_eq!(executor.failed(&mut call, &request, NodeId(0), gone.clone(), 0, 0), Verdict::Fail(gone));
}

/// Sends a read until it fails; returns the nodes of its attempts, and whether its error says that nothing was sent.
fn read_until_it_fails(executor: &mut Executor, request: &Request, unsent: impl Fn(usize) -> bool) -> (Vec<u32>, bool) {
    let mut call = executor.call(0, u64::MAX);
    let mut nodes = Vec::new();
    loop {
        let node = executor.attempt(&call, request, 0).node;
        if unsent(nodes.len()) {
            call.unsent();
        }
        nodes.push(node.0);
        match executor.failed(&mut call, request, node, down(), 0, 7) {
            Verdict::Again(pause) => assert_eq!(pause, 0, "there is no pause"),
            Verdict::Fail(error) => return (nodes, error.unsent),
        }
    }
}

#[test]
fn a_read_that_cannot_connect_is_tried_once_on_each_node() {
    let request = Request::get("/x".into()).repeated(Repeat::EachNode);
    assert_eq!(read_until_it_fails(&mut two(), &request, |_| true), ([0, 1].to_vec(), true));
}

#[test]
fn a_read_whose_connection_breaks_is_tried_twice_on_each_node() {
    let mut request = Request::get("/x".into()).repeated(Repeat::EachNode);
    assert_eq!(read_until_it_fails(&mut two(), &request, |_| false), ([0, 1, 0, 1].to_vec(), false));
    let first_broke = |attempt| attempt == 1;
    assert_eq!(read_until_it_fails(&mut two(), &request, first_broke), ([0, 1, 0, 1].to_vec(), false));
    request.node = Some(NodeId(1));
    assert_eq!(read_until_it_fails(&mut two(), &request, |_| false), ([1, 1].to_vec(), false));
}

#[test]
fn a_read_that_a_proxy_refuses_or_that_times_out_is_not_retried_on_the_same_node() {
    let mut executor = reached_at(&["http://a"], "d", 5_000);
    let request = Request::get("/x".into()).repeated(Repeat::EachNode);
    let mut overloaded = Error::new(Code::Server, "overloaded");
    overloaded.status = 503;
    for (error, now) in [(overloaded, 0), (Error::new(Code::Timeout, "late"), 5_000), (down(), 5_000)] {
        let mut call = executor.call(0, u64::MAX);
        assert_eq!(executor.failed(&mut call, &request, NodeId(0), error.clone(), now, 0), Verdict::Fail(error));
    }
}

#[test]
fn an_unsent_request_of_a_conversation_does_not_make_the_next_one_unsent() {
    let mut executor = two();
    let read = Request::get("/x".into());
    let write = Request::post("/bulk_docs".into(), b"{}".to_vec(), Repeat::Never);
    let mut call = executor.call(0, u64::MAX);
    call.unsent();
    assert_eq!(executor.failed(&mut call, &read, NodeId(0), down(), 0, 0), Verdict::Again(0));
    call.next();
    assert_eq!(executor.failed(&mut call, &write, NodeId(1), down(), 0, 0), Verdict::Fail(down()));
}

#[test]
fn fenced_writes_stay_on_their_node() {
    let mut executor = two();
    let mut request = Request::post("/bulk_docs".into(), b"{}".to_vec(), Repeat::SameNode);
    request.node = Some(NodeId(1));
    let mut call = executor.call(0, u64::MAX);
    for _ in 0..3 {
        let attempt = executor.attempt(&call, &request, 0);
        assert_eq!(attempt.node, NodeId(1));
        assert!(matches!(executor.failed(&mut call, &request, attempt.node, down(), 0, 0), Verdict::Again(1..)));
    }
}

#[test]
fn refused_requests_are_not_retried() {
    let mut executor = two();
    let request = Request::get("/x".into());
    let mut call = executor.call(0, u64::MAX);
    let mut refusal = Error::new(Code::Server, "no");
    refusal.status = 500;
    assert_eq!(executor.failed(&mut call, &request, NodeId(0), refusal.clone(), 0, 0), Verdict::Fail(refusal));
}

#[test]
fn a_topology_adds_nodes_but_keeps_the_node_that_responds() {
    let mut executor = reached_at(&["http://proxy"], "d", 1_000);
    executor.begin_topology(5);
    ["http://x", "http://y", "http://proxy"].iter().for_each(|url| executor.add(url));
    assert_eq!(executor.topology_etag(), 5);
    let request = Request::get("/p".into());
    let mut call = executor.call(0, u64::MAX);
    let first = executor.attempt(&call, &request, 0);
    assert_eq!((first.url.as_str(), first.limit), ("http://proxy/p", 500));
    executor.failed(&mut call, &request, first.node, down(), 0, 0);
    assert_eq!(executor.attempt(&call, &request, 0).url, "http://x/p");
}

#[test]
fn the_time_that_the_server_may_wait_is_added_to_the_limit() {
    let executor = two();
    let (read, write) = (Request::get("/q".into()), Request::post("/s".into(), Vec::new(), Repeat::Never));
    let mut call = executor.call(5, u64::MAX);
    call.extend(30_000);
    assert_eq!(executor.attempt(&call, &read, 5).limit, 35_000, "half of the rest is left for the other node");
    assert_eq!(executor.attempt(&call, &write, 5).limit, 40_000);
    let failed = |at: u64, call: &mut Call| {
        let mut executor = two();
        executor.failed(call, &read, NodeId(0), down(), at, 0);
        executor.failed(call, &read, NodeId(1), down(), at, 0)
    };
    assert!(matches!(failed(9_000, &mut call), Verdict::Again(_)));
    assert_eq!(failed(10_005, &mut call), Verdict::Fail(down()), "the extra time is not for an unreachable server");
    call.extend(u64::MAX);
    assert_eq!(executor.attempt(&call, &write, 5).limit, MAX_TIMER_MS);
}

#[test]
fn after_a_write_that_failed_the_next_one_begins_with_another_node() {
    let mut executor = two();
    let write = Request::post(String::from("/save"), Vec::new(), Repeat::Never);
    let node = |executor: &Executor| executor.attempt(&executor.call(0, u64::MAX), &write, 0).node;
    for expected in [0, 1, 0] {
        assert_eq!(node(&executor), NodeId(expected));
        let mut call = executor.call(0, u64::MAX);
        let refused = Error::new(Code::Server, "no");
        assert!(matches!(executor.failed(&mut call, &write, NodeId(expected), refused, 0, 0), Verdict::Fail(_)));
        assert_eq!(node(&executor), NodeId(expected), "the server responded");
        assert!(matches!(executor.failed(&mut call, &write, NodeId(expected), down(), 0, 0), Verdict::Fail(_)));
    }
    let mut call = executor.call(0, u64::MAX);
    executor.failed(&mut call, &write, NodeId(0), down(), 0, 0);
    assert_eq!(node(&executor), NodeId(1), "a failure of another node does not change the current one");
}

/// An executor whose current node is no longer in its topology.
fn left_behind() -> Executor {
    let mut executor = two();
    executor.responded(&executor.call(0, u64::MAX), NodeId(1));
    executor.begin_topology(7);
    executor.add("http://a");
    assert_eq!(executor.attempt(&executor.call(0, u64::MAX), &Request::get("/x".into()), 0).node, NodeId(1));
    executor
}

#[test]
fn after_a_failed_write_the_next_one_leaves_a_node_that_is_no_longer_in_the_topology() {
    let mut executor = left_behind();
    let write = Request::post("/save".into(), Vec::new(), Repeat::Never);
    let mut call = executor.call(0, u64::MAX);
    assert_eq!(executor.failed(&mut call, &write, NodeId(1), down(), 0, 0), Verdict::Fail(down()));
    assert_eq!(executor.attempt(&executor.call(0, u64::MAX), &write, 0).node, NodeId(0));
}

#[test]
fn a_hanging_node_that_is_no_longer_in_the_topology_leaves_time_for_the_others() {
    let executor = left_behind();
    let read = Request::get("/x".into());
    assert_eq!(executor.attempt(&executor.call(0, u64::MAX), &read, 0).limit, 5_000);
}
