// Changes while connections break: everything is watched again, every gap is told, and a lost node is replaced.
import assert from "node:assert/strict";
import WebSocket from "ws";
import { isChanges, proxy } from "../support/proxy.mjs";
import { database, onRavenDb, putDocument } from "../support/server.mjs";
import { failure, open, until, within } from "../support/store.mjs";

const ORDER = { "@metadata": { "@collection": "Orders" } };

async function live(t, server, { wires = 1, ...options } = {}) {
  const name = await database(t, server);
  const made = [];
  for (let count = 0; count < wires; count++) made.push(await proxy(t, server.url));
  const urls = made.map(({ url }) => url);
  return { name, wires: made, store: open(t, urls, name, { webSocket: WebSocket, ...options }) };
}

const event = (from, name) =>
  within(30_000, new Promise((resolve) => from.on(name, resolve)), `an event "${name}"`);

onRavenDb("after a disconnect the gap is told when all is watched again", async (t, server) => {
  const { name, store, wires } = await live(t, server);
  const changes = store.changes();
  const orders = changes.forDocumentsInCollection("Orders");
  const one = changes.forDocument("orders/1-A");
  const seen = [];
  for (const observable of [orders, one]) {
    observable.on("data", ({ id }) => seen.push(id));
    observable.on("resync", () => seen.push("resync"));
    await observable.ensureSubscribedNow();
  }
  const status = [];
  changes.on("connectionStatus", () => status.push(changes.connected));
  wires[0].cut();
  await event(changes, "resync");
  assert.deepEqual(status, [false, true]);
  assert.deepEqual(seen.splice(0), ["resync", "resync"]);
  await putDocument(server, name, "orders/1-A", ORDER);
  await until(() => seen.length === 2, "the change for both");
  assert.deepEqual(seen, ["orders/1-A", "orders/1-A"]);
});

onRavenDb(
  "what is saved in a gap is read by who listens to resync, through ten disconnects",
  async (t, server) => {
    const { name, store, wires } = await live(t, server);
    const changes = store.changes();
    const orders = changes.forDocumentsInCollection("Orders");
    let shown;
    let reads = Promise.resolve();
    const read = () => {
      reads = reads.then(async () => {
        shown = await store.openSession({ noTracking: true }).load("orders/1-A");
      });
    };
    orders.on("data", read).on("resync", read);
    await orders.ensureSubscribedNow();
    for (let count = 1; count <= 10; count++) {
      const again = event(changes, "resync");
      // Before, while and after the connection breaks.
      await putDocument(server, name, "orders/1-A", { ...ORDER, count });
      wires[0].cut();
      await putDocument(server, name, "orders/1-A", { ...ORDER, count: count + 0.5 });
      await again;
    }
    await until(() => shown?.count === 10.5, "the last version");
    await reads;
  },
);

onRavenDb("a connection that went silent is found and replaced, an idle one stays", async (t, server) => {
  const { store, wires } = await live(t, server);
  const idle = await live(t, server);
  const changes = store.changes();
  for (const each of [store, idle.store])
    await each
      .changes()
      .forAllDocuments()
      .on("data", () => {})
      .ensureSubscribedNow();
  const error = new Promise((resolve) => changes.on("error", resolve));
  const resync = event(changes, "resync");
  wires[0].silence();
  assert.match((await error).message, /silent/);
  await resync;
  // As long, but it heard the server's empty messages.
  assert.equal(idle.wires[0].of(isChanges).length, 1);
  assert.equal(idle.store.changes().connected, true);
});

onRavenDb("when a node is gone, another one tells the changes", async (t, server) => {
  const { name, store, wires } = await live(t, server, { wires: 2 });
  const changes = store.changes();
  const orders = changes.forAllDocuments();
  await orders.on("data", () => {}).ensureSubscribedNow();
  assert.deepEqual(
    wires.map((wire) => wire.of(isChanges).length),
    [1, 0],
  );
  const resync = event(changes, "resync");
  await wires[0].off();
  await resync;
  assert.equal(wires[1].of(isChanges).length, 1);
  const change = event(orders, "data");
  await putDocument(server, name, "orders/1-A", ORDER);
  assert.equal((await change).id, "orders/1-A");
});

onRavenDb(
  "an unreachable server rejects who waits after the time limit, and is used when it is back",
  async (t, server) => {
    const { store, wires } = await live(t, server, { timeout: 3_000 });
    const changes = store.changes();
    await wires[0].off();
    const documents = changes.forAllDocuments().on("data", () => {});
    const error = await failure(documents.ensureSubscribedNow());
    assert.equal(error.code, "Unreachable");
    assert.equal(changes.lastConnectionStateException.code, "Unreachable");
    await wires[0].on();
    await event(changes, "connectionStatus");
    assert.equal(changes.lastConnectionStateException, null);
  },
);
