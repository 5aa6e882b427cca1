// The client, unchanged, through the gateway: in Node, against the real RavenDB.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gateway } from "../support/gateway.mjs";
import { counter, document, missing, order, otherLease, ravendb } from "../support/server.mjs";
import { open } from "../support/store.mjs";

const options = { skip: missing(ravendb), timeout: 60_000 };
const collections = { Orders: "write", Companies: "write" };

test("leases, saves, loads, changes, deletes and gives back", options, async (t) => {
  const { url, base } = await gateway(t, { options: { collections } });
  const store = open(t, url, base, { topology: true });
  const session = store.openSession();
  const one = order({ total: 1 });
  await session.store(one);
  await session.saveChanges();
  assert.equal(one.id, "orders/1-A");
  assert.equal((await document(ravendb, base, "orders/1-A")).total, 1);
  const other = store.openSession();
  const loaded = await other.load("orders/1-A");
  assert.equal(loaded.total, 1);
  loaded.total = 2;
  await other.saveChanges();
  assert.equal((await document(ravendb, base, "orders/1-A")).total, 2);
  assert.equal(await other.load("orders/99-A"), null);
  assert.equal(await counter(ravendb, base, "orders"), 32);
  await store.dispose();
  assert.equal(await counter(ravendb, base, "orders"), 1, "what was not used went back, exactly");
  assert.equal((await otherLease(ravendb, base, "orders")).Low, 2);
  const last = open(t, url, base).openSession();
  await last.delete("orders/1-A");
  await last.saveChanges();
  assert.equal(await document(ravendb, base, "orders/1-A"), undefined);
});
