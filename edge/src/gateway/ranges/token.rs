//! Tokens: the encrypted fence of a lease, which proves that its caller leased the range.
//!
//! The client receives a token in place of the counter's change vector. It contains the range and the real fence, and
//! is bound to the database, the tag and the caller. The scheme is deterministic encryption with a synthetic nonce:
//! the authentication tag is an HMAC-SHA256 of everything, and also the nonce of the HMAC-SHA256 key stream that
//! encrypts the content. Without the secret nobody can create or read a token, or use it for another lease or caller.

use super::base64url;
use crate::gateway::id_key;
use crate::prelude::*;
use hmac::{Hmac, KeyInit, Mac};
use raven_edge::hilo::Range;
use raven_edge::offline::sets::SipHash;
use sha2::{Digest, Sha256};

/// The first byte of a token, which identifies the scheme.
const VERSION: u8 = 1;
/// Length of the authentication tag, in bytes.
const TAG: usize = 32;

/// Minimum length of a secret, in bytes.
pub(crate) const SHORTEST: usize = 32;

/// What a token is bound to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'a> {
    /// The server's address.
    pub(crate) upstream: &'a str,
    /// The database.
    pub(crate) database: &'a str,
    /// The tag of the counter.
    pub(crate) tag: &'a str,
    /// The caller's identity, if `authorize` returned one.
    pub(crate) identity: Option<&'a str>,
}

/// The content of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sealed {
    /// The numbers of the lease.
    pub(crate) range: Range,
    /// The incarnation of the database that granted them; empty if the response had none.
    pub(crate) incarnation: String,
    /// The real fence.
    pub(crate) fence: String,
}

/// The keys that are derived from one secret.
#[derive(Clone)]
struct Key {
    proof: [u8; TAG],
    stream: [u8; TAG],
}

/// The keys of all secrets: the first one creates tokens, all of them open tokens.
#[derive(Clone)]
pub(crate) struct Keys(Vec<Key>);

impl Keys {
    /// Derives the keys; `None` if there are no secrets or one of them is too short.
    pub(crate) fn new(secrets: &[String]) -> Option<Self> {
        let derived = |secret: &String, of: &[u8]| hash(secret.as_bytes(), &[b"raven-edge gateway ", of]);
        let fine = !secrets.is_empty() && secrets.iter().all(|secret| secret.len() >= SHORTEST);
        let key = |secret| Key { proof: derived(secret, b"proof"), stream: derived(secret, b"stream") };
        fine.then(|| Self(secrets.iter().map(key).collect()))
    }

    /// Creates the token of a lease.
    pub(crate) fn seal(&self, scope: Scope<'_>, sealed: &Sealed) -> String {
        self.seal_bytes(scope, sealed.write())
    }

    /// Opens the token of a lease; `None` if it is not valid for this scope.
    pub(crate) fn open(&self, scope: Scope<'_>, token: &str) -> Option<Sealed> {
        self.open_bytes(scope, token).and_then(|text| Sealed::read(&text))
    }

    /// Encrypts a text, and binds it to the scope.
    pub(crate) fn seal_bytes(&self, scope: Scope<'_>, mut text: Vec<u8>) -> String {
        let Some(key) = self.0.first() else { return String::new() };
        let proof = key.proof(scope, &text);
        key.hide(&proof, &mut text);
        base64url::encode(&[&[VERSION][..], &proof, &text].concat())
    }

