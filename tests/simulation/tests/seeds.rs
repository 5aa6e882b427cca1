//! A few seeds, and a test that each broken variant is detected. `cargo xtask test simulation` runs many seeds.

use raven_edge_simulation::run;
use raven_edge_simulation::variants::Variant;

/// Number of seeds: every broken variant is detected many times within them.
const PATIENCE: u64 = 4_000;

#[test]
fn a_few_seeds_pass_and_are_reproducible() {
    for seed in 0..20 {
        let (first, again) = (run(seed, Variant::Nothing, false), run(seed, Variant::Nothing, false));
        assert_eq!(first.verdicts, Vec::<String>::new(), "seed {seed}");
        assert_eq!((first.issued, first.requests, first.events), (again.issued, again.requests, again.events));
    }
}

/// The first seed in which the same id is issued twice.
fn caught(variant: Variant) -> u64 {
    let is_caught =
        |seed: &u64| run(*seed, variant, false).verdicts.iter().any(|text| text.contains("was issued twice"));
    (0..PATIENCE).find(is_caught).unwrap_or_else(|| panic!("{variant:?} issues nothing twice in {PATIENCE} seeds"))
}

#[test]
fn a_claim_that_is_not_durable_is_caught() {
    println!("seed {}", caught(Variant::RelaxedClaim));
}

#[test]
fn keeping_returned_numbers_is_caught() {
    println!("seed {}", caught(Variant::KeptAfterReturn));
}

#[test]
fn a_return_without_a_fence_is_caught() {
    println!("seed {}", caught(Variant::UnfencedReturn));
}

#[test]
fn parking_returned_numbers_is_caught() {
    println!("seed {}", caught(Variant::ParkedAndReturned));
}

#[test]
fn using_a_refused_write_is_caught() {
    println!("seed {}", caught(Variant::RefusedWriteUsed));
}
