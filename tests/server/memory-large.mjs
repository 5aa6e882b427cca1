// usage: node memory-large.mjs COUNT BYTES. Saves and loads this many documents of this size, with a server in the
// same process. Prints one JSON line: the growth of wasm memory and of the process, and the size of the body, in
// bytes.
import { DocumentStore } from "../../pkg/lib/entries/node.js";

const [count, bytes] = process.argv.slice(2).map(Number);
const PAGE = 65_536;
const CAP = (32 * 1024 * 1024) / PAGE;

const { Instance } = WebAssembly;
let memory;
WebAssembly.Instance = class extends Instance {
  constructor(module, imports) {
    super(module, imports);
    // The module declares no maximum, and an instance cannot be given one: the final size is compared with the limit.
    memory = Object.values(this.exports).find((value) => value instanceof WebAssembly.Memory);
  }
};

const text = (i) => String(i % 10).repeat(bytes);
const stored = (i) => ({
  text: text(i),
  "@metadata": {
    "@id": `orders/${i}`,
    "@collection": "Orders",
    "@change-vector": `A:${i}-x`,
    "@last-modified": "2026-11-20T10:00:00.0000000Z",
  },
});
let body = 0;
const fetch = async (url, init) => {
  if (url.includes("bulk_docs")) {
    body = init.body.length;
    const Results = Array.from({ length: count }, (_, i) => ({ Type: "PUT", ...stored(i)["@metadata"] }));
    return Response.json({ Results }, { status: 201 });
  }
  if (!url.includes("/docs?")) return Response.json({});
  const Results = Array.from({ length: count }, (_, i) => stored(i));
  return Response.json({ Results, Includes: {} });
};

const store = new DocumentStore("http://127.0.0.1:1", "Shop", { fetch }).initialize();
await store.ready();
const wasm = memory.buffer.byteLength;
const entities = Array.from({ length: count }, (_, i) => ({
  text: text(i),
  "@metadata": { "@collection": "Orders" },
}));
const resident = process.memoryUsage().rss;
const session = store.openSession();
for (const [i, entity] of entities.entries()) await session.store(entity, `orders/${i}`);
await session.saveChanges();
const saved = process.resourceUsage().maxRSS * 1_024 - resident;
const loaded = await store.openSession().load(entities.map((_, i) => `orders/${i}`));
if (loaded["orders/0"].text.length !== bytes) throw new Error("not loaded");
const capped = memory.buffer.byteLength / PAGE <= CAP;
console.log(JSON.stringify({ wasm: memory.buffer.byteLength - wasm, saved, body, capped }));
process.exit(0);
