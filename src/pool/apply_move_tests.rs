use super::*;
use alloc::vec;
use proptest::prelude::*;

fn parked(low: u64, high: u64) -> Parked {
    Parked { range: Range::new(low, high).unwrap(), affixes: 0, node_tag: 0, token: None }
}

fn numbers(entries: &[Parked]) -> Vec<u64> {
    entries.iter().flat_map(|entry| entry.range.low()..=entry.range.high()).collect()
}

fn online(kind: MoveKind) -> Move {
    Move { incarnation: 1, issued: vec![], unused: vec![], used: 0, kind }
}

fn after(record: Option<Record>, kind: MoveKind) -> (Option<Record>, Outcome) {
    apply_move(record, 1, 1, &online(kind))
}

#[test]
fn moves_of_another_incarnation_do_nothing_and_a_grant_replaces_the_record() {
    let record = after(None, MoveKind::Park(vec![parked(1, 8)])).0;
    assert_eq!(after(record.clone(), MoveKind::Claim { count: 3, demand: 3 }).1.taken, vec![parked(1, 3)]);
    for (known, stored) in [(2, 2), (2, 1), (0, 2), (0, 0)] {
        for kind in [
            MoveKind::Claim { count: 1, demand: 1 },
            MoveKind::TakeOut { keep: 0 },
            MoveKind::Park(vec![parked(20, 21)]),
        ] {
            let wanted = Move { incarnation: known, ..online(kind) };
            assert_eq!(apply_move(record.clone(), stored, known, &wanted), Default::default(), "{known} {stored}");
        }
    }
    let admit = MoveKind::Admit { grant: parked(1, 32), demand: 1, spare: 0, target: 8, known: 0 };
    let wanted = Move { incarnation: 2, ..online(admit) };
    let (record, outcome) = apply_move(record, 1, 2, &wanted);
    let record = record.unwrap();
    assert_eq!((record.incarnation, &record.parked), (2, &vec![parked(2, 9)]));
    assert_eq!((outcome.put, outcome.conflict, outcome.parked), (Range::new(2, 9), None, 8));
}

#[test]
fn a_move_that_was_requested_under_another_incarnation_does_nothing() {
    let record = after(None, MoveKind::Admit { grant: parked(1, 32), demand: 1, spare: 0, target: 8, known: 0 }).0;
    let grant = || MoveKind::Admit { grant: parked(33, 64), demand: 1, spare: 0, target: 40, known: 0 };
    for kind in [
        MoveKind::Park(vec![parked(40, 49)]),
        MoveKind::Claim { count: 1, demand: 1 },
        MoveKind::TakeOut { keep: 0 },
        grant(),
    ] {
        let wanted = Move { incarnation: 3, issued: vec![(0, 39)], ..online(kind) };
        assert_eq!(apply_move(record.clone(), 1, 1, &wanted), Default::default(), "{wanted:?}");
    }
    let wanted = Move { incarnation: 0, ..online(MoveKind::Claim { count: 1, demand: 1 }) };
    let taken = apply_move(record, 1, 1, &wanted).1.taken;
    assert_eq!(taken, vec![parked(2, 2)], "a client without a known incarnation uses the one that it learns");
}

#[test]
fn numbers_that_are_parked_already_are_not_parked_again() {
    let record = after(None, MoveKind::Park(vec![parked(1, 8)])).0;
    let mut other = parked(4, 12);
    other.node_tag = 1;
    let record = after(record, MoveKind::Park(vec![parked(8, 12), other, parked(9, 9)])).0.unwrap();
    assert_eq!(record.parked, vec![parked(1, 8), other, parked(9, 9)]);
}

#[test]
fn an_offline_start_uses_the_stored_incarnation() {
    let record = after(None, MoveKind::Park(vec![parked(1, 8)])).0;
    let wanted = Move { incarnation: 0, ..online(MoveKind::Claim { count: 2, demand: 2 }) };
    assert_eq!(apply_move(record, 1, 0, &wanted).1.taken, vec![parked(1, 2)]);
}

