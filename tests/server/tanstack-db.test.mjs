// `raven-edge/tanstack-db` in Node: named queries and collections of the real RavenDB as collections of TanStack DB.
import assert from "node:assert/strict";
import { createCollection, createLiveQueryCollection, createTransaction } from "@tanstack/db";
import WebSocket from "ws";
import { ravenCollectionOptions } from "../../pkg/lib/tanstack-db/collection-options.js";
import { after } from "../support/cleanup.mjs";
import { proxy } from "../support/proxy.mjs";
import { database, document, onRavenDb, putDocument, ravendb, send } from "../support/server.mjs";
import { failure, open } from "../support/store.mjs";
import { collectionOf, DELETED, recorded } from "../support/tanstack-db.mjs";

const NAMES = {
  queries: {
    byStatus: {
      query: "from Issues where status = $status",
      parameters: { status: { type: "string", default: "open" } },
    },
    titles: { query: "from Issues select title", projection: ["title"] },
  },
};

const issue = (title, fields) => ({
  title,
  status: "open",
  ...fields,
  "@metadata": { "@collection": "Issues" },
});

async function prepared(t) {
  const name = await database(t, ravendb);
  const wire = await proxy(t, ravendb.url);
  const store = open(t, wire.url, name, {
    webSocket: WebSocket,
    prepare: (store) => store.named(NAMES),
  });
  return {
    name,
    wire,
    store,
    put: (id, title, fields) => putDocument(ravendb, name, id, issue(title, fields)),
    documentOf: (id) => document(ravendb, name, id),
    remove: (id) => send(ravendb.url, "DELETE", `/databases/${name}/docs?id=${id}`),
    saves: () => wire.requests.filter(({ path }) => path.endsWith("/bulk_docs")),
  };
}

const options = (store, more) => ({ store, collection: "Issues", every: 20, ...more });

onRavenDb(
  "rows of a named query follow the server: new, changed, deleted, and what no longer fits",
  async (t) => {
    const { store, put, remove } = await prepared(t);
    await put("issues/1", "one");
    await put("Issues/2", "two");
    await put("issues/3", "three", { status: "done" });
    const issues = await collectionOf(
      t,
      options(store, { named: "byStatus", parameters: { status: "open" } }),
    );
    const { emitted, shows } = recorded(t, issues);
    assert.deepEqual(
      [...issues.keys()].sort(),
      ["issues/1", "issues/2"],
      "keys are ids as RavenDB compares them",
    );
    assert.equal(issues.get("issues/2").id, "Issues/2");
    await put("issues/4", "four");
    await put("issues/1", "one, changed");
    await shows((live) => live.get("issues/4") && live.get("issues/1").title === "one, changed");
    await remove("issues/2");
    await put("issues/1", "one, changed", { status: "done" });
    await shows((live) => !live.has("issues/2") && !live.has("issues/1"));
    assert.deepEqual(emitted.get("issues/2"), ["two", DELETED]);
    assert.deepEqual(emitted.get("issues/1"), ["one", "one, changed", DELETED]);
    assert.equal(emitted.has("issues/3"), false);
  },
);

