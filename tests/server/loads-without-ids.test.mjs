// Loads and refreshes without a usable id are refused or send nothing: RavenDB would return the whole
// database.
import assert from "node:assert/strict";
import { onServers, putDocument } from "../support/server.mjs";
import { prepared } from "../support/store.mjs";

onServers("refresh of no entities sends nothing", async (t, server) => {
  const { wire, session } = await prepared(t, server);
  await session.advanced.refresh([]);
  assert.equal(wire.requests.length, 0);
});

onServers("a lazy load of null is null and does not affect later ones", async (t, server) => {
  const { session } = await prepared(t, server);
  const lazy = session.advanced.lazily.load(null);
  await lazy.getValue().catch(() => {});
  assert.equal(await session.advanced.lazily.load("orders/404").getValue(), null);
  assert.equal(await lazy.getValue(), null);
});

onServers("lazily.load refuses invalid ids as load does", async (t, server) => {
  const { session } = await prepared(t, server);
  for (const ids of [5, ["orders/1", 5]]) {
    assert.throws(() => session.advanced.lazily.load(ids), { code: "InvalidArgument" });
    await assert.rejects(session.load(ids), { code: "InvalidArgument" });
  }
  for (const blank of [null, undefined, "", " "]) {
    assert.equal(await session.advanced.lazily.load(blank).getValue(), null);
    assert.deepEqual(await session.advanced.lazily.load([blank]).getValue(), {});
  }
  assert.equal(session.advanced.numberOfRequests, 0);
});

onServers("a listing without a prefix is refused, lazy or not", async (t, server) => {
  const { session } = await prepared(t, server);
  const { advanced } = session;
  await assert.rejects(advanced.loadStartingWith(undefined), { code: "InvalidArgument" });
  await assert.rejects(advanced.lazily.loadStartingWith(undefined).getValue(), { code: "InvalidArgument" });
  assert.equal(advanced.numberOfRequests, 0);
});

/** What `load` writes into a stream. */
async function written(load) {
  const { readable, writable } = new TransformStream();
  const [body] = await Promise.all([new Response(readable).json(), load(writable)]);
  return body;
}

onServers(
  "a stream gets what its ids name: never all documents, and null for an absent one",
  async (t, server) => {
    const { session, name } = await prepared(t, server);
    const { advanced } = session;
    await putDocument(server, name, "orders/1", { total: 1, "@metadata": { "@collection": "Orders" } });
    for (const ids of [[], null, [5], [""]])
      await assert.rejects(advanced.loadIntoStream(ids, new WritableStream()), { code: "InvalidArgument" });
    assert.equal(advanced.numberOfRequests, 0);
    for (const [ids, totals] of [
      [["orders/1"], [1]],
      [["orders/404"], []],
      [
        ["orders/404", "orders/1"],
        [null, 1],
      ],
    ]) {
      const { results, includes } = await written((stream) => advanced.loadIntoStream(ids, stream));
      assert.deepEqual(
        results.map((order) => order?.total ?? null),
        totals,
      );
      assert.deepEqual(includes, {});
    }
    for (const options of [undefined, null, { start: null }]) {
      const none = await written((stream) =>
        advanced.loadStartingWithIntoStream("orders/4", stream, options),
      );
      assert.deepEqual(none, { includes: {}, results: [] });
    }
  },
);
