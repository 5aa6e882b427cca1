// A gateway in front of a hub, in one Worker: untrusted browsers lease from the hub's range.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { after } from "../support/cleanup.mjs";
import { SECRET } from "../support/gateway.mjs";
import { prepare, start } from "../support/own-workerd.mjs";
import { isLease, proxy } from "../support/proxy.mjs";
import { counter, database, document, missing, number, order, ravendb } from "../support/server.mjs";
import { events, open } from "../support/store.mjs";

const file = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The Worker, in front of `upstream`; `options` is the text of further options of the hub. */
async function startBoth(t, upstream, base, options = "") {
  const folder = await mkdtemp(join(tmpdir(), "raven-edge-both-"));
  after(t, () => rm(folder, { recursive: true, force: true }));
  const worker = `
    import gateway from "raven-edge/gateway";
    import { hub } from "raven-edge/hub";
    const shop = hub({ upstream: (env) => env.RAVENDB_URL, namespace: (env) => env.HUB, ${options} });
    export const LeaseHub = shop.LeaseHub;
    export default gateway({
      upstream: (env) => ({ url: "https://hub", fetch: (request) => shop.fetch(request, env) }),
      database: ${JSON.stringify(base)},
      secret: ${JSON.stringify(SECRET)},
      collections: { Orders: "write" },
    });`;
  await prepare({
    folder,
    worker,
    resolveDir: file("."),
    alias: {
      "raven-edge/hub": file("../../pkg/dist/entries/hub.js"),
      "raven-edge/gateway": file("../../pkg/dist/entries/gateway.js"),
    },
    compatibilityDate: "2026-04-01",
    objects: { HUB: "LeaseHub" },
    vars: { RAVENDB_URL: upstream },
  });
  const running = await start(folder);
  after(t, () => running.stop());
  return running.url;
}

test("clients of a gateway lease from its hub: distinct ids, one lease from RavenDB, unused ends are returned", {
  skip: missing(ravendb),
  timeout: 60_000,
}, async (t) => {
  const name = await database(t, ravendb);
  const wire = await proxy(t, ravendb.url);
  const url = await startBoth(t, wire.url, name);
  const seen = [];
  const client = async () => {
    const store = open(t, url, name);
    const [lent, returned, regressions] = ["lease", "return", "regression"].map(
      (event) => events(store, event).seen,
    );
    const saved = order({ client: seen.length });
    const session = store.openSession();
    await session.store(saved);
    await session.saveChanges();
    assert.equal((await document(ravendb, name, saved.id)).client, saved.client);
    const more = await Promise.all(Array.from({ length: 20 }, () => store.hilo("orders").next()));
    seen.push(saved.id, ...more);
    return { store, lent, returned, regressions, numbers: [saved.id, ...more].map(number) };
  };
  const [first, second] = [await client(), await client()];
  await first.store.dispose();
  assert.ok(first.returned.length > 0 && first.returned.every(({ applied }) => applied));
  // The returned numbers lie below those of others, and a page's device may have some of them: only clients that are
  // not pages get them.
  const third = await client();
  const highest = Math.max(...second.lent.map(({ high }) => high));
  assert.ok(Math.min(...third.numbers) > highest, `${third.numbers} after ${highest}`);
  for (const { store, regressions } of [second, third]) {
    await store.dispose();
    assert.deepEqual(regressions, []);
  }
  assert.equal(new Set(seen).size, 63);
  assert.equal(wire.requests.filter(isLease).length, 1);
  assert.ok((await counter(ravendb, name, "orders")) >= highest);
});

test("numbers of a hub's custom source, which have no incarnation, can be returned too", {
  skip: missing(ravendb),
  timeout: 60_000,
}, async (t) => {
  const name = await database(t, ravendb);
  const source = `nodeTag: "H", source: { kind: "classic", capacity: 64, next: (hi => () => ++hi)(0) }`;
  const store = open(t, await startBoth(t, ravendb.url, name, source), name);
  const returned = events(store, "return");
  const session = store.openSession();
  const saved = order();
  await session.store(saved);
  // Its response reports the database's incarnation to the gateway.
  await session.saveChanges();
  assert.equal(saved.id, "orders/1-H");
  await store.dispose();
  const { applied, error } = await returned.next();
  assert.deepEqual([applied, error], [true, undefined]);
});
