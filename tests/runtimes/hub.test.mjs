// The lease hub in workerd: the unmodified client leases there; all other requests go to RavenDB.
import assert from "node:assert/strict";
import http from "node:http";
import { test } from "node:test";
import { after } from "../support/cleanup.mjs";
import { startHub } from "../support/hub.mjs";
import { isLease, isReturn, isSave, proxy } from "../support/proxy.mjs";
import { scriptedServer } from "../support/scripted-server.mjs";
import {
  counter,
  create,
  database,
  document,
  missing,
  onRavenDb,
  onServers,
  order,
  otherLease,
  ravendb,
  remove,
  send,
  setCounter,
} from "../support/server.mjs";
import { events, failure, open, within } from "../support/store.mjs";

/** A database, a proxy in front of it, and a hub in front of the proxy. */
async function prepared(t, server, options) {
  const name = await database(t, server);
  const wire = await proxy(t, server.url);
  const hub = await startHub(t, wire.url, options);
  return { name, wire, hub, release: (tag) => send(hub.url, "POST", `/release/${name}/${tag}`) };
}

const lease = async (hub, name, query = "tag=orders") =>
  (await send(hub.url, "GET", `/databases/${name}/hilo/next?${query}`)).json;

onServers(
  "ids come from the hub, documents go to the server, unused numbers are returned",
  async (t, server) => {
    const { name, wire, hub, release } = await prepared(t, server);
    const store = open(t, `${hub.url}/raven`, name);
    const session = store.openSession();
    const first = order({ total: 5 });
    await session.store(first);
    await session.saveChanges();
    assert.equal(first.id, "orders/1-A");
    assert.equal((await document(server, name, "orders/1-A")).total, 5);
    assert.deepEqual([wire.of(isLease).length, wire.of(isSave).length], [1, 1]);
    assert.equal(await counter(server, name, "orders"), 1_024);
    const returned = events(store, "return");
    await store.release();
    const { low, high, applied } = await returned.next();
    assert.deepEqual({ low, high, applied }, { low: 2, high: 8, applied: true });
    assert.equal((await release("orders")).status, 200);
    assert.equal(await counter(server, name, "orders"), 1);
    assert.equal(wire.of(isReturn).length, 1, "the hub sends its return once");
    assert.equal((await otherLease(server, name, "orders")).Low, 2);
    assert.equal(await store.hilo("orders").next(), "orders/34-A", "the store stays usable");
  },
);

onServers(
  "the hub returns nothing if another client has leased from the server meanwhile",
  async (t, server) => {
    const { name, wire, hub, release } = await prepared(t, server);
    assert.equal((await lease(hub, name)).Low, 1);
    assert.equal((await otherLease(server, name, "orders")).Low, 1_025);
    await release("orders");
    assert.deepEqual([wire.of(isReturn).length, await counter(server, name, "orders")], [0, 1_056]);
    assert.equal((await lease(hub, name)).Low, 9, "the hub continues with its numbers");
  },
);

