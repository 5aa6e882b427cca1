// The blocks of docs/live.md, docs/changes.md and docs/changes-hub.md, run one after the other with a real RavenDB.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import WebSocket from "ws";
import * as client from "../../pkg/lib/entries/node.js";
import { after } from "../support/cleanup.mjs";
import { svelte, vue } from "../support/frameworks.mjs";
import { SECRET } from "../support/gateway.mjs";
import { isChanges, proxy } from "../support/proxy.mjs";
import { database, onRavenDb, putDocument } from "../support/server.mjs";
import { open, until } from "../support/store.mjs";
import { workerd } from "../support/workerd.mjs";
import { blocksOf } from "./blocks.mjs";

const ORDER = { "@metadata": { "@collection": "Orders" } };
const blocks = ["docs/live.md", "docs/changes.md", "docs/changes-hub.md"]
  .flatMap((page) => blocksOf(page))
  .filter(({ language }) => language === "js");
const AsyncFunction = (async () => {}).constructor;

/** The block with this text. */
const block = (text) => blocks.find(({ code }) => code.includes(text)).code;

/** Runs a block; gives the variables that the test uses. `given`: what the block finds in its page, and what it imports. */
function run(code, given, results = []) {
  const body = code.replace(/^import .*$/gm, "").replaceAll(/^export /gm, "");
  const { default: _, ...names } = { ...client, ...given };
  const made = new AsyncFunction(...Object.keys(names), `${body}\nreturn { ${results.join(", ")} };`);
  return made(...Object.values(names));
}

/** A database, a proxy in front of it, and the store that the blocks open. */
async function live(t, server) {
  globalThis.WebSocket ??= WebSocket;
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const DocumentStore = class extends client.DocumentStore {
    constructor() {
      super(wire.url, name);
      this.conventions.disableTopologyUpdates = true;
      after(t, () => this.dispose());
    }
  };
  return { name, wire, DocumentStore };
}

onRavenDb("the blocks about changes and gaps do what they say", async (t, server) => {
  const { name, wire, DocumentStore } = await live(t, server);
  const seen = [];
  const console = { log: (...texts) => seen.push(texts.join(" ")) };
  const { store } = await run(block("ensureSubscribedNow"), { DocumentStore, console }, ["store"]);
  await putDocument(server, name, "orders/1-A", ORDER);
  await until(() => seen.length > 0, "the change");
  assert.deepEqual(seen, ["Put orders/1-A"]);

  const shown = [];
  const badges = [];
  const page = { render: (list) => shown.push(list.length), badge: (text) => badges.push(text) };
  await run(block("resync"), { store, ...page });
  await store.changes().forDocumentsInCollection("Orders").ensureSubscribedNow();
  await putDocument(server, name, "orders/2-A", ORDER);
  await until(() => shown.length > 0, "the change");
  const before = shown.length;
  wire.cut();
  await until(() => shown.length > before, "a read after the gap");
  assert.deepEqual(badges, ["offline", "live"]);
});

onRavenDb("the block about watch, and those for Svelte and Vue, show the newest list", async (t, server) => {
  const { name, DocumentStore } = await live(t, server);
  const store = new DocumentStore().initialize();
  const shown = {};
  const take = (framework) => (value) => {
    shown[framework] = value;
  };
  const render = (results, connected) => take("none")({ results, state: { connected } });
  const { stop } = await run(block("const stop"), { store, render }, ["stop"]);
  const named = { query: "from Orders where open = true", page: { default: 25 } };
  const declared = new DocumentStore().named({ queries: { openOrders: named } }).initialize();
  await run(block("openOrders"), { store: declared, render: take("named") });
  const query = (session) => session.query({ collection: "Orders" }).whereEquals("open", true);

  const { watched } = await run(block("readable"), svelte, ["watched"]);
  const leave = watched(store, query).subscribe(take("svelte"));
  const scope = vue();
  const { useWatch: use } = await run(block("shallowRef"), scope, ["useWatch"]);
  const ref = use(store, query);

  const all = () => [shown.none, shown.svelte, ref.value];
  await until(() => all().every((each) => each?.state?.connected), "a connection");
  await putDocument(server, name, "orders/1-A", { open: true, ...ORDER });
  await until(() => all().every(({ results }) => results?.length === 1), "the order");
  await until(() => shown.named?.[0]?.id === "orders/1-A", "the order by name");
  stop();
  leave();
  scope.end();
});

onRavenDb("the listeners of the Worker with a hub share a connection", async (t, server) => {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const { code } = blocksOf("docs/changes-hub.md").find(({ language }) => language === "jsonc");
  const { durable_objects, migrations } = JSON.parse(`{${code.replace(/^\/\/.*$/m, "")}}`);
  const [binding] = durable_objects.bindings;
  assert.deepEqual(migrations[0].new_sqlite_classes, [binding.class_name]);
  const entry = (file) => fileURLToPath(new URL(`../../pkg/dist/entries/${file}.js`, import.meta.url));
  const { url } = await workerd(t, {
    text: block("live: {")
      .replace("https://ravendb.example", wire.url)
      .replace('"Shop"', JSON.stringify(name)),
    resolveDir: fileURLToPath(new URL(".", import.meta.url)),
    alias: {
      "raven-edge/gateway-live": entry("gateway-live"),
      "raven-edge/changes-hub": entry("changes-hub"),
    },
    compatibilityDate: "2026-04-01",
    bindings: { GATEWAY_SECRET: SECRET },
    more: { durableObjects: { [binding.name]: { className: binding.class_name, useSQLite: true } } },
  });
  const listeners = [1, 2, 3].map(() => open(t, url, name, { webSocket: WebSocket }).changes());
  const changed = listeners.map((changes) => changes.forDocumentsInCollection("Orders"));
  const seen = [];
  for (const orders of changed) await orders.on("data", ({ id }) => seen.push(id)).ensureSubscribedNow();
  await putDocument(server, name, "orders/1-A", ORDER);
  await until(() => seen.length === 3, "the change for all");
  assert.equal(wire.of(isChanges).length, 1);
});
