// A sharded database: its responses are not in the order of the request. A proxy makes such responses from real ones; RavenDB itself
// has a sharded one for what a proxy cannot imitate.
import assert from "node:assert/strict";
import { isLease, proxy } from "../support/proxy.mjs";
import {
  counter,
  database,
  document,
  onRavenDb,
  onServers,
  order,
  ravendb,
  shardedDatabase,
} from "../support/server.mjs";
import { open } from "../support/store.mjs";

const isRead = ({ path }) => /\/(docs|multi_get)$/.test(path);

/** The response of shards: documents in another order, each once, missing ones at the end. */
function scatter(response) {
  const found = response.Results.filter(Boolean);
  const missing = response.Results.filter((document) => document === null);
  const once = new Map(found.map((document) => [document["@metadata"]["@id"], document]));
  return { ...response, Results: [...[...once.values()].reverse(), ...missing.slice(0, 1)] };
}

async function sharded(t, server) {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  wire.change = (response, request) => {
    if (response.status !== 200 || !isRead(request)) return;
    const body = JSON.parse(response.body);
    const changed = request.path.endsWith("docs")
      ? scatter(body)
      : {
          Results: body.Results.map((one) =>
            one.Result?.Results ? { ...one, Result: scatter(one.Result) } : one,
          ),
        };
    response.body = Buffer.from(JSON.stringify(changed));
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
  onServers(`documents are assigned by their ids, not by their positions: ${how}`, async (t, server) => {
    const { store } = await sharded(t, server);
    assertFound(await store.openSession(options).load(IDS));
    assertFound(await store.openSession(options).advanced.lazily.load(IDS).getValue());
    const session = store.openSession(options);
    assert.equal((await session.load(["missing/1", "q/1"]))["q/1"].is, "q/1");
    assert.equal(await session.load("missing/3"), null);
  });
}

onServers("missing documents are known as missing, and included ones are available", async (t, server) => {
  const { store, wire } = await sharded(t, server);
  const session = store.openSession();
  const found = await session.load(["missing/1", "zz/1", "missing/2", "q/1"], { includes: ["next"] });
  assert.equal(found["zz/1"].is, "zz/1");
  const asked = wire.of(isRead).length;
  assert.equal(await session.load("missing/2"), null);
  assert.equal((await session.load("q/0")).is, "q/0");
  assert.equal(wire.of(isRead).length, asked);
});

onServers("refreshing several entities updates each with its own document", async (t, server) => {
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

onRavenDb("a sharded database leases numbers and takes the unused ones back", async (t) => {
  const name = await shardedDatabase(t);
  const wire = await proxy(t, ravendb.url);
  const store = open(t, wire.url, name);
  const ids = store.hilo("orders");
  assert.deepEqual([await ids.next(), await ids.next()], ["orders/1-A", "orders/2-A"]);
  await store.dispose();
  assert.equal(await counter(ravendb, name, "orders"), 2);
  assert.deepEqual(
    wire.requests.filter(isLease).map(({ path }) => path),
    [`/databases/${name}/multi_get`],
  );
});
