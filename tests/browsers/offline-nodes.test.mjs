// A store of two nodes: a batch whose outcome is unknown stays with its node, because another one may not have its receipt yet.
import assert from "node:assert/strict";
import { withQueue } from "../support/offline.mjs";
import { putDocument, ravendb } from "../support/server.mjs";

const isBatch = ({ path, body }) => /bulk_docs$/.test(path) && /Raven-Edge\/Devices/.test(body);
const nodeOf = ({ headers }) => headers["x-node"];

withQueue(
  "a batch with an unknown outcome is sent to no other node, and the next one goes to a node that responds",
  async ({ page, base, wire, documentOf }) => {
    await putDocument(ravendb, base, "orders/1", { count: 0, "@metadata": { "@collection": "Orders" } });
    await page.evaluate(async (name) => {
      const { DocumentStore } = await import("/lib/entries/web.js");
      const { offline } = await import("/lib/entries/offline.js");
      // Both nodes are RavenDB; the header says which one the store has chosen.
      const send = (url, init) => {
        const [, node] = /^.*?\/raven-(a|b)\//.exec(url);
        const headers = new Headers(init?.headers);
        headers.set("x-node", node);
        return fetch(url.replace(`/raven-${node}/`, "/raven/"), { ...init, headers });
      };
      globalThis.store = new DocumentStore(["/raven-a", "/raven-b"], name, {
        timeout: 10_000,
        fetch: send,
        offline: offline({ user: "ann", automatic: false }),
      });
      store.conventions.disableTopologyUpdates = true;
      store.initialize();
      globalThis.count = async () => {
        const session = store.openSession();
        session.advanced.increment("orders/1", "count", 1);
        return session.queueChanges();
      };
      await count();
      await store.offline.flush();
    }, base);
    assert.deepEqual(wire.of(isBatch).map(nodeOf), ["a"]);

    // The response of node A is lost, and then it is down: B is up.
    let losses = 1;
    wire.rule = (request) => {
      if (nodeOf(request) !== "a") return undefined;
      return isBatch(request) && losses-- > 0 ? "lose" : losses < 1 ? "drop" : undefined;
    };
    const waits = await page.evaluate(async () => {
      globalThis.change = await count();
      const flushed = await store.offline.flush({ timeout: 5_000 });
      // Node B responds to reads.
      return [flushed, await store.openSession().load("orders/2")];
    });
    assert.deepEqual(waits, [false, null]);
    assert.ok(wire.of((request) => nodeOf(request) === "b").length > 0, "B is reachable");
    assert.ok(wire.of(isBatch).length > 2, "the batch is sent again");
    assert.ok(wire.of(isBatch).every((request) => nodeOf(request) === "a"));

    // Node A is back: its receipt settles the batch.
    wire.rule = undefined;
    const saved = await page.evaluate(async () => [await store.offline.flush(), change.state]);
    assert.deepEqual(saved, [true, "saved"]);
    assert.equal((await documentOf("orders/1")).count, 2);

    // A new batch goes to the node that responds.
    wire.rule = (request) => (nodeOf(request) === "a" ? "drop" : undefined);
    const next = await page.evaluate(async () => {
      globalThis.change = await count();
      return [await store.offline.flush(), change.state];
    });
    assert.deepEqual(next, [true, "saved"]);
    assert.equal(nodeOf(wire.of(isBatch).at(-1)), "b");
    assert.equal((await documentOf("orders/1")).count, 3);
  },
);
