// Changes through the gateway: workerd before the real RavenDB. Who may listen, what is heard, when a connection ends.
import assert from "node:assert/strict";
import { test } from "node:test";
import WebSocket from "ws";
import { missingChromium, visit } from "../support/chromium.mjs";
import { gateway } from "../support/gateway.mjs";
import { pkg } from "../support/pages.mjs";
import { isChanges } from "../support/proxy.mjs";
import { serve } from "../support/serve.mjs";
import { missing, onRavenDb, putDocument, ravendb, send } from "../support/server.mjs";
import { failure, open, until, within } from "../support/store.mjs";

const COLLECTIONS = {
  Notes: { allow: "write", rows: { owner: "$name" } },
  Products: "read",
  Drafts: "create",
};
/** The caller is the one that the header names; nobody may listen to a product of Eve's. */
const AUTHORIZE = `authorize: (request, { operations }) => {
  const name = (request.headers.get("authorization") ?? "").replace("Bearer ", "");
  if (operations.some(({ ids }) => ids.includes("products/eve"))) return false;
  return name ? { name } : null;
}`;

const document = (collection, more = {}) => ({ ...more, "@metadata": { "@collection": collection } });

/** A gateway with connections for changes. */
async function served(t, { options = {}, functions = AUTHORIZE, more } = {}) {
  const made = await gateway(t, {
    options: { live: true, claims: ["name"], collections: COLLECTIONS, ...options },
    functions,
    more,
  });
  const as = (name, more = {}) =>
    open(t, made.url, made.base, {
      webSocket: WebSocket,
      headers: () => (name ? { Authorization: `Bearer ${name}` } : {}),
      ...more,
    });
  return { ...made, as };
}

/** Opens a WebSocket; resolves with it, or with the status of the refusal. */
function socket(url, headers = {}) {
  return within(
    10_000,
    new Promise((resolve) => {
      const made = new WebSocket(url.replace("http", "ws"), { headers });
      made.on("open", () => resolve(made));
      made.on("unexpected-response", (_, { statusCode }) => resolve(statusCode));
      made.on("error", () => {});
    }),
    "a connection",
  );
}

const data = (observable) =>
  within(20_000, new Promise((resolve) => observable.on("data", resolve)), "a change");

onRavenDb("a listener hears of documents that it may read", async (t, server) => {
  const { as, base, wire } = await served(t);
  const changes = as("ann").changes();
  const one = changes.forDocument("products/1-A");
  const observables = [
    one,
    changes.forDocumentsStartingWith("products/"),
    changes.forDocumentsInCollection("products"),
  ];
  const heard = Promise.all(observables.map(data));
  for (const observable of observables) await observable.ensureSubscribedNow();
  await putDocument(server, base, "drafts/1-A", document("Drafts"));
  await putDocument(server, base, "products/1-A", document("Products"));
  for (const { id, type, changeVector } of await heard)
    assert.deepEqual([id, type, typeof changeVector], ["products/1-A", "Put", "string"]);
  assert.equal(wire.of(isChanges).length, 1);
  assert.ok(!wire.requests.some(({ headers }) => headers.authorization || headers.origin || headers.cookie));
});

onRavenDb(
  "where rows judge, the collection is heard and no id; watches of ids are refused",
  async (t, server) => {
    const { as, base } = await served(t);
    const changes = as("ann").changes();
    const notes = changes.forDocumentsInCollection("Notes");
    const change = data(notes);
    await notes.ensureSubscribedNow();
    await putDocument(server, base, "notes/1", document("Notes", { owner: "bob" }));
    assert.deepEqual(await change, { collectionName: "Notes" });
    for (const refused of [
      changes.forDocument("notes/1"),
      changes.forDocumentsStartingWith("notes/"),
      changes.forDocumentsInCollection("Drafts"),
      changes.forDocumentsInCollection("Secrets"),
      changes.forAllDocuments(),
      changes.forIndex("Notes/All"),
      changes.forAllOperations(),
      changes.forAllCounters(),
      changes.forDocument("products/eve"),
    ]) {
      const { code, status, message } = await failure(refused.ensureSubscribedNow());
      assert.deepEqual([code, status], ["Server", 403], message);
    }
  },
);

