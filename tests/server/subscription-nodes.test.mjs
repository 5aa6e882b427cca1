// Subscriptions in a cluster, as scripted nodes show it, and over TLS, before a real RavenDB.
import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import { after } from "../support/cleanup.mjs";
import { listen } from "../support/ports.mjs";
import { database, onRavenDb, send } from "../support/server.mjs";
import { open } from "../support/store.mjs";
import { next, notes } from "../support/subscriptions.mjs";
import { certificates, guarded, guardedTcp } from "../support/tls.mjs";

const ACCEPTED = [
  { Type: "ConnectionStatus", Status: "Accepted" },
  { Type: "Data", Data: { name: "a", "@metadata": { "@id": "notes/a", "@collection": "Notes" } } },
  { Type: "EndOfBatch" },
];

/** The response of a node that does not serve the subscription; `tag`: the one that does, as far as it is known. */
const redirect = (tag) => [
  {
    Type: "ConnectionStatus",
    Status: "Redirect",
    Data: { CurrentTag: "A", RedirectedTag: tag, Reasons: [] },
  },
];

/**
 * Nodes of a cluster, by tag: `says(n)` gives the messages for the `n`-th worker that connects, from 1; `isDown`: the node refuses
 * requests. Gives the `fetch` that reaches them, the store's address, and by tag what the workers have sent.
 */
async function cluster(t, nodes) {
  const sent = {};
  const ports = {};
  for (const [tag, { says }] of Object.entries(nodes)) {
    sent[tag] = [];
    let workers = 0;
    const listener = createServer((socket) => {
      let received = 0;
      socket.on("error", () => {});
      socket.on("data", (bytes) => {
        const message = JSON.parse(bytes);
        sent[tag].push(message.Operation ?? message.Type ?? "options");
        received += 1;
        if (received === 1) socket.write('{"Status":"Ok","Version":53000}');
        if (received === 2)
          socket.write(
            says(++workers)
              .map((one) => JSON.stringify(one))
              .join(""),
          );
        if (message.Type === "Acknowledge") socket.write('{"Type":"Confirm"}');
      });
    });
    ports[tag] = await listen(listener);
    after(t, () => listener.close());
  }
  const address = (tag) => `http://node-${tag.toLowerCase()}.test`;
  const Nodes = Object.keys(nodes).map((tag) => ({
    Url: address(tag),
    ClusterTag: tag,
    Database: "none",
    ServerRole: "Member",
  }));
  const fetchNode = async (url) => {
    const { hostname, pathname } = new URL(url);
    const tag = hostname.slice(5, 6).toUpperCase();
    if (nodes[tag].isDown) throw new TypeError("fetch failed");
    if (pathname === "/topology") return Response.json({ Etag: 1, Nodes });
    assert.equal(pathname, "/info/remote-task/tcp");
    return Response.json({ Url: `tcp://127.0.0.1:${ports[tag]}`, Certificate: null, NodeTag: tag });
  };
  return { url: address("A"), fetch: fetchNode, sent };
}

/** A worker of the cluster's subscription; `events`: the names of its errors and retries, in order. */
function working(t, { url, fetch }, options = {}) {
  const store = open(t, url, "none", { fetch });
  const worker = store.subscriptions.getSubscriptionWorker({
    subscriptionName: "notes",
    timeToWaitBeforeConnectionRetry: 1,
    ...options,
  });
  const events = [];
  for (const event of ["unexpectedSubscriptionError", "connectionRetry"])
    worker.on(event, (error) => events.push(`${event}: ${error.name}`));
  after(t, () => worker.dispose());
  return { worker, events };
}

test("a worker goes to the node that serves the subscription, and acknowledges there", async (t) => {
  const nodes = await cluster(t, { A: { says: () => redirect("B") }, B: { says: () => ACCEPTED } });
  const { worker, events } = working(t, nodes);
  const confirmed = next(worker, "afterAcknowledgment");
  worker.on("batch", (batch, callback) => {
    assert.deepEqual(
      batch.items.map(({ id }) => id),
      ["notes/a"],
    );
    callback();
  });
  await confirmed;
  assert.equal(worker.currentNodeTag, "B");
  assert.deepEqual(nodes.sent, {
    A: ["Subscription", "options"],
    B: ["Subscription", "options", "Acknowledge"],
  });
  assert.deepEqual(events, ["connectionRetry: SubscriptionDoesNotBelongToNodeException"]);
});