onRavenDb(
  "an insert is there in the same call under its final id, and nothing that is emitted lacks it later",
  async (t) => {
    const { store, documentOf, put } = await prepared(t);
    for (const collection of [
      await collectionOf(t, options(store, { named: "byStatus" })),
      await collectionOf(t, options(store)),
    ]) {
      const { emitted, shows, live } = recorded(t, collection);
      const id = await collection.utils.nextId();
      assert.match(id, /^issues\/\d+-A$/);
      const transaction = collection.insert({ id, title: "new", status: "open", nested: { list: [1] } });
      assert.equal(collection.get(id.toLowerCase()).title, "new");
      await transaction.when("settled");
      const { "@metadata": metadata, ...stored } = await documentOf(id);
      assert.deepEqual(
        stored,
        { title: "new", status: "open", nested: { list: [1] } },
        "no member of TanStack DB",
      );
      assert.equal(metadata["@collection"], "Issues");
      assert.equal(collection.utils.versionOf(id), metadata["@change-vector"]);
      const updated = collection.update(id.toLowerCase(), (draft) => {
        draft.title = "edited";
        draft.nested.list.push(2);
      });
      assert.equal(live.get(id.toLowerCase()).title, "edited");
      await updated.when("settled");
      assert.deepEqual((await documentOf(id)).nested, { list: [1, 2] });
      // Reads that follow have it.
      await put(`issues/other${id.replace(/\W/g, "")}`, "other");
      await shows(() => [...emitted.values()].some((values) => values.includes("other")));
      assert.deepEqual(emitted.get(id.toLowerCase()), ["new", "edited"]);
      // A copy of a row that TanStack DB shows.
      const copy = await collection.utils.nextId();
      await collection.insert({ ...collection.get(id.toLowerCase()), id: copy }).when("settled");
      const copied = await documentOf(copy);
      assert.deepEqual(Object.keys(copied).sort(), ["@metadata", "nested", "status", "title"]);
      assert.equal(copied["@metadata"]["@id"], copy);
      const deleted = collection.delete(id.toLowerCase());
      assert.equal(live.has(id.toLowerCase()), false);
      await deleted.when("settled");
      assert.equal(await documentOf(id), undefined);
      assert.deepEqual(emitted.get(id.toLowerCase()), ["new", "edited", DELETED]);
    }
  },
);

onRavenDb("what a read began before a save does not undo the save in any live query", async (t) => {
  const { store, wire, put } = await prepared(t);
  await put("issues/1", "one");
  const issues = await collectionOf(t, options(store, { named: "byStatus" }));
  const { emitted, shows } = recorded(t, issues);
  // The server has made the response of the next read; it arrives later.
  let release;
  const released = new Promise((resolve) => {
    release = resolve;
  });
  const read = new Promise((resolve) => {
    wire.rule = async ({ method, path, target, body }) => {
      if (!path.endsWith("/queries")) return undefined;
      wire.rule = undefined;
      const { status, json } = await send(ravendb.url, method, target, JSON.parse(body));
      resolve();
      await released;
      return { status, body: JSON.stringify(json) };
    };
  });
  await put("issues/2", "two");
  await read;
  const inserted = await issues.utils.nextId();
  await Promise.all([
    issues
      .update("issues/1", (draft) => {
        draft.title = "mine";
      })
      .when("settled"),
    issues.insert({ id: inserted, title: "new", status: "open" }).when("settled"),
  ]);
  release();
  await shows((live) => live.has("issues/2"));
  assert.deepEqual(emitted.get(inserted.toLowerCase()), ["new"]);
  assert.deepEqual(emitted.get("issues/1"), ["one", "mine"]);
});

onRavenDb("a transaction over two collections is one request, all or nothing", async (t) => {
  const { store, saves, documentOf } = await prepared(t);
  const issues = await collectionOf(t, options(store, { named: "byStatus" }));
  const comments = await collectionOf(t, options(store, { collection: "Comments" }));
  const before = saves().length;
  const [issueId, commentId] = [await issues.utils.nextId(), await comments.utils.nextId()];
  const transaction = createTransaction({ mutationFn: issues.utils.saveAll });
  transaction.mutate(() => {
    issues.insert({ id: issueId, title: "both", status: "open" });
    comments.insert({ id: commentId, issue: issueId });
  });
  assert.ok(issues.has(issueId.toLowerCase()) && comments.has(commentId.toLowerCase()));
  await transaction.when("settled");
  assert.equal(saves().length, before + 1);
  assert.equal((await documentOf(commentId)).issue, issueId);
  const refused = createTransaction({ mutationFn: issues.utils.saveAll });
  refused.mutate(() => {
    comments.insert({ id: "comments/2", issue: issueId });
    issues.insert({ id: "issues/taken", title: "taken", status: "open" });
    issues.delete("issues/taken");
    comments.delete(commentId.toLowerCase());
  });
  await refused.when("settled");
  assert.equal(await documentOf(commentId), undefined);
  assert.ok(await documentOf("comments/2"));
});

