//! The app's own counters, for sources that are functions of the app.

use crate::plan::Origin;
use crate::server::Server;
use raven_edge::json;
use raven_edge::source::custom;
use std::collections::HashMap;

/// How many numbers a Hi of the classic formula represents.
pub(crate) const CAPACITY: u64 = 8;

/// The counters: the last granted number by prefix.
#[derive(Debug, Default)]
pub(crate) struct App {
    granted: HashMap<String, u64>,
}

impl App {
    /// Calls the app's function and returns its result. Grants are recorded like those of the server.
    pub(crate) fn called(&mut self, origin: Origin, path: &str, body: &[u8], server: &mut Server) -> String {
        let number = |name| json::get(body, name).and_then(json::integer).unwrap_or_default();
        let tag = json::get(body, "tag").and_then(json::string).unwrap_or_default();
        let classic = origin == Origin::Classic;
        // Each source has its own counter, and therefore its own ids.
        let prefix = format!("{tag}/{}/", if classic { "hi" } else { "own" });
        let max = self.granted.entry(prefix.clone()).or_default();
        if path == custom::RELEASE {
            // Taken back only if no other client has leased since.
            if *max == number("high") {
                *max = number("low") - 1;
            }
            return "null".into();
        }
        let low = if classic { *max } else { (*max).max(number("above")) } + 1;
        *max = low + if classic { CAPACITY } else { number("size") } - 1;
        let high = *max;
        server.grant(prefix.clone(), String::new(), low, high);
        if classic {
            format!(r#"{{"hi":{},"capacity":{CAPACITY},"prefix":"{prefix}"}}"#, high / CAPACITY)
        } else {
            format!(r#"{{"low":{low},"high":{high},"prefix":"{prefix}"}}"#)
        }
    }
}
