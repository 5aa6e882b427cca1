// Inserts documents with one client in its own process; prints one JSON line: CPU microseconds per document, and by how many bytes
// resident memory grows beyond what the first tenth has taken.
// usage: node tests/bench/bulk-insert/peer.mjs CLIENT KIND DOCUMENTS [URL DATABASE]; without a server, one in the same process
// takes the bytes and forgets them.
import assert from "node:assert/strict";
import { kindOf } from "../session/kinds.mjs";
import { transport } from "./transport.mjs";

const [client, name, documents, url, database = "bench"] = process.argv.slice(2);
const isPeer = client === "ravendb";
const { DocumentStore } = await import(isPeer ? "ravendb" : "../../../pkg/dist/entries/node.js");
const kind = kindOf(name);
const count = Number(documents);

/** Documents between two measurements of memory. */
const STEP = 1_000;

const { fetch, received } = transport();
const store = new DocumentStore(url ?? "http://127.0.0.1:1", database);
if (!url) store.conventions.customFetch = fetch;
if (kind.type) store.conventions.registerEntityType(kind.type, "Order");
store.conventions.findCollectionNameForObjectLiteral = () => "Orders";
store.initialize();

const resident = [];
const before = process.cpuUsage();
const bulk = store.bulkInsert();
for (let i = 0; i < count; i++) {
  await bulk.store(kind.entity(i));
  if (i % STEP === 0) resident.push(process.memoryUsage.rss());
}
await bulk.finish();
const { user, system } = process.cpuUsage(before);
if (!url) assert.equal(received.documents, count);
const settled = Math.max(...resident.slice(0, resident.length / 10));
const growth = Math.max(0, Math.max(...resident) - settled);
console.log(JSON.stringify({ cpu: (user + system) / count, growth }));
process.exit(0);
