// Microseconds of CPU per document, without the transport's time: the median of many rounds. A process has one client, as
// an app has: with several in one, the engine knows too many shapes of entity to be fast for any. Garbage is collected when
// the engine thinks fit: a forced collection throws away the shapes of the round before, and the code that knows them.
// usage: node --single-threaded tests/bench/session/times.mjs CLIENT [documents]; prints one JSON line.
import assert from "node:assert/strict";
import { clients } from "./clients.mjs";
import { cpu, note, rounds } from "./rounds.mjs";
import { entity, QUERY, transport } from "./transport.mjs";

const COUNT = Number(process.argv[3] ?? 10_000);

const ids = Array.from({ length: COUNT }, (_, i) => `orders/${i + 1}-A`);

/** Runs a step and notes what it took of the client's time. */
async function timed(into, name, clock, step) {
  clock.spent = 0;
  const start = cpu();
  const result = await step();
  note(into, name, (cpu() - start - clock.spent * 1_000) / COUNT);
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
}

await rounds((times) => round(clients[process.argv[2]], times));
process.exit(0);