onRavenDb("an update of a row that somebody else has changed rolls back with Concurrency", async (t) => {
  const { store, put, documentOf, wire } = await prepared(t);
  await put("issues/1", "one");
  const issues = await collectionOf(t, options(store, { named: "byStatus" }));
  const { emitted, shows } = recorded(t, issues);
  // The server's changes do not reach the page.
  wire.silence();
  wire.rule = ({ path }) => (path.endsWith("/queries") ? "drop" : undefined);
  await put("issues/1", "theirs");
  const update = issues.update("issues/1", (draft) => {
    draft.title = "mine";
  });
  assert.equal(issues.get("issues/1").title, "mine");
  const error = await failure(update.when("settled"));
  assert.equal(error.code, "Concurrency");
  assert.equal((await documentOf("issues/1")).title, "theirs");
  assert.equal(issues.get("issues/1").title, "one");
  assert.equal((await failure(issues.delete("issues/1").when("settled"))).code, "Concurrency");
  await put("issues/hidden", "hidden", { status: "done" });
  const taken = issues.insert({ id: "issues/hidden", title: "mine", status: "open" });
  assert.equal((await failure(taken.when("settled"))).code, "Concurrency");
  assert.deepEqual(
    [issues.has("issues/hidden"), (await documentOf("issues/hidden")).title],
    [false, "hidden"],
  );
  wire.rule = undefined;
  wire.cut();
  await shows((live) => live.get("issues/1")?.title === "theirs");
  assert.deepEqual(emitted.get("issues/1").at(-1), "theirs");
  await issues
    .update("issues/1", (draft) => {
      draft.title = "mine again";
    })
    .when("settled");
  assert.equal((await documentOf("issues/1")).title, "mine again");
});

onRavenDb("a handler that throws rolls back what is shown; what saveAll has saved stays", async (t) => {
  const { store, documentOf } = await prepared(t);
  const failing = new Error("the app's");
  const config = ravenCollectionOptions(options(store, { named: "byStatus" }));
  const onInsert = () => Promise.reject(failing);
  const issues = createCollection({ ...config, onInsert });
  after(t, () => issues.cleanup());
  await issues.preload();
  const { emitted } = recorded(t, issues);
  const row = (id) => ({ id, title: "new", status: "open" });
  const error = await issues
    .insert(row("issues/never"))
    .when("settled")
    .catch((error) => error);
  assert.equal(error, failing);
  assert.deepEqual([issues.has("issues/never"), emitted.get("issues/never")], [false, ["new", DELETED]]);
  const transaction = createTransaction({
    mutationFn: async (context) => {
      await issues.utils.saveAll(context);
      throw failing;
    },
  });
  transaction.mutate(() => issues.insert(row("issues/saved")));
  assert.equal(await transaction.when("settled").catch((error) => error), failing);
  assert.ok(await documentOf("issues/saved"));
  assert.deepEqual(emitted.get("issues/saved"), ["new"]);
});

onRavenDb(
  "a collection without subscribers is cleaned up and reads nothing more, until it is used again",
  async (t) => {
    const { store, wire, put, documentOf } = await prepared(t);
    await put("issues/1", "one");
    const issues = await collectionOf(t, options(store, { named: "byStatus" }));
    await issues.cleanup();
    assert.equal(issues.status, "cleaned-up");
    const isQuery = ({ path }) => path.endsWith("/queries");
    const before = wire.of(isQuery).length;
    await put("issues/2", "two");
    const id = await issues.utils.nextId();
    assert.equal(wire.of(isQuery).length, before);
    await issues.insert({ id, title: "new", status: "open" }).when("settled");
    assert.ok(await documentOf(id));
    await issues.preload();
    assert.deepEqual([...issues.keys()].sort(), ["issues/1", "issues/2", id.toLowerCase()].sort());
  },
);

