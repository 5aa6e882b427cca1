use super::*;
use crate::hilo::waiters;
use crate::protocol::presence;
use crate::source::Return;
use crate::source::server::Server;
use crate::texts::Attempt;
use alloc::format;
use alloc::vec;
use core::cell::RefCell;

/// Records the calls of a store as text.
#[derive(Default)]
struct Recorder {
    handed: RefCell<Vec<Range>>,
    orders: RefCell<Vec<Order>>,
    spawned: RefCell<Vec<Task>>,
    returned: RefCell<Vec<(u64, bool)>>,
}

impl Shell for Recorder {
    fn micros(&self) -> u64 {
        0
    }
    fn random(&self) -> u64 {
        7
    }
    fn hand(&self, _: u32, range: Range, _: &Grant, _: Option<&str>) {
        self.handed.borrow_mut().push(range);
    }
    fn surrender(&self, _: u32) -> u64 {
        1
    }
    fn spawn(&self, _: u32, task: Task, _: bool) {
        self.spawned.borrow_mut().push(task);
    }
    fn order(&self, _: At, order: Order) {
        self.orders.borrow_mut().push(order);
    }
    fn leased(&self, _: &str, _: &Grant, _: bool) {}
    fn returned(&self, item: &Return, applied: bool, _: Option<&Error>) {
        self.returned.borrow_mut().push((item.last, applied));
    }
    fn regression(&self, _: &str, _: Range, _: u64) {}
    fn topology(&self, _: &[u8]) {}
}

const AT: At = At { tag: 0, group: 0 };

fn store(parked: Option<u64>) -> Store {
    let mut executor = Executor::new("d", 1_000);
    executor.add("http://a");
    let mut store = Store::new(executor, AnySource::Server(Server::new("d", '/')), '/', false);
    store.add("orders", KeepOptions::new(Some(parked.unwrap_or(0)), 0)).unwrap();
    if parked.is_some() {
        store.device(&Recorder::default(), presence::BEGUN, 1);
    }
    store
}

/// The task that the store orders for waiting callers.
fn run(recorder: &Recorder) -> Task {
    let mut orders = recorder.orders.take().into_iter();
    orders.find_map(|order| if let Order::Run(task, _) = order { Some(task) } else { None }).expect("a task")
}

/// Adds a waiting caller; returns the first task of its flight.
fn ask(store: &mut Store, recorder: &Recorder) -> Task {
    store.ask(recorder, AT, Want::Id, 1_000, 0);
    store.on(recorder, AT, Event::Gathered, 0);
    if recorder.orders.borrow().iter().any(|order| matches!(order, Order::Effect(waiters::Effect::Turn))) {
        store.on(recorder, AT, Event::Turned, 0);
    }
    run(recorder)
}

fn granted(low: u64, high: u64, incarnation: &str) -> Input {
    let body = format!(
        r#"{{"Results":[{{"Result":{{"Prefix":"orders/","Low":{low},"High":{high},"LastSize":{},"ServerTag":"A","LastRangeAt":"t"}},"StatusCode":201}},{{"Result":{{"Results":[{{"Max":{high},"@metadata":{{"@change-vector":"A:{high}-x","@last-modified":"t"}}}}]}},"StatusCode":200}}]}}"#,
        high - low + 1
    );
    Input::Response { status: 200, body: body.into_bytes(), incarnation: Some(String::from(incarnation)) }
}

fn sent(waited: Waited) -> Attempt {
    let Ok(Wait::Send(attempt)) = waited else { panic!("{waited:?}") };
    attempt
}

#[test]
fn the_numbers_of_a_lease_are_handed_to_the_counter() {
    let (mut store, recorder) = (store(None), Recorder::default());
    let mut task = ask(&mut store, &recorder);
    assert!(sent(store.step(&recorder, &mut task, Input::Proceed)).url.starts_with("http://a/databases/d/multi_get"));
    store.update_incarnation("i");
    assert_eq!(store.step(&recorder, &mut task, granted(1, 32, "i")), Ok(Wait::Done(None)));
    assert_eq!(recorder.handed.take(), vec![Range::new(1, 32).unwrap()]);
}

