// CPU per document that the gateway judges: `node tests/bench/judge.mjs`. Documents of 500 bytes, of which every second one is
// another caller's, in a listing, a page of a named query and a stream; the module as a Worker runs it, in Node.
import { readFileSync } from "node:fs";
import { Gateway, initSync } from "../../pkg/gen/edge_gateway.js";

initSync({ module: readFileSync(new URL("../../pkg/gen/edge_gateway_bg.wasm", import.meta.url)) });

const COUNT = 100;
const ROUNDS = 400;
const core = new Gateway(
  JSON.stringify({
    database: "Shop",
    claims: ["name"],
    collections: { Notes: { allow: "read", rows: { owner: "$name" } } },
    queries: { notes: { query: "from Notes where owner = $name", page: { max: COUNT } } },
    limits: { scanned: COUNT },
  }),
);
const encoder = new TextEncoder();

const note = (at) => {
  const document = {
    owner: at % 2 ? "ann" : "bob",
    lines: [{ product: "products/17-A", count: 3, price: 12.5 }],
    text: "",
    "@metadata": {
      "@collection": "Notes",
      "@change-vector": "A:1234-lY9rEB60dUKMGmDCZdqKnA",
      "@id": `notes/${at}-A`,
      "@last-modified": "2026-11-24T07:47:30.9300399Z",
    },
  };
  document.text = "x".repeat(500 - JSON.stringify(document).length);
  return JSON.stringify(document);
};
const results = Array.from({ length: COUNT }, (_, at) => note(at)).join(",");
const page = `"SkippedResults":0,"TotalResults":${COUNT},"IsStale":false,`;

/** Milliseconds for one request; `take` hands RavenDB's response to the decision. */
function once(method, path, body, take) {
  const ruling = core.rule(method, `https://app.example/databases/Shop/${path}`, []);
  ruling.judge(encoder.encode(body));
  ruling.bind("http://ravendb", ["a secret of the bench, 32 or more."], "ann", '{"name":"ann"}');
  const start = performance.now();
  take(ruling);
  const time = performance.now() - start;
  ruling.free();
  return time;
}

const whole = (text) => {
  const bytes = encoder.encode(text);
  return (ruling) => {
    ruling.receive(200, [], bytes);
    if (!ruling.head().includes('"status":200') || ruling.body().length < 20_000)
      throw new Error("nothing was shown");
  };
};
const flow = (bytes) => (ruling) => {
  ruling.beginStream([]);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 16_384)
    length += ruling.piece(bytes.subarray(at, at + 16_384)).length;
  if (length < 20_000 || ruling.end() === undefined) throw new Error("nothing was shown");
};

for (const [name, ...request] of [
  ["listing", "GET", `docs?startsWith=notes%2F&pageSize=${COUNT}`, "", whole(`{"Results":[${results}]}`)],
  ["page", "POST", "queries/named/notes", `{"PageSize":${COUNT}}`, whole(`{${page}"Results":[${results}]}`)],
  [
    "stream",
    "POST",
    "streams/queries/named/notes",
    "{}",
    flow(encoder.encode(`{${page}"Results":[${results}]}`)),
  ],
]) {
  for (let i = 0; i < ROUNDS; i++) once(...request);
  const times = Array.from({ length: ROUNDS }, () => once(...request)).sort((one, other) => one - other);
  const micros = (part) => ((times[Math.floor(ROUNDS * part)] * 1_000) / COUNT).toFixed(2);
  console.log(`${name}: ${micros(0.5)} µs per document (median), ${micros(0.05)} (fastest twentieth)`);
}
