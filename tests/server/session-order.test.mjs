// The calls of a session run in order, awaited or not, and fail independently.
import assert from "node:assert/strict";
import { isSave, proxy } from "../support/proxy.mjs";
import { database, document, onServers, order, send } from "../support/server.mjs";
import { open, prepared } from "../support/store.mjs";

onServers("calls without await run in the order of the calls", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const session = open(t, wire.url, name).openSession();
  const entities = Array.from({ length: 40 }, (_, i) => order({ i }));
  const calls = entities.map((entity) => session.store(entity));
  const saved = session.saveChanges();
  const loaded = session.load("orders/1-A");
  const late = order({ i: 40 });
  calls.push(session.store(late));
  await Promise.all([...calls, saved, loaded]);
  assert.deepEqual(
    entities.map(({ id }) => id),
    entities.map((_, i) => `orders/${i + 1}-A`),
  );
  assert.equal(await loaded, entities[0]);
  assert.equal(JSON.parse(wire.of(isSave)[0].body).Commands.length, 40);
  assert.equal(await document(server, name, late.id), undefined);
  await Promise.all([session.saveChanges(), session.saveChanges(), session.saveChanges()]);
  assert.equal(wire.of(isSave).length, 2, "the second of two saves has nothing to send");
});

onServers("an entity that is evicted while it is refreshed stays as it is", async (t, server) => {
  const { name, wire, session } = await prepared(t, server);
  for (const id of ["orders/a", "orders/b"])
    await send(server.url, "PUT", `/databases/${name}/docs?id=${id}`, order({ n: 0 }));
  const { "orders/a": evicted, "orders/b": kept } = await session.load(["orders/a", "orders/b"]);
  evicted.n = 1;
  kept.n = 1;
  wire.rule = () => session.advanced.evict(evicted);
  await session.advanced.refresh([evicted, kept]);
  assert.deepEqual([evicted.n, kept.n], [1, 0]);
});

onServers("a failing call does not stop later ones", async (t, server) => {
  const name = await database(t, server);
  const session = open(t, server.url, name).openSession();
  const entity = order();
  const outcomes = await Promise.allSettled([
    session.store(null),
    session.store(entity),
    session.load(5),
    session.saveChanges(),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["rejected", "fulfilled", "rejected", "fulfilled"],
  );
  assert.ok(await document(server, name, entity.id));
});
