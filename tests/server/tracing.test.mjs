// `store.on("trace")`: what spans say, how they belong together, and that they neither break anything nor tell anything private.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { SpanKind, trace } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { HiLoStore } from "../../pkg/lib/entries/hilo/node.js";
import { isLease, isSave } from "../support/proxy.mjs";
import { onRavenDb, order } from "../support/server.mjs";
import { failure, open, prepared, until } from "../support/store.mjs";

/** The adapter of `docs/tracing.md`. The file is where modules of the workspace are found. */
async function adapter() {
  const page = await readFile(new URL("../../docs/tracing.md", import.meta.url), "utf8");
  const [, block] = /```js tested-by=.*\n([\s\S]*?)```/.exec(page);
  const file = new URL("../../target/opentelemetry-adapter.mjs", import.meta.url);
  await writeFile(file, block);
  return (await import(file)).traceWithOpenTelemetry;
}

/** A session of a store that is traced from its beginning, with the spans that have ended. */
async function traced(t, server, answer = {}) {
  const all = await prepared(t, server);
  const spans = [];
  const stop = all.store.on("trace", () => ({ ...answer, end: (span) => spans.push(structuredClone(span)) }));
  await all.store.ready();
  const requestsOf = (parent) => spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId);
  return {
    ...all,
    spans,
    stop,
    requestsOf,
    find: (name) => spans.find((span) => span.name.startsWith(name)),
  };
}

onRavenDb(
  "a save is the parent of its requests, also of those that find out its outcome",
  async (t, server) => {
    const { name, wire, session, find, requestsOf } = await traced(t, server);
    await session.store(order({ n: 1 }));
    await session.store(order({ n: 2 }));
    wire.rule = (request) => (isSave(request) ? "lose" : undefined);
    await session.saveChanges();
    const save = find("saveChanges");
    assert.equal(save.name, `saveChanges ${name}`);
    assert.deepEqual(save.attributes, {
      "db.system.name": "ravendb",
      "db.namespace": name,
      "db.operation.name": "saveChanges",
      "db.operation.batch.size": 2,
    });
    const requests = requestsOf(save);
    assert.deepEqual(
      requests.map((span) => [span.name, !!span.attributes["error.type"]]),
      [
        ["POST bulk_docs", true],
        ["POST docs", false],
      ],
    );
    for (const { traceId, startTime, endTime } of requests) {
      assert.equal(traceId, save.traceId);
      assert.ok(startTime >= save.startTime && endTime <= save.endTime + 1);
    }
  },
);

onRavenDb("a lease is the parent of its attempts, and nothing else is", async (t, server) => {
  const { wire, store, session, spans, find, requestsOf } = await traced(t, server);
  let lost = 0;
  wire.rule = (request) => (isLease(request) && lost++ === 0 ? "drop" : undefined);
  await session.store(order());
  const lease = find("lease");
  assert.equal(lease.name, "lease orders");
  assert.equal(lease.attributes["raven_edge.lease.tag"], "orders");
  assert.equal(lease.attributes["error.type"], undefined);
  assert.equal(requestsOf(lease).length, 2);
  assert.equal(wire.of(isLease).length, 2);
  await session.saveChanges();
  await session.load("orders/none");
  assert.equal(spans.filter(({ parentSpanId }) => parentSpanId).length, 3, "the lease's, and the save");
  assert.equal(spans.at(-1).parentSpanId, undefined, "the save is over");
  wire.rule = (request) => (isLease(request) ? "drop" : undefined);
  const failing = open(t, wire.url, store.database, { timeout: 500 });
  const failed = [];
  failing.on("trace", () => ({ end: (span) => failed.push(span) }));
  await failing.ready();
  await failure(failing.hilo("orders").next());
  await until(() => failed.some(({ name }) => name === "lease orders"), "the end of the lease");
  assert.ok(failed.find(({ name }) => name === "lease orders").attributes["error.type"]);
});

onRavenDb("requests have the attributes of the conventions for HTTP clients", async (t, server) => {
  const { name, store, spans } = await traced(t, server);
  assert.equal(await store.openSession().load("orders/none"), null);
  const { hostname, port, origin } = new URL(store.urls[0]);
  const load = spans.find((span) => span.name === "GET docs");
  assert.deepEqual(load.attributes, {
    "db.system.name": "ravendb",
    "db.namespace": name,
    "http.request.method": "GET",
    "url.full": `${origin}/databases/${name}/docs?id=REDACTED`,
    "server.address": hostname,
    "server.port": Number(port),
    "http.response.status_code": 404,
    "error.type": "404",
  });
});

