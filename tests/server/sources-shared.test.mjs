// Many clients with one counter: some write its document, some use the server's leases.
import assert from "node:assert/strict";
import { isCounterWrite, isOvertaken, proxy } from "../support/proxy.mjs";
import { counter, database, document, onServers } from "../support/server.mjs";
import { open } from "../support/store.mjs";

/** Takes this many ids, a few at a time. */
async function take(store, count) {
  const ids = [];
  while (ids.length < count)
    ids.push(...(await Promise.all(Array.from({ length: 10 }, () => store.hilo("orders").next()))));
  return ids;
}

const numberOf = (id) => Number(/^orders\/(\d+)/.exec(id)[1]);

/** Numbers that occur twice. */
function twice(ids) {
  const seen = new Set();
  return ids.map(numberOf).filter((number) => seen.size === seen.add(number).size);
}

onServers("20 clients of `document` take 10,000 ids, all distinct", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const stores = Array.from({ length: 20 }, () =>
    open(t, wire.url, name, { source: "document", timeout: 60_000 }),
  );
  const ids = (await Promise.all(stores.map((store) => take(store, 500)))).flat();
  const writes = wire.of(isCounterWrite);
  const conflicts = writes.filter(isOvertaken).length;
  t.diagnostic(
    `${server.name}: ${ids.length} ids, ${writes.length} writes, ${conflicts} concurrency conflicts`,
  );
  assert.equal(ids.length, 10_000);
  assert.deepEqual(twice(ids), []);
  assert.ok(conflicts > 0, "the clients conflicted with each other");
  await Promise.all(stores.map((store) => store.dispose()));
  const highest = Math.max(...ids.map(numberOf));
  assert.ok((await counter(server, name, "orders")) >= highest, "no return lowers Max below an issued id");
});

onServers(
  "a client of `document` and one of `server` take 10,000 ids each, no number twice",
  async (t, server) => {
    const name = await database(t, server);
    const old = open(t, server.url, name, { source: "document" });
    const current = open(t, server.url, name);
    const [left, right] = await Promise.all([take(old, 10_000), take(current, 10_000)]);
    assert.deepEqual(twice([...left, ...right]), []);
    assert.ok(
      left.every((id) => /^orders\/\d+$/.test(id)) && right.every((id) => /^orders\/\d+-\w+$/.test(id)),
    );
    await Promise.all([old.dispose(), current.dispose()]);
    const highest = Math.max(...[...left, ...right].map(numberOf));
    assert.ok((await document(server, name, "Raven/Hilo/orders")).Max >= highest);
  },
);

onServers("short-lived clients of both sources reuse returned numbers and no others", async (t, server) => {
  const name = await database(t, server);
  const ids = [];
  for (let round = 0; round < 12; round++) {
    const stores = ["document", "server"].map((source) => open(t, server.url, name, { source }));
    const taken = await Promise.all(stores.map((store, i) => take(store, round % 2 === i ? 40 : 10)));
    ids.push(...taken.flat());
    await Promise.all(stores.map((store) => store.dispose()));
  }
  assert.deepEqual(twice(ids), []);
});
