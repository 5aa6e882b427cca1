//! Runs seeds, or one seed with a log of everything that happens.

use raven_edge_simulation::variants::Variant;
use raven_edge_simulation::{Outcome, run};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Half of the work is small strings.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The command that runs this program.
const PROGRAM: &str = "cargo run -q --profile law -p raven-edge-simulation --";
const USAGE: &str = "usage: raven-edge-simulation [--seeds N] [--from N] [--seed N] [--variant NAME]";

struct Args {
    seeds: u64,
    from: u64,
    /// Run one seed, with a log.
    seed: Option<u64>,
    variant: Variant,
}

fn read_args() -> Option<Args> {
    let mut args = Args { seeds: 20_000, from: 0, seed: None, variant: Variant::Nothing };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next()?;
        match word.as_str() {
            "--seeds" => args.seeds = value.parse().ok()?,
            "--from" => args.from = value.parse().ok()?,
            "--seed" => args.seed = Some(value.parse().ok()?),
            "--variant" => args.variant = *Variant::ALL.iter().find(|variant| variant.name() == value)?,
            _ => return None,
        }
    }
    Some(args)
}

/// Runs a seed; a panic counts as a failure.
fn run_guarded(seed: u64, variant: Variant, verbose: bool) -> Outcome {
    catch_unwind(AssertUnwindSafe(|| run(seed, variant, verbose)))
        .unwrap_or_else(|_| Outcome { verdicts: vec![String::from("panicked")], ..Outcome::default() })
}

#[derive(Default)]
struct Sum {
    seeds: u64,
    issued: u64,
    requests: u64,
    events: u64,
    unknowable: u64,
    false_alarms: u64,
    failed: Vec<(u64, String)>,
}

fn main() -> ExitCode {
    let Some(args) = read_args() else {
        eprintln!("{USAGE}");
        return ExitCode::FAILURE;
    };
    if let Some(seed) = args.seed {
        let outcome = run_guarded(seed, args.variant, true);
        println!("seed {seed}: {} ids, {} requests, {} events", outcome.issued, outcome.requests, outcome.events);
        outcome.verdicts.iter().for_each(|verdict| println!("FAILED: {verdict}"));
        return if outcome.verdicts.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let since = Instant::now();
    let sum = run_all(&args);
    // In the format of test programs, so that xtask can count it.
    println!("running 1 test");
    for (seed, verdict) in sum.failed.iter().take(20) {
        println!("seed {seed} failed: {verdict}");
        if args.variant == Variant::Nothing {
            println!("  replay: cargo xtask test --seed {seed}");
        } else {
            println!("  replay: {PROGRAM} --seed {seed} --variant {}", args.variant.name());
        }
    }
    println!(
        "{} ids, {} requests, {} events in {:.1} s",
        sum.issued,
        sum.requests,
        sum.events,
        since.elapsed().as_secs_f64()
    );
    println!("{} ids were issued again on a device that could not know that the server was restored", sum.unknowable);
    println!("{} grants of an app without fences were mistaken for a regression", sum.false_alarms);
    let (word, failed) = if sum.failed.is_empty() { ("ok", 0) } else { ("FAILED", 1) };
    println!("test {} seeds from {} on, {} failed ... {word}", sum.seeds, args.from, sum.failed.len());
    println!("test result: {word}. {} passed; {failed} failed; 0 ignored", 1 - failed);
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run_all(args: &Args) -> Sum {
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
    let next = AtomicU64::new(args.from);
    let sum = Mutex::new(Sum::default());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= args.from + args.seeds {
                        break;
                    }
                    let outcome = run_guarded(seed, args.variant, false);
                    let Ok(mut sum) = sum.lock() else { break };
                    sum.seeds += 1;
                    sum.issued += outcome.issued;
                    sum.requests += outcome.requests;
                    sum.events += outcome.events;
                    sum.unknowable += outcome.unknowable;
                    sum.false_alarms += outcome.false_alarms;
                    sum.failed.extend(outcome.verdicts.into_iter().take(1).map(|verdict| (seed, verdict)));
                }
            });
        }
    });
    let mut sum = sum.into_inner().unwrap_or_default();
    sum.failed.sort();
    sum
}
