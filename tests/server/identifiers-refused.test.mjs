// Invalid ids are refused before anything is sent; options permit what RavenDB itself accepts.
import assert from "node:assert/strict";
import { isSave, proxy } from "../support/proxy.mjs";
import { database, document, onServers, order } from "../support/server.mjs";
import { failure, open } from "../support/store.mjs";

const PIPE = "|";

onServers("invalid ids are refused unsent, with the reason in the message", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const session = open(t, wire.url, name).openSession();
  const wrong = [
    ["x".repeat(513), /limit in bytes is 512/],
    ["ä".repeat(257), /limit in bytes is 512/],
    [`${"x".repeat(512)}/`, /limit in bytes is 512/],
    ["/", /an empty part before/],
    [PIPE, /an empty part before/],
    ["a//", /an empty part before/],
    [`a/${PIPE}`, /an empty part before/],
    ["/a", /begins with '\/'/],
    ["a\\b", /has a '\\'/],
    ["a\u0000b", /control character/],
    ["a\nb", /control character/],
  ];
  for (const [id, reason] of wrong) {
    for (const refused of [session.store(order(), id), session.store(order({ id }))]) {
      const error = await failure(refused);
      assert.equal(error.code, "InvalidId", id);
      assert.equal(error.name, "InvalidArgumentException");
      assert.match(error.message, reason);
    }
  }
  assert.equal((await failure(session.store(order(), 5))).code, "InvalidId");
  assert.equal(session.advanced.hasChanges(), false, "none of them is in the session");
  await session.saveChanges();
  assert.equal(wire.requests.length, 0);
});

onServers("ids of the maximum length and with unusual characters are accepted", async (t, server) => {
  const name = await database(t, server);
  const session = open(t, server.url, name).openSession();
  const ids = [
    "x".repeat(512),
    "ä".repeat(256),
    " a b ",
    "a//b",
    "..",
    "a+b&c=d?e#f%25",
    "\"'",
    "😀/1",
    "a|b",
  ];
  for (const [i, id] of ids.entries()) await session.store(order({ i }), id);
  await session.saveChanges();
  for (const [i, id] of ids.entries()) assert.equal((await document(server, name, id))?.i, i, id);
});

onServers("options change the maximum length and permit backslashes", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const set = (values) => (store) => Object.assign(store.conventions, values);
  const lax = { maxIdLength: 2_025, allowBackslashInIds: true };
  const session = open(t, wire.url, name, { prepare: set(lax) }).openSession();
  await session.store(order({ n: 1 }), "a\\b");
  await session.saveChanges();
  assert.equal((await document(server, name, "a\\b")).n, 1);
  await session.store(order(), "x".repeat(2_025));
  const error = await failure(session.saveChanges());
  assert.equal(error.code, "Server", "the server refuses it");
  assert.equal(wire.of(isSave).length, 2);
  assert.match((await failure(session.store(order(), "x".repeat(2_026)))).message, /2025/);
  const strict = open(t, wire.url, name, { prepare: set({ maxIdLength: 10 }) }).openSession();
  assert.match((await failure(strict.store(order(), "x".repeat(11)))).message, /limit in bytes is 10/);
});

onServers("a blank id counts as no id, as for the server", async (t, server) => {
  const session = open(t, server.url, await database(t, server)).openSession();
  const documents = [{ id: "  " }, {}];
  await session.store(documents[0]);
  await session.store(documents[1], "\t");
  await session.saveChanges();
  for (const { id } of documents) assert.match(id, /^[0-9a-f-]{36}$/);
});

onServers(
  "promises as ids, collections that are not strings, and empty tags are refused",
  async (t, server) => {
    const store = open(t, server.url, await database(t, server));
    const session = store.openSession();
    const refused = await Promise.all([
      failure(session.store(Promise.resolve(order()))),
      failure(session.store({ "@metadata": { "@collection": 5 } })),
    ]);
    assert.deepEqual(
      refused.map(({ code }) => code),
      ["InvalidArgument", "InvalidArgument"],
    );
    assert.throws(() => store.hilo(undefined), { code: "InvalidTag" });
  },
);
