// What comparisons of sets cost: bytes of requests and responses, memory and time of the gateway's module. It has the place of RavenDB
// itself, so the time is that of the module alone. `node tests/bench/sets.mjs`
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { SECRET } from "../support/gateway.mjs";
import { DeviceSet } from "../support/sets.mjs";

const file = (name) => new URL(`../../pkg/gen/${name}`, import.meta.url);
const encoder = new TextEncoder();
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

async function compared(notes, device, collectionEtag) {
  const { Gateway, initSync } = await import(`${file("edge_gateway.js")}?${instances++}`);
  const { memory } = initSync({ module: readFileSync(file("edge_gateway_bg.wasm")) });
  const gateway = new Gateway(JSON.stringify(CONFIG));
  const before = memory.buffer.byteLength;
  const sent = JSON.stringify(device.body());
  const texts = notes.map(({ at, owner, etag }) => note(at, owner, etag));
  const begun = process.cpuUsage();
  const ruling = gateway.rule("POST", "https://app.example/databases/Shop/queries/named/notes/sync", []);
  ruling.judge(encoder.encode(sent));
  ruling.bind("http://ravendb", [SECRET], "ann", JSON.stringify({ name: "ann" }));
  const Result = { ResultEtag: collectionEtag, NodeTag: "A", IsStale: false, Results: [] };
  const part = { StatusCode: 200, Headers: {}, Result };
  ruling.receive(200, [], encoder.encode(JSON.stringify({ Results: [part, part] })));
  if (ruling.isComparison) {
    ruling.beginComparison([]);
    ruling.compare(encoder.encode('{"IsStale":false,"Results":['));
    for (let at = 0; at < texts.length; at += 50)
      ruling.compare(encoder.encode((at ? "," : "") + texts.slice(at, at + 50).join(",")));
    ruling.compare(encoder.encode("]}"));
    ruling.endComparison();
  }
  const { status } = JSON.parse(ruling.head());
  const body = ruling.body();
  const { user, system } = process.cpuUsage(begun);
  const text = new TextDecoder().decode(body);
  if (status !== 200) throw new Error(text);
  const differing = device.take(JSON.parse(text));
  return {
    up: sent.length,
    down: body.length,
    gzip: gzipSync(body).length,
    differing: differing.length,
    ms: (user + system) / 1_000,
    mb: (memory.buffer.byteLength - before) / 1_048_576,
  };
}

const rows = [];
const add = (name, { up, down, gzip, differing, ms, mb }) =>
  rows.push({
    case: name,
    up,
    down,
    "down, gzip": gzip,
    differ: differing,
    "CPU ms": Math.round(ms),
    "memory MB": mb.toFixed(1),
  });

const notes = database(10_000, 9_000);
const device = new DeviceSet();
add("9,000 of 10,000, nothing on the device", await compared(notes, device, 1));
add("nothing has changed", await compared(notes, device, 1));
const own = notes.filter(({ owner }) => owner === "ann");
own
  .filter((_, at) => at % 900 === 0)
  .forEach((one, at) => {
    one.etag = 20_000 + at;
  });
add("10 have changed", await compared(notes, device, 2));
own.forEach((one, at) => {
  one.etag = 30_000 + at;
});
add("all have changed", await compared(notes, device, 3));
for (const one of own) one.owner = "bob";
add("all are revoked", await compared(notes, device, 4));
const few = new DeviceSet();
const many = database(100_000, 100);
add("100 of 100,000, nothing on the device", await compared(many, few, 1));
many.find(({ owner }) => owner === "ann").etag = 200_000;
add("1 of these has changed", await compared(many, few, 2));
console.table(rows);
