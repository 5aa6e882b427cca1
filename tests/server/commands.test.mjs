// Commands about single documents, independent of sessions.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  DeleteDocumentCommand,
  GetAttachmentOperation,
  GetDocumentsCommand,
  GetStatisticsOperation,
  HeadDocumentCommand,
  NextIdentityForCommand,
  PatchOperation,
  PatchRequest,
  PutDocumentCommand,
} from "../../pkg/lib/entries/node.js";
import { scriptedServer } from "../support/scripted-server.mjs";
import { document, onServers, send } from "../support/server.mjs";
import { failure, open, prepared } from "../support/store.mjs";

const LIMITS = { timeout: 20_000 };

const order = (fields) => ({ ...fields, "@metadata": { "@collection": "Orders" } });
const isPut = ({ method, path }) => method === "PUT" && path.endsWith("/docs");

async function commanding(t, server) {
  const { name, wire, store } = await prepared(t, server);
  const run = async (command) => {
    await store.getRequestExecutor().execute(command);
    return command.result;
  };
  return { name, wire, store, run };
}

onServers("PutDocumentCommand expects any state, a change vector, or no document", async (t, server) => {
  const { name, run } = await commanding(t, server);
  const first = await run(new PutDocumentCommand("orders/1", null, order({ n: 1 })));
  assert.equal(first.id, "orders/1");
  assert.equal((await document(server, name, "orders/1"))["@metadata"]["@change-vector"], first.changeVector);
  const second = await run(new PutDocumentCommand("orders/1", null, order({ n: 2 })));
  for (const vector of [first.changeVector, ""]) {
    const error = await failure(run(new PutDocumentCommand("orders/1", vector, order({ n: 3 }))));
    assert.equal(error.name, "ConcurrencyException");
    assert.equal(error.status, 409);
    assert.equal(error.id, "orders/1");
    assert.equal(error.expectedChangeVector, vector);
    assert.equal(error.actualChangeVector, second.changeVector);
  }
  await run(new PutDocumentCommand("orders/1", second.changeVector, order({ n: 4 })));
  await run(new PutDocumentCommand("orders/2", "", order({ n: 5 })));
  assert.equal((await document(server, name, "orders/1")).n, 4);
  assert.equal((await document(server, name, "orders/2")).n, 5);
});

onServers("PutDocumentCommand is not sent twice when its response is lost", async (t, server) => {
  const { name, wire, run } = await commanding(t, server);
  wire.rule = (request) => (isPut(request) ? "lose" : undefined);
  const command = new PutDocumentCommand("orders|", null, order());
  const error = await failure(run(command));
  assert.equal(error.code, "Unreachable");
  assert.equal(command.result, null);
  assert.equal(wire.of(isPut).length, 1);
  assert.ok(await document(server, name, "orders/1"));
  assert.equal(await document(server, name, "orders/2"), undefined);
});

onServers("PutDocumentCommand omits metadata that the server generates", async (t, server) => {
  const { name, run } = await commanding(t, server);
  await run(new PutDocumentCommand("orders/1", null, order({ n: 1 })));
  const { results } = await run(new GetDocumentsCommand({ id: "orders/1" }));
  await run(new PutDocumentCommand("orders/1", null, { ...results[0], n: 2 }));
  const again = await run(new GetDocumentsCommand({ id: "orders/1" }));
  assert.equal(again.results[0].n, 2);
  assert.notEqual(again.results[0]["@metadata"]["@change-vector"], results[0]["@metadata"]["@change-vector"]);
  const { text } = await send(server.url, "GET", `/databases/${name}/docs?id=orders/1`);
  assert.equal(text.split('"@change-vector"').length, 2, "no key twice");
});

onServers("DeleteDocumentCommand expects any state, or a change vector", async (t, server) => {
  const { name, run } = await commanding(t, server);
  const { changeVector } = await run(new PutDocumentCommand("orders/1", null, order({ n: 1 })));
  const { changeVector: now } = await run(new PutDocumentCommand("orders/1", null, order({ n: 2 })));
  const error = await failure(run(new DeleteDocumentCommand("orders/1", changeVector)));
  assert.equal(error.name, "ConcurrencyException");
  assert.equal(error.actualChangeVector, now);
  assert.ok(await document(server, name, "orders/1"));
  assert.equal(await run(new DeleteDocumentCommand("ORDERS/1", now)), null);
  assert.equal(await document(server, name, "orders/1"), undefined);
  assert.equal(
    await run(new DeleteDocumentCommand("orders/1")),
    null,
    "deleting a missing document is not an error",
  );
  assert.equal(await run(new DeleteDocumentCommand("orders/never")), null);
  assert.equal((await failure(run(new DeleteDocumentCommand("orders/1", now)))).code, "Concurrency");
});

