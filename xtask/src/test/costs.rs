//! What jobs take of the machine: estimates, from the CPU seconds and seconds that the gate prints for each.

use super::schedule::Cost;

/// The share of a core and the memory of a file.
pub(super) fn of(suite: &str, _name: &str) -> Cost {
    let (cores, memory) = match suite {
        "browsers" => (60, 1_500),
        "docs" | "gateway" | "package" => (60, 1_000),
        "unit" => (90, 300),
        _ => (50, 500),
    };
    Cost { cores, memory }
}

/// About how long a job takes, in seconds.
pub(super) fn seconds(suite: &str, name: &str) -> usize {
    const LONG: &[(&str, usize)] = &[];
    LONG.iter().find(|(key, _)| *key == format!("{suite}/{name}")).map_or(10, |(_, seconds)| *seconds)
}
