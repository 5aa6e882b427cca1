use super::*;
use crate::error::Code;
use crate::source::Size;

const RANGE: ResponseFormat = ResponseFormat::Range { releasable: true };
const HI: ResponseFormat = ResponseFormat::Hi { capacity: 3 };

fn leased(format: ResponseFormat, above: u64, body: &str) -> Result<Grant, Error> {
    let ask = Ask { tag: "orders".into(), size: Size::Adaptive(None), above, proof: None, incarnation: None, nonce: 1 };
    let mut lease = CustomSource::new(format, true, '/').lease(ask);
    let Step::Send(request) = lease.step(None) else { panic!() };
    assert_eq!((request.path.as_str(), request.repeat, request.node), (LEASE, Repeat::Anywhere, Some(APP)));
    match lease.step(Some(Ok(Box::new(Response { status: 201, body: body.into(), node: APP, incarnation: None })))) {
        Step::Done(grant) => Ok(*grant),
        Step::Fail(error) => Err(error),
        other => panic!("{other:?}"),
    }
}

/// The field that the error names.
fn refused(format: ResponseFormat, above: u64, body: &str) -> String {
    let error = leased(format, above, body).unwrap_err();
    assert_eq!(error.code, Code::BadAnswer, "{body}");
    let (_, named) = error.message.split_once("field ").unwrap();
    named.split(';').next().unwrap().into()
}

#[test]
fn the_app_is_called_with_tag_size_and_the_number_to_exceed() {
    let ask = Ask { tag: "o\"1".into(), size: Size::Exact(5), above: 9, proof: None, incarnation: None, nonce: 1 };
    let Step::Send(request) = CustomSource::new(RANGE, true, '/').lease(ask).step(None) else { panic!() };
    assert_eq!(request.body.unwrap(), br#"{"tag":"o\"1","size":5,"above":9}"#);
}

#[test]
fn a_range_may_have_a_prefix_and_a_node_tag() {
    let grant = leased(RANGE, 0, r#"{"low":5,"high":"9"}"#).unwrap();
    assert_eq!((grant.range, grant.prefix.as_str(), grant.tag.as_str()), (Range::new(5, 9).unwrap(), "orders/", ""));
    assert_eq!(grant.fence.as_deref(), Some(""), "it can be returned");
    assert!(!grant.is_single_node(), "it is not merged with other leases");
    let grant = leased(RANGE, 4, r#"{"low":5,"high":5,"nodeTag":"eu1","prefix":"o-"}"#).unwrap();
    assert_eq!((grant.prefix.as_str(), grant.tag.as_str()), ("o-", "eu1"));
    assert_eq!(grant.fence.as_deref(), Some("eu1"));
    assert!(!grant.is_single_node());
    assert_eq!(leased(ResponseFormat::Range { releasable: false }, 0, r#"{"low":1,"high":1}"#).unwrap().fence, None);
}

#[test]
fn an_invalid_response_is_refused_with_the_name_of_the_field() {
    for (body, field) in [
        ("null", "low"),
        ("", "low"),
        ("5", "low"),
        ("{}", "low"),
        (r#"{"low":0,"high":9}"#, "low"),
        (r#"{"low":-1,"high":9}"#, "low"),
        (r#"{"low":1.5,"high":9}"#, "low"),
        (r#"{"low":null,"high":9}"#, "low"),
        (r#"{"low":1}"#, "high"),
        (r#"{"low":9,"high":8}"#, "high"),
        (r#"{"low":9,"high":9007199254740992}"#, "high"),
        (r#"{"low":1,"high":1e21}"#, "high"),
        (r#"{"low":1,"high":2,"nodeTag":5}"#, "nodeTag"),
        (r#"{"low":1,"high":2,"nodeTag":"a-b"}"#, "nodeTag"),
        (r#"{"low":1,"high":2,"prefix":[]}"#, "prefix"),
        (r#"{"low":1,"high":2,"prefix":"a\u0000"}"#, "prefix"),
        (r#"{"low":1,"high":2,"prefix":"a1"}"#, "prefix"),
    ] {
        assert_eq!(refused(RANGE, 0, body), field, "{body}");
    }
    assert_eq!(refused(RANGE, 5, r#"{"low":5,"high":9}"#), "low", "this client is at 5 already");
}

#[test]
fn a_hi_stands_for_the_numbers_of_the_classic_formula() {
    for (hi, low, high) in
        [("1", 1, 3), ("2", 4, 6), ("\"3\"", 7, 9), (r#"{"hi":4}"#, 10, 12), (r#"{"hi":"4","capacity":3}"#, 10, 12)]
    {
        let grant = leased(HI, 0, hi).unwrap();
        assert_eq!(grant.range, Range::new(low, high).unwrap(), "{hi}");
        assert_eq!((grant.prefix.as_str(), grant.fence), ("orders/", None));
    }
}

#[test]
fn an_invalid_hi_is_refused() {
    for body in ["0", "-1", "1.5", "null", "{}", "\"x\"", "9007199254740991", "18446744073709551615"] {
        assert_eq!(refused(HI, 0, body), "hi", "{body}");
    }
    assert_eq!(refused(HI, 4, "2"), "hi", "4 to 6, and 4 is issued");
    for body in [r#"{"hi":1,"capacity":4}"#, r#"{"hi":1,"capacity":null}"#] {
        assert_eq!(refused(HI, 0, body), "capacity");
    }
}

#[test]
fn a_release_is_sent_once_for_what_is_above_the_last_used_number() {
    let source = CustomSource::new(RANGE, true, '/');
    let item = Return { tag: "orders".into(), fence: "eu".into(), high: 9, last: 4 };
    let request = source.give_back(&[item], APP);
    assert_eq!((request.path.as_str(), request.repeat), (RELEASE, Repeat::Never));
    assert_eq!(request.body.unwrap(), br#"{"tag":"orders","low":5,"high":9,"nodeTag":"eu"}"#);
}

#[test]
fn the_response_format_and_the_scope_decide_the_capabilities() {
    let able = |format, scoped| {
        let Capabilities { returnable, fenced, scoped } = CustomSource::new(format, scoped, '/').capabilities();
        (returnable, fenced, scoped)
    };
    assert_eq!(able(RANGE, true), (true, false, true));
    assert_eq!(able(ResponseFormat::Range { releasable: false }, true), (false, false, true));
    assert_eq!(able(HI, false), (false, false, false));
}

proptest::proptest! {
    #[test]
    fn no_response_panics_and_no_grant_contains_an_old_number(body: String, low: u64, high: u64, above: u64) {
        let _ = leased(RANGE, above, &body);
        let _ = leased(HI, above, &body);
        if let Ok(grant) = leased(RANGE, above, &alloc::format!("{{\"low\":{low},\"high\":{high}}}")) {
            proptest::prop_assert!(grant.range.low() > above);
        }
        if let Ok(grant) = leased(HI, above, &alloc::format!("{low}")) {
            proptest::prop_assert_eq!((grant.range.len(), grant.range.high() / 3), (3, low));
        }
    }
}