onServers("the end of a loan can be returned once, and only by its holder", async (t, server) => {
  const { name, hub } = await prepared(t, server);
  const multi = (tag) => ({
    Requests: [
      { Url: `/databases/${name}/hilo/next`, Query: `?tag=${tag}`, Method: "GET" },
      { Url: `/databases/${name}/docs`, Query: `?id=Raven/Hilo/${tag}`, Method: "GET" },
    ],
  });
  const fenced = async (tag) => {
    const { json } = await send(hub.url, "POST", `/databases/${name}/multi_get`, multi(tag));
    const [{ Result: grant }, { Result: read }] = json.Results;
    const metadata = read.Results[0]["@metadata"];
    assert.equal(read.Results[0].Max, grant.High);
    return {
      tag,
      fence: `${metadata["@change-vector"]} ${metadata["@last-modified"]}`,
      low: grant.Low,
      high: grant.High,
    };
  };
  const command = ({ tag, fence, high }, last) => ({
    Id: `Raven/Hilo/${tag}`,
    ChangeVector: null,
    Patch: {
      Script:
        "const m = getMetadata(this); if (m['@change-vector'] + ' ' + m['@last-modified'] === args.fence && this.Max === args.high) this.Max = args.last",
      Values: { fence, high, last },
    },
    Type: "PATCH",
  });
  const give = async (...commands) => {
    const { json } = await send(hub.url, "POST", `/databases/${name}/bulk_docs`, { Commands: commands });
    return json.Results.map(({ PatchStatus }) => PatchStatus === "Patched");
  };
  const [a, b, line] = [await fenced("orders"), await fenced("orders"), await fenced("lines")];
  assert.deepEqual([a.low, b.low, line.low], [1, 9, 1]);
  const foreign = { ...a, fence: a.fence.replace(/-\w+/, "-0123456789abcdef0123456789abcdef") };
  const server_s = { ...a, fence: `A:1-x ${new Date().toISOString()}` };
  assert.deepEqual(await give(command(foreign, 3), command(server_s, 3)), [false, false], "without proof");
  assert.deepEqual(await give(command(b, 5)), [false], "below the loan's own numbers");
  assert.deepEqual(await give(command({ ...a, high: 16 }, 3)), [false], "another end");
  assert.deepEqual(await give(command({ ...line, tag: "orders" }, 3)), [false], "another counter");
  assert.deepEqual(await give(command(a, 3), command(line, 0), command(a, 3)), [true, true, false], "once");
  assert.deepEqual([(await fenced("orders")).low, (await fenced("lines")).low], [4, 1]);
  assert.deepEqual(await give(command(a, 3)), [false], "never again");
  const wrapped = {
    Requests: [
      {
        Url: `/databases/${name}/bulk_docs`,
        Query: "",
        Method: "POST",
        Content: { Commands: [command(b, 8)] },
      },
    ],
  };
  const beacon = await send(hub.url, "POST", `/databases/${name}/multi_get`, wrapped, {
    "content-type": "text/plain",
  });
  assert.equal(beacon.json.Results[0].Result.Results[0].PatchStatus, "Patched", "as a closing page sends it");
  const before = await lease(hub, name);
  await send(
    hub.url,
    "PUT",
    `/databases/${name}/hilo/return?tag=orders&end=${before.High}&last=${before.Low}`,
  );
  assert.equal((await lease(hub, name)).Low > before.High, true, "an unfenced return has no effect");
});

onServers("a batch with any other command goes to the server", async (t, server) => {
  const { name, wire, hub } = await prepared(t, server);
  const put = { Id: "orders/x", Type: "PUT", Document: { total: 1 }, ChangeVector: null };
  const saved = await send(hub.url, "POST", `/databases/${name}/bulk_docs`, { Commands: [put] });
  assert.deepEqual([saved.status, wire.of(isSave).length], [201, 1]);
  const read = await send(hub.url, "GET", `/databases/${name}/docs?id=orders/x`);
  assert.equal(read.json.Results[0].total, 1);
  assert.equal(
    (await send(hub.url, "GET", `/databases/${name}/hilo/next`)).json.Type,
    "System.ArgumentException",
  );
  const nowhere = await send(hub.url, "GET", "/databases/nowhere/hilo/next?tag=orders");
  assert.match(nowhere.json.Type, /DatabaseDoesNotExistException$/, "the server's own error");
});

test("the topology contains the hub, and a page of another origin is refused", {
  skip: missing(ravendb),
}, async (t) => {
  const { name, hub } = await prepared(t, ravendb);
  const accepts = { "accept-encoding": "zstd" };
  const { json } = await send(hub.url, "GET", `/raven/topology?name=${name}`, undefined, accepts);
  assert.deepEqual(
    json.Nodes.map(({ Url }) => Url),
    [`${hub.url}/raven`],
  );
  const foreign = await send(hub.url, "GET", `/databases/${name}/hilo/next?tag=orders`, undefined, {
    origin: "https://elsewhere.example",
  });
  assert.deepEqual([foreign.status, foreign.text], [403, ""]);
  const own = await send(
    hub.url,
    "POST",
    `/databases/${name}/bulk_docs`,
    { Commands: [] },
    { origin: hub.url },
  );
  assert.equal(own.status, 201);
});

test("an invalid topology is an error in RavenDB's format", { timeout: 60_000 }, async (t) => {
  let body = "";
  const server = await scriptedServer(t, () => ({ body }));
  const hub = await startHub(t, server.url);
  for (body of ["<html>", "null", "{}", '{"Nodes":5}']) {
    const { status, json } = await send(hub.url, "GET", "/topology?name=Shop");
    assert.deepEqual([status, json?.Type], [500, "RavenEdge.Hub.BadAnswer"], body);
  }
});

