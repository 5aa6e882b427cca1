// A database was restored while requests were under way: their responses name two incarnations, and nobody knows which one is current.
import assert from "node:assert/strict";
import { test } from "node:test";
import { GRANT, leased } from "../support/scripted-server.mjs";
import { open } from "../support/store.mjs";

/** A store whose requests the test responds to; `next()` waits for the next request, or the next lease of a tag, and returns it. */
function scripted(t) {
  const waiting = [];
  let came = () => {};
  const store = open(t, "http://127.0.0.1:1", "db", {
    fetch: (url, { body }) =>
      new Promise((resolve) => {
        const respond = (incarnation, text, status = 200) =>
          resolve(new Response(text, { status, headers: { "Database-Cluster-Tx-Id": incarnation } }));
        const query = /\/hilo\/next","Query":"([^"]*)"/.exec(Buffer.from(body ?? ""))?.[1];
        waiting.push({ url, query, respond });
        came();
      }),
  });
  const next = async (tag) => {
    for (;;) {
      const at = waiting.findIndex(({ query }) => !tag || query?.startsWith(`?tag=${tag}&`));
      if (at >= 0) return waiting.splice(at, 1)[0];
      await new Promise((resolve) => (came = resolve));
    }
  };
  return { store, hilo: store.hilo("orders"), next };
}

const grant = (low) => leased({ ...GRANT, Low: low, High: low + 31 }, { max: low + 31 });
const NOTHING = '{"Results":[null],"Includes":{}}';

test("numbers of neither incarnation are issued until a later response tells", {
  timeout: 20_000,
}, async (t) => {
  const { store, hilo, next } = scripted(t);
  const events = [];
  store.on("regression", ({ incarnation }) => events.push(incarnation));
  const loaded = store.openSession().load("users/1");
  const read = await next();
  const first = hilo.next();
  const lease = await next();
  assert.ok(!lease.query.includes("incarnation"), lease.query);
  // A hub that has not heard of the restored database lends numbers of the old one.
  lease.respond("old", grant(1));
  assert.equal(await first, "orders/1-A");
  read.respond("new", NOTHING);
  await loaded;
  assert.equal(hilo.take(), undefined, "2 to 32 may be granted again by the restored database");
  const second = hilo.next();
  const asked = await next();
  assert.match(asked.query, /&incarnation=oldnew&/, "the hub asks RavenDB");
  asked.respond("new", grant(65));
  // The response that tells burns what came before it, its own grant, too.
  const last = await next("orders");
  assert.match(last.query, /&incarnation=new&/);
  last.respond("new", grant(97));
  assert.equal(await second, "orders/97-A");
  assert.equal(hilo.take(), "orders/98-A");
  assert.equal(events[0], "new");
});

test("an older response does not bring back the numbers of its lease", { timeout: 20_000 }, async (t) => {
  const { store, hilo, next } = scripted(t);
  const first = hilo.next();
  (await next()).respond("old", grant(1));
  assert.equal(await first, "orders/1-A");
  const leasing = store.hilo("users").next();
  const late = await next("users");
  const loaded = store.openSession().load("users/1");
  (await next()).respond("new", NOTHING);
  await loaded;
  assert.equal(hilo.take(), undefined, "the numbers of the old database are burnt");
  late.respond("old", leased({ ...GRANT, Prefix: "users/" }));
  const again = await next("users");
  assert.match(again.query, /&incarnation=newold&/);
  again.respond("new", leased({ ...GRANT, Prefix: "users/", Low: 33, High: 64 }));
  (await next("users")).respond("new", leased({ ...GRANT, Prefix: "users/", Low: 65, High: 96 }));
  assert.equal(await leasing, "users/65-A");
});

test("the client tells a hub which incarnation it knows", { timeout: 20_000 }, async (t) => {
  const { store, hilo, next } = scripted(t);
  const loaded = store.openSession().load("users/1");
  (await next()).respond("a/b+c", NOTHING);
  await loaded;
  const first = hilo.next();
  const lease = await next();
  assert.match(lease.query, /&incarnation=a%2Fb%2Bc&/);
  lease.respond("a/b+c", grant(1));
  assert.equal(await first, "orders/1-A");
});
