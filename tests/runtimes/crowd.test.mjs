// Two hundred concurrent requests on a cold isolate, each of which stores and saves a document in the real RavenDB;
// also with aborted requests, with a slow server, and with a killed isolate.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { after } from "../support/cleanup.mjs";
import { prepare, start } from "../support/own-workerd.mjs";
import { isLease, isSave, proxy } from "../support/proxy.mjs";
import { random } from "../support/random.mjs";
import { database, missing, ravendb, send } from "../support/server.mjs";
import { within } from "../support/store.mjs";

const CROWD = 200;
const file = (path) => fileURLToPath(new URL(path, import.meta.url));
/** The date from which `nodejs_compat` changes the module, and the newest date that this workerd supports. */
const DATES = ["2024-09-23", "2026-04-01"];

/** A request on its own connection, as if by another caller; `abort` ends it. */
function ask(url, path = "/", signal = undefined) {
  return new Promise((resolve, reject) => {
    const sent = http.get(new URL(path, url), { agent: false, signal }, async (response) => {
      try {
        let text = "";
        for await (const chunk of response) text += chunk;
        resolve(JSON.parse(text));
      } catch (error) {
        reject(error);
      }
    });
    sent.on("error", reject);
  });
}

async function prepared(t, compatibilityDate, vars = {}) {
  const name = await database(t, ravendb);
  const wire = await proxy(t, ravendb.url);
  const folder = await mkdtemp(join(tmpdir(), "raven-edge-crowd-"));
  after(t, () => rm(folder, { recursive: true, force: true }));
  await prepare({
    folder,
    worker: await readFile(file("../support/orders-worker.js"), "utf8"),
    resolveDir: file("../support"),
    alias: { "raven-edge": file("../../pkg/dist/entries/workerd.js") },
    compatibilityDate,
    vars: { RAVENDB_URL: wire.url, DATABASE: name, ...vars },
  });
  const site = { name, wire };
  const begin = async () => Object.assign(site, await start(folder));
  await begin();
  after(t, () => site.stop());
  site.again = async () => {
    await site.kill();
    await begin();
  };
  return site;
}

const wave = (site, one = () => ask(site.url)) =>
  within(60_000, Promise.all(Array.from({ length: CROWD }, (_, i) => one(i))));

/** Checks that the ids exist, are distinct, and have their documents. */
async function check(site, responses) {
  const ids = responses.map(({ id, error, message }) => id ?? assert.fail(`${error}: ${message}`));
  assert.equal(new Set(ids).size, ids.length, "an id was issued twice");
  for (let at = 0; at < ids.length; at += 100) {
    const some = ids.slice(at, at + 100);
    const query = some.map((id) => `id=${encodeURIComponent(id)}`).join("&");
    const { json } = await send(
      ravendb.url,
      "GET",
      `/databases/${site.name}/docs?metadataOnly=true&${query}`,
    );
    assert.deepEqual(
      json.Results.map((found) => found?.["@metadata"]["@id"]),
      some,
    );
  }
  return ids;
}

/** A second wave uses the remaining numbers, and no id is issued twice; returns the number of leases. */
async function again(site, first) {
  const leases = site.wire.of(isLease).length;
  const second = await wave(site);
  assert.equal(site.wire.of(isLease).length, leases, "the second wave uses the remaining numbers");
  await check(site, [...first, ...second]);
  return leases;
}

for (const date of DATES) {
  test(`${CROWD} concurrent requests on a cold isolate, and ${CROWD} more without a lease, at ${date}`, {
    skip: missing(ravendb),
    timeout: 120_000,
  }, async (t) => {
    const site = await prepared(t, date);
    // Later leases may be larger, because the demand is known by then.
    let blind = 0;
    site.wire.change = (_, request) => {
      if (isLease(request)) blind ||= site.wire.of(isLease).length;
    };
    const leases = await again(site, await wave(site));
    const leased = site.wire
      .of(isLease)
      .map(({ responseText }) => JSON.parse(responseText).Results[0].Result.LastSize);
    assert.ok(blind > 0);
    assert.deepEqual(
      leased.slice(0, blind).filter((size) => size !== 32),
      [],
      "no request leases for others",
    );
    t.diagnostic(`${leases} leases of ${leased.reduce((sum, size) => sum + size)} numbers`);
  });
}

