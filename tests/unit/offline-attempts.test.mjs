// What one attempt of the queue sends: the queue tries again itself, after a pause, and always for the same device.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DocumentStore } from "../../pkg/dist/entries/node.js";
import { QueueRequests } from "../../pkg/dist/offline/sending/send-batch.js";
import { loadedPart, provide, provideLoaders } from "../../pkg/dist/runtime/load-part.js";
import { OUTCOME_AGAIN, OUTCOME_REFUSED } from "../../pkg/gen/protocol.js";

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

/** A batch with one attachment of this content. */
const batchOf = (content) => {
  const command = { document: 1, kind: "ATTACH", id: "orders/1", key: "orders/1", expects: "any" };
  const text = JSON.stringify({ Type: "AttachmentPUT", Id: "orders/1", Name: "photo" });
  const head = { receipt: RECEIPT, vector: "", user: "ann", last: 1, batch: "b" };
  return [head, "https://ravendb.example", [{ record: { commands: [command] }, texts: [{ text, content }] }]];
};

/** Requests of a store whose server cannot be reached while `network.isDown`. */
function requestsOf(t, network) {
  const fetch = async () => {
    network.sent++;
    if (network.isDown) throw new TypeError("fetch failed");
    return Response.json({ Results: [null, null, null] });
  };
  const store = new DocumentStore("https://ravendb.example", "Shop", { fetch });
  store.conventions.disableTopologyUpdates = true;
  store.initialize();
  t.after(() => store.dispose());
  return new QueueRequests(store);
}

test("a content that the browser has lost refuses its change; without a connection another one waits", async (t) => {
  const requests = requestsOf(t, { isDown: true, sent: 0 });
  const whole = await requests.send(...batchOf(new Blob(["a"])));
  assert.deepEqual([whole.outcome, whole.error], [OUTCOME_AGAIN, undefined]);
  const lost = Object.assign(new Blob(["a"]), {
    slice: () => ({ arrayBuffer: () => Promise.reject(new DOMException("it is gone", "NotReadableError")) }),
  });
  const { outcome, error } = await requests.send(...batchOf(lost));
  const message =
    "it cannot be sent: this device has lost the attachment photo: NotReadableError: it is gone";
  assert.deepEqual([outcome, error], [OUTCOME_REFUSED, { code: "Storage", message }]);
});

test("code that cannot be loaded refuses a change if the server can be reached, and else lets it wait", async (t) => {
  const attachments = loadedPart("attachments");
  provide({ attachments: undefined });
  provideLoaders({ attachments: () => Promise.reject(new Error("404")) });
  t.after(() => provide({ attachments }));
  const network = { isDown: true, sent: 0 };
  const requests = requestsOf(t, network);
  assert.equal((await requests.send(...batchOf(new Blob(["a"])))).outcome, OUTCOME_AGAIN);
  Object.assign(network, { isDown: false, sent: 0 });
  const { outcome, error } = await requests.send(...batchOf(new Blob(["a"])));
  assert.deepEqual([outcome, error.code, network.sent], [OUTCOME_REFUSED, "LoadFailed", 1]);
});
