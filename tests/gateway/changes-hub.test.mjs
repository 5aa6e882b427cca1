// The hub for changes: workerd before the real RavenDB. One connection for all listeners, and what each of them hears.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import WebSocket from "ws";
import { changesHub } from "../support/changes-hub.mjs";
import { isChanges } from "../support/proxy.mjs";
import { onRavenDb, putDocument, send } from "../support/server.mjs";
import { failure, open, until, within } from "../support/store.mjs";

const CLIENTS = 1_000;
const COLLECTIONS = {
  Notes: { allow: "write", rows: { owner: "$name" } },
  Products: "read",
};
const AUTHORIZE = `authorize: (request) => {
  const name = (request.headers.get("authorization") ?? "").replace("Bearer ", "");
  return name ? { name } : null;
}`;

const document = (collection, more = {}) => ({ ...more, "@metadata": { "@collection": collection } });

async function served(t, server) {
  const options = { claims: ["name"], collections: COLLECTIONS };
  const made = await changesHub(t, server, { options, functions: AUTHORIZE });
  const as = (name) =>
    open(t, made.url, made.base, {
      webSocket: WebSocket,
      headers: () => (name ? { Authorization: `Bearer ${name}` } : {}),
    });
  return { ...made, as };
}

const data = (observable) =>
  within(20_000, new Promise((resolve) => observable.on("data", resolve)), "a change");
const event = (from, name) =>
  within(20_000, new Promise((resolve) => from.on(name, resolve)), `an event "${name}"`);

/** A listener that answers nothing by itself: `heard` has all messages. */
async function listen({ inside, base }, param = "Products") {
  const socket = new WebSocket(`${inside.replace("http", "ws")}/databases/${base}/changes`, {
    headers: { Authorization: "Bearer ann" },
  });
  const heard = [];
  socket.on("message", (text) => heard.push(...JSON.parse(text)));
  const closed = new Promise((resolve) => socket.on("close", resolve));
  await new Promise((resolve, reject) => socket.on("open", resolve).on("error", reject));
  socket.send(JSON.stringify({ CommandId: 1, Command: "watch-collection", Param: param }));
  return { socket, heard, closed };
}

const has = (heard, type) => heard.some(({ Type }) => Type === type);

/** Memory of a process in bytes. */
async function memoryOf(pid) {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]) * 1_024;
}

onRavenDb(
  "1,000 listeners cost RavenDB one connection, which ends with the last of them",
  async (t, server) => {
    const made = await served(t, server);
    const first = await listen(made);
    await until(() => has(first.heard, "Confirm"), "the first confirmation");
    const before = await memoryOf(made.pid);
    const clients = [first];
    while (clients.length < CLIENTS)
      clients.push(...(await Promise.all(Array.from({ length: 111 }, () => listen(made)))));
    await until(() => clients.every(({ heard }) => has(heard, "Confirm")), "all confirmations");
    const memory = (await memoryOf(made.pid)) - before;
    assert.equal(clients.length, CLIENTS);
    t.diagnostic(`${Math.round(memory / 1_024 / (CLIENTS - 1))} KiB of workerd for each idle listener`);
    await putDocument(server, made.base, "products/1-A", document("Products"));
    await until(() => clients.every(({ heard }) => has(heard, "DocumentChange")), "the change for all");
    for (const { heard } of clients)
      assert.deepEqual(
        heard.filter(({ Type }) => Type === "DocumentChange").map(({ Value }) => Value.Id),
        ["products/1-A"],
      );
    assert.equal(made.wire.of(isChanges).length, 1);
    for (const { socket } of clients) socket.terminate();
    await until(() => made.wire.webSockets.size === 0, "the end of RavenDB's connection");
  },
);

onRavenDb("each listener hears what it watches and may read, as without the hub", async (t, server) => {
  const { as, base, wire } = await served(t, server);
  const changes = as("ann").changes();
  const others = as("bob").changes();
  const observables = [
    changes.forDocument("products/1-A"),
    changes.forDocumentsStartingWith("PRODUCTS/"),
    others.forDocumentsInCollection("products"),
  ];
  const notes = others.forDocumentsInCollection("Notes");
  const heard = [];
  changes.forDocument("products/2-A").on("data", ({ id }) => heard.push(id));
  const all = Promise.all([...observables, notes].map(data));
  for (const observable of [...observables, notes]) await observable.ensureSubscribedNow();
  await putDocument(server, base, "notes/1", document("Notes", { owner: "ann" }));
  await putDocument(server, base, "products/1-A", document("Products"));
  const [one, two, three, note] = await all;
  for (const { id, type } of [one, two, three]) assert.deepEqual([id, type], ["products/1-A", "Put"]);
  assert.deepEqual(note, { collectionName: "Notes" });
  assert.deepEqual(heard, []);
  assert.equal(wire.of(isChanges).length, 1);
  for (const refused of [changes.forDocument("notes/1"), changes.forAllDocuments()])
    assert.equal((await failure(refused.ensureSubscribedNow())).status, 403);
  assert.equal((await failure(as().changes().ensureConnectedNow())).code, "Unauthorized");
});