onRavenDb("a save that is refused says the code of its error and its outcome", async (t, server) => {
  const { store, session, spans } = await traced(t, server);
  await session.store(order(), "orders/one");
  await session.saveChanges();
  const other = store.openSession({ optimisticConcurrencyMode: "Writes" });
  await other.store(order(), "orders/one", { changeVector: "" });
  const error = await failure(other.saveChanges());
  const { attributes } = spans.findLast((span) => span.name.startsWith("saveChanges"));
  assert.equal(attributes["error.type"], error.code);
  assert.equal(attributes["db.response.status_code"], "409");
});

onRavenDb("nothing private is in a span", async (t, server) => {
  const secret = "s3cret";
  const { store, session, spans } = await traced(t, server);
  await session.store(order({ text: secret }), `orders/${secret}@example.com`);
  await session.saveChanges();
  const reader = store.openSession();
  await reader.load(`orders/${secret}@example.com`);
  await reader.load([`orders/${secret}`, `orders/${secret}-2`]);
  await failure(store.openSession().load(secret.repeat(500)));
  const again = store.openSession();
  await again.store(order(), `orders/${secret}@example.com`, { changeVector: "" });
  await failure(again.saveChanges());
  assert.ok(spans.length >= 6);
  assert.doesNotMatch(JSON.stringify(spans), new RegExp(secret));
});

onRavenDb("a listener that throws breaks no save", async (t, server) => {
  const { store, session } = await prepared(t, server);
  const thrown = [];
  const listeners = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  process.on("uncaughtException", (error) => thrown.push(error.message));
  t.after(() => {
    process.removeAllListeners("uncaughtException");
    for (const each of listeners) process.on("uncaughtException", each);
  });
  store.on("trace", () => {
    throw new Error("at the start");
  });
  store.on("trace", () => ({
    end() {
      throw new Error("at the end");
    },
  }));
  await store.ready();
  const entity = order({ n: 1 });
  await session.store(entity);
  await session.saveChanges();
  assert.equal((await store.openSession().load(entity.id)).n, 1);
  assert.deepEqual([...new Set(thrown)].sort(), ["at the end", "at the start"]);
});

onRavenDb("requests carry a traceparent only if a listener gives one", async (t, server) => {
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const { store, session, wire, spans, stop } = await traced(t, server, { traceparent });
  await session.store(order());
  await session.saveChanges();
  assert.ok(wire.requests.some(({ headers }) => headers.traceparent === traceparent));
  stop();
  const silent = () => undefined;
  store.on("trace", silent);
  await store.ready();
  const [before, ended] = [wire.requests.length, spans.length];
  await store.openSession().load("orders/1");
  store.removeListener("trace", silent);
  await store.openSession().load("orders/2");
  assert.deepEqual(
    wire.requests.slice(before).map(({ headers }) => headers.traceparent),
    [undefined, undefined],
  );
  assert.equal(spans.length, ended, "the first listener was removed");
});

onRavenDb("the documented adapter makes spans of OpenTelemetry", async (t, server) => {
  const { store, session, wire } = await prepared(t, server);
  const exporter = new InMemorySpanExporter();
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
  t.after(() => trace.disable());
  const traceWithOpenTelemetry = await adapter();
  traceWithOpenTelemetry(store);
  await store.ready();
  await session.store(order());
  await session.saveChanges();
  const spans = exporter.getFinishedSpans();
  const save = spans.find((span) => span.name.startsWith("saveChanges"));
  const request = spans.find((span) => span.name === "POST bulk_docs");
  assert.equal(request.parentSpanContext.spanId, save.spanContext().spanId);
  assert.equal(request.kind, SpanKind.CLIENT);
  assert.equal(request.attributes["http.response.status_code"], 201);
  const sent = wire.requests.find(isSave);
  const { traceId, spanId } = request.spanContext();
  assert.equal(sent.headers.traceparent, `00-${traceId}-${spanId}-01`);
});

test("a store of ids refuses to be traced", () => {
  const store = new HiLoStore("http://127.0.0.1:1", "Shop");
  assert.throws(() => store.on("trace", () => undefined), { code: "InvalidArgument", message: /"trace"/ });
});
