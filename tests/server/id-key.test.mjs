// `idKey` and `src/ids/key.rs` (which `tests/id-key` compares at every code point) tell ids apart as the server does.
import assert from "node:assert/strict";
import { idKey } from "../../pkg/dist/common/id-key.js";
import { authority, database, onServers, send } from "../support/server.mjs";
import { open } from "../support/store.mjs";

/** Two ids each, and whether they are one. */
const PAIRS = {
  ASCII: ["orders/1-A", "ORDERS/1-a", true],
  umlauts: ["über/1", "Über/1", true],
  "the Turkish capital with a dot": ["İ/1", "i/1", false],
  "the Turkish capital with a dot, in two units": ["aİ/1", "ai\u0307/1", false],
  "the Turkish small letter without a dot": ["ı/1", "I/1", false],
  "sharp s and its capital": ["ß/1", "ẞ/1", true],
  "sharp s and ss": ["maß/1", "mass/1", false],
  "long s": ["ſ/1", "s/1", false],
  "the Kelvin sign": ["\u212a/1", "k/1", true],
  "the Ångström sign": ["\u212b/1", "å/1", true],
  sigma: ["Σ/1", "σ/1", true],
  "a sigma at the end of a word": ["ΟΔΟΣ", "οδοσ", true],
  "final sigma": ["οδος", "οδοσ", false],
  "a digraph in title case": ["ǅ/1", "ǆ/1", true],
  "full-width letters": ["Ａ/1", "ａ/1", true],
  "full-width and plain letters": ["bＡ/1", "bA/1", false],
  "Roman numerals": ["Ⅷ/1", "ⅷ/1", true],
  Georgian: ["Ა/1", "ა/1", true],
  "Deseret, beyond U+FFFF": ["𐐀/1", "𐐨/1", false],
  "a letter with its accent, in one unit and in two": ["é/1", "e\u0301/1", false],
  "a combining iota": ["x\u0345/1", "xι/1", false],
};

/** Capital letters younger than Unicode 15, and their small ones: it is the server's computer that knows them or not. */
const YOUNG = /[\u0264\u019b\u1c89\u1c8a\ua7cb-\ua7cf\ua7d2-\ua7d5\ua7da-\ua7dc]/;

onServers(
  "ids that idKey calls equal are one document, those that it keeps apart are two",
  async (t, server) => {
    const name = await database(t, server);
    for (const [what, [first, second, same]] of Object.entries(PAIRS)) {
      assert.equal(idKey(first) === idKey(second), same, what);
      const [one, two] = [`${what}:${first}`, `${what}:${second}`];
      await put(server, name, [one, two]);
      const [found, other] = await load(server, name, [one, two]);
      assert.equal(found.id, same ? two : one, what);
      assert.equal(other.id, two, what);
      const session = open(t, server.url, name).openSession();
      const entity = await session.load(one);
      assert.equal((await session.load(two)) === entity, same, `${what}, in a session`);
      assert.equal(session.advanced.numberOfRequests, same ? 1 : 2, what);
    }
  },
);

onServers("idKey is right about every letter that has case", async (t, server) => {
  const name = await database(t, server);
  const ids = [];
  for (let point = 0x20; point <= 0x10ffff; point++) {
    if (point >= 0xd800 && point < 0xe000) continue;
    const letter = String.fromCodePoint(point);
    const cased = letter.toLowerCase() !== letter || letter.toUpperCase() !== letter;
    if (cased && (server === authority || !YOUNG.test(letter))) ids.push(`a${letter}z`);
  }
  await put(server, name, ids);
  const last = new Map(ids.map((id) => [idKey(id), id]));
  const found = await load(server, name, ids);
  const wrong = ids.filter((id, at) => found[at].id !== last.get(idKey(id)));
  assert.deepEqual(wrong, []);
  assert.ok(
    last.size > 1_400 && ids.length - last.size > 1_100,
    `${last.size} documents of ${ids.length} ids`,
  );
});

/** Documents that say which id they were stored under last. */
async function put(server, name, ids) {
  const Commands = ids.map((Id) => ({ Type: "PUT", Id, ChangeVector: null, Document: { id: Id } }));
  assert.equal((await send(server.url, "POST", `/databases/${name}/bulk_docs`, { Commands })).status, 201);
}

async function load(server, name, Ids) {
  return (await send(server.url, "POST", `/databases/${name}/docs`, { Ids })).json.Results;
}
