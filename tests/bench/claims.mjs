// Claims of parked numbers: strict transactions per created document, and how long `session.store()` takes, in each browser.
// usage: RAVENDB_URL=… node tests/bench/claims.mjs; prints a row of the table in docs/keep.md for each browser and pace.
import { browsers } from "../support/browsers.mjs";
import { after } from "../support/cleanup.mjs";
import { PAGE, pkg } from "../support/pages.mjs";
import { serve } from "../support/serve.mjs";
import { database, ravendb } from "../support/server.mjs";

console.log("| browser | pace | strict transactions | 10th percentile, ms | median | mean |");

/** Documents of a visit and the milliseconds between them: a user waits longer than the pause of a burst. */
const PACES = {
  "one after the other": { count: 60, pause: 70 },
  "in a loop": { count: 1_000, pause: 0 },
};

/** In a page: creates documents; the first one, which waits for its lease, is not measured. */
async function create(name, { count, pause }) {
  // WebKit reports a page as loaded before its modules have run.
  while (!globalThis.loaded) await new Promise((resolve) => setTimeout(resolve, 1));
  const wait = () => new Promise((resolve) => setTimeout(resolve, pause));
  const document = () => ({ "@metadata": { "@collection": "Orders" } });
  const session = globalThis.open(name).openSession();
  await session.store(document());
  await wait();
  let strict = 0;
  const { transaction } = IDBDatabase.prototype;
  IDBDatabase.prototype.transaction = function (stores, mode, options) {
    strict += options?.durability === "strict" ? 1 : 0;
    return transaction.call(this, stores, mode, options);
  };
  const times = [];
  while (times.length < count) {
    const order = document();
    const since = performance.now();
    await session.store(order);
    times.push(performance.now() - since);
    if (pause) await wait();
  }
  return { strict, times };
}

const at = (times, share) => times[Math.floor(times.length * share)].toFixed(2);

const ends = [];
const t = { after: (end) => ends.unshift(end) };
try {
  for (const { name, missing, launch } of browsers) {
    if (missing) console.log(`| ${name} | ${missing} |`);
    else {
      const { url } = await serve(t, { folder: pkg, pages: { "/": PAGE }, raven: ravendb.url });
      const browser = await launch();
      after(t, () => browser.close());
      for (const [pace, visit] of Object.entries(PACES)) {
        const tab = await browser.open(url);
        const { strict, times } = await tab.evaluate(create, await database(t, ravendb), visit);
        const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
        times.sort((a, b) => a - b);
        // The tenth percentile: a claim on a machine that has nothing else to do.
        const cells = [(strict / visit.count).toFixed(3), at(times, 0.1), at(times, 0.5), mean.toFixed(3)];
        console.log(`| ${name} | ${pace} | ${cells.join(" | ")} |`);
        await tab.close();
      }
    }
  }
} finally {
  for (const end of ends) await end();
}
