// Rights by document and named queries: the Worker in workerd before the real RavenDB, and what passes between them.
import assert from "node:assert/strict";
import { bulk, note, QUERIES, served } from "../support/callers.mjs";
import { onRavenDb } from "../support/server.mjs";
import { failure } from "../support/store.mjs";

onRavenDb("a caller loads, changes and deletes its own documents, and nobody else's", async (t, server) => {
  const { as, base } = await served(t, server);
  await bulk(server, base, {
    "notes/1": note("ann", { text: "mine" }),
    "notes/2": note("bob", { text: "his" }),
  });
  const session = as("ann").openSession();
  const [mine, his] = Object.values(await session.load(["notes/1", "notes/2"]));
  assert.deepEqual([mine.text, his], ["mine", null]);
  mine.text = "changed";
  await session.saveChanges();
  assert.equal(await as("ann").openSession().advanced.exists("notes/2"), false);
  assert.equal(await as("bob").openSession().advanced.exists("notes/2"), true);
  // A foreign document and none are deleted alike: without an error, and without an effect.
  for (const id of ["notes/2", "notes/99"]) {
    const deleting = as("ann").openSession();
    await deleting.delete(id);
    await deleting.saveChanges();
  }
  assert.equal((await as("bob").openSession().load("notes/2")).text, "his");
  await session.delete(mine);
  await session.saveChanges();
  assert.equal(await as("ann").openSession().load("notes/1"), null);
});

onRavenDb("a document cannot be given away, taken over or created for somebody else", async (t, server) => {
  const { as, base } = await served(t, server);
  await bulk(server, base, { "notes/1": note("ann"), "notes/2": note("bob") });
  const giving = as("ann").openSession();
  const mine = await giving.load("notes/1");
  mine.owner = "bob";
  assert.equal((await failure(giving.saveChanges())).type, "RavenEdge.Gateway.DocumentRefused");
  const creating = as("ann").openSession();
  await creating.store(note("bob"), "notes/3");
  assert.equal((await failure(creating.saveChanges())).status, 403);
  const taking = as("ann").openSession();
  await taking.store(note("ann"), "notes/2");
  assert.equal((await failure(taking.saveChanges())).code, "Concurrency");
  const bobs = await as("bob").openSession().load("notes/2");
  assert.equal(bobs.owner, "bob");
});

onRavenDb("an owner that changes between read and write makes the write a conflict", async (t, server) => {
  const { as, base, wire } = await served(t, server);
  await bulk(server, base, { "notes/1": note("ann", { text: "old" }) });
  const session = as("ann").openSession();
  const mine = await session.load("notes/1");
  mine.text = "new";
  let handedOver = false;
  wire.rule = async ({ path }) => {
    if (!handedOver && path.includes("/bulk_docs")) {
      handedOver = true;
      await bulk(server, base, { "notes/1": note("bob", { text: "old" }) });
    }
  };
  const error = await failure(session.saveChanges());
  assert.equal(error.code, "Concurrency");
  assert.ok(handedOver);
  const { owner, text } = await as("bob").openSession().load("notes/1");
  assert.deepEqual([owner, text], ["bob", "old"]);
});

onRavenDb("conditions on lists and claims that are lists", async (t, server) => {
  const { as, base } = await served(t, server);
  const board = (team, members) => ({ team, members, "@metadata": { "@collection": "Boards" } });
  await bulk(server, base, {
    "boards/1": board("anns", ["bob", "ann"]),
    "boards/2": board("bobs", ["ann"]),
    "boards/3": board("all", ["bob"]),
  });
  const seen = async (name) => {
    const found = await as(name).openSession().load(["boards/1", "boards/2", "boards/3"]);
    return Object.values(found).map((one) => one !== null);
  };
  assert.deepEqual(await seen("ann"), [true, false, false]);
  assert.deepEqual(await seen("bob"), [false, false, true]);
});