onServers("HeadDocumentCommand returns the change vector, or null", async (t, server) => {
  const { run, wire } = await commanding(t, server);
  const { changeVector } = await run(new PutDocumentCommand("orders/1", null, order()));
  assert.equal(await run(new HeadDocumentCommand("orders/1")), changeVector);
  assert.equal(await run(new HeadDocumentCommand("oRDERS/1")), changeVector);
  assert.equal(await run(new HeadDocumentCommand("orders/2")), null);
  assert.equal(wire.requests.at(-1).method, "HEAD");
});

test(
  "a change vector is read from every form of an ETag, and none is never an empty one",
  LIMITS,
  async (t) => {
    const vector = "A:3-lY9rEB60dUKMGmDCZdqKnA, B:12-gzipEB60dUKMGmDCZdqKnA";
    let etag;
    const asked = [];
    const server = await scriptedServer(t, ({ method, headers }) => {
      asked.push(headers["if-none-match"]);
      const sent = { "attachment-size": "0", ...(etag !== undefined && { etag }) };
      return { body: method === "HEAD" ? "" : '{"Results":[null],"Includes":{}}', headers: sent };
    });
    const store = open(t, server.url, "db");
    const head = async () => {
      const command = new HeadDocumentCommand("orders/1");
      await store.execute(command);
      return command.result;
    };
    const attachment = async () => {
      const found = await store.operations.send(new GetAttachmentOperation("orders/1", "a"));
      found.dispose();
      return found.details.changeVector;
    };
    const load = (id) => store.openSession().load(id);
    const forms = ["", "-gzip", "-br"].flatMap((end) => [`"${vector}${end}"`, `W/"${vector}${end}"`]);
    for (const form of [...forms, vector]) {
      etag = form;
      assert.deepEqual([await head(), await attachment()], [vector, vector], form);
      await load(form);
      await load(form);
      assert.equal(asked.at(-1), `"${vector}"`, form);
    }
    for (const none of ['""', 'W/""', "", undefined]) {
      etag = none;
      const error = await failure(head());
      assert.equal(error.code, "BadAnswer", none);
      assert.match(error.message, /ETag.*proxy/);
      assert.equal(await attachment(), null, none);
      await load("orders/none");
      await load("orders/none");
      assert.equal(asked.at(-1), undefined, "without a version it is not cached");
    }
  },
);

onServers(
  "GetDocumentsCommand returns one, several, missing and included documents, or only metadata",
  async (t, server) => {
    const { run, wire } = await commanding(t, server);
    await run(
      new PutDocumentCommand("people/1", null, { name: "A", "@metadata": { "@collection": "People" } }),
    );
    await run(new PutDocumentCommand("orders/1", null, order({ n: 1, person: "people/1" })));
    await run(new PutDocumentCommand("orders/2", null, order({ n: 2, person: "people/404" })));
    assert.equal(await run(new GetDocumentsCommand({ id: "orders/404" })), null);
    const one = await run(new GetDocumentsCommand({ id: "ORDERS/1" }));
    assert.deepEqual([one.results[0].n, one.results[0]["@metadata"]["@id"]], [1, "orders/1"]);
    const several = await run(new GetDocumentsCommand({ ids: ["orders/2", "orders/404", "orders/1"] }));
    assert.deepEqual(
      several.results.map((found) => found?.n),
      [2, undefined, 1],
    );
    const including = await run(
      new GetDocumentsCommand({ ids: ["orders/1", "orders/2"], includes: ["person"] }),
    );
    assert.equal(including.includes["people/1"].name, "A");
    const bare = await run(new GetDocumentsCommand({ id: "orders/1", metadataOnly: true }));
    assert.deepEqual(Object.keys(bare.results[0]), ["@metadata"]);
    const many = Array.from({ length: 2_000 }, (_, i) => `orders/${i}`);
    const long = await run(new GetDocumentsCommand({ ids: many, includes: ["person"] }));
    assert.equal(wire.requests.at(-1).method, "POST", "too long for a URL");
    assert.equal(long.results.filter(Boolean).length, 2);
    assert.equal(long.includes["people/1"].name, "A");
  },
);

onServers("GetDocumentsCommand lists documents by prefix", async (t, server) => {
  const { run } = await commanding(t, server);
  for (const n of ["a1", "a2", "b1", "b2"])
    await run(new PutDocumentCommand(`orders/${n}`, null, order({ n })));
  const list = async (options) => {
    const { results } = await run(new GetDocumentsCommand({ startsWith: "orders/", ...options }));
    return results.map(({ n }) => n).join();
  };
  assert.equal(await list({}), "a1,a2,b1,b2");
  assert.equal(await list({ matches: "a*" }), "a1,a2");
  assert.equal(await list({ exclude: "*1" }), "a2,b2");
  assert.equal(await list({ start: 1, pageSize: 2 }), "a2,b1");
  assert.equal(await list({ startsAfter: "orders/a2" }), "b1,b2");
});

