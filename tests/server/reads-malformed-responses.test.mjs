// Responses that do not fit the request are errors; they never mean that a document is missing.
import assert from "node:assert/strict";
import { onServers, order, putDocument, send } from "../support/server.mjs";
import { failure, prepared } from "../support/store.mjs";

onServers(
  "an empty 404 means that a document is missing only if a single id was requested",
  async (t, server) => {
    const { name, wire, store } = await prepared(t, server);
    for (const id of ["orders/1", "orders/2"]) await putDocument(server, name, id, order({ n: 1 }));
    const reader = store.openSession();
    const both = await reader.load(["orders/1", "orders/2"]);
    // A proxy that does not know the path.
    wire.rule = ({ path }) => (/\/(docs|multi_get)$/.test(path) ? { status: 404 } : undefined);
    const session = store.openSession();
    const ways = [
      () => session.load(["orders/1", "orders/2"]),
      () => session.advanced.loadStartingWith("orders/"),
      () => session.advanced.lazily.load("orders/1").getValue(),
      () => reader.advanced.refresh(Object.values(both)),
    ];
    for (const way of ways) assert.equal((await failure(way())).code, "BadAnswer", way);
    wire.rule = undefined;
    assert.equal((await session.load("orders/1")).n, 1, "the document is not considered missing");
    assert.equal(await session.load("orders/3"), null);
  },
);

onServers("a multi_get response with too few results is an error", async (t, server) => {
  const { name, wire, session } = await prepared(t, server);
  await putDocument(server, name, "orders/1", order({ n: 1 }));
  wire.rule = ({ path }) =>
    path.endsWith("/multi_get") ? { status: 200, body: '{"Results":[]}' } : undefined;
  const lazy = session.advanced.lazily.load("orders/1");
  assert.equal((await failure(lazy.getValue())).code, "BadAnswer");
  assert.equal((await session.load("orders/1")).n, 1);
});

onServers("a listing in response to a load by ids is an error", async (t, server) => {
  const { name, wire, store } = await prepared(t, server);
  const ids = Array.from({ length: 60 }, (_, at) => `orders/${String(at).padStart(80, "0")}`);
  const session = store.openSession();
  for (const id of ids) await session.store(order({ id }), id);
  await session.saveChanges();
  const wanted = ids.slice(1);
  const listed = await send(server.url, "GET", `/databases/${name}/docs`);
  // Every platform's `fetch` turns a redirected POST (301, 302: http to https) into a GET.
  wire.rule = ({ method, path }) =>
    method === "POST" && path.endsWith("/docs")
      ? { status: 200, body: JSON.stringify(listed.json) }
      : undefined;
  const error = await failure(store.openSession().load(wanted));
  assert.deepEqual([error.code, error.request], ["BadAnswer", `POST /databases/${name}/docs`]);
  const entities = Object.values(await session.load(wanted));
  assert.equal((await failure(session.advanced.refresh(entities))).code, "BadAnswer");
});
