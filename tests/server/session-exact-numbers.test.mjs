// Numbers that JavaScript cannot represent exactly are never saved with fewer digits: wherever they came from
// or were moved.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMIT, missing, onServers, order, putDocument, ravendb, send } from "../support/server.mjs";
import { failure, prepared } from "../support/store.mjs";

/** Queries and patches: the authority has none. */
const SERVER = { skip: missing(ravendb), timeout: LIMIT };

const BIG = '{"list":[9007199254740993,1],"a":{"n":9007199254740993},"@metadata":{"@collection":"S"}}';
const LONG = '{"a":1,"n":9007199254740993,"@metadata":{"@collection":"Orders"}}';

const LOSSES = {
  "moved in its list": (loaded) => loaded.list.unshift(0),
  "moved to another member": (loaded) => {
    loaded.b = loaded.a;
    loaded.list = loaded.a = undefined;
  },
};

for (const [what, change] of Object.entries(LOSSES))
  onServers(`a number that is ${what} is not saved with fewer digits`, async (t, server) => {
    const { name, session } = await prepared(t, server);
    await putDocument(server, name, "s/1", BIG);
    change(await session.load("s/1"));
    assert.equal((await failure(session.saveChanges())).code, "InexactNumber");
  });

onServers("a number in a Set or Map is not saved with fewer digits", async (t, server) => {
  const { name, session } = await prepared(t, server);
  const types = '"@metadata":{"@collection":"S","@nested-object-types":{"s":"Set"}}';
  await putDocument(server, name, "s/1", `{"s":[9007199254740993],${types}}`);
  (await session.load("s/1")).more = 1;
  assert.equal((await failure(session.saveChanges())).code, "InexactNumber");
});

onServers("a number that refresh loaded is not saved with fewer digits", async (t, server) => {
  const { name, session } = await prepared(t, server);
  await putDocument(server, name, "s/1", '{"n":1,"@metadata":{"@collection":"S"}}');
  const loaded = await session.load("s/1");
  await putDocument(server, name, "s/1", '{"n":9007199254740993,"@metadata":{"@collection":"S"}}');
  await session.advanced.refresh(loaded);
  loaded.more = 1;
  assert.equal((await failure(session.saveChanges())).code, "InexactNumber");
});

onServers("an exact number that refresh loaded in place of an inexact one is saved", async (t, server) => {
  const { name, session } = await prepared(t, server);
  await putDocument(server, name, "s/1", '{"n":9007199254740993,"@metadata":{"@collection":"S"}}');
  const loaded = await session.load("s/1");
  await putDocument(server, name, "s/1", '{"n":9007199254740992,"@metadata":{"@collection":"S"}}');
  await session.advanced.refresh(loaded);
  loaded.more = 1;
  await session.saveChanges();
});

onServers("a short literal that JavaScript cannot represent is refused too", async (t, server) => {
  const { name, session } = await prepared(t, server);
  await putDocument(server, name, "s/1", '{"n":1e-400,"@metadata":{"@collection":"S"}}');
  (await session.load("s/1")).more = 1;
  assert.equal((await failure(session.saveChanges())).code, "InexactNumber");
});

onServers("a large whole number that JavaScript writes back unchanged is saved", async (t, server) => {
  const { name, session } = await prepared(t, server);
  await putDocument(server, name, "s/1", '{"n":12345678901234500000000,"@metadata":{"@collection":"S"}}');
  (await session.load("s/1")).more = 1;
  await session.saveChanges();
});

onServers("a number in the metadata is not saved with fewer digits", async (t, server) => {
  const { name, session } = await prepared(t, server);
  const text = '{"n":1,"@metadata":{"@collection":"Orders","Big":9007199254740993}}';
  await send(server.url, "PUT", `/databases/${name}/docs?id=orders/1`, text);
  const entity = await session.load("orders/1");
  entity.n = 2;
  const error = await failure(session.saveChanges());
  assert.equal(error.code, "InexactNumber");
  assert.match(error.message, /@metadata\.Big/);
});

test("a number that the response to a patch contains is not saved with fewer digits", SERVER, async (t) => {
  const { name, session } = await prepared(t, ravendb);
  for (const id of ["orders/1", "orders/2"]) await putDocument(ravendb, name, id, order({ a: 1, n: 1 }));
  const [first, second] = Object.values(await session.load(["orders/1", "orders/2"]));
  await putDocument(ravendb, name, "orders/1", LONG);
  session.advanced.patch(first, "a", 2);
  session.advanced.patch(second, "a", 2);
  await session.saveChanges();
  first.a = 3;
  await assert.rejects(session.saveChanges(), {
    code: "InexactNumber",
    message: /9007199254740993.*\(at n\)/,
  });
  session.advanced.ignoreChangesFor(first);
  second.a = 3;
  await session.saveChanges();
  const { text } = await send(ravendb.url, "GET", `/databases/${name}/docs?id=orders/1`);
  assert.match(text, /9007199254740993/);
});
