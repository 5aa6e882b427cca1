// Streams in workerd, where memory does not grow with the number of documents and requests do not block each other;
// and in Node, Deno and Bun.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { fill } from "../support/fill.mjs";
import { RUNTIMES } from "../support/runtimes.mjs";
import { database, missing, ravendb } from "../support/server.mjs";
import { within } from "../support/store.mjs";
import { resident, withDatabase } from "../support/worker-with-database.mjs";

const run = promisify(execFile);
const full = process.env.RAVEN_EDGE_FULL === "1";
const COUNT = full ? 200_000 : 80_000;
const MOST = 8 * 1024 * 1024;
/** Documents between two measurements of memory. */
const STEP = 1_000;

/** Streams the requested documents; reports after each batch how many have passed. */
const worker = `
  import { DocumentStore } from "raven-edge";
  let store;
  export default {
    async fetch(request, env, context) {
      if (!store) {
        store = new DocumentStore(env.RAVENDB_URL, env.DATABASE);
        store.conventions.disableTopologyUpdates = true;
        store.initialize();
      }
      const { searchParams } = new URL(request.url);
      const [pageSize, step] = [Number(searchParams.get("count")), Number(searchParams.get("step"))];
      const { readable, writable } = new TransformStream();
      const out = writable.getWriter();
      const write = (line) => out.write(new TextEncoder().encode(line + "\\n"));
      const run = async () => {
        try {
          let passed = 0;
          for await (const { document, id } of store.openSession().advanced.stream("orders/", { pageSize })) {
            if (!(document.freight > 0 && id === document.id)) throw new Error("not a document: " + id);
            if (++passed % step === 0) await write(passed);
            if (searchParams.has("leave") && passed === 10) break;
          }
          await write("end " + passed);
        } catch (error) {
          await write(error.code + " " + error.message);
        }
        await out.close();
      };
      context.waitUntil(run());
      return new Response(readable);
    },
  };`;

const file = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The lines of a response as they arrive. */
async function* lines(url) {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of (await fetch(url)).body) {
    const parts = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = parts.pop();
    yield* parts;
  }
}

const mean = (list) => list.reduce((sum, size) => sum + size, 0) / list.length;

test(`${COUNT} documents in workerd do not make memory grow [RavenDB]`, {
  skip: missing(ravendb),
  timeout: 120_000,
}, async (t) => {
  const name = await database(t, ravendb);
  await fill(ravendb, name, COUNT);
  // V8 must not enlarge its young generation meanwhile.
  const flags = ["--min-semi-space-size=16", "--max-semi-space-size=16"];
  const { url, pid } = await withDatabase(t, worker, name, flags);
  let [sizes, last] = [];
  // Twice: memory of a young workerd grows with anything it reads, even with a plain loop over a body.
  for (let round = 0; round < 2; round++) {
    sizes = [];
    for await (const line of lines(`${url}/?count=${COUNT}&step=${STEP}`)) {
      last = line;
      sizes.push(await resident(pid));
    }
  }
  assert.equal(last, `end ${COUNT}`);
  const half = sizes.length >> 1;
  const [first, second] = [mean(sizes.slice(0, half)), mean(sizes.slice(half))];
  t.diagnostic(`${first.toFixed()} bytes resident in the first half, ${second.toFixed()} in the second`);
  assert.ok(second - first < MOST, `${second - first} bytes more`);
});

test("many requests can stream concurrently in workerd [RavenDB]", {
  skip: missing(ravendb),
  timeout: 60_000,
}, async (t) => {
  const name = await database(t, ravendb);
  await fill(ravendb, name, 3_000);
  const { url } = await withDatabase(t, worker, name);
  const ask = async (query) => {
    let last;
    for await (const line of lines(`${url}/?count=3000&step=100000${query}`)) last = line;
    return last;
  };
  const asked = Array.from({ length: 20 }, (_, i) => ask(i % 2 ? "&leave" : ""));
  const ends = await within(50_000, Promise.all(asked));
  assert.deepEqual(
    ends,
    ends.map((_, i) => (i % 2 ? "end 10" : "end 3000")),
  );
});

for (const [runtime, [command, ...flags]] of Object.entries(RUNTIMES)) {
  test(`a stream can be read and left in ${runtime} [RavenDB]`, {
    skip: missing(ravendb),
    timeout: 60_000,
  }, async (t) => {
    const name = await database(t, ravendb);
    await fill(ravendb, name, 3_000);
    const entry = new URL("../../pkg/lib/entries/node.js", import.meta.url).href;
    const program = file("../support/streaming.mjs");
    const env = { ...process.env, NODE_OPTIONS: "", NO_COLOR: "1" };
    const { stdout } = await run(command, [...flags, program, entry, ravendb.url, name], {
      env,
      timeout: 30_000,
    });
    assert.deepEqual(JSON.parse(stdout), { all: 3_000, some: 10, first: "orders/0000000" });
  });
}