onRavenDb("a document that the schema refuses is shown; an update of it must make it valid", async (t) => {
  const { store, put, documentOf } = await prepared(t);
  await put("issues/1", 1);
  const validate = (value) =>
    typeof value.title === "string"
      ? { value }
      : { issues: [{ message: "title is a text", path: ["title"] }] };
  const schema = { "~standard": { version: 1, vendor: "test", validate } };
  const issues = await collectionOf(t, options(store, { named: "byStatus", schema }));
  assert.equal(issues.get("issues/1").title, 1);
  const update = (title) =>
    issues.update("issues/1", (draft) => Object.assign(draft, { priority: 2, ...title }));
  assert.throws(() => update({}), { name: "SchemaValidationError" });
  assert.throws(() => issues.insert({ id: "issues/2", title: 2 }), { name: "SchemaValidationError" });
  await update({ title: "one" }).when("settled");
  assert.equal((await documentOf("issues/1")).title, "one");
});

onRavenDb("100,000 rows are shown, and one of them is updated", async (t) => {
  const { store, wire, put, documentOf } = await prepared(t);
  await put("issues/0", "first");
  const row = (at) => ({
    title: `title ${at}`,
    at,
    "@metadata": { "@collection": "Issues", "@id": `issues/${at + 1}`, "@change-vector": `A:${at + 2}-many` },
  });
  // RavenDB's own document, and others that take no time to make.
  const others = Array.from({ length: 99_999 }, (_, at) => JSON.stringify(row(at))).join();
  wire.change = (response, { path }) => {
    if (!path.endsWith("/queries")) return;
    response.body = Buffer.from(response.body.toString().replace('"Results":[', `"Results":[${others},`));
  };
  const issues = await collectionOf(t, options(store, { every: 60_000 }));
  const top = createLiveQueryCollection({
    startSync: true,
    query: (q) =>
      q
        .from({ row: issues })
        .orderBy(({ row }) => row.at, "desc")
        .limit(3),
  });
  await top.preload();
  assert.equal(issues.size, 100_000);
  await issues
    .update("issues/0", (draft) => {
      draft.at = 1_000_000;
    })
    .when("settled");
  assert.deepEqual(
    top.toArray.map(({ id }) => id),
    ["issues/0", "issues/99999", "issues/99998"],
  );
  assert.equal((await documentOf("issues/0")).at, 1_000_000);
  await top.cleanup();
});

onRavenDb("what cannot be meant is an error at once, in one sentence", async (t) => {
  const { store } = await prepared(t);
  for (const [given, message] of [
    [{ store, collection: "Issues", every: 1, wrong: 1 }, /wrong/],
    [{ collection: "Issues" }, /needs the store/],
    [{ store }, /needs the collection/],
    [options(store, { set: "issues" }), /offline\(\{ sets \}\)/],
    [options(store, { set: "issues", named: "byStatus" }), /set or named/],
    [options(store, { parameters: {} }), /named query/],
  ])
    assert.throws(
      () => ravenCollectionOptions(given),
      (error) => {
        assert.equal(error.code, "InvalidArgument");
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /\n/);
        return true;
      },
    );
  const issues = await collectionOf(t, options(store, { named: "byStatus" }));
  assert.throws(() => issues.insert({ title: "no id" }), { code: "InvalidArgument", message: /nextId/ });
  const projections = createCollection(ravenCollectionOptions(options(store, { named: "titles" })));
  after(t, () => projections.cleanup());
  await putDocument(ravendb, store.database, "issues/1", issue("one"));
  await assert.rejects(projections.preload());
  assert.match(projections.utils.error.message, /projections/);
  assert.equal(projections.status, "error");
});
