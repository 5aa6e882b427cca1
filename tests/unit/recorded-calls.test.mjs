// Calls of methods whose code is not loaded yet, and that change what the next save sends. `slim` loads parts as pages do; no other entry is
// imported here, which would bring them.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { DocumentStore, PutCommandDataBase, useModule } from "../../pkg/dist/entries/slim.js";
import { loadedPart, loadPart, provideLoaders } from "../../pkg/dist/runtime/load-part.js";

useModule(await readFile(new URL("../../pkg/gen/raven_edge_bg.wasm", import.meta.url)));

const META = { "@change-vector": "A:1-x", "@last-modified": "t", "@collection": "Orders" };

/** A store whose server saves everything; `sent`: the commands of each batch. */
function storeOf(t) {
  const sent = [];
  const fetch = async (url, { body }) => {
    assert.match(url, /bulk_docs/);
    const { Commands } = JSON.parse(await new Response(body).text());
    sent.push(Commands);
    const Results = Commands.map(({ Type, Id }) => ({ Type, Id, "@id": Id, ...META }));
    return new Response(JSON.stringify({ Results }), { status: 201 });
  };
  class Closed {
    close() {}
  }
  const store = new DocumentStore("http://127.0.0.1:1", "Shop", { fetch, webSocket: Closed });
  store.conventions.disableTopologyUpdates = true;
  t.after(() => store.dispose());
  return { store: store.initialize(), sent };
}

const types = (commands) => commands.map(({ Type }) => Type);
const put = (id) => new PutCommandDataBase(id, null, null, { "@metadata": { "@collection": "Orders" } });

test("a save needs the code of what was called before it: it is refused while that cannot be loaded, and made later", async (t) => {
  const { store, sent } = storeOf(t);
  const session = store.openSession();
  provideLoaders({ counters: () => Promise.reject(new Error("offline")) });
  session.countersFor("orders/1").increment("likes", 2);
  assert.equal(session.advanced.hasChanges(), true);
  await assert.rejects(session.saveChanges(), { code: "LoadFailed", message: /counters/ });
  assert.deepEqual(sent, []);
  assert.equal(session.advanced.hasChanges(), true);
  provideLoaders({ counters: () => import("../../pkg/dist/counters/counters.js") });
  await session.saveChanges();
  assert.deepEqual(sent.map(types), [["Counters"]]);
  assert.equal(sent[0][0].Counters.Operations[0].Delta, 2);
  assert.equal(session.advanced.hasChanges(), false);
});

test("clear() drops what was called before its code was loaded", async (t) => {
  const { store, sent } = storeOf(t);
  const session = store.openSession();
  session.advanced.attachments.store("orders/1", "a.txt", "alpha");
  session.advanced.clear();
  assert.equal(session.advanced.hasChanges(), false);
  await loadPart("attachments");
  await session.saveChanges();
  assert.deepEqual(sent, []);
});

test("what is called before its code is loaded keeps its place, and belongs to the save whose listener calls it", async (t) => {
  const { store, sent } = storeOf(t);
  assert.equal(loadedPart("timeSeries"), undefined);
  const session = store.openSession();
  let announced = 0;
  session.advanced.on("beforeStore", () => {
    announced++;
    session.timeSeriesFor("orders/1", "pulse").append(new Date(0), 72);
    session.advanced.defer(put("orders/3"));
  });
  session.advanced.defer(put("orders/2"));
  await session.store({ "@metadata": { "@collection": "Orders" } }, "orders/1");
  await session.saveChanges();
  assert.equal(announced, 1);
  assert.deepEqual(sent.map(types), [["PUT", "PUT", "TimeSeries", "PUT"]]);
  assert.deepEqual(
    sent[0].map(({ Id }) => Id),
    ["orders/1", "orders/2", "orders/1", "orders/3"],
  );
});