onRavenDb("a named query gives a caller its pages, and nothing of others", async (t, server) => {
  const { ask, base, wire } = await served(t, server);
  const documents = {};
  for (let at = 0; at < 20; at++) {
    const owner = at % 3 === 0 ? "ann" : "bob";
    documents[`notes/${at}`] = note(owner, { at, shared: true, status: "open", product: `products/${at}` });
    documents[`products/${at}`] = { name: `of ${owner}`, "@metadata": { "@collection": "Products" } };
  }
  await bulk(server, base, documents);
  // So that the index is not stale below.
  assert.equal((await ask("ann", "openNotes", { Parameters: { status: "open" } })).body.IsStale, false);
  let ids = [];
  for (let next; next !== null; ) {
    const { status, body } = await ask("ann", "notes", { PageSize: 2, Next: next });
    assert.equal(status, 200, JSON.stringify(body));
    // Tokens and change vectors are random letters, in which any three may stand.
    const shown = JSON.stringify({ ...body, Next: null }).replaceAll(/"@change-vector":"[^"]*"/g, "");
    assert.ok(!shown.includes("bob"), shown);
    assert.deepEqual(Object.keys(body).sort(), ["Collections", "Includes", "IsStale", "Next", "Results"]);
    assert.deepEqual(Object.keys(body.Includes).sort(), body.Results.map(({ product }) => product).sort());
    ids = [...ids, ...body.Results.map((document) => document["@metadata"]["@id"])];
    next = body.Next;
  }
  assert.deepEqual(
    ids,
    [0, 3, 6, 9, 12, 15, 18].map((at) => `notes/${at}`),
  );
  // What RavenDB is sent is written by the gateway.
  const sent = wire.requests.filter(({ path }) => path.includes("/queries"));
  assert.ok(sent.length > 0);
  for (const { body } of sent) {
    const { Query, QueryParameters, ...rest } = JSON.parse(body);
    assert.ok(Object.values(QUERIES).some(({ query }) => query === Query));
    assert.ok(Object.keys(QueryParameters).every((name) => ["name", "status", "from"].includes(name)));
    assert.ok(
      Object.keys(rest).every((name) => /^(Start|PageSize|WaitForNonStaleResults(Timeout)?)$/.test(name)),
    );
  }
  const { body } = await ask("bob", "openNotes", { Parameters: { status: "open", from: 17 } });
  assert.deepEqual(
    body.Results.map(({ at, owner, "@metadata": { "@projection": projection } }) => [at, owner, projection]),
    [
      [17, undefined, true],
      [19, undefined, true],
    ],
  );
});

onRavenDb("requests for queries that nobody declared are refused, and nothing is sent", async (t, server) => {
  const { ask, wire } = await served(t, server);
  for (const [name, query, body, status, type] of [
    [undefined, "notes", {}, 401, "Unauthorized"],
    ["ann", "secrets", {}, 403, "RouteRefused"],
    ["ann", "notes", { Query: "from Secrets" }, 400, "RequestMalformed"],
    ["ann", "notes", { Parameters: { name: "bob" } }, 400, "RequestMalformed"],
    ["ann", "openNotes", { Parameters: { status: "other" } }, 400, "RequestMalformed"],
    ["ann", "openNotes", {}, 400, "RequestMalformed"],
    ["ann", "notes", { PageSize: 0 }, 413, "LimitExceeded"],
    ["ann", "notes", { Skip: 41 }, 413, "LimitExceeded"],
    ["ann", "notes", { Next: "AQID" }, 400, "RequestMalformed"],
  ]) {
    const response = await ask(name, query, body);
    assert.equal(response.status, status, JSON.stringify([query, body, response.body]));
    assert.equal(response.body.Type, `RavenEdge.Gateway.${type}`);
  }
  assert.deepEqual(
    wire.requests.filter(({ path }) => path.includes("/queries")),
    [],
  );
});
