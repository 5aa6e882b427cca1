use super::retry::MAX_PAUSE_MS;
use super::*;
use crate::http::Repeat;

fn nodes(count: u32, timeout: u64) -> Executor {
    let mut executor = Executor::new(timeout);
    (0..count).for_each(|node| executor.add(NodeId(node)));
    executor
}

fn two() -> Executor {
    nodes(2, 10_000)
}

/// A failure because the connection broke.
const DOWN: bool = true;
/// A failure because of a status, or because there was no response in time.
const BUSY: bool = false;

const READ: Rule = Rule { repeat: Repeat::Anywhere, node: None };
const ONCE_EACH: Rule = Rule { repeat: Repeat::EachNode, node: None };
const WRITE: Rule = Rule { repeat: Repeat::Never, node: None };

#[test]
fn reads_fail_over_at_once_and_then_pause() {
    let mut executor = two();
    let request = READ;
    let mut call = executor.call(0, u64::MAX);
    let first = executor.attempt(&call, request, 0);
    assert_eq!(first.node, NodeId(0));
    assert_eq!(executor.failed(&mut call, request, first.node, DOWN, 0, 7), Verdict::Again(0));
    let second = executor.attempt(&call, request, 0);
    assert_eq!(second.node, NodeId(1));
    executor.responded(&call, second.node);
    let next = executor.attempt(&executor.call(1, u64::MAX), request, 1);
    assert_eq!(next.node, second.node, "the node that responded stays the current one");
    let Verdict::Again(pause) = executor.failed(&mut call, request, second.node, DOWN, 0, 7) else { panic!() };
    assert!((50..=100).contains(&pause));
}

#[test]
fn balanced_reads_begin_with_the_node_of_their_turn_and_do_not_change_the_current_node() {
    let mut executor = two();
    let request = READ;
    let begun = |executor: &Executor, turn| {
        let mut call = executor.call(0, u64::MAX);
        executor.spread(&mut call, turn);
        (executor.attempt(&call, request, 0).node, call)
    };
    assert_eq!([0, 1, 2, 3].map(|turn| begun(&executor, turn).0.0), [0, 1, 0, 1]);
    let (node, mut call) = begun(&executor, 1);
    assert_eq!(executor.failed(&mut call, request, node, DOWN, 0, 7), Verdict::Again(0));
    assert_eq!(executor.attempt(&call, request, 0).node, NodeId(0), "the other node remains");
    executor.responded(&begun(&executor, 1).1, NodeId(1));
    assert_eq!(executor.attempt(&executor.call(0, u64::MAX), request, 0).node, NodeId(0));
    executor.begin_topology();
    begun(&executor, 7);
}

#[test]
fn pauses_grow_and_end_at_the_deadline() {
    let mut executor = nodes(1, 5_000);
    let request = READ;
    let mut call = executor.call(0, u64::MAX);
    let (mut now, mut tries) = (0, 0);
    while let Verdict::Again(pause) = executor.failed(&mut call, request, NodeId(0), DOWN, now, 12345) {
        assert!(pause <= MAX_PAUSE_MS);
        now += pause;
        tries += 1;
        assert!(now < 5_000);
    }
    assert!((4..20).contains(&tries), "{tries}");
}

#[test]
fn clients_that_lose_a_race_retry_with_pauses_until_the_deadline() {
    let executor = nodes(1, 5_000);
    let mut call = executor.call(0, u64::MAX);
    let (mut now, mut pauses) = (0, Vec::new());
    while let Verdict::Again(pause) = executor.contended(&mut call, now, 12345) {
        now += pause;
        pauses.push(pause);
    }
    assert!((5..=10).contains(&pauses[0]), "{pauses:?}");
    assert!(now < 5_000 && pauses.iter().all(|pause| *pause <= MAX_PAUSE_MS), "{pauses:?}");
}

#[test]
fn writes_that_must_not_be_repeated_are_sent_once() {
    let mut executor = two();
    let request = WRITE;
    let mut call = executor.call(0, u64::MAX);
    assert_eq!(executor.failed(&mut call, request, NodeId(0), DOWN, 0, 0), Verdict::Fail);
}

#[test]
fn writes_that_must_not_be_repeated_go_to_each_other_node_once_if_nothing_was_sent() {
    let mut executor = two();
    let request = WRITE;
    let mut call = executor.call(0, u64::MAX);
    call.unsent();
    assert_eq!(executor.failed(&mut call, request, NodeId(0), DOWN, 0, 0), Verdict::Again(0));
    assert_eq!(executor.attempt(&call, request, 0).node, NodeId(1));
    let mut lost = call.clone();
    assert_eq!(executor.failed(&mut lost, request, NodeId(1), DOWN, 0, 0), Verdict::Fail);
    call.unsent();
    assert_eq!(executor.failed(&mut call, request, NodeId(1), DOWN, 0, 0), Verdict::Fail);
}

/// Sends a read until it fails; returns the nodes of its attempts.
fn read_until_it_fails(executor: &mut Executor, request: Rule, unsent: impl Fn(usize) -> bool) -> Vec<u32> {
    let mut call = executor.call(0, u64::MAX);
    let mut nodes = Vec::new();
    loop {
        let node = executor.attempt(&call, request, 0).node;
        if unsent(nodes.len()) {
            call.unsent();
        }
        nodes.push(node.0);
        match executor.failed(&mut call, request, node, DOWN, 0, 7) {
            Verdict::Again(pause) => assert_eq!(pause, 0, "there is no pause"),
            Verdict::Fail => return nodes,
        }
    }
}

