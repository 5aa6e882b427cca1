// Streams, ETags, counts and limits of named queries: the Worker in workerd before the real RavenDB.
import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { test } from "node:test";
import { bulk, note, served } from "../support/callers.mjs";
import { after } from "../support/cleanup.mjs";
import { onRavenDb } from "../support/server.mjs";

onRavenDb("a stream gives a caller all its documents, and nothing of others", async (t, server) => {
  const { stream, base, wire } = await served(t, server);
  const notes = Array.from({ length: 400 }, (_, at) => {
    const owner = at % 3 === 0 ? "ann" : "bob";
    return [`notes/${at}`, note(owner, { at, status: "open", text: `of ${owner} `.repeat(50) })];
  });
  await bulk(server, base, Object.fromEntries(notes));
  const { status, text, body } = await stream("ann", "allNotes");
  assert.equal(status, 200, text);
  assert.deepEqual(Object.keys(body), ["IsStale", "TotalResults", "Results"]);
  assert.deepEqual([body.IsStale, body.TotalResults], [false, 400]);
  assert.equal(body.Results.length, 134);
  assert.ok(!text.includes("bob"));
  const projected = await stream("ann", "openNotes", { Parameters: { status: "open", from: 390 } });
  assert.deepEqual(
    projected.body.Results.map(({ at, text: of }) => [at, of]),
    [390, 393, 396, 399].map((at) => [at, undefined]),
  );
  const sent = wire.requests.filter(({ path }) => path.includes("streams/"));
  assert.deepEqual(
    sent.map(({ body: of }) => Object.keys(JSON.parse(of))),
    [
      ["Query", "QueryParameters"],
      ["Query", "QueryParameters", "WaitForNonStaleResults", "WaitForNonStaleResultsTimeout"],
    ],
  );
});

onRavenDb("streams that the configuration does not permit are refused", async (t, server) => {
  const { stream, wire } = await served(t, server);
  for (const [name, query, body, status, type] of [
    [undefined, "allNotes", {}, 401, "Unauthorized"],
    ["ann", "secrets", {}, 403, "RouteRefused"],
    ["ann", "notes", {}, 403, "RouteRefused"],
    ["ann", "allNotes", { PageSize: 5 }, 400, "RequestMalformed"],
    ["ann", "openNotes", {}, 400, "RequestMalformed"],
  ]) {
    const refused = await stream(name, query, body);
    assert.deepEqual(
      [refused.status, refused.body.Type],
      [status, `RavenEdge.Gateway.${type}`],
      refused.text,
    );
  }
  assert.ok(wire.requests.every(({ path }) => !path.includes("queries")));
});

onRavenDb("an ETag is good for its caller alone, and 304 comes after authorize", async (t, server) => {
  const { ask, base } = await served(t, server);
  await bulk(server, base, { "notes/1": note("ann", { at: 1 }), "notes/2": note("bob", { at: 2 }) });
  const first = await ask("ann", "allNotes");
  const again = await ask("ann", "allNotes", {}, { "if-none-match": first.etag });
  assert.deepEqual([again.status, again.text, again.etag], [304, "", first.etag]);
  const bobs = await ask("bob", "allNotes", {}, { "if-none-match": first.etag });
  assert.equal(bobs.status, 200);
  assert.notEqual(bobs.etag, first.etag);
  assert.equal((await ask(undefined, "allNotes", {}, { "if-none-match": first.etag })).status, 401);
  await bulk(server, base, { "notes/1": note("ann", { at: 5 }) });
  assert.equal((await ask("ann", "allNotes", {}, { "if-none-match": first.etag })).status, 200);
});

onRavenDb("a query that tells its total can be counted", async (t, server) => {
  const { ask, base } = await served(t, server);
  await bulk(server, base, { "notes/1": note("ann"), "notes/2": note("bob") });
  const { body } = await ask("ann", "allNotes", { PageSize: 0 });
  assert.deepEqual([body.Results, body.TotalResults, body.Collections], [[], 2, ["Notes"]]);
  assert.equal((await ask("ann", "notes", { PageSize: 0 })).status, 413);
});

