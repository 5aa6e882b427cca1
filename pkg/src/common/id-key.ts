// Ids, and names of counters and databases, as RavenDB compares them. The twin of `src/ids/key.rs`, which has the rules and what
// was measured; `tests/id-key` compares the two at every code point.

/** Where `toLowerCase` does otherwise: a sigma at the end of a word, the dotted I, letters beyond U+FFFF, letters younger than the server. */
const ODD = /[Σİ\u1c89\ua7cb-\ua7dc\ud800-\udfff]/;

/** The same text for all ids that are one document's. */
export const idKey = (id: string): string =>
  ODD.test(id)
    ? id.replace(/[^İ\u1c89\ua7cb\ua7cc\ua7ce\ua7d2\ua7d4\ua7da\ua7dc]/g, (unit) => unit.toLowerCase())
    : id.toLowerCase();