onRavenDb("watch() shows the newest list of a collection that rows judge", async (t, server) => {
  const { as, base } = await served(t);
  const seen = [];
  const ids = ["notes/1", "notes/2"];
  as("ann").watch(ids, (notes, state) => seen.push([notes, state]), { every: 50, collections: ["Notes"] });
  await until(() => seen.at(-1)?.[1].connected, "a connection");
  await putDocument(server, base, "notes/2", document("Notes", { owner: "bob" }));
  await putDocument(server, base, "notes/1", document("Notes", { owner: "ann" }));
  await until(() => seen.at(-1)[0]["notes/1"], "the note");
  assert.equal(seen.at(-1)[0]["notes/2"], null);
});

onRavenDb(
  "watch() follows a named query, whose response names the collections that it reads",
  async (t, server) => {
    const queries = { mine: { query: "from Notes where owner = $name", page: { max: 1_024 } } };
    const { as, base } = await served(t, { options: { queries } });
    const store = as("ann");
    const seen = [];
    store.watch({ named: "mine" }, (...call) => seen.push(call), { every: 50 });
    await until(() => seen.at(-1)?.[1].connected, "a connection");
    await putDocument(server, base, "notes/1", document("Notes", { owner: "ann" }));
    await until(() => seen.at(-1)[0].length === 1, "the note");
  },
);

onRavenDb("pages of other origins cannot connect, nor who is not signed in", async (t) => {
  const { url, base } = await served(t, { options: { origins: ["https://app.example"] } });
  const address = `${url}/databases/${base}/changes`;
  const signedIn = { Authorization: "Bearer ann" };
  assert.equal(await socket(address, { ...signedIn, Origin: "https://evil.example" }), 403);
  assert.equal(await socket(address), 401);
  assert.equal(await socket(`${url}/databases/Other/changes`, signedIn), 403);
  for (const Origin of ["https://app.example", url]) {
    const made = await socket(address, { ...signedIn, Origin });
    assert.equal(typeof made, "object", Origin);
    made.terminate();
  }
});

onRavenDb("the client reports that nobody is signed in", async (t) => {
  const { as } = await served(t);
  const error = await failure(as(undefined).changes().forDocument("products/1-A").ensureSubscribedNow());
  assert.equal(error.code, "Unauthorized");
});

onRavenDb("without the option `live` nobody can connect", async (t) => {
  const { url, base } = await served(t, { options: { live: false } });
  assert.equal(await socket(`${url}/databases/${base}/changes`, { Authorization: "Bearer ann" }), 403);
});

onRavenDb("a connection ends when the app no longer permits it", async (t) => {
  const { url, base, as } = await served(t, {
    options: { live: { reauthorize: 1 } },
    functions: `authorize: () => { globalThis.asked = (globalThis.asked ?? 0) + 1; return globalThis.asked < 3 && { name: "ann" }; }`,
  });
  const made = await socket(`${url}/databases/${base}/changes`);
  made.send(JSON.stringify({ CommandId: 1, Command: "watch-collection", Param: "Products" }));
  const closed = new Promise((resolve) => made.on("close", resolve));
  assert.equal(await within(20_000, closed, "the end"), 1008);
  const { status } = await failure(as("ann").changes().ensureConnectedNow());
  assert.equal(status, 403);
});

