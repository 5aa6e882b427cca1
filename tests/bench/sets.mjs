// What sets cost: requests, bytes of requests and responses, memory and CPU of the gateway's module. It has the places of RavenDB and the
// device itself, so the CPU is that of the module alone. It fails where a set may not cost that much. `node tests/bench/sets.mjs`
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { SECRET } from "../support/gateway.mjs";
import { DeviceSet } from "../support/sets.mjs";

const file = (name) => new URL(`../../pkg/gen/${name}`, import.meta.url);
const encoder = new TextEncoder();
const MEGABYTE = 1 << 20;
/** The most memory of the module, in megabytes. */
const MEMORY = 24;
/** Documents of one request, as in `set-run.ts`; of a piece of RavenDB's stream. */
const BATCH = 250;
const PIECE = 50;
const DATABASE = "XtzOqEmRUEK42+g0zhgOgw";

const CONFIG = {
  database: "Shop",
  claims: ["name"],
  collections: { Notes: { allow: "read", rows: { owner: "$name" } } },
  queries: { notes: { query: "from Notes where owner = $name", set: true } },
};

/** A document of about 300 bytes. */
const note = (at, owner, etag) =>
  JSON.stringify({
    owner,
    text: `${at} ${"lorem ipsum dolor sit amet ".repeat(4)}`,
    lines: [at, at + 1, at + 2],
    "@metadata": {
      "@collection": "Notes",
      "@change-vector": `A:${etag}-${DATABASE}`,
      "@id": `notes/${at}-A`,
      "@last-modified": "2026-11-28T10:00:00.0000000Z",
    },
  });

/** RavenDB's documents: `visible` of `count` are the caller's. */
function database(count, visible) {
  const isOwn = (at) => Math.floor(((at + 1) * visible) / count) > Math.floor((at * visible) / count);
  return Array.from({ length: count }, (_, at) => ({ at, owner: isOwn(at) ? "ann" : "bob", etag: at + 1 }));
}

let instances = 0;

/** A Worker that has just started, with what its caller has exchanged with it. */
async function started() {
  const { Gateway, initSync } = await import(`${file("edge_gateway.js")}?${instances++}`);
  const { memory } = initSync({ module: readFileSync(file("edge_gateway_bg.wasm")) });
  const gateway = new Gateway(JSON.stringify(CONFIG));
  const before = memory.buffer.byteLength;
  const cost = { requests: 0, inner: 0, up: 0, down: 0, gzip: 0, ms: 0, mb: 0 };
  /** One request: `respond` gives RavenDB's responses to the ruling, and returns the pieces of a stream. */
  const request = (path, body, respond) => {
    const sent = encoder.encode(JSON.stringify(body));
    const begun = process.cpuUsage();
    const ruling = gateway.rule("POST", `https://app.example/databases/Shop/${path}`, []);
    ruling.judge(sent);
    ruling.bind("http://ravendb", [SECRET], "ann", JSON.stringify({ name: "ann" }));
    const streamed = respond(ruling);
    const status = streamed ? 200 : JSON.parse(ruling.head()).status;
    const received = streamed ? Buffer.concat(streamed) : ruling.body();
    const { user, system } = process.cpuUsage(begun);
    const text = new TextDecoder().decode(received);
    if (status !== 200) throw new Error(text);
    cost.requests++;
    cost.up += sent.length;
    cost.down += received.length;
    cost.gzip += gzipSync(received).length;
    cost.ms += (user + system) / 1_000;
    cost.mb = (memory.buffer.byteLength - before) / MEGABYTE;
    return JSON.parse(text);
  };
  return { cost, request };
}

/** RavenDB's stream of results, in pieces. */
function streamOf(notes) {
  const texts = notes.map(({ at, owner, etag }) => note(at, owner, etag));
  const pieces = ['{"IsStale":false,"Results":['];
  for (let at = 0; at < texts.length; at += PIECE)
    pieces.push((at ? "," : "") + texts.slice(at, at + PIECE).join(","));
  return [...pieces, "]}"].map((piece) => encoder.encode(piece));
}