#[test]
fn a_grant_of_issued_or_parked_numbers_is_refused() {
    let admit = |low, high| MoveKind::Admit { grant: parked(low, high), demand: 1, spare: 0, target: 8, known: 0 };
    let record = after(None, admit(33, 64)).0;
    let (record, outcome) = after(record, admit(33, 64));
    assert_eq!(outcome.conflict, Some(41), "34 to 41 are parked");
    assert_eq!(record.as_ref().unwrap().parked, vec![], "the overlapping parked numbers are burnt");
    let (record, outcome) = after(record, admit(20, 51));
    assert_eq!(outcome.conflict, Some(33), "33 was for a waiting caller");
    let mut other = parked(33, 64);
    other.node_tag = 1;
    let wanted = MoveKind::Admit { grant: other, demand: 1, spare: 0, target: 0, known: 0 };
    assert_eq!(after(record, wanted).1.conflict, None, "under another node tag they are other ids");
}

#[test]
fn numbers_that_were_taken_out_may_be_granted_again() {
    let record = after(None, MoveKind::Admit { grant: parked(1, 32), demand: 1, spare: 0, target: 8, known: 0 }).0;
    let (record, outcome) = after(record, MoveKind::TakeOut { keep: 0 });
    assert_eq!(outcome.taken, vec![parked(2, 9)]);
    assert_eq!(
        after(record, MoveKind::Admit { grant: parked(2, 33), demand: 1, spare: 0, target: 8, known: 0 }).1.conflict,
        None
    );
}

#[test]
fn numbers_that_were_marked_and_returned_unused_may_be_granted_again() {
    let record = after(None, MoveKind::Admit { grant: parked(1, 32), demand: 6, spare: 0, target: 8, known: 0 }).0;
    let record = after(record, MoveKind::Claim { count: 4, demand: 4 }).0;
    let unused = vec![parked(3, 6), parked(7, 10)];
    let record = apply_move(record, 0, 1, &Move { unused, ..online(MoveKind::TakeOut { keep: 0 }) }).0;
    assert_eq!(record.as_ref().unwrap().issued, vec![(0, 2)]);
    let again = |low| MoveKind::Admit { grant: parked(low, 40), demand: 1, spare: 0, target: 8, known: 2 };
    assert_eq!(after(record.clone(), again(3)).1.conflict, None);
    assert_eq!(after(record, again(2)).1.conflict, Some(2));
}

#[test]
fn numbers_that_were_marked_parked_and_returned_may_be_granted_again() {
    let record = after(None, MoveKind::Admit { grant: parked(1, 32), demand: 1, spare: 0, target: 31, known: 0 }).0;
    let record = after(record, MoveKind::Claim { count: 16, demand: 16 }).0;
    let record = after(record, MoveKind::Park(vec![parked(5, 17)])).0;
    let record = after(record, MoveKind::TakeOut { keep: 0 }).0;
    assert_eq!(record.unwrap().issued, vec![(0, 4)]);
}

#[test]
fn an_overtaken_grant_is_distinguished_from_a_server_that_went_back() {
    let admit = |low, high, known| MoveKind::Admit { grant: parked(low, high), demand: 1, spare: 0, target: 0, known };
    let record = after(None, admit(33, 64, 0)).0;
    let overtaken = after(record.clone(), admit(1, 32, 0)).1;
    assert_eq!((overtaken.conflict, overtaken.overtaken), (Some(33), true));
    let back = after(record, admit(1, 32, 33)).1;
    assert_eq!((back.conflict, back.overtaken), (Some(33), false));
}

#[test]
fn numbers_that_this_client_issued_are_marked_on_the_device() {
    let wanted = Move { issued: vec![(0, 12)], used: 12, ..online(MoveKind::Park(vec![])) };
    let (record, outcome) = apply_move(None, 0, 1, &wanted);
    assert_eq!(outcome.used, 12);
    assert_eq!(
        after(record, MoveKind::Admit { grant: parked(12, 20), demand: 0, spare: 0, target: 0, known: 0 }).1.conflict,
        Some(12)
    );
}

#[test]
fn a_take_out_leaves_the_numbers_that_are_used_first() {
    let record = after(None, MoveKind::Park(vec![parked(1, 8), parked(40, 49)])).0;
    let (record, outcome) = after(record, MoveKind::TakeOut { keep: 10 });
    assert_eq!((outcome.taken, record.unwrap().parked), (vec![parked(42, 49)], vec![parked(1, 8), parked(40, 41)]));
}

