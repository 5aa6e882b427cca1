// WebAssembly memory never shrinks, so what a large response needs once stays with the isolate. Measured on the module itself.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { SECRET } from "../support/gateway.mjs";
import { DeviceSet } from "../support/sets.mjs";

const file = (name) => new URL(`../../pkg/gen/${name}`, import.meta.url);
const encoder = new TextEncoder();

const CONFIG = {
  database: "Shop",
  claims: ["name"],
  collections: { Notes: { allow: "read", rows: { owner: "$name" } } },
  queries: { notes: { query: "from Notes where owner = $name", page: { max: 100 }, set: true } },
};

/** An instance of its own, and a decision of the caller "ann" about a request whose response is open. */
async function begun(name, method, path, body = "") {
  const { Gateway, initSync } = await import(`${file("edge_gateway.js")}?${name}`);
  const { memory } = initSync({ module: readFileSync(file("edge_gateway_bg.wasm")) });
  const gateway = new Gateway(JSON.stringify(CONFIG));
  const ruling = gateway.rule(method, `https://app.example/databases/Shop/${path}`, []);
  ruling.judge(encoder.encode(body));
  assert.ok(ruling.bind("http://ravendb", [SECRET], "ann", JSON.stringify({ name: "ann" })));
  const before = memory.buffer.byteLength;
  return { ruling, grown: () => memory.buffer.byteLength - before };
}

const note = (at, bytes) =>
  JSON.stringify({
    owner: at % 2 ? "ann" : "bob",
    text: "x".repeat(bytes),
    "@metadata": { "@id": `notes/${at}-A`, "@collection": "Notes", "@change-vector": "A:1-x" },
  });

const results = (count, bytes) => Array.from({ length: count }, (_, at) => note(2 * at + 1, bytes)).join(",");

for (const [name, method, path, more] of [
  ["a listing", "GET", "docs?startsWith=notes%2F&pageSize=100", ""],
  [
    "a page of a query",
    "POST",
    "queries/named/notes",
    '"SkippedResults":0,"TotalResults":100,"IsStale":false,',
  ],
]) {
  test(`${name} of 100 documents of 100 KB takes at most three times its bytes`, async () => {
    const { ruling, grown } = await begun(name, method, path, method === "POST" ? '{"PageSize":100}' : "");
    const body = encoder.encode(`{${more}"Results":[${results(100, 100_000)}]}`);
    assert.equal(ruling.receive(200, [], body), undefined);
    assert.equal(JSON.parse(ruling.head()).status, 200);
    const shown = ruling.body();
    assert.ok(shown.length > 100 * 100_000, `${shown.length}`);
    const times = grown() / body.length;
    assert.ok(times <= 3, `${times.toFixed(2)} times`);
  });
}

test("a stream takes the memory of a few documents, however long it is", async () => {
  const { ruling, grown } = await begun("stream", "POST", "streams/queries/named/notes", "{}");
  ruling.beginStream([]);
  let shown = ruling.piece(encoder.encode('{"IsStale":false,"Results":[')).length;
  for (let at = 0; at < 400; at++) {
    const documents = Array.from({ length: 10 }, (_, of) => note(at * 10 + of, 10_000)).join(",");
    shown += ruling.piece(encoder.encode(`${at ? "," : ""}${documents}`)).length;
  }
  shown += ruling.piece(encoder.encode("]}")).length + ruling.end().length;
  assert.ok(shown > 2_000 * 10_000, `${shown}`);
  assert.ok(grown() < 2 << 20, `${grown()} bytes`);
});

test("a comparison keeps some bytes of each visible document, and nothing of the others", async () => {
  const { ruling, grown } = await begun(
    "set",
    "POST",
    "queries/named/notes/sync",
    JSON.stringify(new DeviceSet().body()),
  );
  const part = {
    StatusCode: 200,
    Headers: {},
    Result: { ResultEtag: 1, NodeTag: "A", IsStale: false, Results: [] },
  };
  assert.ok(ruling.receive(200, [], encoder.encode(JSON.stringify({ Results: [part, part] }))));
  assert.ok(ruling.isComparison);
  ruling.beginComparison([]);
  assert.ok(ruling.compare(encoder.encode('{"IsStale":false,"Results":[')));
  // Every second one is visible.
  for (let at = 0; at < 20_000; at += 20) {
    const documents = Array.from({ length: 20 }, (_, of) => note(at + of, 1_000)).join(",");
    assert.ok(ruling.compare(encoder.encode(`${at ? "," : ""}${documents}`)));
  }
  assert.ok(ruling.compare(encoder.encode("]}")));
  assert.ok(ruling.endComparison());
  const { status } = JSON.parse(ruling.head());
  const shown = JSON.parse(new TextDecoder().decode(ruling.body()));
  assert.deepEqual(
    [status, shown.Differing.reduce((sum, { length }) => sum + (length - 1) / 2, 0)],
    [200, 10_000],
  );
  assert.ok(grown() < 4 << 20, `${grown()} bytes`);
});
