// CPU microseconds per document and step, without the transport. A process has one client and one kind of document,
// like an app: with several, the engine sees too many hidden classes to be fast for any of them.
// usage: node tests/bench/session/times.mjs CLIENT KIND fresh|warm [documents]; prints one JSON line.
import assert from "node:assert/strict";
import { clients } from "./clients.mjs";
import { kindOf } from "./kinds.mjs";
import { cpu, note, rounds } from "./rounds.mjs";
import { QUERY, transport } from "./transport.mjs";

const [client, kindName, mode, documents = 10_000] = process.argv.slice(2);
const COUNT = Number(documents);
const kind = kindOf(kindName);
const ids = Array.from({ length: COUNT }, (_, i) => `orders/${i + 1}-A`);

/** Runs a step and records the client's time. */
async function timed(into, name, clock, step) {
  clock.spent = 0;
  const start = cpu();
  const result = await step();
  note(into, name, (cpu() - start - clock.spent) / COUNT);
  return result;
}

async function round(into) {
  const { fetch, clock } = transport(kind, COUNT);
  const store = await clients[client](fetch, kind);
  const entities = Array.from({ length: COUNT }, (_, i) => kind.entity(i));
  const session = store.openSession();
  await timed(into, "store", clock, async () => {
    for (const entity of entities) await session.store(entity);
  });
  assert.equal(entities[COUNT - 1].id, ids[COUNT - 1]);
  await timed(into, "saveChanges, all new", clock, () => session.saveChanges());
  const body = clock.bodies.pop();
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  assert.equal(JSON.parse(text).Commands.length, COUNT);
  const changed = await timed(into, "hasChanges, none", clock, () => session.hasChanges());
  // npm `ravendb` considers saved dates changed.
  if (client !== "ravendb") assert.equal(changed, false);
  const reader = store.openSession();
  const loaded = await timed(into, "load", clock, () => reader.load(ids));
  assert.equal(loaded[ids[COUNT - 1]].freight, 12.5 + COUNT - 1);
  if (kind.type) assert.ok(loaded[ids[0]] instanceof kind.type);
  if (kind.revived) assert.ok(loaded[ids[0]].requireAt instanceof Date);
  await timed(into, "hasChanges, loaded", clock, () => reader.hasChanges());
  const finders = Array.from({ length: COUNT / QUERY }, () => store.openSession());
  const found = await timed(into, `query of ${QUERY.toLocaleString("en")}`, clock, async () => {
    let last;
    for (const finder of finders) last = await finder.query();
    return last;
  });
  assert.equal(found[QUERY - 1].freight, 12.5 + QUERY - 1);
  for (const open of [session, reader, ...finders]) open.close?.();
  await store.close();
}

await rounds(mode, round);
process.exit(0);