onServers("without the server the hub lends its numbers, then responds with an error", async (t, server) => {
  const { name, wire, hub } = await prepared(t, server, "timeout: 1_000, ranges: { first: 32, largest: 32 }");
  assert.equal((await lease(hub, name)).Low, 1);
  await wire.off();
  for (const low of [9, 17, 25]) assert.equal((await lease(hub, name)).Low, low);
  const ask = () => send(hub.url, "GET", `/databases/${name}/hilo/next?tag=orders`);
  const all = await Promise.all([ask(), ask(), ask()]);
  for (const { status, json } of all) {
    assert.equal(status, 503);
    // The time may be over during an attempt.
    assert.match(json.Type, /^RavenEdge\.Hub\.(Unreachable|Timeout)$/);
  }
  const store = open(t, hub.url, name, { timeout: 600 });
  assert.equal((await failure(store.hilo("orders").next())).code, "Timeout");
  // This response also means that the store's background requests have ended.
  assert.equal((await ask()).status, 503);
  await wire.on();
  assert.equal((await lease(hub, name)).Low, 33);
});

onServers("many concurrent clients cost one request, and each gets its own numbers", async (t, server) => {
  const { name, wire, hub } = await prepared(t, server);
  const grants = await Promise.all(Array.from({ length: 60 }, () => lease(hub, name)));
  assert.equal(new Set(grants.map(({ Low }) => Low)).size, 60);
  assert.equal(wire.of(isLease).length, 1);
});

onServers(
  "returned numbers go to clients without numbers; a page, whose device may have some, gets higher ones",
  async (t, server) => {
    const { name, hub } = await prepared(t, server);
    const [worker, page] = [open(t, hub.url, name), { "sec-fetch-site": "same-origin" }];
    const first = await worker.hilo("orders").next();
    assert.equal((await lease(hub, name)).Low, 9);
    await worker.release();
    const asked = await send(hub.url, "GET", `/databases/${name}/hilo/next?tag=orders`, undefined, page);
    assert.deepEqual([first, asked.json.Low, (await lease(hub, name)).Low], ["orders/1-A", 17, 2]);
  },
);

onServers("a killed hub continues where it was", async (t, server) => {
  const { name, hub, wire } = await prepared(t, server);
  assert.equal((await lease(hub, name)).Low, 1);
  await hub.again();
  assert.equal((await lease(hub, name)).Low, 9);
  assert.equal(wire.of(isLease).length, 1);
});

onServers("an idle hub returns its numbers", async (t, server) => {
  const { name, hub, wire } = await prepared(t, server, "idle: 200");
  const returned = wire.next(isReturn, { responded: true });
  assert.equal((await lease(hub, name)).Low, 1);
  await returned;
  assert.equal(await counter(server, name, "orders"), 8);
});

test("after another incarnation was reported, the hub discards all numbers", {
  skip: missing(ravendb),
}, async (t) => {
  const { name, hub } = await prepared(t, ravendb);
  for (let i = 0; i < 3; i++) await lease(hub, name);
  await remove(ravendb, name);
  await create(ravendb, name);
  const old = await lease(hub, name);
  assert.equal(old.Low, 25, "the hub does not know it yet");
  // A read through the hub's Worker reports it.
  await send(hub.url, "GET", `/databases/${name}/docs?id=none`);
  assert.equal((await lease(hub, name)).Low, 1);
  await send(hub.url, "POST", `/burn/${name}/orders`);
  assert.equal((await lease(hub, name)).Low, 4_097, "discarded by the owner: above all leased numbers");
});

onServers("after a rollback of the server the hub leases above all lent numbers", async (t, server) => {
  const { name, hub } = await prepared(t, server, "ranges: { first: 32, largest: 32 }");
  for (let i = 0; i < 3; i++) await lease(hub, name);
  await setCounter(server, name, "orders", 4);
  assert.deepEqual([(await lease(hub, name)).Low, (await lease(hub, name)).Low > 32], [25, true]);
});

