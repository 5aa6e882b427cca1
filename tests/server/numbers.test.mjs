// RavenDB stores all digits of a number, JavaScript does not: saving a changed document never loses digits silently.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inexact } from "../../pkg/dist/wire/inexact-numbers.js";
import { script } from "../support/child.mjs";
import { isSave, proxy } from "../support/proxy.mjs";
import { random } from "../support/random.mjs";
import { database, onServers, send } from "../support/server.mjs";
import { failure, open } from "../support/store.mjs";

const BIG = "9007199254740993";

/** A database with these documents, and a store behind a proxy. */
async function prepared(t, server, texts, conventions = {}) {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  for (const [id, text] of Object.entries(texts)) {
    const document = text.replace(/}$/, ',"@metadata":{"@collection":"Sums"}}');
    const { status } = await send(server.url, "PUT", `/databases/${name}/docs?id=${id}`, document);
    assert.equal(status, 201, text);
  }
  const prepare = (store) => Object.assign(store.conventions, conventions);
  const store = open(t, wire.url, name, { prepare });
  const text = async (id) => (await send(server.url, "GET", `/databases/${name}/docs?id=${id}`)).text;
  return { wire, store, text };
}

const NESTED = `{"name":"x","deep":{"list":[1,{"sum":${BIG}}]}}`;

onServers(
  "an inexact number is refused unsent, with its path, its literal and JavaScript's value",
  async (t, server) => {
    const { wire, store, text } = await prepared(t, server, { "s/1": NESTED });
    const session = store.openSession();
    const loaded = await session.load("s/1");
    loaded.name = "y";
    const error = await failure(session.saveChanges());
    assert.equal(error.code, "InexactNumber");
    assert.equal(error.name, "InvalidOperationException");
    for (const part of ["s/1", BIG, "deep.list.1.sum", "9007199254740992", "allowInexactNumbers"])
      assert.ok(error.message.includes(part), part);
    assert.equal(wire.of(isSave).length, 0);
    assert.equal(session.advanced.hasChanged(loaded), true);
    assert.ok((await text("s/1")).includes(BIG));
    loaded.deep.list[1].sum = "9007199254740993";
    await session.saveChanges();
    assert.ok((await text("s/1")).includes(`"${BIG}"`), "replacing the value is permitted");
  },
);

onServers("an inexact number is refused whichever call loaded the document", async (t, server) => {
  const texts = { "s/1": NESTED, "s/2": NESTED, "s/3": NESTED, "r/1": '{"sum":"s/3"}' };
  const { store } = await prepared(t, server, texts);
  const ways = {
    lazily: async (session) => session.advanced.lazily.load("s/1").getValue(),
    "by prefix": async (session) => (await session.advanced.loadStartingWith("s/"))[1],
    included: async (session) => {
      const { sum } = await session.load("r/1", { includes: ["sum"] });
      return session.load(sum);
    },
    "in a list": async (session) => (await session.load(["s/404", "r/1", "s/2"]))["s/2"],
  };
  for (const [way, load] of Object.entries(ways)) {
    const session = store.openSession();
    const loaded = await load(session);
    loaded.name = way;
    assert.equal((await failure(session.saveChanges())).code, "InexactNumber", way);
  }
});

onServers("a convention permits inexact numbers", async (t, server) => {
  const { store, text } = await prepared(t, server, { "s/1": NESTED }, { allowInexactNumbers: true });
  const session = store.openSession();
  (await session.load("s/1")).name = "y";
  await session.saveChanges();
  assert.ok((await text("s/1")).includes("9007199254740992"));
});

onServers("a document that did not change is never refused, nor its deletion", async (t, server) => {
  const { store, text } = await prepared(t, server, { "s/1": NESTED, "s/2": '{"n":1}', "s/3": NESTED });
  const session = store.openSession();
  const found = await session.load(["s/1", "s/2", "s/3"]);
  assert.equal(session.advanced.hasChanges(), false);
  await session.saveChanges();
  found["s/2"].n = 2;
  await session.delete(found["s/3"]);
  await session.saveChanges();
  assert.ok((await text("s/1")).includes(BIG));
  assert.ok((await text("s/2")).includes('"n":2'));
  assert.equal(await text("s/3"), "");
});