onRavenDb("a watch that nobody needs any more ends, and can begin again", async (t, server) => {
  const { as, base } = await served(t, server);
  const [ann, bob] = [as("ann").changes(), as("bob").changes()];
  const heard = [];
  const count = ({ id }) => heard.push(id);
  const products = ann.forDocumentsInCollection("Products");
  await products.on("data", count).ensureSubscribedNow();
  products.off("data", count);
  const one = bob.forDocument("products/2-A");
  await one.ensureSubscribedNow();
  let change = data(one);
  await putDocument(server, base, "products/1-A", document("Products"));
  await putDocument(server, base, "products/2-A", document("Products"));
  await change;
  assert.deepEqual(heard, []);
  await products.ensureSubscribedNow();
  change = data(products);
  await putDocument(server, base, "products/3-A", document("Products"));
  assert.equal((await change).id, "products/3-A");
});

onRavenDb(
  "when RavenDB's connection breaks, listeners keep theirs and are told to resync",
  async (t, server) => {
    const { as, base, wire, front } = await served(t, server);
    const changes = as("ann").changes();
    const products = changes.forDocumentsInCollection("Products");
    await products.on("data", () => {}).ensureSubscribedNow();
    for (let count = 1; count <= 3; count++) {
      const resync = event(products, "resync");
      wire.cut();
      await resync;
      const change = data(products);
      await putDocument(server, base, `products/${count}-A`, document("Products"));
      assert.equal((await change).id, `products/${count}-A`);
    }
    assert.equal(front.of(isChanges).length, 1);
    assert.equal(wire.of(isChanges).length, 4);
  },
);

onRavenDb("while RavenDB cannot be reached, nobody seems to be connected", async (t, server) => {
  const { as, wire } = await served(t, server);
  const changes = as("ann").changes();
  await changes
    .forDocumentsInCollection("Products")
    .on("data", () => {})
    .ensureSubscribedNow();
  const status = event(changes, "connectionStatus");
  await wire.off();
  await status;
  assert.equal(changes.connected, false);
  const resync = event(changes, "resync");
  await wire.on();
  await resync;
});

onRavenDb("a hub that crashes is replaced, and listeners resync", async (t, server) => {
  const { as, base, abort } = await served(t, server);
  const products = as("ann").changes().forDocumentsInCollection("Products");
  await products.on("data", () => {}).ensureSubscribedNow();
  const resync = event(products, "resync");
  await abort();
  await resync;
  const change = data(products);
  await putDocument(server, base, "products/1-A", document("Products"));
  await change;
});

onRavenDb("a listener that does not acknowledge gets no more, and then a resync", async (t, server) => {
  const made = await served(t, server);
  const { socket, heard } = await listen(made);
  const other = made.as("bob").changes().forDocument("products/999-A");
  await other.ensureSubscribedNow();
  await until(() => has(heard, "Confirm"), "the confirmation");
  const Commands = Array.from({ length: 999 }, (_, at) => ({
    Type: "PUT",
    Id: `products/${at + 1}-A`,
    ChangeVector: null,
    Document: document("Products"),
  }));
  const change = data(other);
  await send(server.url, "POST", `/databases/${made.base}/bulk_docs`, { Commands });
  await change;
  await until(() => has(heard, "Acknowledge"), "the question");
  assert.ok(heard.length < 300, `${heard.length} messages`);
  assert.ok(!has(heard, "Resync"));
  heard.length = 0;
  const acknowledge = () => socket.send(JSON.stringify({ CommandId: 9, Command: "acknowledge" }));
  acknowledge();
  await until(() => has(heard, "Resync"), "the resync");
  await putDocument(server, made.base, "products/1-A", document("Products"));
  await until(() => has(heard, "DocumentChange"), "a change");
  socket.terminate();
});
