// The package in workerd, store at module scope, without nodejs_compat.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { isLease, proxy } from "../support/proxy.mjs";
import { authority, counter, database, document, missing, ravendb } from "../support/server.mjs";
import { within } from "../support/store.mjs";
import { workerd } from "../support/workerd.mjs";

const resolveDir = fileURLToPath(new URL(".", import.meta.url));
const alias = { "raven-edge": fileURLToPath(new URL("../../pkg/dist/entries/workerd.js", import.meta.url)) };
const DATES = ["2024-09-23", "2026-04-01"];

/** A Worker that saves orders, takes ids and returns numbers. */
const worker = (url, name, options = {}) => `
  import { DocumentStore } from "raven-edge";
  const store = new DocumentStore(${JSON.stringify(url)}, ${JSON.stringify(name)}, ${JSON.stringify(options)});
  store.conventions.disableTopologyUpdates = ${options.topology !== true};
  store.initialize();
  let errors = 0;
  export default {
    async fetch(request, env, context) {
      const { pathname, searchParams } = new URL(request.url);
      try {
        if (pathname === "/save") {
          const session = store.openSession();
          const order = { total: 5, name: "käse 🧀", "@metadata": { "@collection": "Orders" } };
          await session.store(order);
          await session.saveChanges();
          return Response.json({ id: order.id });
        }
        if (pathname === "/load") return Response.json(await store.openSession().load(searchParams.get("id")));
        if (pathname === "/count") {
          const orders = store.openSession().query({ collection: "Orders" }).waitForNonStaleResults();
          return Response.json(await orders.whereEquals("total", 5).count());
        }
        if (pathname === "/ids") {
          const ids = [];
          for (let i = 0; i < Number(searchParams.get("count")); i++) ids.push(await store.hilo("orders").next());
          return Response.json({ ids });
        }
        if (pathname === "/dispose") {
          await store.dispose();
          return Response.json({});
        }
        return new Response(null, { status: 404 });
      } catch (error) {
        return Response.json({ error: error.code ?? String(error), message: error.message });
      }
    },
  };`;

for (const compatibilityDate of DATES) {
  for (const server of [authority, ravendb]) {
    const options = { skip: missing(server), timeout: 60_000 };
    test(
      `saves, loads and returns at compatibility date ${compatibilityDate} [${server.name}]`,
      options,
      async (t) => {
        const name = await database(t, server);
        const fetch = await workerd(t, {
          text: worker(server.url, name),
          resolveDir,
          alias,
          compatibilityDate,
        });
        assert.deepEqual(await (await fetch("/save")).json(), { id: "orders/1-A" });
        assert.deepEqual(await (await fetch("/save")).json(), { id: "orders/2-A" });
        assert.equal((await document(server, name, "orders/1-A")).name, "käse 🧀");
        assert.equal((await (await fetch("/load?id=orders/2-A")).json()).total, 5);
        assert.equal(await (await fetch("/load?id=orders/9-A")).json(), null);
        if (server === ravendb) assert.equal(await (await fetch("/count")).json(), 2);
        await (await fetch("/dispose")).json();
        assert.equal(await counter(server, name, "orders"), 2);
        assert.equal((await (await fetch("/save")).json()).error, "Disposed");
      },
    );

    test(
      `50 concurrent requests get distinct ids, at ${compatibilityDate} [${server.name}]`,
      options,
      async (t) => {
        const name = await database(t, server);
        const fetch = await workerd(t, {
          text: worker(server.url, name),
          resolveDir,
          alias,
          compatibilityDate,
        });
        const saves = Array.from({ length: 50 }, async () => (await fetch("/save")).json());
        const saved = await within(30_000, Promise.all(saves), "50 responses");
        const ids = saved.map(({ id, error, message }) => id ?? assert.fail(`${error}: ${message}`));
        assert.equal(new Set(ids).size, 50);
        for (const id of ids) assert.ok(await document(server, name, id), id);
        const more = Array.from({ length: 20 }, async () => (await fetch("/ids?count=60")).json());
        const taken = (await within(30_000, Promise.all(more), "20 responses")).flatMap(
          ({ ids: some }) => some,
        );
        assert.equal(taken.length, 1_200);
        assert.equal(new Set([...taken, ...ids]).size, 1_250);
      },
    );
  }

  test(`during an outage every request gets its own error in time, and later ones succeed, at ${compatibilityDate}`, {
    skip: missing(authority),
    timeout: 60_000,
  }, async (t) => {
    const name = await database(t, authority);
    const wire = await proxy(t, authority.url);
    const text = worker(wire.url, name, { timeout: 1_500 });
    const fetch = await workerd(t, { text, resolveDir, alias, compatibilityDate });
    assert.equal((await (await fetch("/ids?count=1")).json()).ids.length, 1);
    wire.rule = () => "hole";
    const hung = Array.from({ length: 8 }, async () => (await fetch("/ids?count=40")).json());
    for (const { error } of await within(15_000, Promise.all(hung), "the responses of a server that hangs"))
      assert.equal(error, "Timeout");
    wire.rule = undefined;
    await wire.off();
    const refused = Array.from({ length: 8 }, async () => (await fetch("/ids?count=40")).json());
    for (const { error } of await within(15_000, Promise.all(refused), "the responses while it is off"))
      assert.equal(error, "Timeout");
    await wire.on();
    const { ids } = await (await fetch("/ids?count=100")).json();
    assert.equal(new Set(ids).size, 100);
  });

  test(`a request that is aborted during its lease does not affect others, at ${compatibilityDate}`, {
    skip: missing(authority),
    timeout: 60_000,
  }, async (t) => {
    const name = await database(t, authority);
    const wire = await proxy(t, authority.url);
    const fetch = await workerd(t, {
      text: worker(wire.url, name, { timeout: 3_000 }),
      resolveDir,
      alias,
      compatibilityDate,
    });
    let first = true;
    wire.rule = (request) => {
      if (!isLease(request) || !first) return undefined;
      first = false;
      return "hole";
    };
    const asked = wire.next(isLease);
    const controller = new AbortController();
    const aborted = fetch("/ids?count=1", { signal: controller.signal }).catch(() => "aborted");
    await asked;
    controller.abort();
    assert.equal(await within(10_000, aborted), "aborted");
    const others = Array.from({ length: 10 }, async () => (await fetch("/ids?count=10")).json());
    const ids = (await within(15_000, Promise.all(others), "the others' responses")).flatMap(
      (response) => response.ids ?? assert.fail(JSON.stringify(response)),
    );
    assert.equal(new Set(ids).size, 100);
  });
}

