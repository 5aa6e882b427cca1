// Microseconds of CPU per document, without the transport's time: the median of many rounds. A process has one client, as
// an app has: with several in one, the engine knows too many shapes of entity to be fast for any. Garbage is collected when
// the engine thinks fit: a forced collection throws away the shapes of the round before, and the code that knows them.
// usage: node --single-threaded tests/bench/session/times.mjs CLIENT [documents]; prints one JSON line.
import assert from "node:assert/strict";
import { clients } from "./clients.mjs";
import { entity, QUERY, transport } from "./transport.mjs";

const COUNT = Number(process.argv[3] ?? 10_000);
const ROUNDS = 25;
const WARM_UP = 3;

const ids = Array.from({ length: COUNT }, (_, i) => `orders/${i + 1}-A`);

/** Microseconds of CPU that this process has used, in all its threads. */
function cpu() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Runs a step and notes what it took of the client's time. */
async function timed(into, name, clock, step) {
  clock.spent = 0;
  const start = cpu();
  const result = await step();
  const took = (cpu() - start - clock.spent * 1_000) / COUNT;
  into[name] ??= [];
  into[name].push(took);
  return result;
}

async function round(open, into) {
  const { fetch, clock } = transport(COUNT);
  const store = await open(fetch);
  const entities = Array.from({ length: COUNT }, (_, i) => entity(i));
  const session = store.openSession();
  await timed(into, "store", clock, async () => {
    for (const entity of entities) await session.store(entity);
  });
  assert.equal(entities[COUNT - 1].id, ids[COUNT - 1]);
  await timed(into, "saveChanges, all new", clock, () => session.saveChanges());
  const body = clock.bodies.pop();
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  assert.equal(JSON.parse(text).Commands.length, COUNT);
  assert.equal(await timed(into, "hasChanges, none", clock, () => session.advanced.hasChanges()), false);
  const reader = store.openSession();
  const loaded = await timed(into, "load", clock, () => reader.load(ids));
  assert.equal(loaded[ids[COUNT - 1]].freight, 12.5 + COUNT - 1);
  const finders = Array.from({ length: COUNT / QUERY }, () => store.openSession());
  const found = await timed(into, "query of 1,000", clock, async () => {
    let last;
    for (const finder of finders)
      last = await finder.query({ collection: "Orders" }).whereExists("freight").all();
    return last;
  });
  assert.equal(found[QUERY - 1].freight, 12.5 + QUERY - 1);
  for (const open of [session, reader, ...finders]) open.dispose?.();
  await store.dispose();
  // What is left is collected in a turn of its own.
  await new Promise((resolve) => setTimeout(resolve));
}

const times = {};
for (let at = 0; at < WARM_UP + ROUNDS; at++) {
  await round(clients[process.argv[2]], at < WARM_UP ? {} : times);
}
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
console.log(
  JSON.stringify(Object.fromEntries(Object.entries(times).map(([step, list]) => [step, median(list)]))),
);
process.exit(0);
