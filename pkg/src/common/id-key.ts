// Compares ids, and names of counters and databases, as RavenDB does. The twin of `src/ids/key.rs`, which has the rules and the
// measurements; `tests/id-key` compares the two at every code point.

/** Characters that `toLowerCase` maps otherwise: a final sigma, the dotted I, letters beyond U+FFFF, letters newer than the server. */
const ODD = /[Σİ\u1c89\ua7cb-\ua7dc\ud800-\udfff]/;

/** The key of an id: equal for all spellings of one document's id. */
export const idKey = (id: string): string =>
  ODD.test(id)
    ? id.replace(/[^İ\u1c89\ua7cb\ua7cc\ua7ce\ua7d2\ua7d4\ua7da\ua7dc]/g, (unit) => unit.toLowerCase())
    : id.toLowerCase();

/** Whether an id is complete; the server makes the rest of others (`users/`, `users|`, `""`). */
export const isFinal = (id: string): boolean => !/(^|[/|])$/.test(id);
