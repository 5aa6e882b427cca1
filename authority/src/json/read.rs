//! The reader: strict JSON. Errors are distinguished by how RavenDB treats the same text.

use super::{Object, Value};
use crate::prelude::*;
use core::cmp::Ordering;

/// Deeper nesting is refused, because the stack in wasm is small.
const MAX_DEPTH: usize = 512;

/// Why the reader refuses a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonError {
    /// The text ends too early.
    Truncated,
    /// Not JSON; RavenDB refuses it, too. Contains the message.
    Invalid(String),
    /// A backslash before this character, which is not an escape sequence. RavenDB has an exception of its own for it.
    Escape(char),
    /// The text does not begin with an object. Contains RavenDB's name of the token that was found instead.
    NotAnObject(&'static str),
    /// RavenDB accepts it, but this authority reads strict JSON only.
    Lenient(&'static str),
}

/// Reads an object. Text after it is ignored, as in RavenDB.
///
/// # Errors
/// When the text does not begin with an object.
pub fn read_object(bytes: &[u8]) -> Result<Object, JsonError> {
    let mut reader = Reader::<false>::new(bytes);
    match reader.skip_whitespace() {
        None => Err(JsonError::Truncated),
        Some(b'{') => match reader.value(0)? {
            Value::Object(object) => Ok(object),
            other => Err(JsonError::NotAnObject(other.token())),
        },
        // RavenDB reports a number without an object around it as truncated: its reader waits for more digits.
        Some(b'0'..=b'9' | b'-') => Err(JsonError::Truncated),
        Some(_) => Err(JsonError::NotAnObject(reader.value(0)?.token())),
    }
}

/// Reads one value. Text after it is ignored.
///
/// # Errors
/// When the text does not begin with a JSON value.
pub fn read(bytes: &[u8]) -> Result<Value, JsonError> {
    Reader::<false>::new(bytes).value(0)
}

/// Reads an object. Refuses text after it and duplicate names at any level, so that every parser reads the same values.
///
/// # Errors
/// When the text is anything else.
pub fn read_strict(bytes: &[u8]) -> Result<Object, JsonError> {
    let mut reader = Reader::<true>::new(bytes);
    match reader.value(0)? {
        Value::Object(_) if reader.skip_whitespace().is_some() => Err(JsonError::Lenient("text after the object")),
        Value::Object(object) => Ok(object),
        other => Err(JsonError::NotAnObject(other.token())),
    }
}

/// `STRICT`: duplicate names are refused, and errors have no message. A module that reads strictly alone contains nothing else.
struct Reader<'a, const STRICT: bool> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a, const STRICT: bool> Reader<'a, STRICT> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes: bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes), at: 0 }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_whitespace(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
        self.peek()
    }

    fn unexpected(&self, byte: u8) -> JsonError {
        match byte {
            b'\'' => JsonError::Lenient("strings in single quotes"),
            _ => self.invalid(|at| format!("Cannot have a '{}' in this position at {at}", byte.escape_ascii())),
        }
    }

    fn invalid(&self, message: impl FnOnce(usize) -> String) -> JsonError {
        JsonError::Invalid(if STRICT { String::new() } else { message(self.at) })
    }

    fn value(&mut self, depth: usize) -> Result<Value, JsonError> {
        if depth > MAX_DEPTH {
            return Err(JsonError::Lenient("more than 512 levels of nesting"));
        }
        match self.skip_whitespace().ok_or(JsonError::Truncated)? {
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            b'"' => self.string().map(Value::String),
            b'-' if self.bytes.get(self.at + 1) == Some(&b'I') => Err(JsonError::Lenient("Infinity")),
            b'-' | b'0'..=b'9' => self.number(),
            b't' => self.word("true", Value::Bool(true)),
            b'f' => self.word("false", Value::Bool(false)),
            b'n' => self.word("null", Value::Null),
            b'N' => Err(self.word("NaN", Value::Null).err().unwrap_or(JsonError::Lenient("NaN"))),
            b'I' => Err(self.word("Infinity", Value::Null).err().unwrap_or(JsonError::Lenient("Infinity"))),
            other => Err(self.unexpected(other)),
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, JsonError> {
        for wanted in word.bytes() {
            match self.peek() {
                None => return Err(JsonError::Truncated),
                Some(found) if found == wanted => self.at += 1,
                Some(_) => {
                    return Err(self.invalid(|at| format!("Invalid token found, expected: {word} at {at}")));
                }
            }
        }
        Ok(value)
    }

    fn array(&mut self, depth: usize) -> Result<Value, JsonError> {
        self.at += 1;
        let mut items = Vec::new();
        if self.skip_whitespace() == Some(b']') {
            self.at += 1;
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            match self.skip_whitespace().ok_or(JsonError::Truncated)? {
                b']' => break,
                b',' => {
                    self.at += 1;
                    if self.skip_whitespace() == Some(b']') {
                        return Err(JsonError::Lenient("a comma after the last item"));
                    }
                }
                _ => return Err(JsonError::Lenient("items without a comma between them")),
            }
        }
        self.at += 1;
        Ok(Value::Array(items))
    }

    fn object(&mut self, depth: usize) -> Result<Value, JsonError> {
        self.at += 1;
        let mut members = Vec::new();
        if self.skip_whitespace() == Some(b'}') {
            self.at += 1;
            return Ok(Value::Object(Object::default()));
        }
        loop {
            match self.skip_whitespace().ok_or(JsonError::Truncated)? {
                b'"' => {}
                other => return Err(self.unexpected(other)),
            }
            let name = self.string()?;
            match self.skip_whitespace().ok_or(JsonError::Truncated)? {
                b':' => self.at += 1,
                _ => return Err(JsonError::Lenient("a name without a colon after it")),
            }
            members.push((name, self.value(depth + 1)?));
            match self.skip_whitespace().ok_or(JsonError::Truncated)? {
                b'}' => break,
                b',' => {
                    self.at += 1;
                    if self.skip_whitespace() == Some(b'}') {
                        return Err(JsonError::Lenient("a comma after the last member"));
                    }
                }
                b'"' => return Err(JsonError::Lenient("members without a comma between them")),
                other => return Err(self.unexpected(other)),
            }
        }
        self.at += 1;
        if !STRICT {
            return Ok(Value::Object(Object::new(members)));
        }
        let object = Object::distinct(members).ok_or(JsonError::Lenient("a name that occurs twice"))?;
        Ok(Value::Object(object))
    }

    fn digits(&mut self) -> usize {
        let from = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        self.at - from
    }

    fn number(&mut self) -> Result<Value, JsonError> {
        let from = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let zero = self.peek() == Some(b'0');
        let whole = self.digits();
        if whole == 0 {
            return Err(self.peek().map_or(JsonError::Truncated, |b| self.unexpected(b)));
        }
        // RavenDB refuses `0e0` just like `01`.
        if zero && (whole > 1 || matches!(self.peek(), Some(b'e' | b'E'))) {
            return Err(self.invalid(|at| format!("Invalid number with zero prefix at {at}")));
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return Err(self
                    .peek()
                    .map_or(JsonError::Truncated, |_| JsonError::Lenient("a point without digits after it")));
            }
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            if self.digits() == 0 {
                return Err(self.peek().map_or(JsonError::Truncated, |b| self.unexpected(b)));
            }
        }
        match self.peek() {
            None | Some(b' ' | b'\t' | b'\n' | b'\r' | b',' | b']' | b'}') => {}
            Some(other) => return Err(self.unexpected(other)),
        }
        let text: String = self.bytes.get(from..self.at).unwrap_or_default().iter().map(|&b| char::from(b)).collect();
        if is_infinite(&text) {
            return Err(self.invalid(|at| format!("Could not parse double: {text} at {at}")));
        }
        Ok(Value::Number(if text == "-0" { "0".into() } else { text }))
    }

    fn string(&mut self) -> Result<String, JsonError> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let from = self.at;
            while self.peek().is_some_and(|b| b != b'"' && b != b'\\' && b >= 0x20) {
                self.at += 1;
            }
            let run = self.bytes.get(from..self.at).unwrap_or_default();
            text.push_str(core::str::from_utf8(run).map_err(|_| JsonError::Lenient("bytes that are not UTF-8"))?);
            match self.peek().ok_or(JsonError::Truncated)? {
                b'"' => {
                    self.at += 1;
                    return Ok(text);
                }
                b'\\' => {
                    self.at += 1;
                    let c = self.escape()?;
                    text.push(c);
                }
                _ => return Err(JsonError::Lenient("unescaped control characters in a string")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        let byte = self.peek().ok_or(JsonError::Truncated)?;
        self.at += 1;
        Ok(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode_escape(),
            other => return Err(JsonError::Escape(char::from(other))),
        })
    }

    fn unicode_escape(&mut self) -> Result<char, JsonError> {
        const LONE: JsonError = JsonError::Lenient("half of a surrogate pair");
        let first = self.hex4()?;
        if !(0xd800..0xe000).contains(&first) {
            return char::from_u32(first).ok_or(LONE);
        }
        if self.bytes.get(self.at..self.at + 2) != Some(b"\\u") {
            return Err(LONE);
        }
        self.at += 2;
        let second = self.hex4()?;
        if first >= 0xdc00 || !(0xdc00..0xe000).contains(&second) {
            return Err(LONE);
        }
        char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)).ok_or(LONE)
    }

    fn hex4(&mut self) -> Result<u32, JsonError> {
        let mut code = 0;
        for _ in 0..4 {
            let byte = self.peek().ok_or(JsonError::Truncated)?;
            let digit = char::from(byte).to_digit(16);
            code = code * 16 + digit.ok_or_else(|| self.invalid(|at| format!("Invalid hex value at {at}")))?;
            self.at += 1;
        }
        Ok(code)
    }
}