    /// An ETag of these texts for this scope. The hash is keyed but short: it decides only whether the caller's own copy is current.
    pub(crate) fn etag(&self, scope: Scope<'_>, texts: &[&str]) -> String {
        let mut hash = SipHash::new([0; 2]);
        let key = self.0.first().map_or([0; TAG], |key| key.proof);
        let identity = [u8::from(scope.identity.is_some())];
        let parts = [scope.upstream, scope.database, scope.tag, scope.identity.unwrap_or_default()];
        let texts = parts.iter().chain(texts).map(|text| text.as_bytes());
        for part in [&key[..], &identity].into_iter().chain(texts) {
            hash.word(part.len() as u64);
            for eight in part.chunks(8) {
                hash.word(eight.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
            }
        }
        ["\"", &base64url::encode(&hash.end().to_be_bytes()), "\""].concat()
    }

    /// The text of a token; `None` if it is not valid for this scope.
    pub(crate) fn open_bytes(&self, scope: Scope<'_>, token: &str) -> Option<Vec<u8>> {
        let bytes = base64url::decode(token)?;
        let (&version, rest) = bytes.split_first()?;
        let (proof, hidden) = rest.split_at_checked(TAG)?;
        if version != VERSION {
            return None;
        }
        self.0.iter().find_map(|key| {
            let mut text = hidden.to_vec();
            key.hide(proof, &mut text);
            // Compares in constant time.
            key.mac(scope, &text).verify_slice(proof).ok()?;
            Some(text)
        })
    }
}

impl Key {
    fn mac(&self, scope: Scope<'_>, text: &[u8]) -> Hmac<Sha256> {
        let mut mac = keyed(&self.proof);
        let (database, tag) = (id_key::key(scope.database), id_key::key(scope.tag));
        let parts = [scope.upstream, &database, &tag, scope.identity.unwrap_or_default()];
        // Each text is preceded by its length, so that no two scopes produce the same bytes. No identity and an empty
        // one are different.
        mac.update(&[VERSION, u8::from(scope.identity.is_some())]);
        for part in parts.map(str::as_bytes).into_iter().chain([text]) {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        mac
    }

    fn proof(&self, scope: Scope<'_>, text: &[u8]) -> [u8; TAG] {
        self.mac(scope, text).finalize().into_bytes().into()
    }

    /// Encrypts and decrypts (XOR with the key stream).
    fn hide(&self, proof: &[u8], text: &mut [u8]) {
        for (at, block) in (0_u64..).zip(text.chunks_mut(TAG)) {
            let stream = hash(&self.stream, &[proof, &at.to_be_bytes()]);
            block.iter_mut().zip(stream).for_each(|(byte, hidden)| *byte ^= hidden);
        }
    }
}

impl Sealed {
    fn write(&self) -> Vec<u8> {
        let mut text = Vec::new();
        text.extend(self.range.low().to_be_bytes());
        text.extend(self.range.high().to_be_bytes());
        text.extend((self.incarnation.len() as u64).to_be_bytes());
        text.extend(self.incarnation.as_bytes());
        text.extend(self.fence.as_bytes());
        text
    }

    fn read(text: &[u8]) -> Option<Self> {
        let mut rest = text;
        let mut number = || {
            let (first, behind) = rest.split_first_chunk::<8>()?;
            rest = behind;
            Some(u64::from_be_bytes(*first))
        };
        let (low, high, length) = (number()?, number()?, number()?);
        let (incarnation, fence) = rest.split_at_checked(usize::try_from(length).ok()?)?;
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
        Some(Self { range: Range::new(low, high)?, incarnation: text(incarnation)?, fence: text(fence)? })
    }
}

fn keyed(key: &[u8]) -> Hmac<Sha256> {
    // The rule of HMAC (RFC 2104): a key longer than a block is hashed, a shorter one is padded with zeros.
    let digest: [u8; TAG] = Sha256::digest(key).into();
    let mut block = [0; 64];
    let short = if key.len() > block.len() { &digest } else { key };
    block.iter_mut().zip(short).for_each(|(byte, of)| *byte = *of);
    Hmac::new(&block.into())
}

/// A hash of several texts. Equal hashes mean equal lists of texts.
pub(crate) fn digest(parts: &[&[u8]]) -> [u8; TAG] {
    let mut all = Sha256::new();
    for part in parts {
        all.update((part.len() as u64).to_be_bytes());
        all.update(part);
    }
    all.finalize().into()
}

fn hash(key: &[u8], parts: &[&[u8]]) -> [u8; TAG] {
    let mut mac = keyed(key);
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::prelude::BASE64_URL_SAFE_NO_PAD;

    const SECRET: &str = "0123456789abcdef0123456789abcdef";

    fn keys(secrets: &[&str]) -> Keys {
        Keys::new(&secrets.iter().map(|secret| (*secret).to_owned()).collect::<Vec<_>>()).unwrap()
    }

    fn sealed() -> Sealed {
        let fence = "A:7-lY9rEB60dUKMGmDCZdqKnA 2026-11-21T01:30:36.7546027Z".into();
        Sealed { range: Range::new(33, 64).unwrap(), incarnation: "i".into(), fence }
    }

    const SCOPE: Scope<'_> = Scope { upstream: "http://r", database: "Shop", tag: "orders", identity: Some("users/1") };

    #[test]
    fn a_sealed_lease_can_be_opened() {
        let keys = keys(&[SECRET]);
        let token = keys.seal(SCOPE, &sealed());
        assert_eq!(keys.open(SCOPE, &token), Some(sealed()));
        let same = Scope { tag: "ORDERS", database: "shop", ..SCOPE };
        assert_eq!(keys.open(same, &token), Some(sealed()), "counters and databases are case-insensitive");
        assert_eq!(token, keys.seal(SCOPE, &sealed()), "the same lease has the same token");
        assert!(token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)), "{token}");
    }