const own = `source: { async lease(tag, size, above) { const low = Math.max(max, above) + 1; max = low + size - 1; return { low, high: max }; } }`;
for (const [kind, options, expected] of [
  ["document", `source: "document", nodeTag: "H1"`, [1, 9, 17]],
  [
    "classic",
    `source: { kind: "classic", capacity: 16, next: async () => (globalThis.hi = (globalThis.hi ?? 0) + 1) }, nodeTag: "H1"`,
    [1, 9, 17],
  ],
  [
    "own",
    `${own.replaceAll(/\bmax\b/g, "globalThis.max").replace("Math.globalThis.max(globalThis.max, above)", "Math.max(globalThis.max ?? 0, above)")}, nodeTag: "H1"`,
    [1, 9, 17],
  ],
]) {
  test(`numbers of the source "${kind}" are lent with the hub's node tag`, {
    skip: missing(ravendb),
  }, async (t) => {
    const { name, hub } = await prepared(t, ravendb, options);
    const grants = [await lease(hub, name), await lease(hub, name), await lease(hub, name)];
    assert.deepEqual(
      grants.map(({ Low }) => Low),
      expected,
    );
    assert.equal(grants[0].ServerTag, "H1");
    assert.equal(await open(t, hub.url, name).hilo("orders").next(), "orders/25-H1");
  });
}

test("a lastMax that the source cannot exceed fails for its client, not for later ones", {
  skip: missing(ravendb),
}, async (t) => {
  const options = `nodeTag: "H", source: { kind: "classic", capacity: 8, next: (hi => () => ++hi)(0) }`;
  const { name, hub } = await prepared(t, ravendb, options);
  assert.equal((await lease(hub, name)).Low, 1);
  assert.equal((await lease(hub, name, "tag=orders&lastMax=1000000")).Type, "RavenEdge.Hub.BadAnswer");
  for (let i = 0; i < 4; i++) assert.ok((await lease(hub, name)).Low > 8);
});

test("a hanging source is abandoned after the timeout", { timeout: 60_000 }, async (t) => {
  const hang = "new Promise(() => {})";
  const lease = `(n => (tag, size, above) => n++ ? { low: above + 1, high: above + 64 } : ${hang})(0)`;
  const source = `source: { lease: ${lease}, release: () => ${hang} }`;
  const hub = await startHub(t, "http://127.0.0.1:9", `timeout: 300.5, nodeTag: "H", ${source}`);
  const ask = () => send(hub.url, "GET", "/databases/Shop/hilo/next?tag=orders");
  const hung = await within(10_000, ask(), "the response to the caller that waits for the source");
  assert.deepEqual([hung.status, hung.json.Type], [503, "RavenEdge.Hub.Timeout"]);
  assert.equal((await ask()).json.Low, 1);
  const release = send(hub.url, "POST", "/release/Shop/orders");
  assert.equal((await within(10_000, release, "the end of a release")).status, 500);
  const more = send(hub.url, "GET", "/databases/Shop/hilo/next?tag=orders&lastMax=64");
  assert.equal((await within(10_000, more, "a lease after that")).json.Low, 65);
});

onServers("no counter is raised beyond 2^53", async (t, server) => {
  const { name, wire, hub } = await prepared(t, server);
  assert.equal((await otherLease(server, name, "orders")).Low, 1);
  for (const above of ["9007199254740991", "9223372036854775800"]) {
    const refused = await lease(hub, name, `tag=orders&lastMax=${above}`);
    assert.equal(refused.Type, "RavenEdge.Hub.Exhausted");
  }
  assert.equal(wire.of(isLease).length, 0);
  assert.equal((await otherLease(server, name, "orders")).Low, 33, "RavenDB would have wrapped around");
});

onServers("counters that are different in RavenDB have different hubs", async (t, server) => {
  const { name, hub, release } = await prepared(t, server);
  const of = (tag) => `tag=${encodeURIComponent(tag)}`;
  const lows = [];
  for (const tag of ["ΟΔΟΣ", "οδος", "οδοσ", "İ", "i\u0307", "\ua7cb", "\u0264"])
    lows.push((await lease(hub, name, of(tag))).Low);
  assert.deepEqual(lows, [1, 1, 9, 1, 1, 1, 1]);
  assert.equal((await otherLease(server, name, "οδος")).Low, 1_025);
  assert.equal((await release(encodeURIComponent("Οδοσ"))).status, 200);
  assert.equal(await counter(server, name, "ΟΔΟΣ"), 16);
});

test("a large body is streamed to the server", { timeout: 60_000 }, async (t) => {
  const server = http.createServer((request, response) => request.once("data", () => response.end("{}")));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(t, () => server.closeAllConnections() ?? server.close());
  const hub = await startHub(t, `http://127.0.0.1:${server.address().port}`);
  const sent = http.request(`${hub.url}/databases/Shop/bulk_docs`, { method: "POST" });
  after(t, () => sent.destroy());
  const response = new Promise((resolve, reject) => sent.on("response", resolve).on("error", reject));
  sent.write(" ".repeat(100_000));
  const { statusCode } = await within(10_000, response);
  assert.equal(statusCode, 200, "the hub did not wait for its end");
});

