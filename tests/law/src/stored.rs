//! The text of a record as a device stores it, with its parsed form.

use raven_edge::pool::Record;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

thread_local! {
    /// Millions of states share a few hundred texts, so each is parsed and stored once.
    static TEXTS: RefCell<HashMap<String, Stored>> = RefCell::default();
}

/// A stored text.
#[derive(Clone, Debug)]
pub(crate) struct Stored(Rc<(String, Record)>);

impl Stored {
    /// Writes the record and reads it back.
    pub(crate) fn new(record: &Record) -> Stored {
        let text = record.write();
        TEXTS.with_borrow_mut(|texts| match texts.get(&text) {
            Some(known) => known.clone(),
            None => {
                let read = Record::read(&text).expect("a text that the record wrote");
                let stored = Stored(Rc::new((text.clone(), read)));
                texts.insert(text, stored.clone());
                stored
            }
        })
    }

    pub(crate) fn record(&self) -> &Record {
        &self.0.1
    }

    fn text(&self) -> &str {
        &self.0.0
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
        self.text().cmp(other.text())
    }
}

impl Hash for Stored {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text().hash(state);
    }
}
