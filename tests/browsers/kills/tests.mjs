// Pages of real browsers die at any moment; no id is issued twice. The seed determines the work and the moments of
// death; the timing of processes and requests is not reproducible.
import assert from "node:assert/strict";
import { test } from "node:test";
import { browsers } from "../../support/browsers.mjs";
import { missing, ravendb } from "../../support/server.mjs";
import { judge } from "./judge.mjs";
import { run } from "./run.mjs";

const full = process.env.RAVEN_EDGE_FULL === "1";
const seed = Number(process.env.RAVEN_EDGE_SEED || Date.now() % 1_000_000);

/** Number of kills, and the share of each browser: Firefox takes longest to start. */
const ALL = full ? 2_000 : 21;
const SHARES = { Chromium: 0.38, Firefox: 0.24, WebKitGTK: 0.38 };

/** Sources where the pages write the counters themselves, next to a client that uses the server's leases. */
const SOME = full ? 300 : 12;

/** Sources of the app, whose leases do not involve RavenDB. */
const FEW = full ? 200 : 6;

/** The broken variant must be found within this many kills. */
const ENOUGH = 20;

/** In milliseconds: far more than a run takes. */
const LIMIT = full ? 7_200_000 : 400_000;

const SOURCES = [
  { source: "server", all: ALL },
  { source: "document", all: SOME },
  { source: "classic", all: FEW },
  { source: "own", all: FEW },
];

const replay = (name, source, kills) =>
  `RAVEN_EDGE_SEED=${seed} RAVEN_EDGE_KILLS=${kills} node --test --test-name-pattern='when pages are killed.*${source}' tests/browsers/kills-${name.toLowerCase()}.test.mjs`;

/** The tests in one browser: each browser has a file of its own, because files run at the same time. */
export function kills(name) {
  const browser = browsers.find((browser) => browser.name === name);
  const options = { skip: browser.missing || missing(ravendb), timeout: LIMIT };

  // In the gate the sources that few apps use are tried in one browser.
  for (const { source, all } of full || name === "Chromium" ? SOURCES : SOURCES.slice(0, 1))
    test(`no id is issued twice when pages are killed [${name}, ${source}]`, options, async (t) => {
      const kills = Number(process.env.RAVEN_EDGE_KILLS || Math.round(all * SHARES[name]));
      console.log(`again: ${replay(name, source, kills)}`);
      const began = performance.now();
      const { ledger, wrong, browsers, contents, starts, kept, errors } = await run(t, browser, {
        seed,
        kills,
        source,
      });
      const seconds = Math.round((performance.now() - began) / 1_000);
      t.diagnostic(
        `${name}, ${source}, seed ${seed}: ${browsers + contents} kills (${browsers} of the browser), ${ledger.taken.size} ids, ` +
          `${ledger.saved.length} saved, all ${starts} starts found the spare numbers, ${kept} some of the work's, ${seconds} s; ` +
          `errors ${JSON.stringify(errors)}, storage ${ledger.troubles.length}, ${ledger.alarms.length} needless regressions`,
      );
      try {
        judge({ ledger, wrong, errors });
      } catch (error) {
        error.message += `\nthe whole story: ${await ledger.write(name, seed)}`;
        throw error;
      }
    });

  // The judge is the same in all browsers: one of them shows in each run that it sees a duplicate.
  if (!full && name !== "Chromium") return;
  test(`a broken variant that rolls claims back is detected by a duplicate [${name}]`, options, async (t) => {
    const { ledger } = await run(t, browser, { seed, kills: ENOUGH, lossy: true });
    assert.notEqual(ledger.duplicates.length, 0);
  });
}