/** Brings the device up to date, as a run does; `isFirst`: with a response that has everything. */
async function synced(notes, device, collectionEtag, isFirst = false) {
  const { cost, request } = await started();
  const stream = streamOf(notes);
  if (isFirst) {
    const { Results } = request("streams/queries/named/notes", { User: "ann" }, (ruling) => {
      cost.inner++;
      ruling.beginStream([]);
      return [...stream.map((piece) => ruling.piece(piece)), encoder.encode(ruling.end())];
    });
    for (const { "@metadata": meta } of Results) device.versions.set(meta["@id"], meta["@change-vector"]);
  }
  const response = request("queries/named/notes/sync", { User: "ann", ...device.body() }, (ruling) => {
    cost.inner++;
    const Result = { ResultEtag: collectionEtag, NodeTag: "A", IsStale: false, Results: [] };
    const part = { StatusCode: 200, Headers: {}, Result };
    ruling.receive(200, [], encoder.encode(JSON.stringify({ Results: [part, part] })));
    if (!ruling.isComparison) return;
    cost.inner++;
    ruling.beginComparison([]);
    for (const piece of stream) ruling.compare(piece);
    ruling.endComparison();
  });
  const differing = device.take(response);
  const all = new Map(notes.map((each) => [`notes/${each.at}-A`, each]));
  for (let from = 0; from < differing.length; from += BATCH) {
    const Ids = differing.slice(from, from + BATCH);
    const texts = Ids.map((id) => all.get(id)).map(({ at, owner, etag }) => note(at, owner, etag));
    const body = encoder.encode(`{"Results":[${texts.join(",")}],"Includes":{}}`);
    request("docs", { Ids, User: "ann" }, (ruling) => {
      cost.inner++;
      ruling.receive(200, [], body);
    });
  }
  return { ...cost, differing: differing.length };
}

const rows = [];
function add(name, { requests, inner, up, down, gzip, differing, ms, mb }, limits = {}) {
  rows.push({
    case: name,
    requests,
    "of the gateway": inner,
    up,
    down,
    "down, gzip": gzip,
    differ: differing,
    "CPU ms": Math.round(ms),
    "memory MB": mb.toFixed(1),
  });
  for (const [of, limit] of Object.entries({ mb: MEMORY, ...limits })) {
    const found = { requests, up, gzip, mb }[of];
    assert.ok(found <= limit, `${name}: ${of} is ${found}`);
  }
}

const notes = database(10_000, 9_000);
const device = new DeviceSet();
const first = await synced(notes, device, 1, true);
const own = notes.filter(({ owner }) => owner === "ann");
const documents = gzipSync(
  JSON.stringify(own.map(({ at, owner, etag }) => JSON.parse(note(at, owner, etag)))),
);
add("9,000 of 10,000, first load", first, { gzip: 1.1 * documents.length });
add("nothing has changed", await synced(notes, device, 1), { requests: 1, gzip: 1_024 });
own
  .filter((_, at) => at % 900 === 0)
  .forEach((one, at) => {
    one.etag = 20_000 + at;
  });
add("10 have changed", await synced(notes, device, 2), { requests: 3, up: 4_096, gzip: 4_096 });
notes.forEach((one, at) => {
  one.etag = 30_000 + at;
});
add("all have changed", await synced(notes, device, 3));
for (const one of own) one.owner = "bob";
add("all are revoked", await synced(notes, device, 4));
const few = new DeviceSet();
const many = database(100_000, 100);
add("100 of 100,000, first load", await synced(many, few, 1, true));
add("nothing has changed", await synced(many, few, 1), { requests: 1, gzip: 1_024 });
many.find(({ owner }) => owner === "ann").etag = 200_000;
add("1 of these has changed", await synced(many, few, 2));
console.table(rows);
console.log(
  `gzip of the 9,000 documents: ${documents.length}; first load: ${(first.gzip / documents.length).toFixed(2)} of it`,
);
