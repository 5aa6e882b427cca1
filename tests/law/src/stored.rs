//! A record as a device stores it.

use raven_edge::pool::Record;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

thread_local! {
    /// Millions of states share a few hundred records, so each is stored once.
    static RECORDS: RefCell<HashMap<Record, Stored>> = RefCell::default();
}

/// A stored record.
#[derive(Clone, Debug)]
pub(crate) struct Stored(Rc<Record>);

impl Stored {
    pub(crate) fn new(record: &Record) -> Stored {
        RECORDS.with_borrow_mut(|records| match records.get(record) {
            Some(known) => known.clone(),
            None => {
                let stored = Stored(Rc::new(record.clone()));
                records.insert(record.clone(), stored.clone());
                stored
            }
        })
    }

    pub(crate) fn record(&self) -> &Record {
        &self.0
    }

    /// What orders records.
    fn key(&self) -> impl Ord {
        let Record { incarnation, parked, issued, used } = self.record();
        let parked: Vec<_> =
            parked.iter().map(|parked| (parked.range, parked.affixes, parked.node_tag, parked.token)).collect();
        (*incarnation, parked, issued, *used)
    }
}

impl PartialEq for Stored {
    fn eq(&self, other: &Stored) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Stored {}

impl PartialOrd for Stored {
    fn partial_cmp(&self, other: &Stored) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Stored {
    fn cmp(&self, other: &Stored) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl Hash for Stored {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}
