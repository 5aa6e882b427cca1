//! What jobs take of the machine: estimates, from the seconds and CPU seconds that a run prints for each.

use super::schedule::Cost;

/// The share of a core (in percent) and the memory (in megabytes) of a file, by suite.
pub(super) fn of(suite: &str) -> Cost {
    let (cores, memory) = match suite {
        "browsers" => (50, 1_500),
        "docs" | "gateway" | "package" => (50, 1_000),
        "compat" => (65, 1_000),
        _ => (40, 500),
    };
    Cost { cores, memory }
}

/// Native work would take a core for each thread, but it runs behind tests (`cargo::behind_tests`) and takes what they leave.
pub(super) fn native(threads: usize) -> Cost {
    Cost { cores: 50 * threads, memory: 2_000 }
}

/// Seconds of the jobs that take longest. They begin first, so that the last of them does not run alone at the end.
const LONG: &[(&str, usize)] = &[
    ("native/workspace", 300),
    ("simulation/seeds", 200),
    ("law/models", 120),
    ("rust/client", 90),
    ("session-law/models", 110),
    ("offline-law/models", 110),
    ("lint/clippy", 135),
    ("native/xtask", 60),
    ("browsers/kills-chromium", 100),
    ("browsers/kills-firefox", 100),
    ("browsers/kills-webkitgtk", 100),
    ("browsers/offline-kills-chromium", 100),
    ("browsers/offline-kills-firefox", 100),
    ("browsers/offline-kills-webkitgtk", 100),
    ("compat/compat", 90),
    ("compat/programs", 90),
    ("browsers/demo", 60),
    ("browsers/field-notes", 60),
    ("browsers/storage", 60),
    ("browsers/pool", 60),
    ("gateway/suites", 60),
    ("gateway/kills", 60),
    ("docs/blocks", 60),
    ("server/outage", 40),
    ("server/dispose", 40),
    ("server/options", 40),
    ("server/failover", 40),
    ("server/saving-lost", 40),
    ("server/queries", 40),
];

/// About how long a job takes, in seconds.
pub(super) fn seconds(suite: &str, name: &str) -> usize {
    LONG.iter().find(|(key, _)| key.split_once('/') == Some((suite, name))).map_or(10, |(_, seconds)| *seconds)
}
