// The lower bound for any JavaScript client: the engine's own `JSON` and text codecs on the same texts.
// usage: node tests/bench/session/engine.mjs KIND fresh|warm [documents]; prints one JSON line, as `times.mjs` does.
import assert from "node:assert/strict";
import { kindOf } from "./kinds.mjs";
import { cpu, note, rounds } from "./rounds.mjs";
import { QUERY, transport } from "./transport.mjs";

const [kindName, mode, documents = 10_000] = process.argv.slice(2);
const COUNT = Number(documents);
const kind = kindOf(kindName);
const encoder = new TextEncoder();
const decoder = new TextDecoder();

function timed(into, name, step) {
  const start = cpu();
  const result = step();
  note(into, name, (cpu() - start) / COUNT);
  return result;
}

async function response(fetch, route) {
  return new Uint8Array(await (await fetch(`http://127.0.0.1:1/${route}`)).arrayBuffer());
}

async function round(into) {
  const { fetch } = transport(kind, COUNT);
  const [saved, stored, found] = [
    await response(fetch, "bulk_docs"),
    await response(fetch, "docs"),
    await response(fetch, "queries"),
  ];
  const entities = Array.from({ length: COUNT }, (_, i) => kind.entity(i));
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

await rounds(mode, round);