test("if the node that serves the subscription cannot be reached, the cluster is asked again", async (t) => {
  const says = (worker) => (worker === 1 ? redirect("B") : ACCEPTED);
  const nodes = await cluster(t, { A: { says }, B: { says: () => ACCEPTED, isDown: true } });
  const { worker, events } = working(t, nodes);
  worker.on("batch", (_, callback) => callback());
  await next(worker, "afterAcknowledgment");
  assert.equal(worker.currentNodeTag, "A");
  assert.deepEqual(events, [
    "connectionRetry: SubscriptionDoesNotBelongToNodeException",
    "connectionRetry: AllTopologyNodesDownException",
  ]);
});

test("redirects that lead nowhere end the worker after the erroneous period", async (t) => {
  for (const tag of [null, "C"]) {
    const nodes = await cluster(t, { A: { says: () => redirect(tag) } });
    const { worker } = working(t, nodes, { maxErroneousPeriod: 1, timeToWaitBeforeConnectionRetry: 5 });
    const failed = next(worker, "error");
    worker.on("batch", () => assert.fail("there is no batch"));
    const [error] = await failed;
    assert.equal(error.name, "SubscriptionInvalidStateException", `redirected to ${tag}`);
  }
});

/**
 * A secured server before RavenDB: HTTPS, and TCP over TLS, both for clients of the test's authority. `named`: the certificate that the
 * server names over HTTPS.
 */
async function secured(t, server, made, named) {
  const { Url } = (await send(server.url, "GET", "/info/tcp")).json;
  const tcp = await guardedTcp(t, made, Number(new URL(Url).port));
  const Certificate = String(named).replace(/-----[A-Z ]+-----|\s/g, "");
  const https = await guarded(t, made, server.url, (text, path) =>
    path.startsWith("/info/remote-task/tcp")
      ? JSON.stringify({ ...JSON.parse(text), Url: `tcp://127.0.0.1:${tcp.port}`, Certificate })
      : text,
  );
  const name = await database(t, server);
  await notes(server, name);
  const receive = async (options) => {
    const { subscriptions } = open(t, https.url, name, { ca: made.ca, ...options });
    return subscriptions.getSubscriptionWorker(await subscriptions.create({ query: "from Notes" }));
  };
  return { tcp, receive };
}

onRavenDb("a secured server sends its batches over TLS to a client with a certificate", async (t, server) => {
  const made = certificates(t);
  const { tcp, receive } = await secured(t, server, made, made.other.cert);
  for (const options of [
    { certificate: made.pem, type: "pem" },
    { certificate: made.pfx, type: "pfx", password: "secret" },
  ]) {
    const worker = await receive(options);
    const names = [];
    worker.on("batch", (batch, callback) => {
      names.push(...batch.items.map(({ result }) => result.name));
      callback();
    });
    await next(worker, "afterAcknowledgment");
    assert.deepEqual(names, ["a", "b", "c"]);
    const ended = next(worker, "end");
    worker.dispose();
    await ended;
  }
  assert.deepEqual(tcp.clients, ["client", "client"]);
});

onRavenDb("nothing is sent to a server that shows another certificate than was named", async (t, server) => {
  const made = certificates(t);
  const { tcp, receive } = await secured(t, server, made, made.server.cert);
  const worker = await receive({ certificate: made.pem });
  const failed = next(worker, "unexpectedSubscriptionError");
  worker.on("batch", () => assert.fail("there is no batch"));
  const [error] = await failed;
  assert.match(error.message, /shows another certificate/);
  worker.dispose();
  assert.equal(tcp.sent, "");
});

test("a secured server ends a worker without a certificate", async (t) => {
  const info = { Url: "tcp://127.0.0.1:1", Certificate: "MIIB", NodeTag: "A" };
  const { worker } = working(t, { url: "http://node-a.test", fetch: async () => Response.json(info) });
  const failed = next(worker, "error");
  worker.on("batch", () => assert.fail("there is no batch"));
  assert.equal((await failed)[0].code, "Unsupported");
});
