// Names and ids as RavenDB compares them: letter by letter. What it keeps apart has counters apart, which on the device
// must not be one.

/** What `toLowerCase` does not fold so: a sigma at the end of a word, the dotted I, letters of two units, pairs younger than the server. */
const ODD = /[Σİ\u1c89\ua7cb-\ua7dc\ud800-\udfff]/;

/** The same text for all that differs by case alone. */
export const fold = (name) =>
  ODD.test(name)
    ? name.replace(/[^İ\u1c89\ua7cb\ua7cc\ua7ce\ua7d2\ua7d4\ua7da\ua7dc]/g, (unit) => unit.toLowerCase())
    : name.toLowerCase();
