// The unchanged client through the gateway: in Node, with the real RavenDB and the authority.
import assert from "node:assert/strict";
import { gateway } from "../support/gateway.mjs";
import { counter, document, onServers, order, otherLease } from "../support/server.mjs";
import { failure, open } from "../support/store.mjs";

for (const date of ["2024-09-23", "2026-04-01"])
  onServers(
    `the client leases, saves, loads, changes, deletes and returns, at compatibility date ${date}`,
    async (t, server) => {
      const { url, base } = await gateway(t, { server, date, options: { collections: { Orders: "write" } } });
      const store = open(t, url, base, { topology: true });
      const session = store.openSession();
      const one = order({ total: 1 });
      await session.store(one);
      await session.saveChanges();
      assert.equal(one.id, "orders/1-A");
      assert.equal((await document(server, base, "orders/1-A")).total, 1);
      const other = store.openSession();
      const loaded = await other.load("orders/1-A");
      assert.equal(loaded.total, 1);
      loaded.total = 2;
      await other.saveChanges();
      assert.equal((await document(server, base, "orders/1-A")).total, 2);
      assert.equal(await other.load("orders/99-A"), null);
      assert.equal(await other.advanced.exists("orders/1-A"), true);
      const found = await store.openSession().advanced.loadStartingWith("orders/", { pageSize: 10 });
      assert.deepEqual(
        found.map(({ id }) => id),
        ["orders/1-A"],
      );
      assert.equal(await counter(server, base, "orders"), 32);
      await store.dispose();
      assert.equal(await counter(server, base, "orders"), 1, "exactly the unused numbers were returned");
      assert.equal((await otherLease(server, base, "orders")).Low, 2);
      const last = open(t, url, base).openSession();
      await last.delete("orders/1-A");
      await last.saveChanges();
      assert.equal(await document(server, base, "orders/1-A"), undefined);
    },
  );

onServers("a caller that may only create can lease and save, but not read", async (t, server) => {
  const { url, base } = await gateway(t, { server, options: { collections: { Orders: "create" } } });
  const store = open(t, url, base);
  const session = store.openSession();
  const one = order();
  await session.store(one);
  await session.saveChanges();
  assert.equal(one.id, "orders/1-A");
  const bulk = store.bulkInsert();
  const refused = await failure(bulk.store(order(), "orders/x"));
  assert.equal(refused.code, "Unsupported");
  assert.match(refused.message, /a gateway lets no bulk insert pass/);
  assert.equal(await document(server, base, "orders/x"), undefined);
  const { type, status } = await failure(store.openSession().load("orders/1-A"));
  assert.deepEqual([type, status], ["RavenEdge.Gateway.CollectionRefused", 403]);
  one.total = 2;
  assert.equal((await failure(session.saveChanges())).type, "RavenEdge.Gateway.CollectionRefused");
  await store.dispose();
  assert.equal(await counter(server, base, "orders"), 1);
});
