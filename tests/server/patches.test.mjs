// Patches by sessions and by operations: a deferred command is sent once and never lost; the status of an operation
// is read from the node that runs it.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  PatchByQueryOperation,
  PatchCommandData,
  PatchOperation,
  PatchRequest,
  PutCommandDataBase,
} from "../../pkg/lib/entries/node.js";
import { proxy } from "../support/proxy.mjs";
import { database, document, missing, order, ravendb, send } from "../support/server.mjs";
import { failure, open, prepared } from "../support/store.mjs";

const SERVER = { skip: missing(ravendb), timeout: 30_000 };

const isBatch = ({ path }) => /\/bulk_docs$/.test(path);
const isState = ({ path }) => /\/operations\/state$/.test(path);

async function put(name, id, fields, collection = "Orders") {
  const body = { ...fields, "@metadata": { "@collection": collection } };
  const { status } = await send(ravendb.url, "PUT", `/databases/${name}/docs?id=${id}`, body);
  assert.equal(status, 201);
}

test("patches and commands that are deferred during a save are sent with the next one", SERVER, async (t) => {
  const { name, wire, session } = await prepared(t, ravendb);
  await put(name, "orders/1-A", { n: 0, m: 0 });
  session.advanced.increment("orders/1-A", "n", 1);
  let go;
  wire.rule = (request) =>
    isBatch(request)
      ? new Promise((resolve) => {
          go = resolve;
        })
      : undefined;
  const arrived = wire.next(isBatch);
  const saving = session.saveChanges();
  await arrived;
  session.advanced.increment("orders/1-A", "n", 10);
  session.advanced.defer(new PatchCommandData("orders/2-A", null, PatchRequest.forScript("this.n = 1")));
  session.advanced.increment("orders/1-A", "m", 5);
  wire.rule = undefined;
  go();
  await saving;
  assert.equal((await document(ravendb, name, "orders/1-A")).n, 1);
  assert.equal(session.advanced.hasChanges(), true);
  await session.saveChanges();
  const { n, m } = await document(ravendb, name, "orders/1-A");
  assert.deepEqual([n, m], [11, 5]);
  assert.equal(session.advanced.hasChanges(), false);
  const sizes = wire.of(isBatch).map(({ body }) => JSON.parse(body).Commands.length);
  assert.deepEqual(sizes, [1, 2], "pending patches are not merged with later ones");
});

test("a change of a patched entity before the response arrives is not lost", SERVER, async (t) => {
  const { name, wire, session } = await prepared(t, ravendb);
  const fields = { n: 0, text: "a", gone: 1, at: "2020-01-01T00:00:00.0000000" };
  const metadata = { "@collection": "Orders", "@nested-object-types": { at: "date" }, mine: 1, other: 1 };
  await send(ravendb.url, "PUT", `/databases/${name}/docs?id=orders/1-A`, {
    ...fields,
    "@metadata": metadata,
  });
  const order = await session.load("orders/1-A");
  session.advanced.increment(order, "n", 1);
  session.advanced.patch(order, "at", new Date(2021, 1, 3));
  const arrived = wire.next(isBatch);
  const saving = session.saveChanges();
  await arrived;
  order.text = "b";
  delete order.gone;
  session.advanced.getMetadataFor(order).mine = 2;
  await saving;
  assert.deepEqual([order.n, order.text, order.gone, order.at], [1, "b", undefined, new Date(2021, 1, 3)]);
  assert.equal(session.advanced.hasChanges(), true);
  await session.saveChanges();
  assert.equal(session.advanced.hasChanges(), false);
  const { "@metadata": shown, ...saved } = await document(ravendb, name, "orders/1-A");
  assert.deepEqual(saved, { n: 1, text: "b", at: "2021-02-03T00:00:00.0000000" });
  assert.deepEqual([shown.mine, shown.other], [2, 1]);
});