#[test]
fn a_grant_of_an_incarnation_other_than_the_last_reported_is_not_used() {
    let (mut store, recorder) = (store(None), Recorder::default());
    let mut task = ask(&mut store, &recorder);
    sent(store.step(&recorder, &mut task, Input::Proceed));
    store.update_incarnation("newer");
    assert_eq!(store.step(&recorder, &mut task, granted(1, 32, "i")), Ok(Wait::Done(None)));
    assert_eq!(recorder.handed.take(), vec![]);
}

#[test]
fn a_lease_that_is_given_up_does_not_block_the_next() {
    let (mut store, recorder) = (store(None), Recorder::default());
    let task = ask(&mut store, &recorder);
    store.dropped(&task);
    store.on(&recorder, AT, Event::Failed { outage: true }, 0);
    store.on(&recorder, AT, Event::Gathered, 0);
    store.on(&recorder, AT, Event::Turned, 0);
    run(&recorder);
}

#[test]
fn a_claim_yields_numbers_only_if_it_is_durable() {
    let parked = r#"{"version":1,"incarnation":"i","parked":[[5,9,"orders/","A"]],"issued":[["A",4]],"used":4}"#;
    for (durable, handed) in [(true, vec![Range::new(5, 5).unwrap()]), (false, vec![])] {
        let (mut store, recorder) = (store(Some(8)), Recorder::default());
        let mut task = ask(&mut store, &recorder);
        assert_eq!(store.step(&recorder, &mut task, Input::Proceed), Ok(Wait::Move { tag: 0, strict: true }));
        let text = store.decide(&mut task, Some(parked), Some("i")).expect("a record");
        assert!(text.contains("[[6,9,"), "{text}");
        assert_eq!(store.moved(&recorder, &mut task, durable), Ok(Wait::Done(None)));
        assert_eq!(recorder.handed.take(), handed);
    }
}

/// A caller's claim finds an empty pool, and its lease is sent; returns the task of the lease.
fn lease_after_claim(store: &mut Store, recorder: &Recorder) -> Task {
    let mut claim = ask(store, recorder);
    store.step(recorder, &mut claim, Input::Proceed).unwrap();
    store.decide(&mut claim, None, None);
    store.moved(recorder, &mut claim, true).unwrap();
    store.on(recorder, AT, Event::Claimed, 0);
    store.on(recorder, AT, Event::Turned, 0);
    let mut task = run(recorder);
    sent(store.step(recorder, &mut task, Input::Proceed));
    store.update_incarnation("i");
    task
}

#[test]
fn a_grant_is_admitted_by_the_pool_before_its_first_number_is_used() {
    let (mut store, recorder) = (store(Some(8)), Recorder::default());
    let mut task = lease_after_claim(&mut store, &recorder);
    let waited = store.step(&recorder, &mut task, granted(1, 32, "i"));
    assert_eq!((waited, recorder.handed.take()), (Ok(Wait::Move { tag: 0, strict: true }), vec![]));
    store.decide(&mut task, None, None);
    store.moved(&recorder, &mut task, true).unwrap();
    assert_eq!(recorder.handed.take(), vec![Range::new(1, 1).unwrap()]);
}

#[test]
fn a_lost_return_is_an_event_and_not_an_error() {
    let (mut store, recorder) = (store(None), Recorder::default());
    let mut task = ask(&mut store, &recorder);
    sent(store.step(&recorder, &mut task, Input::Proceed));
    store.update_incarnation("i");
    store.step(&recorder, &mut task, granted(1, 32, "i")).unwrap();
    store.surrendered(&recorder, 0, 11);
    store.close(false);
    let mut back = store.give_back(&recorder, true).expect("a return");
    assert_eq!(back.returns().len(), 1);
    assert!(store.give_back(&recorder, true).is_none());
    sent(store.step(&recorder, &mut back, Input::Proceed));
    assert_eq!(
        store.step(&recorder, &mut back, Input::Response { status: 400, body: Vec::new(), incarnation: None }),
        Ok(Wait::Done(None))
    );
    assert_eq!(recorder.returned.take(), vec![(10, false)]);
    assert!(recorder.spawned.take().is_empty());
}

