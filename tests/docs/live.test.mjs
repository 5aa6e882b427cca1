// The blocks of docs/live.md, run one after the other with a real RavenDB.
import assert from "node:assert/strict";
import WebSocket from "ws";
import * as client from "../../pkg/dist/entries/node.js";
import { after } from "../support/cleanup.mjs";
import { proxy } from "../support/proxy.mjs";
import { database, onRavenDb, putDocument } from "../support/server.mjs";
import { until } from "../support/store.mjs";
import { blocksOf } from "./blocks.mjs";

const ORDER = { "@metadata": { "@collection": "Orders" } };
const blocks = blocksOf("docs/live.md").filter(({ language }) => language === "js");
const AsyncFunction = (async () => {}).constructor;

/** Runs a block; gives the variables that later blocks use. `given`: what a block finds in its page. */
function run({ code }, given, results = []) {
  const body = code.replace(/^import .*$/gm, "");
  const { default: _, ...names } = { ...client, ...given };
  const made = new AsyncFunction(...Object.keys(names), `${body}\nreturn { ${results.join(", ")} };`);
  return made(...Object.values(names));
}

onRavenDb("the blocks of docs/live.md do what they say", async (t, server) => {
  globalThis.WebSocket ??= WebSocket;
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const seen = [];
  const DocumentStore = class extends client.DocumentStore {
    constructor() {
      super(wire.url, name);
      this.conventions.disableTopologyUpdates = true;
    }
  };
  const console = { log: (...texts) => seen.push(texts.join(" ")) };
  const [first, gaps] = blocks;
  const { store } = await run(first, { DocumentStore, console }, ["store"]);
  after(t, () => store.dispose());
  await putDocument(server, name, "orders/1-A", ORDER);
  await until(() => seen.length > 0, "the change");
  assert.deepEqual(seen, ["Put orders/1-A"]);

  const shown = [];
  const badges = [];
  await run(gaps, { store, render: (list) => shown.push(list.length), badge: (text) => badges.push(text) });
  await store.changes().forDocumentsInCollection("Orders").ensureSubscribedNow();
  await putDocument(server, name, "orders/2-A", ORDER);
  await until(() => shown.length > 0, "the change");
  const before = shown.length;
  wire.cut();
  await until(() => shown.length > before, "a reading after the gap");
  assert.deepEqual(badges, ["offline", "live"]);
});
