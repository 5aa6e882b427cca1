use super::*;
use crate::source::{Echo, MAX_SIZE, Size};
use alloc::format;

fn source() -> Document {
    Document::new("Shop", '/', SPELLINGS[0])
}

fn ask(size: Size, above: u64) -> Ask {
    Ask { tag: "orders".into(), size, above, proof: None, incarnation: None, nonce: 7 }
}

fn response(status: u16, body: &str) -> Option<Result<Box<Response>, Error>> {
    Some(Ok(Box::new(Response { status, body: body.into(), node: NodeId(0), incarnation: Some("i".into()) })))
}

/// The response to a read of a counter with these members.
fn counter(members: &str) -> String {
    format!(
        r#"{{"Results":[{{{members}"@metadata":{{"@collection":"@hilo","@id":"Raven/Hilo/orders","@change-vector":"A:1-x","@last-modified":"t1"}}}},null]}}"#
    )
}

/// The write after a read, or the error.
fn put(ask: Ask, read: &str) -> Result<(String, LeaseExchange), Error> {
    let mut lease = source().lease(ask);
    assert!(matches!(lease.step(None), Step::Send(_)));
    match lease.step(response(200, read)) {
        Step::Send(request) => Ok((String::from_utf8(request.body.unwrap()).unwrap(), lease)),
        Step::Fail(error) => Err(error),
        other => panic!("{other:?}"),
    }
}

/// The range that a lease gets from a counter with this `Max`, or the message of the error.
fn range(max: &str) -> Result<(u64, u64), String> {
    let (_, lease) = put(ask(Size::Adaptive(None), 0), &counter(&format!("\"Max\":{max},")))
        .map_err(|error| error.message.clone().into_owned())?;
    let (range, _) = lease.putting.unwrap();
    Ok((range.low(), range.high()))
}

/// The response to the PATCH of a counter.
const MOVED: &str = r#"{"Results":[{"Id":"Raven/Hilo/orders","ChangeVector":"A:2-x","LastModified":"t2","Type":"PATCH","PatchStatus":"Patched"}]}"#;

/// The response to a PUT.
const WRITTEN: &str =
    r#"{"Results":[{"Type":"PUT","@id":"Raven/Hilo/orders","@change-vector":"A:2-x","@last-modified":"t"}]}"#;

