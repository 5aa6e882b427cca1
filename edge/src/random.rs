//! Random bytes of the platform.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = crypto, js_name = getRandomValues)]
    fn fill_with_random(bytes: &mut [u8]);
}

/// A random number for the address of a request: it is unlikely that two leases in a short time have the same address, so no cache or
/// proxy answers both with one response. 32 bits, so that a JavaScript number holds it.
#[cfg(any(feature = "gateway", feature = "hub"))]
pub(crate) fn nonce() -> u32 {
    let [a, b, c, d, ..] = random();
    u32::from_be_bytes([a, b, c, d])
}

/// 16 random bytes.
pub(crate) fn random() -> [u8; 16] {
    let mut bytes = [0; 16];
    fill_with_random(&mut bytes);
    bytes
}
