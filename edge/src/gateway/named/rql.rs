//! Reads the text of a named query, when the Worker starts, as far as its results must be known.
//!
//! A named query returns documents, which are judged one by one. What would return anything else is refused: `select`, `load`,
//! `group by`, `update`, functions in JavaScript, facets and the like. So is what the gateway sets itself: `limit` and `offset`.

use crate::prelude::*;

/// The facts about a query that its text reveals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Query {
    /// The text as the configuration has it.
    pub(crate) text: String,
    /// The names behind `$`, each once.
    pub(crate) used: Vec<String>,
    /// Whether it includes documents.
    pub(crate) includes: bool,
    /// The collection behind `from`; `None` for an index, and for all documents.
    pub(crate) collection: Option<String>,
    /// Why it cannot be a set, if its text says so: a set consists of all that a condition finds, whenever it is asked.
    pub(crate) no_set: Option<&'static str>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token<'a> {
    /// A name or a keyword, such as `from`, `Orders` or `address.city`.
    Word(&'a str),
    /// A name behind `$`.
    Parameter(&'a str),
    /// A text in quotes, as it stands between them.
    Text(&'a str),
    Sign(char),
}

/// Keywords that a named query does not have, and why.
const REFUSED: [(&str, &str); 17] = [
    ("select", "the results of a named query are documents; `projection` lists the members that a caller gets"),
    ("load", "a loaded document is not judged; use `include`"),
    ("group", "groups are not documents, so they cannot be judged"),
    ("update", "a named query only reads; use a named patch"),
    ("delete", "a named query only reads"),
    ("declare", "functions in JavaScript cannot be judged"),
    ("limit", "the page size is part of the request, bounded by `page`"),
    ("offset", "the position is part of the request"),
    ("with", "graph queries cannot be judged"),
    ("match", "graph queries cannot be judged"),
    ("facet", "facets are not documents, so they cannot be judged"),
    ("suggest", "suggestions are not documents, so they cannot be judged"),
    ("morelikethis", "its results tell what a document contains that the caller may not see"),
    ("timeseries", "time series are not documents, so they cannot be judged"),
    ("explanations", "explanations tell what the index knows"),
    ("highlight", "highlights repeat parts of documents"),
    ("timings", "timings tell how many documents are hidden"),
];

/// Words of queries whose results are not all that a condition finds, or change with the time.
const NO_SETS: [(&str, &str); 6] = [
    ("distinct", "is distinct"),
    ("now", "calls now()"),
    ("today", "calls today()"),
    ("random", "calls random()"),
    ("filter_limit", "has a filter_limit"),
    ("vector.search", "searches by vectors"),
];

impl Query {
    /// Reads a query; the error says what is not accepted, and why.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let tokens = tokens(text)?;
        if !matches!(tokens.first(), Some(Token::Word(word)) if word.eq_ignore_ascii_case("from")) {
            return Err("must begin with `from`".into());
        }
        let is =
            |token: &Token<'_>, keyword: &str| matches!(token, Token::Word(word) if word.eq_ignore_ascii_case(keyword));
        for (keyword, reason) in REFUSED {
            if tokens.iter().any(|token| is(token, keyword)) {
                return Err(format!(
                    "`{keyword}` is not accepted: {reason}; a name that is a keyword stands in quotes"
                ));
            }
        }
        let mut places = tokens.iter().enumerate().filter(|(_, token)| is(token, "include"));
        let included = places.next().map(|(at, _)| at);
        if places.next().is_some() {
            return Err("`include` may occur once, with all its paths".into());
        }
        let paths = included.and_then(|at| tokens.get(at + 1..)).unwrap_or_default();
        if included.is_some() && !are_paths(paths) {
            return Err("`include` ends the query, and is followed by paths of members alone".into());
        }
        let mut used: Vec<String> = Vec::new();
        for token in &tokens {
            if let Token::Parameter(name) = token
                && !used.iter().any(|known| known == name)
            {
                used.push((*name).to_owned());
            }
        }
        let collection = match tokens.get(1) {
            Some(Token::Text(name)) => (!name.contains('\\')).then_some(*name),
            Some(Token::Word(name)) => {
                Some(*name).filter(|_| !is(&Token::Word(name), "index") && !name.starts_with('@'))
            }
            _ => return Err("`from` needs a collection or an index".into()),
        };
        let collection = collection.map(Into::into);
        let no_set = NO_SETS.iter().find(|(word, _)| tokens.iter().any(|token| is(token, word)));
        let no_set = no_set.map(|(_, reason)| *reason);
        Ok(Self { text: text.into(), used, includes: included.is_some(), collection, no_set })
    }
}

/// Whether these are member paths with commas between them.
fn are_paths(tokens: &[Token<'_>]) -> bool {
    !tokens.is_empty()
        && tokens.iter().enumerate().all(|(at, token)| match token {
            Token::Word(_) | Token::Text(_) => at % 2 == 0,
            Token::Sign(sign) => at % 2 == 1 && *sign == ',',
            Token::Parameter(_) => false,
        })
        && tokens.len() % 2 == 1
}

fn tokens(text: &str) -> Result<Vec<Token<'_>>, String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            ' ' | '\n' | '\r' | '\t' => 1,
            quote @ ('\'' | '"') => {
                let length = text_length(rest, quote).ok_or("a text in quotes does not end")?;
                tokens.push(Token::Text(rest.get(1..length - 1).unwrap_or_default()));
                length
            }
            '$' => {
                let name = rest.get(1..).unwrap_or_default();
                let length = name.find(|letter: char| !is_of_name(letter)).unwrap_or(name.len());
                let name = name.get(..length).filter(|name| !name.is_empty()).ok_or("a `$` needs a name")?;
                tokens.push(Token::Parameter(name));
                length + 1
            }
            letter if is_of_name(letter) || letter == '@' => {
                let of_path = |letter: char| is_of_name(letter) || matches!(letter, '@' | '.' | '[' | ']' | '-');
                let length = rest.find(|letter| !of_path(letter)).unwrap_or(rest.len());
                tokens.push(Token::Word(rest.get(..length).unwrap_or_default()));
                length
            }
            letter if !letter.is_ascii() => {
                return Err(format!(
                    "`{letter}` is not accepted outside of a text in quotes; names with it stand in quotes, too"
                ));
            }
            '{' | '}' => return Err("braces are not accepted: projections in JavaScript cannot be judged".into()),
            '/' | '#' | '`' | '\\' | ';' => {
                return Err(format!("`{first}` is not accepted outside of a text in quotes"));
            }
            '-' if rest.starts_with("--") => return Err("comments are not accepted".into()),
            sign => {
                tokens.push(Token::Sign(sign));
                sign.len_utf8()
            }
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    Ok(tokens)
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// The length of the text in quotes that a text begins with.
fn text_length(text: &str, quote: char) -> Option<usize> {
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()?),
            letter if letter == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gateway::proofs::random::Random;

    #[test]
    fn a_query_for_documents_is_understood() {
        let text = "from index 'Orders/Open' as o where o.customerId = $name and (total >= $from or search(note, 'select it')) \
                    and id() != $name order by date desc, score() include o.customerId, 'lines[].product'";
        let query = Query::read(text).unwrap();
        assert_eq!(
            query,
            Query {
                text: text.into(),
                used: vec!["name".into(), "from".into()],
                includes: true,
                collection: None,
                no_set: None,
            }
        );
        let plain = Query::read("FROM Orders WHERE customerId = $name").unwrap();
        assert_eq!((plain.used, plain.includes), (vec!["name".into()], false));
        assert_eq!(plain.collection.as_deref(), Some("Orders"));
        for (text, expected) in [("from 'Order Lines' as l", Some("Order Lines")), ("from @all_docs", None)] {
            assert_eq!(Query::read(text).unwrap().collection.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn what_returns_anything_but_documents_is_refused() {
        for (text, error) in [
            ("select x from Orders", "must begin with `from`"),
            ("", "must begin with `from`"),
            ("from Orders select customerId", "`select` is not accepted"),
            ("from Orders as o SELECT { a: 1 }", "braces are not accepted"),
            ("from Orders as o load o.customerId as c", "`load` is not accepted"),
            ("from Orders group by customerId", "`group` is not accepted"),
            ("from Orders update { this.a = 1 }", "braces are not accepted"),
            ("declare function f() { }", "braces are not accepted"),
            ("from Orders limit 5", "`limit` is not accepted"),
            ("from Orders where a = 1 include timings()", "`timings` is not accepted"),
            ("from Orders include counters('x')", "`include` ends the query"),
            ("from Orders include customerId where a = 1", "`include` ends the query"),
            ("from Orders include a include b", "`include` may occur once"),
            ("from Orders include $name", "`include` ends the query"),
            ("from Orders // x\nselect a", "`/` is not accepted"),
            ("from Orders\u{3000}select a", "`\u{3000}` is not accepted"),
            ("from Orders where a = 'x", "a text in quotes does not end"),
            ("from Orders where a = $", "a `$` needs a name"),
            ("from Orders where a = '\\'' select b", "`select` is not accepted"),
        ] {
            let found = Query::read(text).unwrap_err();
            assert!(found.starts_with(error), "{text}: {found}");
        }
    }

    #[test]
    fn any_text_is_survived() {
        let mut random = Random(7);
        let pieces = [
            "from ", "Orders", " where ", "$", "'", "\"", "\\", "include", ",", ".", "é", "{", " select", "(", "a",
            "\u{3000}",
        ];
        let mut accepted = 0;
        for _ in 0..20_000 {
            let text: String = (0..random.below(12)).map(|_| *random.pick(&pieces)).collect();
            accepted += usize::from(Query::read(&format!("from {text}")).is_ok());
        }
        assert!(accepted > 1_000, "{accepted}");
    }
}