proptest! {
    #[test]
    fn a_number_is_in_the_record_or_taken_but_never_both(
        lens in proptest::collection::vec(1..9u64, 0..5), count in 0..40u64, out: bool,
    ) {
        let mut low = 1;
        let mut entries = Vec::new();
        for len in lens {
            entries.push(parked(low, low + len - 1));
            low += len + 1;
        }
        let total = numbers(&entries).len() as u64;
        let before = after(None, MoveKind::Park(entries.clone())).0;
        let (record, outcome) = after(before, if out { MoveKind::TakeOut { keep: count } } else { MoveKind::Claim { count, demand: count } });
        let mut both = numbers(&outcome.taken);
        prop_assert_eq!(both.len() as u64, if out { total.saturating_sub(count) } else { count.min(total) });
        both.extend(numbers(&record.unwrap().parked));
        both.sort_unstable();
        prop_assert_eq!(both, numbers(&entries));
    }

    #[test]
    fn an_admission_parks_or_leaves_each_number(len in 1..40u64, demand in 0..50u64, target in 0..50u64) {
        let grant = parked(10, 9 + len);
        let (record, outcome) = after(None, MoveKind::Admit { grant, demand, spare: 0, target, known: 0 });
        let put = outcome.put.map_or(0, Range::len);
        prop_assert_eq!(put, target.min(len.saturating_sub(demand)));
        prop_assert_eq!(record.unwrap().count(), put);
    }
}

/// Numbers of a lease that a gateway has sealed.
fn sealed(low: u64, high: u64, lease: (u64, u64)) -> Parked {
    let token = Some(super::super::Token { lease: Range::new(lease.0, lease.1).unwrap(), text: 1 });
    Parked { token, ..parked(low, high) }
}

#[test]
fn of_sealed_leases_the_end_of_the_newest_one_is_taken_out_and_the_rest_stays() {
    let out = |record, keep, unused| {
        let wanted = Move { unused, ..online(MoveKind::TakeOut { keep }) };
        let (record, outcome) = apply_move(record, 1, 1, &wanted);
        assert_eq!(numbers(&outcome.left), numbers(&record.unwrap().parked), "what stays is reported");
        (numbers(&outcome.taken), numbers(&outcome.left))
    };
    let of = |entries: &[Parked]| after(None, MoveKind::Park(entries.to_vec())).0;
    let all = |low: u64, high: u64| (low..=high).collect::<Vec<_>>();
    let one = (1, 32);
    assert_eq!(out(of(&[sealed(2, 32, one)]), 0, vec![]), (all(2, 32), vec![]));
    assert_eq!(out(of(&[sealed(2, 9, one)]), 0, vec![sealed(10, 32, one)]), (all(2, 9), vec![]), "memory has the end");
    assert_eq!(out(of(&[sealed(2, 9, one)]), 0, vec![]), (vec![], all(2, 9)), "the end was returned or issued");
    let gap = of(&[sealed(2, 3, one), sealed(5, 32, one)]);
    assert_eq!(out(gap, 0, vec![]), (all(5, 32), vec![2, 3]), "4 was issued");
    let two = of(&[sealed(5, 32, one), sealed(33, 64, (33, 64))]);
    assert_eq!(out(two, 0, vec![]), (all(33, 64), all(5, 32)), "only the newest lease");
    let mut used = of(&[sealed(5, 32, one)]).unwrap();
    used.mark(0, 33);
    assert_eq!(out(Some(used), 0, vec![]), (vec![], all(5, 32)), "a newer lease was used up");
    let other_node = Parked { node_tag: 1, ..sealed(10, 32, one) };
    let below = of(&[sealed(2, 9, one)]);
    assert_eq!(out(below, 0, vec![other_node]), (vec![], all(2, 9)), "another node has granted 10 to 32");
    let newer = Parked { node_tag: 1, ..parked(33, 64) };
    let whole = of(&[sealed(2, 32, one)]);
    assert_eq!(out(whole.clone(), 0, vec![newer]), (vec![], all(2, 32)), "another node has moved the counter");
    let mut moved = whole.unwrap();
    moved.mark(1, 33);
    assert_eq!(out(Some(moved), 0, vec![]), (vec![], all(2, 32)), "another node's newer lease was used up");
}
