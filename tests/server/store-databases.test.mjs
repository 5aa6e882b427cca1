// Stores that work on several databases.
import assert from "node:assert/strict";
import { database, onServers } from "../support/server.mjs";
import { open } from "../support/store.mjs";

onServers(
  "a store without a database uses the databases that its sessions name, and returns their numbers",
  async (t, server) => {
    const name = await database(t, server);
    const bare = open(t, server.url, undefined);
    await bare.ready();
    assert.throws(() => bare.openSession(), { code: "InvalidOperation", message: /database/ });
    await assert.rejects(bare.hilo("orders").next(), { code: "InvalidOperation" });
    const session = bare.openSession(name);
    const order = { "@metadata": { "@collection": "Orders" } };
    await session.store(order);
    await session.saveChanges();
    assert.equal(order.id, "orders/1-A");
    await bare.release();
    const next = open(t, server.url, name);
    assert.equal(await next.hilo("orders").next(), "orders/2-A");
  },
);

onServers("a listener of a request executor is notified only about its own database", async (t, server) => {
  const [one, other] = [await database(t, server), await database(t, server)];
  const both = open(t, server.url, one);
  const notified = [];
  const executor = both.getRequestExecutor(other);
  executor.on("beforeRequest", ({ database }) => notified.push(database));
  await both.openSession().load("a/1");
  await both.openSession(other).load("a/1");
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([...new Set(notified)], [other]);
  assert.notEqual(executor, both.getRequestExecutor());
});