test("when a fifth of the requests is aborted, all others get a response", {
  skip: missing(ravendb),
  timeout: 120_000,
}, async (t) => {
  const site = await prepared(t, DATES[1]);
  const { below: roll } = random(5);
  let seen = 0;
  const waiting = [];
  // Aborts once the server has received this many requests: during leases and during saves.
  site.wire.rule = () => {
    seen++;
    for (const one of waiting) if (one.at <= seen) one.controller.abort();
  };
  const one = async (i) => {
    if (i % 5 !== 0) return ask(site.url);
    const controller = new AbortController();
    waiting.push({ controller, at: 1 + roll(200) });
    return ask(site.url, "/", controller.signal).catch(() => undefined);
  };
  const first = (await wave(site, one)).filter(Boolean);
  assert.ok(first.length >= 160 && first.length < CROWD, `${first.length} answered`);
  site.wire.rule = undefined;
  await again(site, first);
});

test("with a server that takes two seconds per response, all requests get a response", {
  skip: missing(ravendb),
  timeout: 120_000,
}, async (t) => {
  const site = await prepared(t, DATES[1]);
  site.wire.rule = () => new Promise((resolve) => setTimeout(resolve, 2_000));
  const from = performance.now();
  const first = await wave(site);
  // A lease and a save each: no request waits for another one's.
  const took = performance.now() - from;
  assert.ok(took < 20_000, `${took} ms`);
  await again(site, first);
});

test("after the isolate was killed, repeated requests get a response", {
  skip: missing(ravendb),
  timeout: 120_000,
}, async (t) => {
  const site = await prepared(t, DATES[1]);
  let saves = 0;
  const middle = new Promise((resolve) => {
    site.wire.rule = (request) => {
      if (isSave(request) && ++saves === CROWD / 2) resolve();
    };
  });
  let renewed;
  const one = () => ask(site.url).catch(() => renewed.then(() => ask(site.url)));
  const all = wave(site, one);
  renewed = middle.then(() => site.again());
  await check(site, await all);
  assert.ok(saves > CROWD, "some requests were pending");
  await check(site, await wave(site));
});

test("a release in waitUntil returns all numbers, and the store stays usable", {
  skip: missing(ravendb),
  timeout: 60_000,
}, async (t) => {
  const site = await prepared(t, DATES[1]);
  assert.deepEqual(await ask(site.url), { id: "orders/1-A" });
  const returned = site.wire.next(({ body }) => /"PATCH"/.test(body), { responded: true });
  await ask(site.url, "/release");
  await returned;
  const { json } = await send(ravendb.url, "GET", `/databases/${site.name}/docs?id=Raven/Hilo/orders`);
  assert.equal(json.Results[0].Max, 1);
  assert.deepEqual(await ask(site.url), { id: "orders/2-A" });
});

test("a trap in one request does not leave others waiting", {
  skip: missing(ravendb),
  timeout: 60_000,
}, async (t) => {
  const site = await prepared(t, DATES[1]);
  let go;
  const held = new Promise((resolve) => {
    go = resolve;
  });
  site.wire.rule = () => held;
  const asked = site.wire.next(isLease);
  const waiting = Promise.all([1, 2, 3].map(() => ask(site.url)));
  await asked;
  await ask(site.url, "/trap");
  go();
  assert.deepEqual(
    (await within(20_000, waiting)).map(({ error }) => error),
    Array(3).fill("Dead"),
  );
  await check(site, await wave(site));
});

test("a store that one request disposes refuses the others, and none of them hangs", {
  skip: missing(ravendb),
  timeout: 60_000,
}, async (t) => {
  const site = await prepared(t, DATES[1]);
  let go;
  const held = new Promise((resolve) => {
    go = resolve;
  });
  site.wire.rule = (request) => (isLease(request) ? held : undefined);
  const asked = site.wire.next(isLease);
  const waiting = ask(site.url);
  await asked;
  await within(10_000, Promise.all([ask(site.url, "/dispose"), ask(site.url, "/dispose")]));
  go();
  assert.equal((await within(10_000, waiting)).error, "Disposed");
});

test("with waitUntil a lease that outlives its request is available to the next one", {
  skip: missing(ravendb),
  timeout: 60_000,
}, async (t) => {
  const site = await prepared(t, DATES[1], { KEEP: "1" });
  let go;
  const late = new Promise((resolve) => {
    go = resolve;
  });
  site.wire.rule = (request) => (isLease(request) ? late : undefined);
  const asked = site.wire.next(isLease);
  await ask(site.url, "/early");
  await asked;
  go();
  const held = async () => (await ask(site.url, "/held")) > 0;
  await within(
    10_000,
    (async () => {
      while (!(await held()));
    })(),
  );
  await check(site, await Promise.all(Array.from({ length: 20 }, () => ask(site.url))));
  assert.equal(site.wire.of(isLease).length, 1);
});
