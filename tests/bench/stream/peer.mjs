// Reads a stream with one client in its own process; prints one JSON line: CPU microseconds per document, and the
// average resident bytes in the first and second half.
// usage: node tests/bench/stream/peer.mjs CLIENT DOCUMENTS [URL DATABASE]; without URL, a `fetch` in the same
// process makes the responses.
import assert from "node:assert/strict";
import { transport } from "./transport.mjs";

const [client, documents, url = "http://127.0.0.1:1", database = "bench"] = process.argv.slice(2);
const { DocumentStore } = await import(client === "ravendb" ? "ravendb" : "../../../pkg/lib/entries/node.js");
const count = Number(documents);

/** Documents between two measurements of memory. */
const STEP = 1_000;

// No compression: otherwise the time and memory of Node's zlib would be measured, too.
const headers = () => ({ "Accept-Encoding": "identity" });

function open(count) {
  const fetch = process.argv[4] ? undefined : transport(count);
  const isPeer = client === "ravendb";
  const store = isPeer
    ? new DocumentStore(url, database)
    : new DocumentStore(url, database, { fetch, headers });
  if (isPeer && fetch) store.conventions.customFetch = fetch;
  if (isPeer) store.conventions.useHttpDecompression = false;
  store.conventions.disableTopologyUpdates = true;
  return store.initialize();
}

async function pass(count) {
  const store = open(count);
  const resident = [];
  const before = process.cpuUsage();
  let passed = 0;
  for await (const { document } of await store
    .openSession()
    .advanced.stream("orders/", { pageSize: count })) {
    assert.ok(document.freight > 0);
    if (++passed % STEP === 0) resident.push(process.memoryUsage.rss());
  }
  const { user, system } = process.cpuUsage(before);
  assert.equal(passed, count);
  await store.dispose();
  return { cpu: (user + system) / count, resident };
}

// Twice: the buffers of Node's `fetch` and zlib grow at first, even with a plain loop over a body.
await pass(count);
const { cpu, resident } = await pass(count);
const half = resident.length >> 1;
const mean = (list) => Math.round(list.reduce((sum, size) => sum + size, 0) / list.length);
const [first, second] = [mean(resident.slice(0, half)), mean(resident.slice(half))];
console.log(JSON.stringify({ cpu, first, second }));
process.exit(0);
