// Inserts documents with one client in its own process; prints one JSON line: CPU microseconds per document, and by how many bytes
// resident memory grows beyond what the first tenth has taken.
// usage: node tests/bench/bulk-insert/peer.mjs CLIENT KIND DOCUMENTS [URL DATABASE]; CLIENT: raven-edge, ravendb, or by-hand, which
// calls `JSON.stringify` and `fetch` and is the lower bound. Without a server, one in another process takes the bytes.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { kindOf } from "../session/kinds.mjs";

const [client, name, documents, given, database = "bench"] = process.argv.slice(2);
const kind = kindOf(name);
const count = Number(documents);

/** Documents between two measurements of memory. */
const STEP = 1_000;

/** What apps call, over one `fetch`. */
async function byHand(url) {
  const encoder = new TextEncoder();
  let controller;
  let pulled = () => {};
  const body = new ReadableStream({
    start(made) {
      controller = made;
    },
    pull: () => pulled(),
  });
  const operation = await (await fetch(`${url}/databases/${database}/operations/next-operation-id`)).json();
  const target = `${url}/databases/${database}/bulk_insert?id=${operation.Id}`;
  const sending = fetch(target, { method: "POST", body, duplex: "half", redirect: "error", window: null });
  let text = "[";
  let at = 0;
  return {
    async store(entity) {
      if (text !== "[") text += ",";
      const document = JSON.stringify(entity).slice(0, -1);
      text += `{"Id":"orders/${++at}-A","Type":"PUT","Document":${document},"@metadata":{"@collection":"Orders"}}}`;
      if (text.length < 1 << 16) return;
      while (controller.desiredSize <= 0)
        await new Promise((resolve) => {
          pulled = resolve;
        });
      controller.enqueue(encoder.encode(text));
      text = "";
    },
    async finish() {
      controller.enqueue(encoder.encode(`${text}]`));
      controller.close();
      await (await sending).text();
    },
  };
}

async function open(url) {
  const { DocumentStore } = await import(
    client === "ravendb" ? "ravendb" : "../../../pkg/lib/entries/node.js"
  );
  const store = new DocumentStore(url, database);
  if (kind.type) store.conventions.registerEntityType(kind.type, "Order");
  store.conventions.findCollectionNameForObjectLiteral = () => "Orders";
  return store.initialize().bulkInsert();
}

const sink = given ? undefined : fork(fileURLToPath(new URL("./sink.mjs", import.meta.url)));
const url = given ?? (await once(sink, "message"))[0];
// Node loads its `fetch` on first use, which is not a cost of the clients.
await (await fetch(`${url}/build/version`)).text();
const bulk = await (client === "by-hand" ? byHand(url) : open(url));
const resident = [];
const before = process.cpuUsage();
for (let i = 0; i < count; i++) {
  await bulk.store(kind.entity(i));
  if (i % STEP === 0) resident.push(process.memoryUsage.rss());
}
await bulk.finish();
const { user, system } = process.cpuUsage(before);
const settled = Math.max(...resident.slice(0, Math.ceil(resident.length / 10)));
const growth = Math.max(0, Math.max(...resident) - settled);
console.log(JSON.stringify({ cpu: (user + system) / count, growth }));
sink?.disconnect();
process.exit(0);
