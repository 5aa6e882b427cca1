//! Reading: where a value ends, the members of an object, the elements of an array.

fn blank(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    at
}

/// The position after the string that begins at `at`.
fn skip_string(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let mut at = at + 1;
    loop {
        at += plain(bytes.get(at..)?);
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            _ => at += 2,
        }
    }
}

/// How many bytes precede the first quote or backslash.
#[cfg(not(feature = "fast"))]
fn plain(text: &[u8]) -> usize {
    text.iter().position(|byte| matches!(byte, b'"' | b'\\')).unwrap_or(text.len())
}

/// How many bytes precede the first quote or backslash; tests eight bytes at a time.
#[cfg(feature = "fast")]
fn plain(text: &[u8]) -> usize {
    let mut words = text.chunks_exact(8);
    let mut passed = 0;
    for word in &mut words {
        let word = word.iter().rfold(0u64, |word, byte| word << 8 | u64::from(*byte));
        let found = zeros(word ^ (EACH * u64::from(b'"'))) | zeros(word ^ (EACH * u64::from(b'\\')));
        if found != 0 {
            return passed + found.trailing_zeros() as usize / 8;
        }
        passed += 8;
    }
    let rest = words.remainder();
    passed + rest.iter().position(|byte| matches!(byte, b'"' | b'\\')).unwrap_or(rest.len())
}

/// The value 1 in each of eight bytes.
#[cfg(feature = "fast")]
const EACH: u64 = u64::MAX / 255;

/// Sets the highest bit of each zero byte. Bits above the lowest one may be wrong, because a subtraction borrows
/// upwards; the lowest is always right.
#[cfg(feature = "fast")]
fn zeros(word: u64) -> u64 {
    word.wrapping_sub(EACH) & !word & (EACH << 7)
}

/// The position after the value that begins at `at`. Nesting is counted instead of recursed.
fn skip_value(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at;
    let mut depth = 0usize;
    loop {
        match bytes.get(at)? {
            b'"' => at = skip_string(bytes, at)?,
            b'{' | b'[' => {
                depth += 1;
                at += 1;
                continue;
            }
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                at += 1;
            }
            b',' | b':' | b' ' | b'\n' | b'\r' | b'\t' if depth > 0 => {
                at += 1;
                continue;
            }
            b',' | b':' => return None,
            _ => {
                let start = at;
                while let Some(b'-' | b'+' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z') = bytes.get(at) {
                    at += 1;
                }
                if at == start {
                    return None;
                }
            }
        }
        if depth == 0 {
            return Some(at);
        }
    }
}

/// Iterator of [`members`]. With [`Members::key`] and [`Members::value`] it can be advanced step by step.
pub struct Members<'a> {
    object: &'a [u8],
    /// Position of the next key or value; `None` after the last one.
    next: Option<usize>,
    /// Position after the last value that was read.
    behind: usize,
}

impl<'a> Members<'a> {
    /// The next key; its value must be read next.
    pub fn key(&mut self) -> Option<&'a [u8]> {
        let at = self.next.take()?;
        let behind = skip_string(self.object, at)?;
        let colon = blank(self.object, behind);
        if self.object.get(colon) != Some(&b':') {
            return None;
        }
        self.next = Some(blank(self.object, colon + 1));
        self.object.get(at + 1..behind - 1)
    }

    /// The value of the last key.
    pub fn value(&mut self) -> Option<&'a [u8]> {
        let start = self.next.take()?;
        let end = skip_value(self.object, start)?;
        self.pass(end);
        self.object.get(start..end)
    }

    /// The value of the last key. `read` returns the length of the value at the beginning of a text, so that a value whose parts
    /// are needed is read once.
    pub fn value_by(&mut self, read: &mut dyn FnMut(&'a [u8]) -> Option<usize>) -> Option<&'a [u8]> {
        let start = self.next.take()?;
        let end = start + read(self.object.get(start..)?)?;
        self.pass(end);
        self.object.get(start..end)
    }

    /// Position of the next key, or of the value of the last key; the position after the last value if no member is
    /// left.
    pub fn at(&self) -> usize {
        self.next.unwrap_or(self.behind)
    }

    fn pass(&mut self, end: usize) {
        self.behind = end;
        self.next = following(self.object, end);
    }

    /// Position after the object, once all members were read; `None` if the object does not end correctly.
    pub fn end(&self) -> Option<usize> {
        let at = blank(self.object, self.behind);
        (self.next.is_none() && self.object.get(at) == Some(&b'}')).then_some(at + 1)
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        Some((self.key()?, self.value()?))
    }
}

/// The members of an object in order, as (key, value). Keys are raw, without quotes.
///
/// Stops without an error where the text is not JSON.
pub fn members(object: &[u8]) -> Members<'_> {
    let next = open(object, b'{');
    // An empty object ends where its first member would begin.
    let behind = next.unwrap_or(object.len());
    Members { object, next: next.filter(|at| object.get(*at) != Some(&b'}')), behind }
}

/// Iterator of [`elements`].
pub struct Elements<'a> {
    array: &'a [u8],
    next: Option<usize>,
    /// Position after the last element that was read.
    behind: usize,
}