test("a certificate is refused with an error that mentions the fetch binding", {
  timeout: 30_000,
}, async (t) => {
  const text = `
    import { DocumentStore } from "raven-edge";
    export default {
      async fetch() {
        try {
          new DocumentStore("https://a", "b", { certificate: "x" }).initialize();
          return Response.json({});
        } catch (error) {
          return Response.json({ code: error.code, message: error.message });
        }
      },
    };`;
  const fetch = await workerd(t, { text, resolveDir, alias, compatibilityDate: DATES[1] });
  const { code, message } = await (await fetch("/")).json();
  assert.equal(code, "Unsupported");
  assert.match(message, /fetch/);
});

for (const compatibilityDate of DATES) {
  test(`a client configuration whose read was cancelled with its request is read by a later one: ${compatibilityDate}`, {
    skip: missing(ravendb),
    timeout: 60_000,
  }, async (t) => {
    const name = await database(t, ravendb);
    const wire = await proxy(t, ravendb.url);
    const isRead = ({ path }) => path.endsWith("/configuration/client");
    wire.change = ({ headers }, request) => {
      if (!isRead(request)) headers["refresh-client-configuration"] = "true";
    };
    wire.rule = (request) => (isRead(request) ? "hole" : undefined);
    const text = worker(wire.url, name, { timeout: 1_000 });
    const request = await workerd(t, { text, resolveDir, alias, compatibilityDate });
    const first = wire.next(isRead);
    await request("/load?id=a");
    await first;
    const again = wire.next(isRead);
    let asked = false;
    again.then(() => {
      asked = true;
    });
    while (!asked) await request("/load?id=a");
    await again;
  });
}

test("a Worker receives the batches of a subscription, saves what it changes, and reads revisions [RavenDB]", {
  skip: missing(ravendb),
  timeout: 60_000,
}, async (t) => {
  const name = await database(t, ravendb);
  const text = `
    import { DocumentStore } from "raven-edge";
    export default {
      async fetch() {
        const store = new DocumentStore(${JSON.stringify(ravendb.url)}, ${JSON.stringify(name)}).initialize();
        const session = store.openSession();
        for (const text of ["a", "b", "c"])
          await session.store({ text, "@metadata": { "@collection": "Notes" } }, "notes/" + text);
        await session.saveChanges();
        session.advanced.revisions.forceRevisionCreationFor("notes/a");
        await session.saveChanges();
        const subscriptionName = await store.subscriptions.create({ query: "from Notes" });
        const worker = store.subscriptions.getSubscriptionWorker({ subscriptionName, maxDocsPerBatch: 2 });
        const seen = [];
        await new Promise((resolve, reject) => {
          worker.on("error", reject);
          worker.on("end", resolve);
          worker.on("afterAcknowledgment", () => seen.length > 2 && worker.dispose());
          worker.on("batch", async (batch, callback) => {
            for (const { result } of batch.items) {
              result.seen = true;
              seen.push(result.text);
            }
            await batch.openSession().saveChanges();
            callback();
          });
        });
        const saved = await store.openSession().load("notes/c");
        const revisions = await store.openSession().advanced.revisions.getCountFor("notes/a");
        await store.dispose();
        return Response.json({ seen: seen.slice(0, 3).sort(), saved: saved.seen, revisions });
      },
    };`;
  const fetch = await workerd(t, { text, resolveDir, alias, compatibilityDate: DATES[1] });
  assert.deepEqual(await (await fetch("/")).json(), { seen: ["a", "b", "c"], saved: true, revisions: 1 });
});

test("a Worker sends to ports that the Fetch standard forbids, because workerd does", async (t) => {
  const server = createServer((_, response) => response.writeHead(400).end());
  t.after(() => server.close());
  const [first, second] = [10_080, 6_697];
  server.once("error", () => server.listen(second, "127.0.0.1"));
  await new Promise((resolve) => server.once("listening", resolve).listen(first, "127.0.0.1"));
  const text = worker(`http://127.0.0.1:${server.address().port}`, "Shop");
  const fetch = await workerd(t, { text, resolveDir, alias, compatibilityDate: DATES[1] });
  assert.equal((await (await fetch("/save")).json()).error, "Server", "the server's own refusal");
});