/** RavenDB as `respond` plays it. */
async function scripted(t, respond) {
  const server = http.createServer(async (request, response) => {
    for await (const _ of request);
    respond(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(t, () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { name: "scripted", url: `http://127.0.0.1:${server.address().port}` };
}

/** Straight before the server: the recording proxy would read responses to their end. */
const limited = (t, server, limits, more = {}) =>
  served(t, server, { options: { database: "Shop", upstream: server.url, limits }, ...more });

test("a response above its limit is not read to its end", { timeout: 30_000 }, async (t) => {
  let sent = 0;
  const server = await scripted(t, (_request, response) => {
    const more = () => {
      while (!response.destroyed && sent < 200 << 20) {
        sent += 1 << 16;
        if (!response.write(Buffer.alloc(1 << 16, 32))) return;
      }
      response.end();
    };
    response.on("drain", more);
    more();
  });
  const { ask } = await limited(t, server, { response: 1 << 20 });
  const { status, body } = await ask("ann", "allNotes");
  assert.deepEqual([status, body.Type], [413, "RavenEdge.Gateway.LimitExceeded"]);
  assert.ok(sent < 50 << 20, `${sent >> 20} MiB`);
});

test("a stream that breaks off, stalls or has a huge document is cut", { timeout: 30_000 }, async (t) => {
  const document = JSON.stringify(note("ann", { "@metadata": { "@collection": "Notes", "@id": "notes/1" } }));
  const begun = `{"IsStale":false,"TotalResults":9,"Results":[${document}`;
  const endings = {
    breaks: (response) => response.write(begun, () => response.destroy()),
    ends: (response) => response.end(begun),
    fails: (response) => response.end(`${begun}],"Error":"at Raven"}`),
    stalls: (response) => response.write(begun),
    grows: (response) => response.end(`${begun},{"a":"${"x".repeat(100_000)}"}]}`),
  };
  let ending;
  const server = await scripted(t, (_request, response) => endings[ending](response));
  const { url, base } = await limited(t, server, { response: 65_536, upstreamMs: 3_000 });
  for (ending of Object.keys(endings)) {
    const path = `${url}/databases/${base}/streams/queries/named/allNotes`;
    const asked = fetch(path, { method: "POST", headers: { "x-user": "ann" }, body: "{}" });
    // The connection may end before the first piece was sent.
    const text = await asked.then((response) => response.text()).catch(() => "");
    assert.throws(() => JSON.parse(text), ending);
    assert.ok(!text.includes("Raven") && !text.includes("xxx"), ending);
  }
});

test("a stream that RavenDB refuses is an error with its type; the log has the reason", {
  timeout: 30_000,
}, async (t) => {
  const server = await scripted(t, (_request, response) =>
    response.writeHead(500).end('{"Type":"System.TimeoutException","Message":"at Raven"}'),
  );
  let more;
  const logged = new Promise((resolve) => {
    const read = (text) => String(text).includes("RavenDB responded 500: at Raven") && resolve();
    more = { handleRuntimeStdio: (_, stderr) => stderr.on("data", read) };
  });
  const { stream } = await limited(t, server, {}, { more });
  const { status, body, text } = await stream("ann", "allNotes");
  assert.deepEqual([status, body.Type], [500, "System.TimeoutException"]);
  assert.ok(!text.includes("at Raven"));
  await logged;
});

onRavenDb("each name has its own rate limit for each caller", async (t, server) => {
  const functions = `rateLimit: {
    queries: { allNotes: () => limiter },
    patches: { give: () => limiter },
  }`;
  const global = `const counts = new Map();
    const limiter = { async limit({ key }) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return { success: counts.get(key) <= 2 };
    } };`;
  const { ask, stream, write, base } = await served(t, server, { functions, global });
  await bulk(server, base, { "notes/1": note("ann") });
  const statuses = [];
  for (const send of [
    () => ask("ann", "allNotes"),
    () => stream("ann", "allNotes"),
    () => ask("ann", "allNotes"),
    () => ask("bob", "allNotes"),
    () => ask("ann", "notes"),
    () => write("ann", { Type: "PATCH", Id: "notes/1", Named: "give", Parameters: { to: "ann" } }),
  ])
    statuses.push((await send()).status);
  assert.deepEqual(statuses, [200, 200, 429, 200, 200, 201]);
});
