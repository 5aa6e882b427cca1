//! The inputs of a request besides the request itself: the time and randomness.

use crate::prelude::*;
use crate::time::Timestamp;

/// A source of random bytes; simulations pass a seeded one.
pub type Random<'a> = &'a mut dyn FnMut() -> [u8; 16];

/// The time and randomness of one request.
pub(crate) struct Call<'a> {
    pub(crate) now: Timestamp,
    random: Random<'a>,
}

impl<'a> Call<'a> {
    pub(crate) fn new(now: Timestamp, random: Random<'a>) -> Self {
        Self { now, random }
    }

    /// A version 4 GUID in lower case: the id of a document that was stored under a blank id.
    pub(crate) fn guid(&mut self) -> String {
        let mut number = u128::from_be_bytes((self.random)());
        // The positions of version and variant are fixed.
        number = number & !(0xf << 76) | 0x4 << 76;
        number = number & !(0x3 << 62) | 0x2 << 62;
        let hex = format!("{number:032x}");
        let part = |range| hex.get(range).unwrap_or_default();
        format!("{}-{}-{}-{}-{}", part(0..8), part(8..12), part(12..16), part(16..20), part(20..32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guids_have_version_and_variant() {
        let guid = |byte: u8| Call::new(Timestamp::default(), &mut || [byte; 16]).guid();
        assert_eq!(guid(0), "00000000-0000-4000-8000-000000000000");
        assert_eq!(guid(255), "ffffffff-ffff-4fff-bfff-ffffffffffff");
    }
}
