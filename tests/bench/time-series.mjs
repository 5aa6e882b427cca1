// Reads a time series of 100,000 entries with one client in its own process; prints one JSON line: CPU milliseconds of the first `get`,
// and the least of later ones.
// usage: node tests/bench/time-series.mjs CLIENT [URL DATABASE ID]; without a server, the response is made in the same process.
import assert from "node:assert/strict";

const [client, url = "http://127.0.0.1:1", database = "bench", id = "employees/1-A"] = process.argv.slice(2);
const isPeer = client === "ravendb";
const { DocumentStore } = await import(isPeer ? "ravendb" : "../../pkg/lib/entries/node.js");

const COUNT = 100_000;
const ROUNDS = 8;

/** The entries of one beat per second, as RavenDB sends them, in the chunks of a network. */
function chunks() {
  const entry = (second) => {
    const time = new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString().slice(0, -1);
    const tag = second % 3 ? '"watches/fitbit"' : "null";
    return `{"Timestamp":"${time}0000Z","Tag":${tag},"Values":[${60 + (second % 90)},${second / 8}],"IsRollup":false}`;
  };
  const entries = Array.from({ length: COUNT }, (_, second) => entry(second)).join(",");
  const body = Buffer.from(`{"From":null,"To":null,"Entries":[${entries}],"TotalResults":${COUNT}}`);
  const size = 65_536;
  return Array.from({ length: Math.ceil(body.length / size) }, (_, at) =>
    body.subarray(at * size, (at + 1) * size),
  );
}

const parts = chunks();
const fetch = async () => {
  const body = new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(new Uint8Array(part));
      controller.close();
    },
  });
  return new Response(body, { headers: { "Content-Type": "application/json" } });
};

// The work of Node's zlib belongs to the transport.
const options = { headers: () => ({ "Accept-Encoding": "identity" }), ...(process.argv[3] ? {} : { fetch }) };
const store = isPeer ? new DocumentStore(url, database) : new DocumentStore(url, database, options);
if (isPeer && !process.argv[3]) store.conventions.customFetch = fetch;
if (isPeer) store.conventions.useHttpDecompression = false;
store.conventions.disableTopologyUpdates = true;
store.initialize();

const times = [];
for (let round = 0; round < ROUNDS; round++) {
  const session = store.openSession();
  const before = process.cpuUsage();
  const entries = await session.timeSeriesFor(id, "HeartRate").get();
  const { user, system } = process.cpuUsage(before);
  assert.equal(entries.length, COUNT);
  assert.ok(entries[COUNT - 1].timestamp instanceof Date && entries[7].values.length > 0);
  times.push((user + system) / 1_000);
}
await store.dispose();
const [first, ...later] = times;
console.log(JSON.stringify({ first, later: Math.min(...later) }));
process.exit(0);
