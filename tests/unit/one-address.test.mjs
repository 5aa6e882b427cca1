// The address that a page gives without its origin, and the whole one of the server's topology, are one node.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DocumentStore } from "../../pkg/lib/entries/node.js";

test("a read that cannot be sent is tried again at the same node, not under a second name of it", async () => {
  const origin = "https://app.example";
  globalThis.location = { origin, href: `${origin}/` };
  const sent = [];
  let isDown = false;
  const fetch = async (request) => {
    const url = String(request.url ?? request);
    sent.push(url);
    if (isDown) throw new TypeError("fetch failed");
    const topology = { Etag: 1, Nodes: [{ Url: `${origin}/raven`, ClusterTag: "A", ServerRole: "Member" }] };
    return Response.json(url.includes("/topology") ? topology : { Results: [null], Includes: {} });
  };
  const store = new DocumentStore("/raven", "Shop", { fetch }).initialize();
  const updated = new Promise((resolve) => store.on("topologyUpdated", resolve));
  assert.equal(await store.openSession().load("orders/1-A"), null);
  await updated;
  isDown = true;
  sent.length = 0;
  await assert.rejects(store.openSession().load("orders/1-A"), { code: "Unreachable" });
  assert.deepEqual(sent, Array(2).fill("/raven/databases/Shop/docs?id=orders%2F1-A"));
  await store.dispose();
  delete globalThis.location;
});