test(
  "an error of a listener after a save does not keep the entity from following its patch",
  SERVER,
  async (t) => {
    const { name, session } = await prepared(t, ravendb);
    await put(name, "orders/1-A", { n: 0 });
    const order = await session.load("orders/1-A");
    session.advanced.increment(order, "n", 1);
    await session.store({ m: 1 }, "others/1");
    const mine = new Error("mine");
    const fail = () => {
      throw mine;
    };
    session.advanced.on("afterSaveChanges", fail);
    assert.equal(await failure(session.saveChanges()), mine);
    session.advanced.off("afterSaveChanges", fail);
    assert.equal(order.n, 1);
    order.text = "a";
    await session.saveChanges();
    const { n, text } = await document(ravendb, name, "orders/1-A");
    assert.deepEqual([n, text], [1, "a"], "the patch is not undone");
  },
);

test(
  "listeners that convert what is saved also convert what patches and refreshes write and read",
  SERVER,
  async (t) => {
    const { name, session } = await prepared(t, ravendb);
    const turned = (text) => [...text].reverse().join("");
    const events = [];
    session.advanced
      .on("beforeConversionToEntity", (event) => {
        event.document = { ...event.document, text: turned(event.document.text) };
      })
      .on("afterConversionToEntity", ({ id, entity }) => events.push([id, entity]))
      .on("afterConversionToDocument", ({ document }) => {
        document.value.text = turned(document.value.text);
      });
    const order = { n: 0, text: "abc" };
    await session.store(order, "orders/1-A");
    session.advanced.addOrIncrement("orders/2-A", { n: 0, text: "abc" }, "n", 1);
    await session.saveChanges();
    assert.equal((await document(ravendb, name, "orders/2-A")).text, "cba");
    await session.advanced.refresh(order);
    assert.deepEqual([order.text, session.advanced.hasChanges()], ["abc", false]);
    session.advanced.increment(order, "n", 1);
    await session.saveChanges();
    assert.deepEqual([order.text, order.n], ["abc", 1]);
    assert.deepEqual(
      events.map(([id, entity]) => [id, entity === order]),
      [
        ["orders/1-A", true],
        ["orders/1-A", true],
      ],
    );
    order.n = 7;
    await session.saveChanges();
    const { n, text } = await document(ravendb, name, "orders/1-A");
    assert.deepEqual([n, text], [7, "cba"]);
  },
);

test("an entity that cannot be saved does not affect a patch that was", SERVER, async (t) => {
  const { name, wire, session } = await prepared(t, ravendb);
  await put(name, "orders/1-A", { n: 0, text: "a" });
  const order = await session.load("orders/1-A");
  session.advanced.increment(order, "n", 1);
  const arrived = wire.next(isBatch);
  const saving = session.saveChanges();
  await arrived;
  order.big = 10n;
  session.advanced.getMetadataFor(order).mine = order;
  await saving;
  assert.deepEqual([order.n, order.text, order.big], [1, "a", 10n]);
  assert.equal((await failure(session.saveChanges())).code, "InvalidArgument");
  delete order.big;
  delete session.advanced.getMetadataFor(order).mine;
  assert.equal(session.advanced.hasChanges(), false);
});

test("after a refused save the same patches can be sent again", SERVER, async (t) => {
  const { name, wire, session } = await prepared(t, ravendb);
  await put(name, "orders/1-A", { n: 0 });
  session.advanced.increment("orders/1-A", "n", 1);
  wire.rule = (request) =>
    isBatch(request) ? { status: 500, body: '{"Type":"X","Message":"no"}' } : undefined;
  assert.equal((await failure(session.saveChanges())).message, "no");
  wire.rule = undefined;
  session.advanced.increment("orders/1-A", "n", 2);
  await session.saveChanges();
  assert.equal((await document(ravendb, name, "orders/1-A")).n, 3);
  assert.equal(JSON.parse(wire.of(isBatch).at(-1).body).Commands.length, 1, "merged again");
});

test("the outcome of a patch with a lost response is unknown", SERVER, async (t) => {
  const { name, wire, session } = await prepared(t, ravendb);
  await put(name, "orders/1-A", { n: 0 });
  session.advanced.increment("orders/1-A", "n", 1);
  wire.rule = (request) => (isBatch(request) ? "lose" : undefined);
  const error = await failure(session.saveChanges());
  assert.deepEqual([error.code, error.outcome], ["OutcomeUnknown", "unknown"]);
});

