//! SipHash-2-4 of UTF-16 units, which cost JavaScript nothing to read. Its twin is `pkg/src/offline/sets/sums.ts`.

/// A hash that is being computed.
#[derive(Clone, Debug)]
pub struct SipHash {
    state: [u64; 4],
    /// Units that do not fill a word yet, and how many they are.
    word: u64,
    filled: u32,
    /// Units so far.
    length: u64,
}

impl SipHash {
    /// Begins; `key`: its two halves, each read as little-endian.
    #[must_use]
    pub fn new([low, high]: [u64; 2]) -> SipHash {
        let state = [
            low ^ 0x736f_6d65_7073_6575,
            high ^ 0x646f_7261_6e64_6f6d,
            low ^ 0x6c79_6765_6e65_7261,
            high ^ 0x7465_6462_7974_6573,
        ];
        SipHash { state, word: 0, filled: 0, length: 0 }
    }

    /// Adds a unit: two bytes, the lower one first.
    pub fn unit(&mut self, unit: u16) {
        self.word |= u64::from(unit) << (16 * self.filled);
        self.filled += 1;
        self.length += 1;
        if self.filled == 4 {
            self.absorb(self.word);
            (self.word, self.filled) = (0, 0);
        }
    }

    /// Adds the four units of a word, the lowest one first.
    pub fn word(&mut self, word: u64) {
        if self.filled == 0 {
            self.length += 4;
            return self.absorb(word);
        }
        for part in 0..4 {
            self.unit((word >> (16 * part)) as u16);
        }
    }

    /// The hash.
    #[must_use]
    pub fn end(mut self) -> u64 {
        // The lowest byte of the length in bytes is the highest of the last word.
        let last = self.word | (2 * self.length) << 56;
        self.absorb(last);
        self.state[2] ^= 0xff;
        for _ in 0..4 {
            self.round();
        }
        let [a, b, c, d] = self.state;
        a ^ b ^ c ^ d
    }

    fn absorb(&mut self, word: u64) {
        self.state[3] ^= word;
        self.round();
        self.round();
        self.state[0] ^= word;
    }

    fn round(&mut self) {
        let [a, b, c, d] = &mut self.state;
        *a = a.wrapping_add(*b);
        *c = c.wrapping_add(*d);
        *b = b.rotate_left(13) ^ *a;
        *d = d.rotate_left(16) ^ *c;
        *a = a.rotate_left(32);
        *c = c.wrapping_add(*b);
        *a = a.wrapping_add(*d);
        *b = b.rotate_left(17) ^ *c;
        *d = d.rotate_left(21) ^ *a;
        *c = c.rotate_left(32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_the_reference() {
        // The key is 00 01 … 0f, the messages are 00 01 … of even lengths: those of the reference implementation.
        let key = [0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908];
        for (length, expected) in [
            (0_u16, 0x726f_db47_dd0e_0e31),
            (2, 0x0d6c_8009_d9a9_4f5a),
            (4, 0xcf27_94e0_2771_87b7),
            (8, 0x93f5_f579_9a93_2462),
            (14, 0xf723_ca90_8e7a_f2ee),
            (30, 0xad87_a353_5c49_ef28),
            (62, 0xe51b_3860_8ef2_5f57),
        ] {
            let mut hash = SipHash::new(key);
            (0..length).step_by(2).for_each(|at| hash.unit(at | (at + 1) << 8));
            assert_eq!(hash.end(), expected, "{length}");
        }
    }
}
