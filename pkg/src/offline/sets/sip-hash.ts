// SipHash-2-4 of UTF-16 units, synchronous and without `BigInt`. The twin of `src/offline/sets/sip_hash.rs`; `tests/twin` compares them.

/** A number of 64 bits: its lower half, its upper one. */
export type Word = readonly [low: number, high: number];

/** The four halves of a key of 16 bytes. */
export type HashKey = readonly [number, number, number, number];

/** The hash of the units of a text, behind the four units of `first`, if it is given. */
export function sipHash([k0, k1, k2, k3]: HashKey, text: string, first?: Word): Word {
  // Each word of the state in two halves.
  let [al, ah] = [k0 ^ 0x70736575, k1 ^ 0x736f6d65];
  let [bl, bh] = [k2 ^ 0x6e646f6d, k3 ^ 0x646f7261];
  let [cl, ch] = [k0 ^ 0x6e657261, k1 ^ 0x6c796765];
  let [dl, dh] = [k2 ^ 0x79746573, k3 ^ 0x74656462];

  const round = () => {
    let low: number;
    // a += b, b <<<= 13, b ^= a, a <<<= 32
    low = (al >>> 0) + (bl >>> 0);
    ah = (ah + bh + (low > 0xffffffff ? 1 : 0)) | 0;
    al = low | 0;
    low = (bl << 13) | (bh >>> 19);
    bh = ((bh << 13) | (bl >>> 19)) ^ ah;
    bl = low ^ al;
    [al, ah] = [ah, al];
    // c += d, d <<<= 16, d ^= c
    low = (cl >>> 0) + (dl >>> 0);
    ch = (ch + dh + (low > 0xffffffff ? 1 : 0)) | 0;
    cl = low | 0;
    low = (dl << 16) | (dh >>> 16);
    dh = ((dh << 16) | (dl >>> 16)) ^ ch;
    dl = low ^ cl;
    // a += d, d <<<= 21, d ^= a
    low = (al >>> 0) + (dl >>> 0);
    ah = (ah + dh + (low > 0xffffffff ? 1 : 0)) | 0;
    al = low | 0;
    low = (dl << 21) | (dh >>> 11);
    dh = ((dh << 21) | (dl >>> 11)) ^ ah;
    dl = low ^ al;
    // c += b, b <<<= 17, b ^= c, c <<<= 32
    low = (cl >>> 0) + (bl >>> 0);
    ch = (ch + bh + (low > 0xffffffff ? 1 : 0)) | 0;
    cl = low | 0;
    low = (bl << 17) | (bh >>> 15);
    bh = ((bh << 17) | (bl >>> 15)) ^ ch;
    bl = low ^ cl;
    [cl, ch] = [ch, cl];
  };
  const absorb = (low: number, high: number) => {
    dl ^= low;
    dh ^= high;
    round();
    round();
    al ^= low;
    ah ^= high;
  };

  if (first) absorb(first[0], first[1]);
  // Beyond the end `charCodeAt` gives NaN, which is 0 for the operators of bits.
  const half = (at: number) => text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
  const whole = text.length - (text.length % 4);
  for (let at = 0; at < whole; at += 4) absorb(half(at), half(at + 2));
  const bytes = 2 * (text.length + (first ? 4 : 0));
  absorb(half(whole), half(whole + 2) | (bytes << 24));
  cl ^= 0xff;
  round();
  round();
  round();
  round();
  return [(al ^ bl ^ cl ^ dl) >>> 0, (ah ^ bh ^ ch ^ dh) >>> 0];
}
