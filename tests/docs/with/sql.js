// Stand-ins for databases, with the response format of each.
import assert from "node:assert/strict";
import { DocumentStore } from "raven-edge";

let hi = 0;
const pool = { query: async (_text, [name]) => ({ rows: [{ hi: name === "orders_hi" && String(++hi) }] }) };
const first = async () => ++hi;
const env = { DB: { prepare: () => ({ bind: () => ({ first }) }) } };
const db = { prepare: () => ({ get: () => ({ hi: ++hi }) }) };
const redis = { incr: async () => ++hi };
void [pool, env, db, redis];

// the block

const store = new DocumentStore("/raven", "Shop", {
  source: { kind: "classic", capacity: 3, next },
}).initialize();
assert.equal(await store.hilo("orders").next(), "orders/1");
await store.dispose();
