// What no client in JavaScript can do without: the engine's own `JSON` and coders, on the same texts, and nothing around them.
// usage: node --single-threaded tests/bench/session/engine.mjs [documents]; prints one JSON line, as `times.mjs` does.
import assert from "node:assert/strict";
import { cpu, note, rounds } from "./rounds.mjs";
import { entity, QUERY, transport } from "./transport.mjs";

const COUNT = Number(process.argv[2] ?? 10_000);

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function timed(into, name, step) {
  const start = cpu();
  const result = step();
  note(into, name, (cpu() - start) / COUNT);
  return result;
}

async function answer(fetch, route) {
  return new Uint8Array(await (await fetch(`http://127.0.0.1:1/${route}`)).arrayBuffer());
}

async function round(into) {
  const { fetch } = transport(COUNT);
  const [saved, stored, found] = [
    await answer(fetch, "bulk_docs"),
    await answer(fetch, "docs"),
    await answer(fetch, "queries"),
  ];
  const entities = Array.from({ length: COUNT }, (_, i) => entity(i));
  const results = timed(into, "saveChanges, all new", () => {
    encoder.encode(JSON.stringify(entities));
    return JSON.parse(decoder.decode(saved)).Results;
  });
  assert.equal(results.length, COUNT);
  const loaded = timed(into, "load", () => JSON.parse(decoder.decode(stored)).Results);
  assert.equal(loaded[COUNT - 1].freight, 12.5 + COUNT - 1);
  timed(into, `query of ${QUERY.toLocaleString("en")}`, () => {
    for (let at = 0; at < COUNT / QUERY; at++) JSON.parse(decoder.decode(found));
  });
}

await rounds(round);
