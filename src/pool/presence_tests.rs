use super::{KEEP, KeepOptions, Presence, Rest};
use crate::hilo::Conditions;
use crate::protocol::presence::*;
use crate::protocol::todo;

fn present(page: bool) -> Presence {
    let mut presence = Presence::new(true);
    assert!(!presence.usable(), "there is no device yet");
    assert_eq!(presence.on(BEGUN, u32::from(page)), 0);
    assert_eq!(presence.on(BACK, 0), todo::RESUME | todo::HELLO);
    presence
}

/// A page that knows one sibling.
fn crowded() -> Presence {
    let mut presence = present(true);
    assert_eq!(presence.on(HERE, 1), todo::PARK);
    presence
}

#[test]
fn a_page_without_siblings_holds_what_is_not_parked() {
    let alone = present(true);
    let plan = Conditions {
        waiting: 0,
        pooled: true,
        hold: true,
        keep: KEEP,
        grow: true,
        capacity: 5,
        reserved: 0,
        missed: 0,
    };
    assert_eq!(alone.conditions(KeepOptions::new(None, 5), true), plan);
    assert_eq!(alone.conditions(KeepOptions::new(Some(3), 5), true), Conditions { keep: 3, grow: false, ..plan });
    assert!(!alone.conditions(KeepOptions::new(Some(u64::MAX), 0), true).hold, "everything stays parked");
    assert!(
        !alone.conditions(KeepOptions::new(None, 0), false).hold,
        "numbers that cannot be returned would be lost with the page"
    );
}

#[test]
fn a_worker_holds_nothing_because_it_ends_without_an_event() {
    let worker = present(false);
    assert!(!worker.conditions(KeepOptions::new(None, 0), true).hold);
}

#[test]
fn a_new_sibling_gets_a_response_and_makes_the_page_park() {
    let mut page = present(true);
    assert_eq!(page.on(HELLO, 1), todo::HERE | todo::PARK);
    assert_eq!(page.on(HELLO, 2), todo::HERE, "parked already");
    assert!(page.crowded() && !page.conditions(KeepOptions::new(None, 0), true).hold);
    page.on(BYE, 1);
    assert!(page.crowded());
    page.on(BYE, 2);
    assert!(!page.crowded() && page.conditions(KeepOptions::new(None, 0), true).hold);
}

#[test]
fn a_store_that_ends_parks_for_siblings_or_returns_everything() {
    assert_eq!(crowded().rest(), Rest::Park);
    assert_eq!(present(true).rest(), Rest::TakeOut);
    let mut failed = crowded();
    failed.on(FAILED, 0);
    assert_eq!(failed.rest(), Rest::Memory);
}

#[test]
fn a_page_that_leaves_returns_numbers_and_sends_bye_once() {
    let mut page = crowded();
    assert_eq!(page.on(LEFT, 0), todo::GIVE_BACK | todo::BYE);
    assert_eq!(page.on(LEFT, 0), 0, "`pagehide`, then `freeze`");
    assert_eq!(page.on(HERE, 2), 0, "it was in flight when the page left");
    assert!(!page.crowded());
    assert_eq!(page.on(BACK, 0), todo::RESUME | todo::HELLO);
    assert_eq!(page.on(BACK, 0), 0, "`resume`, then `pageshow`");
    assert!(!page.crowded(), "siblings that exist now respond to HELLO");
    assert_eq!(page.on(ENDED, 0), todo::BYE);
    assert_eq!(page.on(ENDED, 0), 0);
}

#[test]
fn a_lease_waits_for_its_turn_only_among_siblings() {
    assert_eq!(present(true).on(TURN, 0), 0);
    assert_eq!(crowded().on(TURN, 0), todo::HELLO | todo::WAIT);
}

#[test]
fn a_sibling_that_does_not_respond_is_forgotten() {
    let mut page = crowded();
    page.on(HERE, 2);
    assert_eq!(page.on(ASKED, 0), todo::HELLO | todo::WAIT);
    page.on(HERE, 2);
    page.on(OVER, 0);
    assert!(page.crowded());
    page.on(ASKED, 0);
    page.on(OVER, 0);
    assert!(!page.crowded(), "2 has crashed, too");
}

#[test]
fn a_response_counts_for_two_open_questions() {
    let mut page = crowded();
    page.on(ASKED, 0);
    page.on(HERE, 1);
    page.on(ASKED, 0);
    assert_eq!(page.on(OVER, 0), 0);
    assert!(page.crowded(), "the response counts for the first question too");
    page.on(HERE, 1);
    assert_eq!(page.on(OVER, 0), 0);
    assert!(page.crowded());
    assert_eq!(page.on(OVER, 0), 0, "no question is open");
    assert!(page.crowded());
}

#[test]
fn a_sibling_that_responds_and_leaves_before_the_question_times_out_is_forgotten() {
    let mut page = crowded();
    page.on(ASKED, 0);
    page.on(HERE, 1);
    page.on(BYE, 1);
    page.on(OVER, 0);
    assert!(!page.crowded());
}

#[test]
fn a_question_from_before_the_page_left_forgets_no_sibling_that_responds_after_its_return() {
    let mut page = crowded();
    page.on(ASKED, 0);
    page.on(LEFT, 0);
    page.on(BACK, 0);
    page.on(HERE, 1);
    page.on(OVER, 0);
    assert!(page.crowded());
}

#[test]
fn a_failed_device_has_no_siblings() {
    let mut page = crowded();
    assert_eq!(page.on(FAILED, 0), 0);
    assert!(!page.crowded() && !page.usable());
    assert_eq!(page.on(HELLO, 3), todo::HERE, "the sibling's storage may work");
    let plan = page.conditions(KeepOptions::new(None, 0), true);
    assert!(!plan.pooled && plan.hold, "only memory is left");
    assert_eq!(page.on(ASKED, 0), 0, "siblings do not matter without a pool");
    assert_eq!(page.on(LEFT, 0), todo::GIVE_BACK | todo::BYE);
}

#[test]
fn messages_of_other_versions_are_ignored() {
    let mut page = crowded();
    assert_eq!(page.on(MESSAGE, 2), 0);
    assert_eq!(page, crowded());
}

#[test]
fn numbers_of_a_source_without_a_scope_are_never_parked() {
    let mut page = Presence::new(false);
    page.on(BEGUN, 1);
    assert_eq!(page.on(BACK, 0), todo::RESUME | todo::HELLO);
    assert_eq!(page.on(HELLO, 1), todo::HERE);
    assert!(!page.crowded() && page.conditions(KeepOptions::new(None, 0), true).hold);
}
