//! What a batch waits for before the response is sent.
//!
//! There are no indexes, so none is ever stale. Other nodes receive the batch soon after. If there are too few nodes,
//! the response is the one that RavenDB sends after its timeout: 408, although the batch is committed.

use crate::authority::Authority;
use crate::error::Error;
use crate::prelude::*;
use crate::query::Query;

/// How many other nodes must have received the batch.
enum Replicas {
    Majority,
    Number(i32),
}

/// The parameters that make a batch wait.
pub(super) struct Waits {
    replicas: Option<Replicas>,
    fail: bool,
}

impl Waits {
    pub(super) fn read(query: &Query) -> Result<Self, Error> {
        for name in ["waitForIndexesTimeout", "waitForReplicasTimeout"] {
            if let Some(text) = query.first(name)
                && !is_time_span(text)
            {
                return Err(Error::argument(format!("Could not parse query string '{name}' as timespan val {text}")));
            }
        }
        query.flag("waitForIndexThrow")?;
        let fail = !query.has("throwOnTimeoutInWaitForReplicas") || query.flag("throwOnTimeoutInWaitForReplicas")?;
        let replicas = match query.first("numberOfReplicasToWaitFor") {
            None => Replicas::Number(1),
            Some("majority") => Replicas::Majority,
            Some(text) => Replicas::Number(text.trim().parse().map_err(|_| {
                Error::argument(format!("Could not parse query string 'numberOfReplicasToWaitFor' as int val {text}"))
            })?),
        };
        Ok(Self { replicas: query.has("waitForReplicasTimeout").then_some(replicas), fail })
    }

    /// Whether enough nodes exist to receive the batch.
    pub(super) fn check<S>(&self, authority: &Authority<S>) -> Result<(), Error> {
        let others = authority.options.nodes.len().saturating_sub(1);
        let wanted = match &self.replicas {
            None => 0,
            // A majority of all nodes, including this one.
            Some(Replicas::Majority) => usize::midpoint(others, 1),
            Some(Replicas::Number(number)) => usize::try_from(*number).unwrap_or(0),
        };
        if wanted <= others || !self.fail {
            return Ok(());
        }
        Err(Error::timeout(format!(
            "The batch is committed, but could not be replicated to {wanted} servers: there are {others} others."
        )))
    }
}

/// A time span as .NET reads it: `5` (days), `00:00:05`, `-1.23:59:59.1234567`.
fn is_time_span(text: &str) -> bool {
    let text = text.trim();
    let text = text.strip_prefix('-').unwrap_or(text);
    let number = |text: &str, max: u32| {
        !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_digit())
            && text.parse::<u32>().is_ok_and(|number| number <= max)
    };
    let days = |text: &str| number(text, 10_675_199);
    let Some((first, rest)) = text.split_once(':') else { return days(text) };
    let hours = first.split_once('.').map_or_else(|| number(first, 23), |(d, h)| days(d) && number(h, 23));
    let (minutes, seconds) = rest.split_once(':').unwrap_or((rest, "0"));
    let (seconds, fraction) = seconds.split_once('.').unwrap_or((seconds, "0"));
    hours && number(minutes, 59) && number(seconds, 59) && fraction.len() <= 7 && number(fraction, 9_999_999)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_spans_are_read_as_dotnet_does() {
        for text in ["5", "00:00:05", " 1:2 ", "-00:00:01", "1.02:03:04.5", "23:59:59.9999999"] {
            assert!(is_time_span(text), "{text}");
        }
        for text in ["", " ", "abc", "1:60", "24:00", "00:00:61", "1.2", "1:2:3.12345678", "--1", "1:2:3:4", "00:00:"] {
            assert!(!is_time_span(text), "{text}");
        }
    }
}
