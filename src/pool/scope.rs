//! What a lease belongs to: numbers parked under one scope are never issued under another.

use alloc::string::String;

use crate::json::push_string;

/// The scope of a lease. The database's incarnation is not part of it but of the record: a new one has to find the old
/// numbers in order to burn them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scope {
    /// Kind and id of the source, such as `server`.
    pub source: String,
    /// Address of the server as the app gave it.
    pub server: String,
    /// The database.
    pub database: String,
    /// Name of the counter.
    pub tag: String,
    /// Identity parts separator.
    pub separator: char,
}

impl Scope {
    /// The record's key: a JSON array of the parts, so that no part can run into the next. Database and tag are without
    /// case, because the server's are.
    pub fn key(&self) -> String {
        let mut key = String::from("[");
        let (database, tag) = (self.database.to_lowercase(), self.tag.to_lowercase());
        let separator = String::from(self.separator);
        for part in [&self.source, &self.server, &database, &tag, &separator] {
            if key.len() > 1 {
                key.push(',');
            }
            push_string(&mut key, part);
        }
        key.push(']');
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(server: &str, tag: &str) -> Scope {
        Scope {
            source: "server".into(),
            server: server.into(),
            database: "Shop".into(),
            tag: tag.into(),
            separator: '/',
        }
    }

    #[test]
    fn keys_are_stable_and_without_case_where_the_server_has_none() {
        assert_eq!(scope("/raven", "Orders").key(), r#"["server","/raven","shop","orders","/"]"#);
        assert_eq!(scope("/raven", "ORDERS").key(), scope("/raven", "orders").key());
        assert_ne!(scope("/Raven", "orders").key(), scope("/raven", "orders").key());
        assert_ne!(scope("a\",\"b", "c").key(), scope("a", "b\",\"c").key());
    }
}