impl<'a> Elements<'a> {
    /// The next element; `read` returns the length of the value at the beginning of a text.
    pub fn read(&mut self, read: &mut dyn FnMut(&'a [u8]) -> Option<usize>) -> Option<&'a [u8]> {
        let start = self.next.take()?;
        let end = start + read(self.array.get(start..)?)?;
        self.behind = end;
        self.next = following(self.array, end);
        self.array.get(start..end)
    }

    /// Position after the array, once all elements were read; `None` if the array does not end correctly.
    pub fn end(&self) -> Option<usize> {
        let at = blank(self.array, self.behind);
        (self.next.is_none() && self.array.get(at) == Some(&b']')).then_some(at + 1)
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        self.read(&mut |text| skip_value(text, 0))
    }
}

/// The elements of an array in order.
///
/// Stops without an error where the text is not JSON.
pub fn elements(array: &[u8]) -> Elements<'_> {
    let next = open(array, b'[');
    // An empty array ends where its first element would begin.
    let behind = next.unwrap_or(array.len());
    Elements { array, next: next.filter(|at| array.get(*at) != Some(&b']')), behind }
}

/// The value at the beginning of a text.
pub fn value(text: &[u8]) -> Option<&[u8]> {
    text.get(..skip_value(text, 0)?)
}

fn open(bytes: &[u8], bracket: u8) -> Option<usize> {
    let at = blank(bytes, 0);
    (bytes.get(at) == Some(&bracket)).then(|| blank(bytes, at + 1))
}

fn following(bytes: &[u8], end: usize) -> Option<usize> {
    let at = blank(bytes, end);
    (bytes.get(at) == Some(&b',')).then(|| blank(bytes, at + 1))
}

/// The value of a member. RavenDB may return a key twice (documents put with server metadata); the last one counts.
pub fn get<'a>(object: &'a [u8], key: &str) -> Option<&'a [u8]> {
    members(object).filter(|(k, _)| *k == key.as_bytes()).last().map(|(_, value)| value)
}

/// An integer from 0 to 2^64 − 1 without fraction or exponent.
pub fn integer(value: &[u8]) -> Option<u64> {
    if value.is_empty() {
        return None;
    }
    value.iter().try_fold(0u64, |sum, digit| {
        let digit = digit.checked_sub(b'0').filter(|d| *d < 10)?;
        sum.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::String;
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn objects_and_arrays_are_split_into_their_parts() {
        let text = br#" { "a" : [1, {"x":"}"}, "\"]"], "b":null , "c":-1.5e3}"#;
        let found: Vec<_> = members(text).collect();
        assert_eq!(found, vec![(&b"a"[..], &br#"[1, {"x":"}"}, "\"]"]"#[..]), (b"b", b"null"), (b"c", b"-1.5e3"),]);
        let inner: Vec<_> = elements(found[0].1).collect();
        assert_eq!(inner, vec![&b"1"[..], br#"{"x":"}"}"#, br#""\"]""#]);
        assert_eq!(members(b"{}").count(), 0);
        assert_eq!(elements(b" [ ] ").count(), 0);
    }

    #[test]
    fn members_read_step_by_step_know_their_positions() {
        let text = br#"{"a":{"b":[1]},"c":{ },"d":2} tail"#;
        let mut top = members(text);
        assert_eq!((top.at(), top.key(), top.value()), (1, Some(&b"a"[..]), Some(&br#"{"b":[1]}"#[..])));
        assert_eq!((top.at(), top.key(), top.value()), (15, Some(&b"c"[..]), Some(&b"{ }"[..])));
        assert_eq!((top.key(), top.at()), (Some(&b"d"[..]), 27));
        assert_eq!(top.end(), None, "a value is left");
        assert_eq!((top.value(), top.key(), top.end()), (Some(&b"2"[..]), None, Some(29)));
        for cut in 0..29 {
            let mut top = members(&text[..cut]);
            top.by_ref().count();
            assert_eq!(top.end(), None, "{cut}");
        }
    }

    #[test]
    fn an_array_that_was_read_knows_its_end() {
        let text = br#"[1, {"a":[2]} ,[ ] ] tail"#;
        let mut top = elements(text);
        assert_eq!((top.end(), top.by_ref().count(), top.end()), (None, 3, Some(20)));
        assert_eq!(elements(b" [ ] tail").end(), Some(4));
        for cut in 0..20 {
            let mut top = elements(&text[..cut]);
            top.by_ref().count();
            assert_eq!(top.end(), None, "{cut}");
        }
        assert_eq!(
            (value(b"[1,2] x"), value(b"1.5e3,"), value(b"]")),
            (Some(&b"[1,2]"[..]), Some(&b"1.5e3"[..]), None)
        );
    }

    #[test]
    fn the_last_of_two_equal_keys_counts() {
        assert_eq!(get(br#"{"@id":1,"@id":2}"#, "@id"), Some(&b"2"[..]));
    }

    #[test]
    fn only_whole_numbers_are_integers() {
        assert_eq!(integer(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(integer(b"18446744073709551616"), None);
        for text in [&b""[..], b"-1", b"1.0", b"1e3", b"x", b"\"1\""] {
            assert_eq!(integer(text), None);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_survived(bytes: Vec<u8>) {
            members(&bytes).count();
            elements(&bytes).count();
            integer(&bytes);
        }

        #[test]
        fn agrees_with_a_full_parser(keys in proptest::collection::vec(".*", 0..6), text in ".*") {
            let map: serde_json::Map<_, _> = keys.iter().map(|k| (k.clone(), serde_json::json!([text, {"n": 1}]))).collect();
            let json = serde_json::to_vec(&map).unwrap();
            let found: Vec<_> = members(&json).map(|(k, v)| {
                let quoted = [&b"\""[..], k, b"\""].concat();
                (serde_json::from_slice::<String>(&quoted).unwrap(), serde_json::from_slice::<serde_json::Value>(v).unwrap())
            }).collect();
            proptest::prop_assert_eq!(found, map.into_iter().collect::<Vec<_>>());
        }
    }
}
