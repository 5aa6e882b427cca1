// What the browser's console shows in red while an app works without a connection: docs/offline-reference.md names each line. Browsers
// report each status from 400 on and each request that fails; a page cannot prevent that.
import assert from "node:assert/strict";
import { withQueue } from "../support/offline.mjs";
import { putDocument, ravendb } from "../support/server.mjs";

const isBatch = ({ path, body }) => /bulk_docs$/.test(path) && /Raven-Edge\/Devices/.test(body);

/** The red lines of all tabs since the last call, as `what the browser says, path`. */
function redLines(context) {
  let lines = [];
  context.on("console", (message) => {
    if (message.type() !== "error") return;
    const [, reason = message.text()] =
      /Failed to load resource: .*?(\d{3}|net::\w+)/.exec(message.text()) ?? [];
    lines.push(`${reason} ${new URL(message.location().url).pathname.split("/").pop()}`);
  });
  return () => {
    const now = lines;
    lines = [];
    return now;
  };
}

withQueue(
  "a first visit, first change and second visit leave no red line",
  async ({ page, context, base, load }) => {
    const lines = redLines(context);
    await load(page);
    await page.evaluate(async (name) => {
      globalThis.store = open(name);
      const change = await queue(store, Order({ total: 1 }));
      await change.saved;
    }, base);
    await load(page);
    await page.evaluate(async (name) => {
      globalThis.store = open(name);
      const change = await queue(store, Order({ total: 2 }));
      await change.saved;
    }, base);
    assert.deepEqual(lines(), []);
  },
);

withQueue(
  "a store that is opened without a connection leaves a red line for each request that was tried, none while paused",
  async ({ page, context, base }) => {
    await page.evaluate(async (name) => {
      globalThis.store = open(name, { documents: {} });
      const change = await queue(store, Order({ total: 1 }), "orders/1");
      await change.saved;
      await store.offline.prefetch(["orders/1"]);
      await store.dispose();
    }, base);
    const lines = redLines(context);
    await context.setOffline(true);
    const total = await page.evaluate(async (name) => {
      globalThis.store = open(name, { documents: {} });
      await store.offline.pause();
      const session = store.openSession({ offline: "only" });
      const order = await session.load("orders/1");
      order.total += 1;
      await session.queueChanges();
      return order.total;
    }, base);
    assert.equal(total, 2);
    assert.deepEqual(lines(), [], "paused, and read from the device");
    const flushed = await page.evaluate(async () => {
      await store.offline.resume();
      return store.offline.flush({ timeout: 3_000 });
    });
    assert.equal(flushed, false);
    const tried = lines();
    assert.ok(tried.length > 0 && tried.length <= 3, tried.join());
    for (const line of tried) assert.match(line, /^net::ERR_INTERNET_DISCONNECTED bulk_docs$/);
    const saved = page.evaluate(async () => store.offline.flush({ timeout: 25_000 }));
    await context.setOffline(false);
    assert.equal(await saved, true, "flush() goes on when the connection is back");
  },
);

withQueue(
  "an expired sign-in leaves one red line, until the app tries again",
  async ({ page, context, base, wire }) => {
    const lines = redLines(context);
    const body = JSON.stringify({ Type: "RavenEdge.Gateway.Unauthorized", Message: "sign in" });
    wire.rule = (request) => (isBatch(request) ? { status: 401, body } : undefined);
    await page.evaluate(async (name) => {
      globalThis.store = open(name);
      const asked = next(store, "needsAuth");
      await queue(store, Order({ total: 1 }), "orders/1");
      await asked;
      await queue(store, Order({ total: 2 }), "orders/2");
    }, base);
    wire.rule = undefined;
    await page.evaluate(async () => {
      await store.offline.retry();
      await store.offline.flush();
    });
    assert.deepEqual(lines(), ["401 bulk_docs"]);
  },
);

withQueue("a conflict leaves one red line, its decision none", async ({ page, context, base }) => {
  await page.evaluate(async (name) => {
    globalThis.store = open(name, { automatic: false });
    await queue(store, Order({ total: 1 }), "orders/1");
    await store.offline.flush();
    await edit(store, "orders/1", (order) => {
      order.total = 2;
    });
  }, base);
  await putDocument(ravendb, base, "orders/1", { total: 5, "@metadata": { "@collection": "Orders" } });
  const lines = redLines(context);
  await page.evaluate(async () => {
    const found = next(store, "conflict");
    await store.offline.flush();
    const { resolve } = await found;
    await resolve("mine");
    await store.offline.flush();
  });
  assert.deepEqual(lines(), ["409 bulk_docs"]);
});

withQueue("a load of what the server does not have leaves a red line", async ({ page, context, base }) => {
  const lines = redLines(context);
  const found = await page.evaluate(
    async (name) => open(name, { automatic: false }).openSession().load("orders/none"),
    base,
  );
  assert.equal(found, null);
  assert.deepEqual(lines(), ["404 docs"]);
});