onServers("numbers that JavaScript represents exactly are saved in any notation", async (t, server) => {
  const exact = {
    a: "9007199254740992",
    b: "0.30000000000000004",
    c: "100000000000000000000",
    d: "1.00000000000000000000",
    e: "-0.1234567890123456",
    f: "1.7976931348623157E308",
  };
  const document = `{${Object.entries(exact).map(([key, literal]) => `"${key}":${literal}`)}}`;
  const { store } = await prepared(t, server, { "s/1": document });
  const session = store.openSession();
  const loaded = await session.load("s/1");
  loaded.more = true;
  await session.saveChanges();
  const again = await store.openSession().load("s/1");
  for (const [key, literal] of Object.entries(exact)) assert.equal(again[key], Number(literal), key);
});

onServers("digits after the decimal point count as well", async (t, server) => {
  for (const literal of [
    "0.12345678901234567891",
    "123456789012345678901234567890",
    "-1234567890.1234567891",
  ]) {
    const { store } = await prepared(t, server, { "s/1": `{"n":${literal}}` });
    const session = store.openSession();
    (await session.load("s/1")).more = true;
    const error = await failure(session.saveChanges());
    assert.equal(error.code, "InexactNumber", literal);
    assert.ok(error.message.includes(literal));
  }
});

test("inexact numbers are found in 2,000 random responses", () => {
  const { below, chance, pick, some } = random(7);
  const lossy = [BIG, "0.12345678901234567891", "-1e400", "1E-0400", "-12345678901234567"];
  const exact = [
    "0",
    "-1.5",
    "9007199254740992",
    "1e5",
    "0.30000000000000004",
    "1.00000000000000000000",
    "1E+100",
  ];
  const texts = [
    "",
    '"',
    "\\",
    '\\"',
    '}],"@metadata":{',
    BIG,
    `[${BIG}`,
    "ü€😀",
    "\\\\\\",
    "1e400",
    "x".repeat(40),
  ];
  const value = (into, depth) => {
    const kind = below(depth > 3 ? 3 : 5);
    if (kind === 0) return JSON.stringify(pick(texts) + pick(texts));
    if (kind === 1) return pick(exact);
    if (kind === 2) {
      const literal = pick(lossy);
      into.push(literal);
      return literal;
    }
    const items = some(below(4), () => value(into, depth + 1));
    return kind === 3
      ? `[${items}]`
      : `{${items.map((item, at) => `${JSON.stringify(pick(texts) + at)}: ${item}`)}}`;
  };
  for (let round = 0; round < 2_000; round++) {
    const expected = new Map();
    const document = (id) => {
      const found = [];
      const members = some(below(4), () => `"m":${value(found, 0)}`);
      if (found.length > 0) expected.set(id, found);
      const metadata = `"@metadata":{"@id":"${id}","@change-vector":"A:1"}`;
      members.splice(below(members.length + 1), 0, metadata);
      return `{${members.join(" ,")}}`;
    };
    const response = (from) =>
      `{"Results":[${document(`${from}a`)},null,${document(`${from}b`)}],"Includes":{"${pick(["k", BIG])}":${document(`${from}c`)}},"ResultEtag":${pick([1, BIG])}}`;
    const several = chance(0.5);
    const text = several
      ? `{"Results":[{"StatusCode":200,"Result":${response("x")}},{"Result":${response("y")},"n":${pick([1, BIG])}}]}`
      : response("x");
    assert.deepEqual(inexact(text, several ? 6 : 3), expected, text);
  }
});

onServers("numbers of JSON.rawJSON are saved with every digit", async (t, server) => {
  const { wire, store, text } = await prepared(t, server, {});
  const { out, err } = await script(
    `const store = new DocumentStore("${wire.url}", "${store.database}").initialize();
    const session = store.openSession();
    const entity = { big: JSON.rawJSON("${BIG}"), at: new Date(0), list: [JSON.rawJSON("${BIG}")] };
    await session.store(entity, "s/1");
    await session.saveChanges();
    console.log(session.advanced.hasChanges());
    entity.big = JSON.rawJSON("${BIG}0");
    await session.saveChanges();
    await store.dispose();`,
    // Node 20 has it behind a flag, which later versions may not accept.
    { flags: JSON.rawJSON ? [] : ["--harmony-json-parse-with-source"] },
  );
  assert.equal(out, "false\n", err);
  const saved = await text("s/1");
  assert.ok(saved.includes(`"big":${BIG}0,`), saved);
  assert.ok(saved.includes(`"list":[${BIG}]`), saved);
});