onRavenDb("a save whose response is lost behind the hub is not reported as not saved", async (t, server) => {
  const { name, wire, hub } = await prepared(t, server);
  const store = open(t, hub.url, name);
  const save = async (rule) => {
    const session = store.openSession();
    const saved = order();
    await session.store(saved);
    wire.rule = (request) => (isSave(request) ? rule : undefined);
    const error = await session.saveChanges().catch((error) => error);
    wire.rule = undefined;
    return [error?.code, (await document(server, name, saved.id)) !== undefined];
  };
  // Once the document is found, the save has succeeded.
  assert.deepEqual(await save("lose"), [undefined, true]);
  assert.deepEqual(await save("drop"), ["OutcomeUnknown", false]);
});

test("a source without node tags needs one from the hub", { skip: missing(ravendb) }, async (t) => {
  const { name, hub } = await prepared(t, ravendb, `source: "document"`);
  const refused = await send(hub.url, "GET", `/databases/${name}/hilo/next?tag=orders`);
  assert.deepEqual([refused.status, refused.json.Type], [500, "RavenEdge.Hub.BadAnswer"]);
  assert.match(refused.json.Message, /nodeTag/);
});

test("a request to a Durable Object that is shut down is repeated by the client", {
  timeout: 60_000,
}, async (t) => {
  // The platform does this with every new version of the Worker.
  const ended = `{ fetch: async () => { throw new Error("Durable Object reset because its code was updated.") } }`;
  const objects = `(n => ({ HUB }) => ({ idFromName: (name) => HUB.idFromName(name), get: (id) => n++ ? HUB.get(id) : ${ended} }))(0)`;
  const source = `nodeTag: "H", source: { lease: (tag, size, above) => ({ low: above + 1, high: above + 64 }) }`;
  const hub = await startHub(t, "http://127.0.0.1:9", `namespace: ${objects}, ${source}`);
  assert.equal(await open(t, hub.url, "Shop").hilo("orders").next(), "orders/1-H");
});

test("an invalid upstream is an error in RavenDB's format", { timeout: 60_000 }, async (t) => {
  const hub = await startHub(t, "no address");
  const { status, json } = await send(hub.url, "GET", "/databases/Shop/docs?id=none");
  assert.deepEqual([status, json?.Type], [503, "RavenEdge.Hub.Unreachable"]);
  assert.match(json.Message, /upstream: "no address" is not a URL/);
});

test("a store in the same Worker can use the hub as its fetch", { skip: missing(ravendb) }, async (t) => {
  const { name, hub, wire } = await prepared(t, ravendb);
  for (const id of ["orders/1-A", "orders/2-A"]) {
    assert.equal((await send(hub.url, "GET", `/inside/${name}/orders`)).json, id);
  }
  assert.equal(wire.of(isLease).length, 1);
});

test("invalid configurations are refused", async () => {
  const { settingsOf } = await import("../../pkg/dist/hub/hub-options.js");
  const namespace = () => {};
  for (const options of [
    {},
    { namespace, nodeTag: "a-b" },
    { namespace, idle: 0 },
    { namespace, timeout: 0 },
    { namespace, loans: { first: 0 } },
    { namespace, loans: { first: 17 } },
    { namespace, source: "nobody's" },
  ]) {
    assert.throws(() => settingsOf(options), { code: "InvalidArgument" }, JSON.stringify(options));
  }
  const { upstream } = settingsOf({ namespace, upstream: "no address" });
  assert.throws(() => upstream({}), { code: "InvalidArgument" });
});

onServers("a path that begins like an owner's command is not executed as one", async (t, server) => {
  const { name, hub } = await prepared(t, server);
  for (const prefix of ["/burn", "/release", "/raven/burn", "//burn"]) {
    const { status, json } = await send(hub.url, "GET", `${prefix}/databases/${name}/hilo/next?tag=orders`);
    assert.equal(status, 201, prefix);
    assert.ok(json.High - json.Low > 0, "an ordinary lease");
  }
  assert.equal((await lease(hub, name)).Low, 33, "nothing is discarded or returned");
  assert.equal(await counter(server, name, "orders"), 1_024);
});