#[test]
fn a_read_that_cannot_connect_is_tried_once_on_each_node() {
    let request = ONCE_EACH;
    assert_eq!(read_until_it_fails(&mut two(), request, |_| true), [0, 1]);
}

#[test]
fn a_read_whose_connection_breaks_is_tried_twice_on_each_node() {
    let mut request = ONCE_EACH;
    assert_eq!(read_until_it_fails(&mut two(), request, |_| false), [0, 1, 0, 1]);
    let first_broke = |attempt| attempt == 1;
    assert_eq!(read_until_it_fails(&mut two(), request, first_broke), [0, 1, 0, 1]);
    request.node = Some(NodeId(1));
    assert_eq!(read_until_it_fails(&mut two(), request, |_| false), [1, 1]);
}

#[test]
fn a_read_that_a_proxy_refuses_or_that_times_out_is_not_retried_on_the_same_node() {
    let mut executor = nodes(1, 5_000);
    let request = ONCE_EACH;
    for (broken, now) in [(BUSY, 0), (BUSY, 5_000), (DOWN, 5_000)] {
        let mut call = executor.call(0, u64::MAX);
        assert_eq!(executor.failed(&mut call, request, NodeId(0), broken, now, 0), Verdict::Fail);
    }
}

#[test]
fn an_unsent_request_of_a_conversation_does_not_make_the_next_one_unsent() {
    let mut executor = two();
    let read = READ;
    let write = WRITE;
    let mut call = executor.call(0, u64::MAX);
    call.unsent();
    assert_eq!(executor.failed(&mut call, read, NodeId(0), DOWN, 0, 0), Verdict::Again(0));
    call.next();
    assert_eq!(executor.failed(&mut call, write, NodeId(1), DOWN, 0, 0), Verdict::Fail);
}

#[test]
fn fenced_writes_stay_on_their_node() {
    let mut executor = two();
    let mut request = Rule::anywhere(Repeat::SameNode);
    request.node = Some(NodeId(1));
    let mut call = executor.call(0, u64::MAX);
    for _ in 0..3 {
        let attempt = executor.attempt(&call, request, 0);
        assert_eq!(attempt.node, NodeId(1));
        assert!(matches!(executor.failed(&mut call, request, attempt.node, DOWN, 0, 0), Verdict::Again(1..)));
    }
}

#[test]
fn a_topology_adds_nodes_but_keeps_the_node_that_responds() {
    let mut executor = nodes(1, 1_000);
    executor.begin_topology();
    [1, 2, 0].iter().for_each(|node| executor.add(NodeId(*node)));
    let mut call = executor.call(0, u64::MAX);
    let first = executor.attempt(&call, READ, 0);
    assert_eq!((first.node, first.limit), (NodeId(0), 500));
    executor.failed(&mut call, READ, first.node, DOWN, 0, 0);
    assert_eq!(executor.attempt(&call, READ, 0).node, NodeId(1));
}

#[test]
fn the_time_that_the_server_may_wait_is_added_to_the_limit() {
    let executor = two();
    let (read, write) = (READ, WRITE);
    let mut call = executor.call(5, u64::MAX);
    call.extend(30_000);
    assert_eq!(executor.attempt(&call, read, 5).limit, 35_000, "half of the rest is left for the other node");
    assert_eq!(executor.attempt(&call, write, 5).limit, 40_000);
    let failed = |at: u64, call: &mut Call| {
        let mut executor = two();
        executor.failed(call, read, NodeId(0), DOWN, at, 0);
        executor.failed(call, read, NodeId(1), DOWN, at, 0)
    };
    assert!(matches!(failed(9_000, &mut call), Verdict::Again(_)));
    assert_eq!(failed(10_005, &mut call), Verdict::Fail, "the extra time is not for an unreachable server");
    call.extend(u64::MAX);
    assert_eq!(executor.attempt(&call, write, 5).limit, MAX_TIMER_MS);
}

#[test]
fn after_a_write_that_failed_the_next_one_begins_with_another_node() {
    let mut executor = two();
    let write = WRITE;
    let node = |executor: &Executor| executor.attempt(&executor.call(0, u64::MAX), write, 0).node;
    for expected in [0, 1, 0] {
        assert_eq!(node(&executor), NodeId(expected));
        let mut call = executor.call(0, u64::MAX);
        assert_eq!(executor.failed(&mut call, write, NodeId(expected), DOWN, 0, 0), Verdict::Fail);
    }
    let mut call = executor.call(0, u64::MAX);
    executor.failed(&mut call, write, NodeId(0), DOWN, 0, 0);
    assert_eq!(node(&executor), NodeId(1), "a failure of another node does not change the current one");
}

/// An executor whose current node is no longer in its topology.
fn left_behind() -> Executor {
    let mut executor = two();
    executor.responded(&executor.call(0, u64::MAX), NodeId(1));
    executor.begin_topology();
    executor.add(NodeId(0));
    assert_eq!(executor.attempt(&executor.call(0, u64::MAX), READ, 0).node, NodeId(1));
    executor
}

#[test]
fn after_a_failed_write_the_next_one_leaves_a_node_that_is_no_longer_in_the_topology() {
    let mut executor = left_behind();
    let write = WRITE;
    let mut call = executor.call(0, u64::MAX);
    assert_eq!(executor.failed(&mut call, write, NodeId(1), DOWN, 0, 0), Verdict::Fail);
    assert_eq!(executor.attempt(&executor.call(0, u64::MAX), write, 0).node, NodeId(0));
}

#[test]
fn a_hanging_node_that_is_no_longer_in_the_topology_leaves_time_for_the_others() {
    let executor = left_behind();
    let read = READ;
    assert_eq!(executor.attempt(&executor.call(0, u64::MAX), read, 0).limit, 5_000);
}