onRavenDb("a watch that `authorize` does not answer is refused, and the log says so", async (t) => {
  let log = "";
  const more = {
    handleRuntimeStdio: (_, stderr) =>
      stderr.on("data", (text) => {
        log += text;
      }),
  };
  const functions = `authorize: (_, { operations }) =>
    operations.some(({ collection }) => collection) ? new Promise(() => {}) : { name: "ann" }`;
  const { as } = await served(t, { options: { limits: { authorizeMs: 200 } }, functions, more });
  const { status } = await failure(
    as("ann").changes().forDocumentsInCollection("Products").ensureSubscribedNow(),
  );
  assert.equal(status, 403);
  await until(() => log.includes("authorize returned nothing within 200 ms"), "the log");
});

onRavenDb("connections end together, and a lost one is replaced", async (t, server) => {
  const { as, base, wire } = await served(t);
  const store = as("ann");
  const products = store.changes().forDocumentsInCollection("Products");
  await products.on("data", () => {}).ensureSubscribedNow();
  const resync = new Promise((resolve) => products.on("resync", resolve));
  wire.cut();
  await within(20_000, resync, "a resync");
  const change = data(products);
  await putDocument(server, base, "products/1-A", document("Products"));
  await change;
  await store.dispose();
  await until(() => wire.webSockets.size === 0, "the end of RavenDB's connection");
});

onRavenDb("what is no command ends a connection", async (t) => {
  const { url, base } = await served(t);
  for (const text of [
    "garbage",
    JSON.stringify({ CommandId: 1, Command: "nonsense" }),
    Buffer.from([1, 2]),
  ]) {
    const made = await socket(`${url}/databases/${base}/changes`, { Authorization: "Bearer ann" });
    const closed = new Promise((resolve) => made.on("close", resolve));
    made.send(text);
    assert.equal(await within(10_000, closed, "the end"), 1003);
  }
});

onRavenDb("a ticket stands for the headers of its request, for pages of the same origin", async (t) => {
  const { url, base } = await served(t, { options: { origins: ["https://a.example", "https://b.example"] } });
  const Origin = "https://a.example";
  const route = `/databases/${base}/changes`;
  const refused = await send(url, "POST", `${route}/ticket`, undefined, { Origin });
  assert.equal(refused.status, 401);
  const headers = { Origin, Authorization: "Bearer ann" };
  const { json, headers: told } = await send(url, "POST", `${route}/ticket`, undefined, headers);
  assert.equal(told.get("access-control-allow-origin"), Origin);
  assert.ok(!json.Ticket.includes("ann"));
  const address = `${url}${route}?ticket=${json.Ticket}`;
  const made = await socket(address, { Origin });
  assert.equal(typeof made, "object");
  made.terminate();
  assert.equal(await socket(address, { Origin: "https://b.example" }), 401);
  assert.equal(await socket(`${address}x`, { Origin }), 401);
});

test("a page with bearer tokens listens by a ticket", {
  skip: missingChromium || missing(ravendb),
  timeout: 60_000,
}, async (t) => {
  const site = await serve(t, {
    folder: pkg,
    pages: {
      "/": `<!doctype html><meta charset=utf-8><script type=module>
        import { DocumentStore } from "/dist/entries/web.js";
        Object.assign(globalThis, { DocumentStore, loaded: true });
      </script>`,
    },
  });
  const { origin } = new URL(site.url);
  const { url, base } = await served(t, { options: { origins: [origin], headers: ["Authorization"] } });
  const { page, problems } = await visit(t, site.url);
  await page.waitForFunction(() => globalThis.loaded);
  await page.evaluate(
    async ([url, base]) => {
      const headers = () => ({ Authorization: "Bearer ann" });
      const store = new globalThis.DocumentStore(url, base, { headers }).initialize();
      const products = store.changes().forDocumentsInCollection("Products");
      globalThis.change = new Promise((resolve) => products.on("data", resolve));
      await products.ensureSubscribedNow();
    },
    [url, base],
  );
  await putDocument(ravendb, base, "products/1-A", document("Products"));
  assert.equal((await page.evaluate(() => globalThis.change)).id, "products/1-A");
  assert.deepEqual(problems, []);
});
