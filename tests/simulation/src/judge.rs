//! Records what happened, and reports what must never happen.

use crate::plan::Past;
use std::collections::HashMap;

/// The issuer of a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Issuer {
    pub(crate) device: usize,
    pub(crate) tab: usize,
    /// The incarnation that the tab believed the database to have.
    pub(crate) incarnation: Option<String>,
    pub(crate) at: u64,
    /// Whether the number came from the pool.
    pub(crate) claimed: bool,
    /// Whether the tab has a pool, through which it learns what other tabs of its device issued.
    pub(crate) pooled: bool,
}

pub(crate) struct Judge {
    past: Past,
    issued: HashMap<String, Vec<Issuer>>,
    /// The highest number issued, per tag.
    highest: HashMap<String, u64>,
    pub(crate) verdicts: Vec<String>,
    pub(crate) count: u64,
    /// Ids that two tabs of one device issued because the server was rolled back, which the device could not know.
    pub(crate) unknowable: u64,
    /// Grants of an honest app, without fences, that were mistaken for a rollback: their numbers are lost needlessly.
    pub(crate) false_alarms: u64,
}

impl Judge {
    pub(crate) fn new(past: Past) -> Self {
        Self {
            past,
            issued: HashMap::new(),
            highest: HashMap::new(),
            verdicts: Vec::new(),
            count: 0,
            unknowable: 0,
            false_alarms: 0,
        }
    }

    pub(crate) fn object(&mut self, text: String) {
        self.verdicts.push(text);
    }

    /// The app receives an id.
    pub(crate) fn issued(&mut self, id: &str, tag: &str, number: u64, issuer: Issuer) {
        self.count += 1;
        let highest = self.highest.entry(tag.to_owned()).or_default();
        *highest = number.max(*highest);
        let before = self.issued.entry(id.to_owned()).or_default();
        let twice = before.iter().find(|before| match self.past {
            Past::Honest => true,
            // After a rollback numbers are granted again; but a tab never accepts a number from the server that it
            // has issued itself.
            Past::Restored => before.tab == issuer.tab && !issuer.claimed,
            // Within one incarnation no number is issued twice, wherever it was stored meanwhile.
            Past::Recreated => before.incarnation == issuer.incarnation,
        });
        if let Some(before) = twice {
            let text = format!(
                "{id} was issued twice: at {} µs by tab {} of device {}, at {} µs by tab {} of device {}",
                before.at, before.tab, before.device, issuer.at, issuer.tab, issuer.device
            );
            self.verdicts.push(text);
        } else if self.past == Past::Restored && before.iter().any(|before| before.device == issuer.device) {
            self.unknowable += u64::from(issuer.pooled);
        }
        before.push(issuer);
    }

    /// Whether an id was issued.
    pub(crate) fn knows(&self, id: &str) -> bool {
        self.issued.contains_key(id)
    }

    /// The highest number issued of a tag.
    pub(crate) fn highest(&self, tag: &str) -> u64 {
        self.highest.get(tag).copied().unwrap_or(0)
    }
}
