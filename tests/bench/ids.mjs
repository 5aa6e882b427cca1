// Nanoseconds per `take()`, compared with a loop that concatenates prefix, counter and suffix. Many short rounds of
// all cases, alternating; the tenth percentile counts, because the machine is shared.
// `dropped`: only the id's length is read. `kept`: the id lives until the round ends.
// usage: AUTHORITY_URL=… node --expose-gc tests/bench/ids.mjs; prints one JSON line.
import assert from "node:assert/strict";
import { DocumentStore } from "../../pkg/lib/entries/node.js";

const ROUNDS = 200;
const WARM_UP = 20;
const IDS = 20_000;
/** Ids that one reservation covers: the server grants at most 1,048,576 at once. */
const RESERVE = 1_000_000;

const now = () => process.hrtime.bigint();

/** One function per case, so that no call site sees two kinds of generator. */
const cases = {
  floor: {
    dropped({ prefix, suffix, counter }) {
      let length = 0;
      for (let i = 0; i < IDS; i++) length += (prefix + counter++ + suffix).length;
      return length;
    },
    kept({ prefix, suffix, counter }) {
      const ids = [];
      for (let i = 0; i < IDS; i++) ids.push(prefix + counter++ + suffix);
      return ids;
    },
  },
  take: {
    dropped({ hilo }) {
      let length = 0;
      for (let i = 0; i < IDS; i++) length += hilo.take().length;
      return length;
    },
    kept({ hilo }) {
      const ids = [];
      for (let i = 0; i < IDS; i++) ids.push(hilo.take());
      return ids;
    },
  },
};

const server = process.env.AUTHORITY_URL;
const created = await fetch(`${server}/admin/databases?name=bench`, {
  method: "PUT",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ DatabaseName: "bench" }),
});
assert.equal(created.status, 201, await created.text());

const store = new DocumentStore(server, "bench").initialize();
await store.ready();
const hilo = store.hilo("orders");
const first = await hilo.next();
const [, prefix, number, suffix] = /^(.*?)(\d+)(\D+)$/.exec(first);

const times = { floor: { dropped: [], kept: [] }, take: { dropped: [], kept: [] } };
let counter = Number(number);
let ahead = 0;
for (let round = 0; round < WARM_UP + ROUNDS; round++) {
  if (ahead < 2 * IDS) {
    await hilo.reserve(RESERVE);
    ahead = RESERVE;
  }
  ahead -= 2 * IDS;
  counter += IDS;
  for (const [name, variants] of Object.entries(cases)) {
    for (const [variant, body] of Object.entries(variants)) {
      globalThis.gc?.();
      const start = now();
      body({ prefix, suffix, counter, hilo });
      const time = Number(now() - start) / IDS;
      if (round >= WARM_UP) times[name][variant].push(time);
    }
  }
}

// Checks that the results are ids, and distinct.
const sample = cases.take.kept({ hilo });
assert.equal(new Set(sample).size, IDS);
assert.match(sample[IDS - 1], /^orders\/\d+-[A-Z]+$/);
await store.dispose();

const percentile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(values.length * share)];
const figures = Object.fromEntries(
  Object.entries(times).map(([name, variants]) => [
    name,
    Object.fromEntries(
      Object.entries(variants).map(([variant, values]) => [
        variant,
        { p10: percentile(values, 0.1), median: percentile(values, 0.5) },
      ]),
    ),
  ]),
);
console.log(JSON.stringify(figures));