/// The smallest number that a double rounds to infinity: 2^1024 − 2^970, of 309 digits.
const INFINITE: &str = "1797693134862315807937289714053034150799341327100378269361737789804449682927647509466490179775872070\
    9633028641669288791094655554785194040263065748867150582068190890200070838367627385484581771153176447\
    5730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904\
    174497792";

/// Whether a double cannot hold a JSON number because it is too large. Compares digits: the tables of the standard library's
/// parser would be a tenth of the gateway's module.
fn is_infinite(number: &str) -> bool {
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let mantissa = mantissa.trim_start_matches('-');
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    let zeros = digits().take_while(|digit| *digit == b'0').count();
    let significant = || digits().skip(zeros);
    let Some(_) = significant().next() else { return false };
    let size = |length: usize| i64::try_from(length).unwrap_or(i64::MAX);
    // An exponent beyond i64 outweighs all digits that a text can have.
    let exponent = exponent.parse().unwrap_or(if exponent.starts_with('-') { i64::MIN / 2 } else { i64::MAX / 2 });
    let length = size(whole.len()).saturating_sub(size(zeros)).saturating_add(exponent);
    match length.cmp(&size(INFINITE.len())) {
        Ordering::Equal => {
            let same = significant().chain(core::iter::repeat(b'0')).zip(INFINITE.bytes());
            let difference = same.map(|(one, other)| one.cmp(&other)).find(|order| order.is_ne());
            difference.is_none_or(Ordering::is_gt)
        }
        order => order.is_gt(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::write;
    use super::*;
    use proptest::prelude::*;

    fn echo(text: &str) -> Result<String, JsonError> {
        read_object(text.as_bytes()).map(|o| {
            let mut out = String::new();
            write(&mut out, &Value::Object(o));
            out
        })
    }

    #[test]
    fn numbers_that_a_double_cannot_hold_are_those_that_rust_reads_as_infinite() {
        let check = |text: &str| {
            assert_eq!(is_infinite(text), text.parse::<f64>().unwrap().is_infinite(), "{text}");
        };
        let below = format!("{}79", INFINITE.get(..307).unwrap());
        for text in [INFINITE, &below, "0", "-0.0", "0.0e999", "1e308", "1e309", "-1e309", "1.8e308", "1.7e308"] {
            check(text);
        }
        for text in
            ["0.000001e314", "0.00001e314", "17976931348623158e292", "17976931348623157e292", "1e-400", "1E+308"]
        {
            check(text);
        }
        let point = format!("{}.{}", INFINITE.get(..1).unwrap(), INFINITE.get(1..).unwrap());
        check(&format!("{point}e308"));
        check(&format!("-{point}1e308"));
        check(&format!("0.000{}e3", INFINITE));
        check(&format!("0.000{}e312", INFINITE));
        assert!(is_infinite("1e99999999999999999999") && !is_infinite("1e-99999999999999999999"));
        assert!(!is_infinite(&below) && is_infinite(INFINITE));
    }

    proptest::proptest! {
        #[test]
        fn the_comparison_of_digits_agrees_with_rusts_parser(
            whole in "[1-9][0-9]{0,320}", fraction in "[0-9]{1,20}", exponent in -320i32..320,
        ) {
            let text = format!("{whole}.{fraction}e{exponent}");
            proptest::prop_assert_eq!(is_infinite(&text), text.parse::<f64>().unwrap().is_infinite());
        }

        #[test]
        fn the_comparison_agrees_near_the_limit(digits in "17976931348623[0-9]{2,10}", exponent in 280i32..300) {
            let text = format!("{digits}e{exponent}");
            proptest::prop_assert_eq!(is_infinite(&text), text.parse::<f64>().unwrap().is_infinite());
        }
    }

    #[test]
    fn numbers_keep_their_notation() {
        let text =
            r#"{"a":9007199254740993,"b":-0.0,"c":1E5,"d":1.10,"e":1e-400,"f":123456789012345678901234567890.5}"#;
        assert_eq!(echo(text).as_deref(), Ok(text));
        assert_eq!(echo(r#"{"a":-0}"#).as_deref(), Ok(r#"{"a":0}"#));
    }

    #[test]
    fn truncated_and_invalid_texts_have_different_errors() {
        for text in ["", " ", "{", r#"{"a":1"#, r#"{"a":"x"#, r#"{"a":tr"#, "5", r#"{"a":"\u12"#] {
            assert_eq!(echo(text), Err(JsonError::Truncated), "{text}");
        }
        for text in [
            r#"{"a":01}"#,
            r#"{"a":+1}"#,
            r#"{"a":.5}"#,
            "{a:1}",
            "/**/{}",
            r#"{"a":/**/1}"#,
            r#"{"a":tru}"#,
            r#"{"a":1e400}"#,
            r#"{"a":[1,,2]}"#,
            r#"{"a":0e0}"#,
            r#"{"a":"\u12"}"#,
            r#"{"a":-}"#,
            r#"{"a":1x}"#,
        ] {
            assert!(matches!(echo(text), Err(JsonError::Invalid(_))), "{text}");
        }
        for text in [
            "{'a':1}",
            r#"{"a":1,}"#,
            r#"{"a":[1,]}"#,
            r#"{"a":NaN}"#,
            r#"{"a":-Infinity}"#,
            r#"{"a" 1}"#,
            r#"{"a":1 "b":2}"#,
            r#"{"a":1.}"#,
            "{\"a\":\"\u{1}\"}",
            r#"{"a":"\ud800"}"#,
        ] {
            assert!(matches!(echo(text), Err(JsonError::Lenient(_))), "{text}");
        }
        assert_eq!(echo("[]"), Err(JsonError::NotAnObject("StartArray")));
        assert_eq!(echo("null"), Err(JsonError::NotAnObject("Null")));
        assert_eq!(echo(r#"{"a":"\x"}"#), Err(JsonError::Escape('x')));
        assert!(matches!(read_object(b"{\"a\":\"\xff\"}"), Err(JsonError::Lenient(_))));
    }

    #[test]
    fn the_last_of_equal_names_counts_and_text_after_the_object_is_ignored() {
        assert_eq!(echo(r#"{"a":1,"b":2,"a":3} {"#).as_deref(), Ok(r#"{"b":2,"a":3}"#));
        assert_eq!(echo("\u{feff}{}").as_deref(), Ok("{}"));
    }

    #[test]
    fn the_strict_reader_accepts_one_object_without_duplicate_names() {
        assert!(read_strict(br#" {"a":{"b":1},"b":[{"a":1}]} "#).is_ok());
        for text in [r#"{"a":1,"a":1}"#, r#"{"x":[{"a":1,"\u0061":2}]}"#, "{} {}", "{},", "[]", "1", "", "{\"a\":1"] {
            assert!(read_strict(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn deep_nesting_is_refused() {
        let deep = |n: usize| format!("{{\"a\":{}{}}}", "[".repeat(n), "]".repeat(n));
        assert!(echo(&deep(200)).is_ok());
        assert!(matches!(echo(&deep(100_000)), Err(JsonError::Lenient(_))));
    }

    proptest! {
        #[test]
        fn never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read_object(&bytes);
        }

        #[test]
        fn near_json_never_panics(text in r#"[\[\]{},:"'\\u0-9eE.+\-ntfNI \x01]{0,60}"#) {
            let _ = read(text.as_bytes());
        }

        /// The reference reader accepts all that this reader accepts, with the same value.
        #[test]
        fn agrees_with_serde_json(text in r#"\{("[a-c\\n]{0,3}":([0-9]{1,3}|-?[1-9]\.[0-9]e[0-9]|true|null|"[a-zé\\u00e9]{0,4}"|\[[0-9],[0-9]\]|\{\})(,"d":1)?)?\}"#) {
            let theirs: Result<serde_json::Value, _> = serde_json::from_str(&text);
            match echo(&text) {
                Ok(ours) => prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&ours).ok(), theirs.ok()),
                Err(_) => prop_assert!(theirs.is_err()),
            }
        }
    }
}