test(
  "entities follow their patches, also with events, optimistic concurrency and frozen fields",
  SERVER,
  async (t) => {
    const { name, session } = await prepared(t, ravendb);
    await put(name, "orders/1-A", { n: 0, old: 1, list: [1] });
    session.advanced.useOptimisticConcurrency = true;
    const events = [];
    session.advanced.on("afterSaveChanges", ({ documentId, entity }) => events.push([documentId, entity.n]));
    const order = await session.load("orders/1-A");
    session.advanced.increment("ORDERS/1-a", "n", 5);
    session.advanced.patchArray(order, "list", (list) => list.push(2).removeAt(0));
    await session.saveChanges();
    assert.deepEqual([order.n, order.list, events], [5, [2], [["orders/1-A", 5]]]);
    order.n++;
    await session.saveChanges();
    const { n, list } = await document(ravendb, name, "orders/1-A");
    assert.deepEqual([n, list], [6, [2]], "the change vector has followed, too");
  },
);

test("addOrPatch uses the collection of a class that was never stored before", SERVER, async (t) => {
  const { name, session } = await prepared(t, ravendb);
  class Company {
    name = "a";
  }
  session.advanced.addOrPatch("companies/1", new Company(), "name", "b");
  await session.saveChanges();
  const made = await document(ravendb, name, "companies/1");
  assert.deepEqual([made.name, made["@metadata"]["@collection"]], ["a", "Companies"]);
});

test(
  "the status of an operation is read from the node that runs it, whatever node is in use",
  SERVER,
  async (t) => {
    const name = await database(t, ravendb);
    for (let n = 0; n < 20; n++) await put(name, `orders/${n}`, { n });
    const [a, b] = [await proxy(t, ravendb.url), await proxy(t, ravendb.url)];
    const store = open(t, [a.url, b.url], name);
    const operation = await store.operations.send(
      new PatchByQueryOperation("from Orders update { this.n = -1 }"),
    );
    a.rule = ({ path }) => (/\/docs$/.test(path) ? "drop" : undefined);
    await store.openSession().load("orders/1");
    await operation.waitForCompletion();
    assert.ok(a.of(isState).length > 0);
    assert.deepEqual(
      b.requests.map(({ path }) => path.split("/").at(-1)),
      ["docs"],
    );
  },
);

test("an operation that the server has forgotten is an error", SERVER, async (t) => {
  const { name, wire, store } = await prepared(t, ravendb);
  await put(name, "orders/1", { n: 1 });
  const operation = await store.operations.send(
    new PatchByQueryOperation("from Orders update { this.n = 2 }"),
  );
  wire.rule = (request) => (isState(request) ? { status: 404 } : undefined);
  assert.match((await failure(operation.waitForCompletion())).message, /does not know the operation/);
});

test("a patch by operation is never sent twice", SERVER, async (t) => {
  const { name, wire, store } = await prepared(t, ravendb);
  await put(name, "orders/1", { n: 1 });
  wire.rule = ({ method }) => (method === "PATCH" ? "lose" : undefined);
  const patch = new PatchOperation("orders/1", null, PatchRequest.forScript("this.n++"));
  assert.equal((await failure(store.operations.send(patch))).code, "Unreachable");
  assert.equal(wire.of(({ method }) => method === "PATCH").length, 1);
  assert.equal((await document(ravendb, name, "orders/1")).n, 2);
});

test("a document that a deferred command created is not considered missing", SERVER, async (t) => {
  const { session } = await prepared(t, ravendb);
  const { advanced } = session;
  const ids = ["made/1", "made/2", "made/3", "made/4"];
  for (const id of ids) assert.equal(await session.load(id), null);
  await session.delete("made/4");
  advanced.addOrPatch("made/1", order({ a: 1 }), "a", 2);
  const patch = [PatchRequest.forScript("this.a = 5"), PatchRequest.forScript("this.a = 1")];
  advanced.defer(new PatchCommandData("Made/2", null, ...patch));
  advanced.defer(new PutCommandDataBase("made/3", null, null, order({ a: 1 })));
  await session.saveChanges();
  const asked = advanced.numberOfRequests;
  const found = await session.load(ids);
  assert.deepEqual(
    ids.map((id) => found[id]?.a),
    [1, 1, 1, undefined],
  );
  assert.equal(advanced.numberOfRequests, asked + 1);
});