/// The response to a lease through a gateway, whose fence nobody but the gateway can read.
fn sealed(low: u64, high: u64, incarnation: &str) -> Input {
    let Input::Response { body, incarnation, .. } = granted(low, high, incarnation) else { panic!() };
    let body = String::from_utf8(body).unwrap().replace(&format!("A:{high}-x"), "AQ-sealed");
    Input::Response { status: 200, body: body.into_bytes(), incarnation }
}

/// Leases 1 to 32 with this response, as a page that parks all of them but the first one; returns the store and its record.
fn leased_and_parked(response: Input) -> (Store, Recorder, String) {
    let (mut store, recorder) = (store(Some(u64::MAX)), Recorder::default());
    let mut task = lease_after_claim(&mut store, &recorder);
    store.step(&recorder, &mut task, response).unwrap();
    let record = store.decide(&mut task, None, None).expect("a record");
    store.moved(&recorder, &mut task, true).unwrap();
    (store, recorder, record)
}

/// Disposes of the store; returns the first request that follows.
fn disposed(store: &mut Store, recorder: &Recorder, record: &str) -> Option<Task> {
    store.surrendered(recorder, 0, 2);
    store.close(false);
    let mut out = store.let_go(0, Some(0)).expect("a move");
    store.decide(&mut out, Some(record), Some("i"));
    store.moved(recorder, &mut out, true).unwrap();
    store.give_back(recorder, true)
}

#[test]
fn dispose_behind_a_gateway_returns_parked_numbers_under_the_token_of_their_lease() {
    let (mut store, recorder, record) = leased_and_parked(sealed(1, 32, "i"));
    assert!(record.starts_with("{\"version\":2"), "{record}");
    let back = disposed(&mut store, &recorder, &record).expect("a return");
    let [item] = back.returns() else { panic!("the counter is not read again: {back:?}") };
    assert_eq!((item.fence.as_str(), item.high, item.last), ("AQ-sealed t", 32, 1));
    assert!(store.give_back(&recorder, true).is_none());
    assert!(recorder.returned.take().is_empty());
}

#[test]
fn dispose_behind_a_gateway_leaves_and_reports_what_no_token_returns() {
    let (mut store, recorder, record) = leased_and_parked(sealed(1, 32, "i"));
    // Another page has used 2 to 32 but for 2 to 8.
    let record = record.replace("[2,32,", "[2,8,");
    assert!(disposed(&mut store, &recorder, &record).is_none());
    assert_eq!(recorder.returned.take(), [(1, false)]);
}

#[test]
fn dispose_without_a_gateway_reads_the_counter_again() {
    let (mut store, recorder, record) = leased_and_parked(granted(1, 32, "i"));
    assert!(record.starts_with("{\"version\":1"), "{record}");
    let mut read = disposed(&mut store, &recorder, &record).expect("a request");
    assert!(read.returns().is_empty());
    assert!(sent(store.step(&recorder, &mut read, Input::Proceed)).url.contains("/docs?id=Raven%2FHilo%2Forders"));
}

#[test]
fn dispose_reports_parked_numbers_whose_counter_cannot_be_read() {
    let (mut store, recorder, record) = leased_and_parked(granted(1, 32, "i"));
    let mut read = disposed(&mut store, &recorder, &record).expect("a request");
    sent(store.step(&recorder, &mut read, Input::Proceed));
    let _ = store.step(&recorder, &mut read, Input::Response { status: 403, body: Vec::new(), incarnation: None });
    assert_eq!(recorder.returned.take(), [(1, false)]);
    assert!(store.give_back(&recorder, true).is_none());
}
