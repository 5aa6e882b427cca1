// Requests about indexes, in addition to the compatibility program.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AbstractCsharpIndexCreationTask,
  AbstractJavaScriptIndexCreationTask,
  DocumentStore,
  ResetIndexOperation,
} from "../../pkg/lib/entries/node.js";
import { proxy } from "../support/proxy.mjs";
import { database, ravendb } from "../support/server.mjs";

class Orders_ByTotal extends AbstractJavaScriptIndexCreationTask {
  constructor() {
    super();
    this.map("Orders", (order) => ({ total: order.total }));
  }
}

/** What esbuild's `keepNames` (tsx, wrangler) wraps functions with. */
const __name = (f) => f;

class Orders_Sums extends AbstractJavaScriptIndexCreationTask {
  constructor() {
    super();
    this.map("Orders", ({ prices }) => {
      const sum = __name((all) => all.reduce((total, price) => total + price, 0), "sum");
      return { total: sum(prices) };
    });
  }
}

class Orders_ByState extends AbstractCsharpIndexCreationTask {
  map = "from order in docs.Orders select new { order.state }";
}

async function open(t, url, name, options) {
  const store = new DocumentStore(url, name, options);
  store.conventions.disableTopologyUpdates = true;
  t.after(() => store.dispose());
  return store.initialize();
}

test("several indexes are deployed in one request, with a C# index by the route for administrators", async (t) => {
  const name = await database(t, ravendb);
  const between = await proxy(t, ravendb.url);
  const store = await open(t, between.url, name);
  await store.executeIndexes([new Orders_ByTotal()]);
  await store.executeIndexes([new Orders_ByTotal(), new Orders_ByState()]);
  const sent = between.requests.map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(sent, [`PUT /databases/${name}/indexes`, `PUT /databases/${name}/admin/indexes`]);
});

test("functions inside of maps work as esbuild writes them where it keeps their names", async (t) => {
  const store = await open(t, ravendb.url, await database(t, ravendb));
  await new Orders_Sums().execute(store);
  const session = store.openSession();
  await session.store({ prices: [1, 2], "@metadata": { "@collection": "Orders" } });
  await session.saveChanges();
  const query = session.query({ index: "Orders/Sums" }).whereEquals("total", 3);
  assert.equal((await query.waitForNonStaleResults().all()).length, 1);
});

test("an index is reset with the method RESET", async (t) => {
  const name = await database(t, ravendb);
  const methods = [];
  // Node's HTTP server, and thus the proxy of these tests, refuses methods that it does not know.
  const store = await open(t, ravendb.url, name, {
    fetch: (url, init) => {
      methods.push(init.method);
      return fetch(url, init);
    },
  });
  await new Orders_ByTotal().execute(store);
  await store.maintenance.send(new ResetIndexOperation("Orders/ByTotal"));
  assert.deepEqual(methods, ["PUT", "RESET"]);
});

test("objects that are not index classes are refused before anything is sent", async (t) => {
  const store = await open(t, "http://127.0.0.1:1", "Shop");
  const foreign = { getIndexName: () => "A", createIndexDefinition: () => ({}), execute: async () => {} };
  await assert.rejects(store.executeIndexes([foreign]), {
    code: "InvalidArgument",
    message: /index classes/,
  });
  await assert.rejects(store.executeIndexes([]), { code: "InvalidArgument" });
});

test("deploying an index before initialize is refused", async () => {
  const store = new DocumentStore("http://127.0.0.1:1", "Shop");
  await assert.rejects(store.executeIndex(new Orders_ByTotal()), { code: "InvalidOperation" });
  await assert.rejects(new Orders_ByTotal().execute(store), { code: "InvalidOperation" });
});
