// Bytes per tracked document that a client keeps: the JavaScript heap and everything outside, including wasm memory.
// Entities count if a load created them, not if the app did.
// usage: node --expose-gc tests/bench/session/memory.mjs CLIENT KIND; prints one JSON line.
import { setTimeout as turn } from "node:timers/promises";
import { clients } from "./clients.mjs";
import { kindOf } from "./kinds.mjs";
import { transport } from "./transport.mjs";

const COUNT = 10_000;
const [client, kindName] = process.argv.slice(2);
const kind = kindOf(kindName);
const ids = Array.from({ length: COUNT }, (_, i) => `orders/${i + 1}-A`);

/** Bytes in use after a complete garbage collection. */
async function used() {
  for (let round = 0; round < 6; round++) {
    globalThis.gc();
    await turn(5);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function run(kept, count, wanted) {
  const { fetch, clock } = transport(kind, count);
  const store = await clients[client](fetch, kind);
  const entities = Array.from({ length: count }, (_, i) => kind.entity(i));
  const before = await used();
  const session = store.openSession();
  kept.push(entities, session, store);
  if (wanted === "loaded") {
    kept.push(await session.load(ids.slice(0, count)));
  } else {
    for (const entity of entities) await session.store(entity);
    await session.saveChanges();
  }
  clock.bodies.length = 0;
  return Math.round(((await used()) - before) / count);
}

const figures = {};
for (const wanted of ["saved", "loaded"]) {
  await run([], 300, wanted);
  const kept = [];
  figures[wanted] = await run(kept, COUNT, wanted);
}
console.log(JSON.stringify(figures));
process.exit(0);
