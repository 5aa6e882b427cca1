// Classes with an id property of their own (`registerEntityIdPropertyName`).
import assert from "node:assert/strict";
import { database, document, onServers, order, putDocument } from "../support/server.mjs";
import { open, prepared } from "../support/store.mjs";

onServers("load sets a class's own id property, which is never stored", async (t, server) => {
  class Order {
    n = 1;
  }
  const prepare = ({ conventions }) => {
    conventions.registerEntityType(Order);
    conventions.registerEntityIdPropertyName(Order, "key");
  };
  const { name, store, session } = await prepared(t, server, { prepare });
  await session.store(new Order());
  await session.saveChanges();
  const other = store.openSession();
  const loaded = await other.load("orders/1-A");
  loaded.n = 2;
  await other.saveChanges();
  assert.equal("id" in (await document(server, name, "orders/1-A")), false, "it is not stored");
  assert.equal(loaded.key, "orders/1-A");
});

class Keyed {
  a = 0;
}

onServers("an included document has its id in its class's own id property", async (t, server) => {
  const name = await database(t, server);
  const prepare = ({ conventions }) => {
    conventions.registerEntityType(Keyed, "Keyed");
    conventions.registerEntityIdPropertyName(Keyed, "key");
  };
  const session = open(t, server.url, name, { prepare }).openSession();
  await putDocument(server, name, "orders/1", order({ other: "keyed/1" }));
  await putDocument(server, name, "keyed/1", { a: 1, "@metadata": { "@collection": "Keyeds" } });
  await session.include("other").load("orders/1");
  const keyed = await session.load("keyed/1", Keyed);
  assert.deepEqual([session.advanced.numberOfRequests, session.advanced.hasChanges()], [1, false]);
  assert.deepEqual([keyed.key, keyed.id, keyed instanceof Keyed], ["keyed/1", undefined, true]);
  keyed.a = 2;
  await session.saveChanges();
  const { "@metadata": _, ...stored } = await document(server, name, "keyed/1");
  assert.deepEqual(stored, { a: 2 });
});
