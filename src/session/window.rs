//! Reading a large text through a small window: an answer may have megabytes, and WebAssembly memory never shrinks.

use alloc::vec::Vec;

use crate::json::{self, Item};

/// A text that is elsewhere.
pub trait Text {
    /// Fills `into` with the bytes from `at` on; there are so many.
    fn read(&self, at: usize, into: &mut [u8]);
}

impl Text for &[u8] {
    fn read(&self, at: usize, into: &mut [u8]) {
        if let Some(bytes) = self.get(at..at + into.len()) {
            into.copy_from_slice(bytes);
        }
    }
}

/// Gives the length of what a text begins with, `None` when it is cut off.
pub(super) type Read<'a> = &'a mut dyn FnMut(&[u8]) -> Option<usize>;

/// A part of a text, of which the window shows a part.
pub(super) struct Window<'a, T> {
    text: &'a T,
    end: usize,
    size: usize,
    shown: Vec<u8>,
    from: usize,
}

impl<'a, T: Text> Window<'a, T> {
    /// A window on the text before `end`, that shows `size` bytes, or more where an item needs them.
    pub(super) fn new(text: &'a T, end: usize, size: usize) -> Self {
        Window { text, end, size, shown: Vec::new(), from: 0 }
    }

    /// What `parse` finds in the bytes from `at` on; it is called again with more of them while it finds nothing.
    fn find(&mut self, at: usize, parse: &mut dyn FnMut(&[u8]) -> Option<Item>) -> Option<Item> {
        let mut size = self.size;
        loop {
            let seen = at.checked_sub(self.from).and_then(|skipped| self.shown.get(skipped..)).unwrap_or_default();
            if let Some(found) = parse(seen) {
                return Some(match found {
                    Item::End(end) => Item::End(at + end),
                    Item::Is(from, to) => Item::Is(at + from, at + to),
                });
            }
            if at + seen.len() >= self.end {
                return None;
            }
            if at == self.from && !seen.is_empty() {
                size = self.shown.len() * 2;
            }
            self.from = at;
            self.shown.resize(size.min(self.end - at), 0);
            self.text.read(at, &mut self.shown);
        }
    }

    /// The next item of an array or object: see [`json::item`]. `at`: behind the last one, or where the whole begins.
    pub(super) fn item(&mut self, at: usize, close: u8, read: Read<'_>) -> Option<Item> {
        self.find(at, &mut |bytes| json::item(bytes, close, read))
    }

    /// All items of an array or object, each with its text and where that begins; gives the position behind the whole.
    pub(super) fn each(
        &mut self,
        mut at: usize,
        close: u8,
        read: Read<'_>,
        found: &mut dyn FnMut(&[u8], usize) -> Option<()>,
    ) -> Option<usize> {
        loop {
            match self.item(at, close, read)? {
                Item::End(end) => return Some(end),
                Item::Is(from, to) => {
                    found(self.shown(from, to), from)?;
                    at = to;
                }
            }
        }
    }

    /// The position behind a value.
    pub(super) fn skip(&mut self, at: usize) -> Option<usize> {
        let behind = |bytes: &[u8]| json::value(bytes).filter(|length| *length < bytes.len()).map(Item::End);
        match self.find(at, &mut { behind })? {
            Item::End(end) | Item::Is(_, end) => Some(end),
        }
    }

    fn shown(&self, from: usize, to: usize) -> &[u8] {
        let from = from.checked_sub(self.from);
        from.and_then(|from| self.shown.get(from..to - self.from)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    fn number(bytes: &[u8]) -> Option<usize> {
        let length = json::value(bytes)?;
        json::integer(&bytes[..length]).map(|_| length)
    }

    #[test]
    fn a_window_of_any_size_shows_the_same() {
        let text = &b" [1, 22,333 ,4444444444]x"[..];
        for size in 1..30 {
            let mut seen = Vec::new();
            let end = Window::new(&text, text.len(), size).each(0, b']', &mut number, &mut |shown, from| {
                seen.push((String::from_utf8(shown.to_vec()).unwrap(), from));
                Some(())
            });
            assert_eq!(end, Some(text.len() - 1));
            let expected = [("1", 2), ("22", 5), ("333", 8), ("4444444444", 13)];
            assert_eq!(seen, expected.map(|(shown, from)| (shown.into(), from)), "{size}");
        }
    }

    #[test]
    fn what_is_cut_off_ends() {
        for text in [&b""[..], b"[", b"[1", b"[1,", b"[1,2", b"[x]", b"]x"] {
            let none = Window::new(&text, text.len(), 2).each(0, b']', &mut number, &mut |_, _| Some(()));
            assert_eq!(none.is_some(), text == b"]x");
        }
    }
}
