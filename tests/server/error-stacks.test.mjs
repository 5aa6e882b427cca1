// The stack of an error has the functions of the app: those that wait for the call that failed, however deep in the package it failed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { GetStatisticsOperation, RavenEdgeError } from "../../pkg/lib/entries/node.js";
import { scriptedServer } from "../support/scripted-server.mjs";
import { failure, open } from "../support/store.mjs";

const CONFLICT = { Type: "Raven.Client.Exceptions.ConcurrencyException", Message: "m", Id: "a/1" };
const REFUSED = { Type: "Raven.Client.Exceptions.InvalidQueryException", Message: "m" };

const refusing = (t) =>
  scriptedServer(t, ({ path }) =>
    path.endsWith("/bulk_docs")
      ? { status: 409, body: JSON.stringify(CONFLICT) }
      : { status: 500, body: JSON.stringify(REFUSED) },
  );

/** Ways to fail. `down`: a store whose server does not exist; `refused`: one whose server refuses everything. */
const KINDS = {
  "a conflict": async ({ refused }) => {
    const session = refused.openSession();
    await session.store({}, "a/1");
    await session.saveChanges();
  },
  "a save that reaches no server": async ({ down }) => {
    const session = down.openSession();
    await session.store({}, "a/1");
    await session.saveChanges();
  },
  "a load that reaches no server": ({ down }) => down.openSession().load("a/1"),
  "a load behind another call": ({ down }) => {
    const session = down.openSession();
    session.load("a/1").catch(() => {});
    return session.load("a/2");
  },
  "a load with includes": ({ refused }) => refused.openSession().include("b").load("a/1"),
  "a query that the server refuses": ({ refused }) =>
    refused.openSession().advanced.rawQuery("from where").all(),
  "the number of results": ({ down }) => down.openSession().query({ collection: "Orders" }).count(),
  "a lazy load": ({ down }) => down.openSession().advanced.lazily.load("a/1").getValue(),
  "a stream": ({ refused }) => refused.openSession().advanced.stream("a/"),
  "an operation": ({ refused }) => refused.maintenance.send(new GetStatisticsOperation()),
  "a counter": ({ down }) => down.openSession().countersFor("a/1").get("likes"),
  "an id that is refused": ({ down }) => down.openSession().store({}, "a".repeat(600)),
  "another object under the id": async ({ down }) => {
    const session = down.openSession();
    await session.store({}, "a/1");
    await session.store({}, "a/1");
  },
  "a deletion of nothing": ({ down }) => down.openSession().delete(5),
  "no lease within the time limit": ({ down }) => down.hilo("orders").next(),
  "no lease for a new document": ({ down }) =>
    down.openSession().store({ "@metadata": { "@collection": "Orders" } }),
  "a lease that is refused": ({ refused }) => refused.hilo("orders").next(),
  "a tag that is refused": ({ down }) => down.hilo("orders/").next(),
  "a store that is disposed": async ({ down }) => {
    const session = down.openSession();
    await down.dispose();
    await session.load("a/1");
  },
};

for (const [kind, call] of Object.entries(KINDS))
  test(`the functions of the app are in the stack of the error: ${kind}`, { timeout: 20_000 }, async (t) => {
    const server = await refusing(t);
    const options = { timeout: 500 };
    const stores = {
      down: open(t, "http://127.0.0.1:65535", "db", options),
      refused: open(t, server.url, "db", options),
    };
    async function nextToThePackage() {
      return await call(stores);
    }
    async function further() {
      return await nextToThePackage();
    }
    const limit = Error.stackTraceLimit;
    const error = await failure(further());
    assert.ok(error instanceof RavenEdgeError);
    assert.match(error.stack, /nextToThePackage .*error-stacks.*further .*error-stacks/s);
    assert.match(error.stack, new RegExp(`^${error.name}: `));
    assert.equal(Error.stackTraceLimit, limit);
  });

test("of two functions that wait for the same lease, each is in the stack of its own error", async (t) => {
  const server = await refusing(t);
  const ids = open(t, server.url, "db").hilo("orders");
  async function first() {
    await ids.next();
  }
  async function second() {
    await ids.next();
  }
  const [one, two] = await Promise.all([failure(first()), failure(second())]);
  assert.equal(server.requests.length, 1);
  assert.match(one.stack, /at async first /);
  assert.match(two.stack, /at async second /);
  assert.equal(`${two.code} ${two.type} ${two.message}`, `${one.code} ${one.type} ${one.message}`);
});

test("an error of the app's own code is rejected as it is", async (t) => {
  const session = open(t, "http://127.0.0.1:65535", "db").openSession();
  const own = new Error("the app's");
  session.on("beforeStore", () => {
    throw own;
  });
  await session.store({}, "a/1");
  const { stack } = own;
  assert.equal(await failure(session.saveChanges()), own);
  assert.equal(own.stack, stack);
});

test("an app that has set its own limit for stacks, or none, keeps it", async (t) => {
  const { stackTraceLimit } = Error;
  t.after(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });
  const store = open(t, "http://127.0.0.1:65535", "db");
  for (const limit of [0, 3, 200, undefined]) {
    Error.stackTraceLimit = limit;
    await failure(store.openSession().load("a/1"));
    assert.equal(Error.stackTraceLimit, limit);
  }
});
