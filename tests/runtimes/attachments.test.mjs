// Attachments in workerd: a body goes through the Worker to RavenDB and back, piece by piece.
import assert from "node:assert/strict";
import { test } from "node:test";
import { database, missing, ravendb } from "../support/server.mjs";
import { resident, withDatabase } from "../support/worker-with-database.mjs";

const full = process.env.RAVEN_EDGE_FULL === "1";
const SIZE = (full ? 200 : 48) << 20;
const MOST = 16 << 20;
/** Bytes between two measurements. */
const STEP = (full ? 8 : 1) << 20;

const worker = `
  import { DocumentStore, PutAttachmentOperation } from "raven-edge";
  export default {
    async fetch(request, env) {
      // Measured is what the Worker holds: garbage is collected before.
      if (request.url.endsWith("/gc")) return new Response(String(globalThis.gc()));
      const store = new DocumentStore(env.RAVENDB_URL, env.DATABASE);
      store.conventions.disableTopologyUpdates = true;
      store.initialize();
      const session = store.openSession();
      const { attachments } = session.advanced;
      try {
        if (request.method === "POST") {
          const counters = session.countersFor("files/1");
          counters.increment("trips", 2);
          counters.increment("none");
          counters.delete("old");
          await session.saveChanges();
          const reading = store.openSession();
          await reading.load("files/1", { includes: (include) => include.includeAllCounters() });
          const all = await reading.countersFor("files/1").getAll();
          return Response.json([await counters.get("trips"), all, reading.advanced.numberOfRequests]);
        }
        if (request.method === "DELETE") {
          const pieces = [new Uint8Array(65_536), new Uint8Array(65_536)];
          const torn = new ReadableStream({
            pull: (controller) => (pieces[0] ? controller.enqueue(pieces.pop()) : controller.error(new Error("torn"))),
          });
          await store.operations.send(new PutAttachmentOperation("files/1", "torn", torn));
          return new Response("stored");
        }
        if (request.method === "PUT") {
          const file = { "@metadata": { "@collection": "Files" } };
          await session.store(file, "files/1");
          attachments.store(file, "a", request.body, "application/x-test");
          await session.saveChanges();
          return Response.json(attachments.getNames(file));
        }
        if (request.method === "PATCH") {
          const bulk = store.bulkInsert({ useCompression: true });
          for (let n = 0; n < 2_000; n++)
            await bulk.store({ n, text: "x".repeat(100), "@metadata": { "@collection": "Orders" } });
          await bulk.finish();
          return Response.json(await bulk.store({}, "late").catch(({ code }) => code));
        }
        const found = await attachments.get("files/1", new URL(request.url).pathname.slice(1));
        if (!found) return new Response("none", { status: 404 });
        return new Response(found.data, { headers: { "Content-Type": found.details.contentType } });
      } catch (error) {
        return Response.json({ code: error.code, message: error.message }, { status: 500 });
      } finally {
        await store.dispose();
      }
    },
  };`;

/** Sends zeros through the Worker and reads them again; returns the most memory of its process meanwhile. */
async function trip({ url, pid }, bytes) {
  let most = 0;
  const measure = async () => {
    if (full) await (await fetch(`${url}/gc`)).text();
    most = Math.max(most, await resident(pid));
  };
  let left = bytes;
  const body = new ReadableStream(
    {
      async pull(controller) {
        if (left <= 0) return controller.close();
        if (left % STEP === 0) await measure();
        controller.enqueue(new Uint8Array(Math.min(left, 1 << 16)));
        left -= 1 << 16;
      },
    },
    { highWaterMark: 0 },
  );
  const options = { method: "PUT", body, duplex: "half", redirect: "error", window: null };
  const saved = await fetch(url, options);
  const text = await saved.text();
  assert.equal(saved.status, 200, text);
  const [{ name, size, contentType }] = JSON.parse(text);
  assert.deepEqual([name, size, contentType], ["a", bytes, "application/x-test"]);
  const response = await fetch(`${url}/a`);
  assert.equal(response.headers.get("Content-Type"), "application/x-test");
  let read = 0;
  for await (const piece of response.body) {
    if (Math.floor(read / STEP) !== Math.floor((read + piece.length) / STEP)) await measure();
    read += piece.length;
  }
  assert.equal(read, bytes);
  return most;
}

/** The young generation has its final size from the start: else V8 enlarges it, in some trips by 14 MB, whoever passes the bytes on. */
const FLAGS = ["--expose-gc", "--min-semi-space-size=16", "--max-semi-space-size=16"];

/** By how much more memory a trip takes than the one before, which brings the process to its working size. */
async function growth(started) {
  const before = await trip(started, SIZE);
  return (await trip(started, SIZE)) - before;
}

test(`a body of ${SIZE >> 20} MB goes through workerd into an attachment and back [RavenDB]`, {
  skip: missing(ravendb),
  timeout: 120_000,
}, async (t) => {
  const name = await database(t, ravendb);
  const started = await withDatabase(t, worker, name, FLAGS);
  const grown = await growth(started);
  t.diagnostic(`${grown} bytes more than for the trip before`);
  assert.ok(grown < MOST, `${grown} bytes more`);
  assert.equal((await fetch(`${started.url}/none`)).status, 404);
  const inserted = await fetch(started.url, { method: "PATCH" });
  assert.equal(await inserted.json(), "InvalidOperation");
  const stats = await fetch(`${ravendb.url}/databases/${name}/collections/stats`);
  assert.equal((await stats.json()).Collections.Orders, 2_000, "a bulk insert, with the same Worker");
  const counted = await (await fetch(started.url, { method: "POST" })).json();
  assert.deepEqual(counted, [2, { none: 1, trips: 2 }, 1], "counters, with the same Worker");
  // workerd ends the body of a request whose stream fails as if it were whole.
  const torn = await (await fetch(started.url, { method: "DELETE" })).json();
  assert.deepEqual([torn.code, /torn/.test(torn.message)], ["InvalidOperation", true], torn.message);
  assert.equal((await fetch(`${started.url}/torn`)).status, 404, "nothing of a torn upload is stored");
});
