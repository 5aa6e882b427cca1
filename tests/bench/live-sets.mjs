// What pages that follow a set read of RavenDB through one Worker, with ten writes a second, rows that judge, and pages of different users:
// it fails if they read more than what no number of pages exceeds. Pages are modelled: each compares again after a write, half a second to a second after
// the last one: more often than pages do. `RAVENDB_URL=… node tests/bench/live-sets.mjs`
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { bulk, note } from "../support/callers.mjs";
import { gatewayProcess } from "../support/gateway-process.mjs";
import { serve } from "../support/serve.mjs";
import { database, ravendb } from "../support/server.mjs";
import { DeviceSet } from "../support/sets.mjs";

const COUNT = Number(process.env.COUNT ?? 1_000);
const SECONDS = Number(process.env.SECONDS ?? 20);
const WRITES = 10;
const PAGES = [1, 10, 100];
/** Reads a second that no number of pages exceeds: of ETags one each 50 ms, of all results one for each write. */
const MOST = 20 + WRITES;
const users = ["ann", "bob", "eve"];

test("live sets of many pages", { timeout: 600_000 }, async (t) => {
  const base = await database(t, ravendb);
  const wire = await serve(t, { raven: ravendb.url });
  const gateway = await gatewayProcess(t, {
    upstream: `${wire.url}/raven`,
    database: base,
    collections: { Notes: { allow: "read", rows: { owner: "$name" } } },
    sets: { all: { collection: "Notes" } },
  });
  const ownerOf = (at) => users[at % users.length];
  const one = (at, more) => [
    `notes/${at}`,
    note(ownerOf(at), { at, text: "lorem ipsum ".repeat(10), ...more }),
  ];
  await bulk(ravendb, base, Object.fromEntries(Array.from({ length: COUNT }, (_, at) => one(at))));

  /** A page of a user, until the writes end. */
  const page = async (user, writes, report) => {
    const device = new DeviceSet();
    const compare = async () => {
      const response = await fetch(`${gateway.url}/databases/${base}/queries/named/all/sync`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-user": user },
        body: JSON.stringify(device.body()),
      });
      const text = await response.text();
      assert.equal(response.status, 200, text);
      device.take(JSON.parse(text));
      report.comparisons++;
    };
    for (let seen = -1; seen < writes.count || !writes.ended; ) {
      seen = writes.count;
      await compare();
      await delay(500 + 500 * Math.random());
      if (seen === writes.count && !writes.ended) await once(writes.events, "write");
    }
    const own = Array.from({ length: COUNT }, (_, at) => `notes/${at}`).filter(
      (_, at) => ownerOf(at) === user,
    );
    assert.deepEqual([...device.versions.keys()].sort(), own.sort(), "the page has what its user sees");
    return device;
  };

  const rows = [];
  for (const pages of PAGES) {
    const writes = { count: 0, ended: false, events: new EventEmitter().setMaxListeners(0) };
    const report = { comparisons: 0 };
    wire.requests.length = 0;
    const cpu = await gateway.cpu();
    const following = Array.from({ length: pages }, (_, at) =>
      page(users[at % users.length], writes, report),
    );
    const began = performance.now();
    for (let at = 0; at < WRITES * SECONDS; at++) {
      await delay(began + (at * 1_000) / WRITES - performance.now());
      await bulk(ravendb, base, Object.fromEntries([one(at % COUNT, { changed: at })]));
      writes.count++;
      writes.events.emit("write");
    }
    writes.ended = true;
    writes.events.emit("write");
    await Promise.all(following);
    const streams = wire.requests.filter((path) => path.includes("/streams/")).length;
    const seconds = (performance.now() - began) / 1_000;
    rows.push({
      pages,
      comparisons: report.comparisons,
      "reads of ETags": wire.requests.length - streams,
      "reads of all results": streams,
      "reads a second": Number((wire.requests.length / seconds).toFixed(1)),
      "CPU of the Worker, ms a second": Math.round(((await gateway.cpu()) - cpu) / seconds),
      "process MB": Math.round(await gateway.resident()),
    });
  }
  console.table(rows);
  for (const row of rows)
    assert.ok(
      row["reads a second"] <= MOST,
      `${row.pages} pages read ${row["reads a second"]} times a second`,
    );
});