    #[test]
    fn a_token_does_not_reveal_the_fence() {
        let token = keys(&[SECRET]).seal(SCOPE, &sealed());
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(token).unwrap();
        for part in sealed().fence.as_bytes().windows(4) {
            assert!(!bytes.windows(4).any(|window| window == part));
        }
    }

    #[test]
    fn a_token_is_valid_only_for_its_scope() {
        let keys = keys(&[SECRET]);
        let token = keys.seal(SCOPE, &sealed());
        for scope in [
            Scope { upstream: "http://s", ..SCOPE },
            Scope { database: "Shop2", ..SCOPE },
            Scope { tag: "order", ..SCOPE },
            Scope { identity: Some("users/2"), ..SCOPE },
            Scope { identity: Some(""), ..SCOPE },
            Scope { identity: None, ..SCOPE },
        ] {
            assert_eq!(keys.open(scope, &token), None, "{scope:?}");
        }
        // Different texts whose concatenation is the same.
        let a = keys.seal(Scope { database: "ab", tag: "c", ..SCOPE }, &sealed());
        assert_eq!(keys.open(Scope { database: "a", tag: "bc", ..SCOPE }, &a), None);
        let nobody = keys.seal(Scope { identity: None, ..SCOPE }, &sealed());
        assert_eq!(keys.open(Scope { identity: Some(""), ..SCOPE }, &nobody), None);
    }

    #[test]
    fn every_changed_bit_invalidates_a_token() {
        let keys = keys(&[SECRET]);
        let token = BASE64_URL_SAFE_NO_PAD.decode(keys.seal(SCOPE, &sealed())).unwrap();
        for bit in 0..token.len() * 8 {
            let mut changed = token.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(keys.open(SCOPE, &BASE64_URL_SAFE_NO_PAD.encode(changed)), None, "{bit}");
        }
        for length in 0..token.len() {
            assert_eq!(keys.open(SCOPE, &BASE64_URL_SAFE_NO_PAD.encode(&token[..length])), None, "{length}");
        }
        for text in ["", "A:7-lY9rEB60dUKMGmDCZdqKnA", "AQ==", "ü"] {
            assert_eq!(keys.open(SCOPE, text), None, "{text}");
        }
    }

    #[test]
    fn the_keyed_hash_is_hmac() {
        // RFC 4231, cases 1 and 6.
        let hex = |bytes: [u8; 32]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let one = hash(&[0x0b; 20], &[b"Hi ", b"There"]);
        assert_eq!(hex(one), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
        let six = hash(&[0xaa; 131], &[b"Test Using Larger Than Block-Size Key - Hash Key First"]);
        assert_eq!(hex(six), "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
    }

    #[test]
    fn an_old_secret_opens_its_own_tokens() {
        let other = "another secret, as long as the first";
        let old = keys(&[SECRET]).seal(SCOPE, &sealed());
        assert_eq!(keys(&[other, SECRET]).open(SCOPE, &old), Some(sealed()));
        assert_eq!(keys(&[other]).open(SCOPE, &old), None);
        assert!(Keys::new(&["short".into()]).is_none());
        assert!(Keys::new(&[]).is_none());
    }
}
