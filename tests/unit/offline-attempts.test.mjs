// What one attempt of the queue sends: the queue tries again itself, after a pause, and always for the same device.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DocumentStore } from "../../pkg/dist/entries/node.js";
import { QueueRequests } from "../../pkg/dist/offline/sending/send-batch.js";

const RECEIPT = `Raven-Edge/Devices/${"a".repeat(32)}`;

test("an attempt is one request while the server cannot be reached, and each one has the same ids", async () => {
  const origin = "https://app.example";
  globalThis.location = { origin, href: `${origin}/` };
  const sent = [];
  let isDown = false;
  const fetch = async (request, init) => {
    const url = String(request.url ?? request);
    sent.push([url, String(init?.body)]);
    if (isDown) throw new TypeError("fetch failed");
    const Nodes = [{ Url: `${origin}/raven`, ClusterTag: "A", ServerRole: "Member" }];
    return Response.json(url.includes("/topology") ? { Etag: 1, Nodes } : { Results: [null, null, null] });
  };
  const store = new DocumentStore("/raven", "Shop", { fetch }).initialize();
  const requests = new QueueRequests(store);
  const known = new Promise((resolve) => store.on("topologyUpdated", resolve));
  assert.equal(await requests.receipt(RECEIPT), undefined);
  await known;
  isDown = true;
  sent.length = 0;
  const node = await requests.node(RECEIPT, false);
  assert.deepEqual([node, sent.length], ["/raven", 0]);
  for (const name of [node, node, `${origin}/raven`, undefined])
    await assert.rejects(requests.receipt(RECEIPT, name), { code: "Unreachable" });
  const [[url, body]] = sent;
  assert.equal(url, "/raven/databases/Shop/docs");
  assert.match(body, new RegExp(`"${RECEIPT}"`));
  assert.deepEqual(sent, Array(4).fill([url, body]));
  await store.dispose();
  delete globalThis.location;
});