#[test]
fn a_lease_is_one_read_and_one_write_at_the_first_address() {
    let mut lease = source().lease(ask(Size::Adaptive(None), 0));
    let Step::Send(read) = lease.step(None) else { panic!() };
    assert_eq!(read.path, "/databases/Shop/docs?id=Raven%2FHilo%2Forders&id=Raven%2FServerPrefixForHilo");
    assert_eq!((read.repeat, read.node), (Repeat::Anywhere, Some(NodeId(0))));
    let Step::Send(put) = lease.step(response(200, r#"{"Results":[null,null],"Includes":{}}"#)) else { panic!() };
    assert_eq!(
        (put.path.as_str(), put.repeat, put.node),
        ("/databases/Shop/bulk_docs?nonce=7", Repeat::Never, Some(NodeId(0)))
    );
    assert_eq!(
        String::from_utf8(put.body.unwrap()).unwrap(),
        r#"{"Commands":[{"Type":"PUT","Id":"Raven/Hilo/orders","Document":{"Max":32,"@metadata":{"@collection":"@hilo"}},"ChangeVector":""}]}"#
    );
    let Step::Done(grant) = lease.step(response(201, WRITTEN)) else { panic!() };
    assert_eq!((grant.range, grant.prefix.as_str(), grant.tag.as_str()), (Range::new(1, 32).unwrap(), "orders/", ""));
    assert_eq!(grant.fence.as_deref(), Some("A:2-x t"));
    assert_eq!(grant.incarnation.as_deref(), Some("i"));
    assert!(grant.is_single_node());
}

/// The arguments of the PATCH after reading a counter with these members.
fn moved(members: &str) -> serde_json::Value {
    let (body, _) = put(ask(Size::Exact(3), 0), &counter(members)).unwrap();
    let body: serde_json::Value = serde_json::from_str(&body).unwrap();
    let command = &body["Commands"][0];
    assert_eq!(
        (&command["Type"], &command["Id"], &command["ChangeVector"]),
        (&"PATCH".into(), &"Raven/Hilo/orders".into(), &serde_json::Value::Null)
    );
    assert_eq!(command["Patch"]["Script"], wire::MOVE_SCRIPT);
    command["Patch"]["Values"].clone()
}

#[test]
fn a_counter_changes_only_if_it_is_as_it_was_read_and_its_other_members_stay() {
    let fence = "A:1-x t1";
    assert_eq!(
        moved(r#""Owner":"a\"b","Max":7,"#),
        serde_json::json!({ "fence": fence, "high": 7, "last": 10 }),
        "change vector, time and Max"
    );
    for (max, last) in [("\"7\"", 10), ("null", 3), ("5.7", 8), ("-2", 3)] {
        let high: serde_json::Value = serde_json::from_str(max).unwrap();
        let values = serde_json::json!({ "fence": fence, "high": high, "last": last });
        assert_eq!(moved(&format!("\"Max\":{max},")), values, "{max}: unchanged");
    }
    assert_eq!(moved(""), serde_json::json!({ "fence": fence, "last": 3 }), "a missing Max stays missing");
}

#[test]
fn the_fence_is_in_the_response_to_the_write() {
    let (_, mut lease) = put(ask(Size::Exact(3), 0), &counter("\"Max\":7,")).unwrap();
    let Step::Done(grant) = lease.step(response(201, MOVED)) else { panic!() };
    assert_eq!((grant.range, grant.fence.as_deref()), (Range::new(8, 10).unwrap(), Some("A:2-x t2")));
}

#[test]
fn max_is_read_in_every_form_that_a_document_may_have() {
    for (max, low) in [("32", 33), ("\"32\"", 33), ("null", 1), ("-5", 1), ("\"-5\"", 1), ("5.7", 6), ("0", 1)] {
        assert_eq!(range(max), Ok((low, low + 31)), "{max}");
    }
    for max in ["\"\"", "\"x\"", "true", "[]", "{}", "1e3", "1.5e3", "1.5E+16", "\"1.5e3\""] {
        assert!(range(max).unwrap_err().contains("field Max"), "{max}");
    }
    assert_eq!(put(ask(Size::Adaptive(None), 0), &counter("")).map(|(_, lease)| lease.putting.unwrap().0.low()), Ok(1));
    for max in ["9007199254740991", "9007199254740970", "18446744073709551615"] {
        assert!(range(max).unwrap_err().contains("2^53"), "{max}");
    }
}

#[test]
fn a_counter_that_went_back_is_advanced_above_the_known_numbers() {
    let (_, lease) = put(ask(Size::Exact(3), 100), &counter("\"Max\":5,")).unwrap();
    assert_eq!(lease.putting.unwrap().0, Range::new(101, 103).unwrap());
    let (_, lease) = put(ask(Size::Exact(3), 4), &counter("\"Max\":5,")).unwrap();
    assert_eq!(lease.putting.unwrap().0, Range::new(6, 8).unwrap());
}

#[test]
fn the_size_follows_demand_or_the_apps_choice() {
    for (size, len) in [
        (Size::Adaptive(None), 32),
        (Size::Adaptive(Some(Echo { size: 64, at: String::new() })), 128),
        (Size::Exact(3), 3),
        (Size::Exact(u64::MAX), MAX_SIZE),
    ] {
        let (_, lease) = put(ask(size, 0), &counter("\"Max\":5,")).unwrap();
        assert_eq!(lease.putting.unwrap().0.len(), len);
    }
}

#[test]
fn a_lease_that_lost_a_race_or_its_response_starts_again_and_owns_nothing() {
    for input in [
        response(201, r#"{"Results":[{"ChangeVector":null,"Type":"PATCH","PatchStatus":"NotModified"}]}"#),
        response(201, r#"{"Results":[{"ChangeVector":null,"Type":"PATCH","PatchStatus":"DocumentDoesNotExist"}]}"#),
        response(409, r#"{"Type":"Raven.Client.Exceptions.ConcurrencyException"}"#),
        Some(Err(Error::new(Code::Timeout, "lost"))),
        Some(Err(Error::new(Code::Unreachable, "lost"))),
    ] {
        let (_, mut lease) = put(ask(Size::Exact(3), 0), &counter("\"Max\":5,")).unwrap();
        let Step::Again(read, error) = lease.step(input) else { panic!() };
        assert_eq!(read, lease.read());
        assert!(error.is_outage(), "waiting callers go on waiting");
        // The write found now may be this client's or another's: the next range is above it in both cases.
        assert!(matches!(lease.step(response(200, &counter("\"Max\":8,"))), Step::Send(_)));
        assert_eq!(lease.putting.unwrap().0, Range::new(9, 11).unwrap());
    }
}

#[test]
fn the_server_prefix_is_found_by_its_id_at_any_position() {
    let document = |prefix: &str| {
        format!(
            r#"{{"Results":[{{"ServerPrefix":{prefix},"@metadata":{{"@id":"raven/serverprefixforhilo","@change-vector":"A:1-x"}}}}]}}"#
        )
    };
    let (body, lease) = put(ask(Size::Exact(3), 0), &document("\"NorthServer/\"")).unwrap();
    assert!(body.contains(r#""ChangeVector":"""#), "the counter is missing, not the prefix: {body}");
    assert_eq!(lease.putting.unwrap().1, "orders/NorthServer/");
    for prefix in ["1", "null", "\"North1\"", "\"a\\u0000b\"", "[]"] {
        let error = put(ask(Size::Exact(3), 0), &document(prefix)).unwrap_err();
        assert_eq!((error.code, error.message.contains("field ServerPrefix")), (Code::BadAnswer, true), "{prefix}");
    }
}

#[test]
fn a_fence_is_read_from_the_node_that_wrote_the_range() {
    let read = source().counters().read(["orders".into()].into_iter());
    assert_eq!(read.node, Some(NodeId(0)), "another node's copy may lag behind");
    assert_eq!(Server::new("Shop", '/').read(["orders".into()].into_iter()).node, None);
}

#[test]
fn another_spelling_uses_another_document_for_leases_and_returns() {
    let source = Document::new("Shop", '-', SPELLINGS[2]);
    let mut lease = source.lease(ask(Size::Adaptive(None), 0));
    let Step::Send(read) = lease.step(None) else { panic!() };
    assert!(read.path.contains("?id=Replication%2FHiLo%2Forders&"), "{}", read.path);
    let Step::Send(put) = lease.step(response(200, r#"{"Results":[null,null]}"#)) else { panic!() };
    assert!(put.body.unwrap().starts_with(br#"{"Commands":[{"Type":"PUT","Id":"Replication/HiLo/orders""#));
    let Step::Done(grant) = lease.step(response(201, WRITTEN)) else { panic!() };
    assert_eq!(grant.prefix, "orders-");
    let back = Return { tag: "orders".into(), fence: grant.fence.unwrap(), high: 32, last: 1 };
    let request = source.give_back(&[back], grant.node);
    assert!(request.body.unwrap().starts_with(br#"{"Commands":[{"Id":"Replication/HiLo/orders""#));
}

proptest::proptest! {
    #[test]
    fn no_response_panics_or_grants_numbers_up_to_max(read: String, written: String, max in 0..1u64 << 50) {
        let _ = put(ask(Size::Exact(3), 0), &read);
        if let Ok((_, mut lease)) = put(ask(Size::Exact(3), 0), &counter(&format!("\"Max\":{max},"))) {
            proptest::prop_assert!(lease.putting.as_ref().unwrap().0.low() > max);
            proptest::prop_assert!(!matches!(lease.step(response(201, &written)), Step::Done(_)));
        }
    }
}

#[test]
fn counter_prefixes_are_the_spelling_options_with_a_slash() {
    let chosen = crate::protocol::list::SPELLINGS.iter().map(|name| [*name, "/"].concat());
    assert!(chosen.eq(SPELLINGS));
}