onServers("a GetDocumentsCommand without ids is refused before anything is sent", async (t, server) => {
  const { wire } = await commanding(t, server);
  const refused = (make) => assert.throws(make, { code: "InvalidArgument" });
  for (const options of [undefined, {}, { ids: [] }, { metadataOnly: true }])
    refused(() => new GetDocumentsCommand(options));
  for (const id of [undefined, null, "", " ", 5]) {
    refused(() => new PutDocumentCommand(id, null, {}));
    refused(() => new DeleteDocumentCommand(id));
    refused(() => new HeadDocumentCommand(id));
  }
  for (const nothing of [undefined, null, 5]) refused(() => new PutDocumentCommand("a", null, nothing));
  assert.equal(wire.requests.length, 0);
});

onServers("GetStatisticsOperation counts documents and collections", async (t, server) => {
  const { store, run } = await commanding(t, server);
  await run(new PutDocumentCommand("orders/1", null, order()));
  const statistics = await store.maintenance.send(new GetStatisticsOperation());
  assert.equal(statistics.countOfDocuments, 1);
  assert.equal(typeof statistics.databaseChangeVector, "string");
});

onServers("commands do not affect a session", async (t, server) => {
  const { store, run } = await commanding(t, server);
  await run(new PutDocumentCommand("orders/1", null, order({ n: 1 })));
  const session = store.openSession();
  const loaded = await session.load("orders/1");
  const before = session.advanced.numberOfRequests;
  await session.advanced
    .getRequestExecutor()
    .execute(new PutDocumentCommand("orders/1", null, order({ n: 2 })));
  assert.equal(session.advanced.numberOfRequests, before, "not counted against its limit");
  assert.equal((await session.load("orders/1")).n, 1);
  await session.advanced.refresh(loaded);
  assert.equal(loaded.n, 2);
});

/** Responses of a path that is forwarded to the wrong server. */
const FOREIGN = {
  "an empty 404": { status: 404 },
  "a 404 page": { status: 404, body: "<html>no such page" },
  "a page": { body: "<!doctype html><title>app</title>" },
  "half a response": { body: '{"Results":[' },
};

for (const [what, response] of Object.entries(FOREIGN)) {
  test(`a command whose response is ${what} fails and deletes nothing`, LIMITS, async (t) => {
    const server = await scriptedServer(t, () => response);
    const store = open(t, server.url, "db");
    const script = Object.assign(new PatchRequest(), { script: "this.n = 1" });
    const sent = {
      PUT: () => store.execute(new PutDocumentCommand("orders/1", null, order({}))),
      DELETE: () => store.execute(new DeleteDocumentCommand("orders/1", null)),
      POST: () => store.execute(new NextIdentityForCommand("invoices")),
      // For these commands an empty 404 means that the document does not exist.
      ...(response.body && {
        GET: () => store.execute(new GetDocumentsCommand({ id: "orders/1" })),
        PATCH: () => store.operations.send(new PatchOperation("orders/1", null, script)),
      }),
    };
    for (const [method, send] of Object.entries(sent)) {
      const error = await failure(send());
      assert.equal(error.code, "BadAnswer", method);
      assert.match(error.request, new RegExp(`^${method} /databases/db/(docs|identity/next)$`));
    }
  });
}

test("an error body with members that are not strings is handled", LIMITS, async (t) => {
  const odd = { toString: 1, valueOf: 1 };
  for (const body of [{ Type: odd }, { Message: odd }, { Type: 5, Message: {} }]) {
    const server = await scriptedServer(t, () => ({ status: 500, body: JSON.stringify(body) }));
    const error = await failure(open(t, server.url, "db").openSession().load("orders/1"));
    assert.deepEqual([error.code, error.status, error.type], ["Server", 500, undefined]);
    assert.match(error.message, /status 500/);
  }
});

onServers("a disposed store sends nothing", async (t, server) => {
  const { store, run, wire } = await commanding(t, server);
  await store.dispose();
  assert.throws(() => store.getRequestExecutor("other"), { code: "Disposed" });
  assert.throws(() => store.operations.forDatabase("other"), { code: "Disposed" });
  const sent = wire.requests.length;
  assert.equal((await failure(run(new HeadDocumentCommand("orders/1")))).code, "Disposed");
  assert.equal((await failure(store.maintenance.send(new GetStatisticsOperation()))).code, "Disposed");
  assert.equal(wire.requests.length, sent);
});

test("an object that is not a command of this package is refused", async (t) => {
  const { GetStatisticsOperation: Theirs } = await import("ravendb");
  const store = open(t, "http://127.0.0.1:1", "db");
  const foreign = new Theirs();
  for (const send of [
    () => store.execute({}),
    () => store.execute(undefined),
    () => store.maintenance.send(foreign),
    () => store.operations.send({}),
    () => store.operations.send(undefined),
  ]) {
    const error = await failure(send());
    assert.deepEqual(
      [error.code, /of raven-edge/.test(error.message)],
      ["InvalidArgument", true],
      String(send),
    );
  }
});
