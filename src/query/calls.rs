//! A recorded call: its name, and its arguments as the JSON that they are.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::invalid;
use super::word::{Word, word};
use crate::error::Error;
use crate::json;

pub(super) struct Call<'a> {
    pub(super) name: &'a [u8],
    pub(super) word: Word,
    arguments: Vec<&'a [u8]>,
}

impl<'a> Call<'a> {
    pub(super) fn read(call: &'a [u8]) -> Option<Self> {
        let mut items = json::elements(call);
        let name = items.next()?.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
        Some(Call { name, word: word(name), arguments: items.collect() })
    }

    /// An argument; `null` where there is none.
    pub(super) fn value(&self, at: usize) -> &'a [u8] {
        self.arguments.get(at).copied().unwrap_or(b"null")
    }

    pub(super) fn is_true(&self, at: usize) -> bool {
        self.value(at) == b"true"
    }

    /// How many arguments there are.
    pub(super) fn len(&self) -> usize {
        self.arguments.len()
    }

    /// A text that is not empty.
    pub(super) fn text(&self, at: usize) -> Result<Cow<'a, str>, Error> {
        let text = json::text(self.value(at)).filter(|text| !text.is_empty());
        text.ok_or_else(|| invalid("a query names fields, paths and collections by texts that are not empty"))
    }

    /// A text, empty where there is none.
    pub(super) fn optional_text(&self, at: usize) -> Result<Cow<'a, str>, Error> {
        match self.value(at) {
            b"null" | br#""""# => Ok(Cow::Borrowed("")),
            _ => self.text(at),
        }
    }

    /// A whole number, 0 or more.
    pub(super) fn count(&self, at: usize) -> Result<&'a [u8], Error> {
        let value = self.value(at);
        json::integer(value).map(|_| value).ok_or_else(|| invalid("this takes a whole number, 0 or more"))
    }

    /// A number, 0 or more, as the engine writes it.
    pub(super) fn number(&self, at: usize) -> Result<&'a str, Error> {
        let value = core::str::from_utf8(self.value(at)).unwrap_or_default();
        let is_number = value.starts_with(|first: char| first.is_ascii_digit());
        if is_number { Ok(value) } else { Err(invalid("this takes a number, 0 or more")) }
    }
}
