//! What a device has of a set, in 2,560 bytes: for each of 256 buckets a count, and a sum modulo 2^64 of keyed hashes of its documents.
//!
//! The key is random, and belongs to one device and set. Without a key, whoever can choose ids could find documents whose hashes cancel
//! each other, and hide changes from the devices of others.

use super::sip_hash::SipHash;
use alloc::string::String;
use alloc::vec::Vec;

/// Number of buckets.
pub const BUCKETS: usize = 256;
/// Bytes of a bucket: the count, then the sum, both little-endian.
const BUCKET_BYTES: usize = 10;

/// The two halves of a key.
pub type Key = [u64; 2];

/// Reads a key of 16 bytes.
#[must_use]
pub fn key(bytes: &[u8]) -> Option<Key> {
    let (halves, []) = bytes.as_chunks::<8>() else { return None };
    Some(<[_; 2]>::try_from(halves).ok()?.map(u64::from_le_bytes))
}

/// The hashes of a document in a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hashes {
    /// Of the id: its lowest byte is the bucket, so that a document stays in its bucket.
    pub id: u64,
    /// Of the id and the version.
    pub version: u64,
}

impl Hashes {
    /// `id_key`: the key of the id, which is equal for all spellings that RavenDB takes for one id.
    #[must_use]
    pub fn of(key: Key, id_key: &str, vector: &str) -> Hashes {
        let mut hash = SipHash::new(key);
        id_key.encode_utf16().for_each(|unit| hash.unit(unit));
        let id = hash.end();
        let mut hash = SipHash::new(key);
        hash.word(id);
        canonical(vector).encode_utf16().for_each(|unit| hash.unit(unit));
        Hashes { id, version: hash.end() }
    }

    /// The number of the bucket.
    #[must_use]
    pub fn bucket(self) -> usize {
        self.id as usize % BUCKETS
    }
}

/// A change vector in the form in which equal ones have one text: pairs of database id and etag, sorted, without the tags of nodes, which
/// a restored database changes.
fn canonical(vector: &str) -> String {
    let pair = |entry: &str| {
        let (_, rest) = entry.split_once(':')?;
        let (etag, database) = rest.split_once('-')?;
        Some([database.trim(), "-", etag].concat())
    };
    let mut pairs: Vec<String> = Vec::new();
    // There are few, and the code of a sort is large.
    for pair in vector.split(',').filter_map(pair) {
        let at = pairs.iter().position(|other| *other > pair).unwrap_or(pairs.len());
        pairs.insert(at, pair);
    }
    pairs.join(",")
}

/// Counts and sums of all buckets.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sums(Vec<(u16, u64)>);

impl Default for Sums {
    fn default() -> Sums {
        Sums(alloc::vec![(0, 0); BUCKETS])
    }
}

impl Sums {
    /// Reads what a device has sent; `None` if it has another length.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Sums> {
        let (buckets, []) = bytes.as_chunks::<BUCKET_BYTES>() else { return None };
        let read = |[a, b, sum @ ..]: &[u8; BUCKET_BYTES]| (u16::from_le_bytes([*a, *b]), u64::from_le_bytes(*sum));
        (buckets.len() == BUCKETS).then(|| Sums(buckets.iter().map(read).collect()))
    }

    /// What a device sends.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        self.0.iter().flat_map(|(count, sum)| count.to_le_bytes().into_iter().chain(sum.to_le_bytes())).collect()
    }

    /// Adds a document.
    pub fn add(&mut self, hashes: Hashes) {
        if let Some((count, sum)) = self.0.get_mut(hashes.bucket()) {
            (*count, *sum) = (count.wrapping_add(1), sum.wrapping_add(hashes.version));
        }
    }

    /// Removes a document that was added.
    pub fn remove(&mut self, hashes: Hashes) {
        if let Some((count, sum)) = self.0.get_mut(hashes.bucket()) {
            (*count, *sum) = (count.wrapping_sub(1), sum.wrapping_sub(hashes.version));
        }
    }

    /// The buckets in which the documents differ, ascending.
    pub fn differing<'a>(&'a self, other: &'a Sums) -> impl Iterator<Item = usize> + 'a {
        self.0.iter().zip(&other.0).enumerate().filter(|(_, (own, other))| own != other).map(|(bucket, _)| bucket)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: Key = [7, 9];

    fn hashes(id: &str, vector: &str) -> Hashes {
        Hashes::of(KEY, id, vector)
    }

    #[test]
    fn equal_change_vectors_have_equal_hashes_whatever_their_text_is() {
        let version = hashes("notes/1-a", "A:5-Xtz+/g, B:17-Qrs");
        for same in ["B:17-Qrs,A:5-Xtz+/g", "C:5-Xtz+/g, A:17-Qrs", " A:5-Xtz+/g ,B:17-Qrs "] {
            assert_eq!(hashes("notes/1-a", same), version, "{same}");
        }
        for other in ["A:5-Xtz+/g", "A:17-Xtz+/g, B:5-Qrs", "A:5-Xtz+/g, B:18-Qrs", ""] {
            assert_ne!(hashes("notes/1-a", other).version, version.version, "{other}");
            assert_eq!(hashes("notes/1-a", other).id, version.id, "a document stays in its bucket");
        }
        assert_ne!(hashes("notes/2-a", "A:5-Xtz+/g, B:17-Qrs").version, version.version);
        assert_ne!(Hashes::of([7, 8], "notes/1-a", "A:5-Xtz+/g, B:17-Qrs").version, version.version);
    }

    #[test]
    fn sums_do_not_depend_on_the_order_and_are_undone() {
        let all: Vec<Hashes> = (0..500).map(|at| hashes(&alloc::format!("notes/{at}"), "A:1-x")).collect();
        let (mut sums, mut back) = (Sums::default(), Sums::default());
        all.iter().for_each(|one| sums.add(*one));
        all.iter().rev().for_each(|one| back.add(*one));
        assert_eq!(sums, back);
        assert_eq!(Sums::read(&sums.write()), Some(back));
        let changed = hashes("notes/7", "A:2-x");
        let mut newer = sums.clone();
        newer.remove(all[7]);
        newer.add(changed);
        assert_eq!(newer.differing(&sums).collect::<Vec<_>>(), [changed.bucket()]);
        all.iter().for_each(|one| sums.remove(*one));
        assert_eq!(sums, Sums::default());
    }

    #[test]
    fn what_has_another_length_is_neither_sums_nor_a_key() {
        for length in [0, 9, 2_550, 2_559, 2_561, 2_570, 5_120] {
            assert_eq!(Sums::read(&alloc::vec![0; length]), None, "{length}");
        }
        assert_eq!(Sums::read(&[0; 2_560]), Some(Sums::default()));
        assert_eq!(key(&[1; 15]), None);
        assert_eq!(key(&[1; 17]), None);
        assert_eq!(key(&[1; 24]), None);
        assert_eq!(key(&[0, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]), Some([256, 2]));
    }
}
