// A sharded database: answers whose positions mean nothing, made of real ones by a proxy.
import assert from "node:assert/strict";
import { proxy } from "../support/proxy.mjs";
import { database, document, onServers, order } from "../support/server.mjs";
import { open } from "../support/store.mjs";

const isRead = ({ path }) => /\/(docs|multi_get)$/.test(path);

/** As shards answer: documents in another order, each once, and what is missing at the end. */
function scatter(answer) {
  const found = answer.Results.filter(Boolean);
  const missing = answer.Results.filter((document) => document === null);
  const once = new Map(found.map((document) => [document["@metadata"]["@id"], document]));
  return { ...answer, Results: [...[...once.values()].reverse(), ...missing.slice(0, 1)] };
}

async function sharded(t, server) {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  wire.change = (answer, request) => {
    if (answer.status !== 200 || !isRead(request)) return;
    const body = JSON.parse(answer.body);
    const changed = request.path.endsWith("docs")
      ? scatter(body)
      : {
          Results: body.Results.map((one) =>
            one.Result?.Results ? { ...one, Result: scatter(one.Result) } : one,
          ),
        };
    answer.body = Buffer.from(JSON.stringify(changed));
  };
  const store = open(t, wire.url, name);
  const writer = store.openSession();
  for (const id of ["q/0", "zz/1", "q/1"]) await writer.store(order({ is: id, next: "q/0" }), id);
  await writer.saveChanges();
  return { name, wire, store };
}

const IDS = ["q/0", "missing/1", "zz/1", "missing/2", "q/1", "q/0"];

function assertFound(found) {
  assert.deepEqual(Object.keys(found), ["q/0", "missing/1", "zz/1", "missing/2", "q/1"]);
  for (const [id, entity] of Object.entries(found))
    assert.equal(entity?.is, /^missing/.test(id) ? undefined : id);
}

for (const options of [{}, { noTracking: true }]) {
  const how = options.noTracking ? "untracked" : "tracked";
  onServers(`documents are known by their ids, not by their places: ${how}`, async (t, server) => {
    const { store } = await sharded(t, server);
    assertFound(await store.openSession(options).load(IDS));
    assertFound(await store.openSession(options).advanced.lazily.load(IDS).getValue());
    const session = store.openSession(options);
    assert.equal((await session.load(["missing/1", "q/1"]))["q/1"].is, "q/1");
    assert.equal(await session.load("missing/3"), null);
  });
}

onServers("what was missing is known to be, what was included is there", async (t, server) => {
  const { store, wire } = await sharded(t, server);
  const session = store.openSession();
  const found = await session.load(["missing/1", "zz/1", "missing/2", "q/1"], { includes: ["next"] });
  assert.equal(found["zz/1"].is, "zz/1");
  const asked = wire.of(isRead).length;
  assert.equal(await session.load("missing/2"), null);
  assert.equal((await session.load("q/0")).is, "q/0");
  assert.equal(wire.of(isRead).length, asked);
});

onServers("refreshing several entities gives each its own", async (t, server) => {
  const { name, store } = await sharded(t, server);
  const session = store.openSession();
  const found = await session.load(["zz/1", "q/1", "q/0"]);
  const other = store.openSession();
  for (const entity of Object.values(await other.load(["q/0", "q/1", "zz/1"]))) entity.now = `${entity.is}!`;
  await other.saveChanges();
  await session.advanced.refresh(Object.values(found));
  for (const [id, entity] of Object.entries(found)) assert.equal(entity.now, `${id}!`);
  found["q/1"].last = true;
  await session.saveChanges();
  assert.equal((await document(server, name, "q/1")).last, true);
});
