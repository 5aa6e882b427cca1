// A Node script that does not call dispose still ends by itself, whatever is pending.
import assert from "node:assert/strict";
import { script } from "../support/child.mjs";
import { proxy } from "../support/proxy.mjs";
import { database, document, onServers } from "../support/server.mjs";

const arguments_ = (url, name, options = {}) =>
  `${JSON.stringify(url)}, ${JSON.stringify(name)}, ${JSON.stringify(options)}`;

onServers("a script that saves and never disposes ends by itself", async (t, server) => {
  const name = await database(t, server);
  const { code, out, err, took } = await script(`
    const store = new DocumentStore(${arguments_(server.url, name)}).initialize();
    const session = store.openSession();
    const order = { "@metadata": { "@collection": "Orders" } };
    await session.store(order);
    await session.saveChanges();
    console.log(order.id);`);
  assert.deepEqual({ code, out: out.trim(), err }, { code: 0, out: "orders/1-A", err: "" });
  assert.ok(took < 14_000, `${took} ms`);
  assert.ok(await document(server, name, "orders/1-A"));
});

onServers(
  "a script that requests an id from an unreachable server ends after its timeout with the error",
  async (t, server) => {
    const name = await database(t, server);
    const wire = await proxy(t, server.url);
    await wire.off();
    const { code, out, err, took } = await script(`
    const store = new DocumentStore(${arguments_(wire.url, name, { timeout: 1500 })}).initialize();
    store.hilo("orders").next().catch((error) => console.log(error.code));
    store.hilo("orders").take();`);
    assert.deepEqual({ code, out: out.trim(), err }, { code: 0, out: "Timeout", err: "" });
    assert.ok(took < 14_000, `${took} ms`);
  },
);

onServers("a script whose prefetch hangs ends soon after its work", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  // Nobody awaits the prefetch, so it may hold the process for at most one timeout.
  let leases = 0;
  wire.rule = (request) => (/hilo/.test(request.body) && ++leases > 1 ? "hole" : undefined);
  const { code, out, took } = await script(`
    const store = new DocumentStore(${arguments_(wire.url, name, { timeout: 3_000 })}).initialize();
    const ids = store.hilo("orders");
    for (let i = 0; i < 32; i++) await ids.next();
    console.log(ids.take());`);
  assert.deepEqual({ code, out: out.trim() }, { code: 0, out: "undefined" });
  assert.ok(took < 14_000, `${took} ms`);
});

onServers("a script that disposes ends at once", async (t, server) => {
  const name = await database(t, server);
  const { code, took } = await script(`
    const store = new DocumentStore(${arguments_(server.url, name)}).initialize();
    await store.hilo("orders").next();
    await store.dispose();`);
  assert.equal(code, 0);
  assert.ok(took < 14_000, `${took} ms`);
});

onServers("process.exit during a burst loses numbers but repeats none", async (t, server) => {
  const name = await database(t, server);
  const text = `
    const store = new DocumentStore(${arguments_(server.url, name)}).initialize();
    const ids = store.hilo("orders");
    const mine = [];
    for (let i = 0; i < 50; i++) mine.push(await ids.next());
    console.log(mine.join(" "));
    process.exit(0);`;
  const runs = await Promise.all([script(text), script(text), script(text)]);
  const all = runs.flatMap(({ out }) => out.trim().split(" "));
  assert.equal(all.length, 150);
  assert.equal(new Set(all).size, 150);
});
