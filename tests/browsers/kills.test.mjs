// Pages of real browsers die at any moment, and no id is ever issued twice.
// The seed fixes what is done and where death strikes; the order in which processes and requests get there is theirs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { browsers } from "../support/browsers.mjs";
import { missing, ravendb } from "../support/server.mjs";
import { judge } from "./kills/judge.mjs";
import { run } from "./kills/run.mjs";

const full = process.env.RAVEN_EDGE_FULL === "1";
const seed = Number(process.env.RAVEN_EDGE_SEED || Date.now() % 1_000_000);

/** Kills in all, and which of them each browser gets: Firefox takes longest to start again. */
const ALL = full ? 2_000 : 150;
const SHARES = { Chromium: 0.38, Firefox: 0.24, WebKitGTK: 0.38 };

/** Where the pages write the counters themselves, beside a client that asks the server. */
const SOME = full ? 300 : 18;

/** Where the app grants, and nothing of a lease is RavenDB's. */
const FEW = full ? 200 : 9;

/** A mutant has to be found within so many. */
const ENOUGH = 20;

/** Milliseconds: far more than a run takes. */
const LIMIT = full ? 7_200_000 : 400_000;

const SOURCES = [
  { source: "server", all: ALL },
  { source: "document", all: SOME },
  { source: "classic", all: FEW },
  { source: "own", all: FEW },
];

const replay = (name, source, kills) =>
  `RAVEN_EDGE_SEED=${seed} RAVEN_EDGE_KILLS=${kills} node --test --test-name-pattern='whoever.*${name}, ${source}' tests/browsers/kills.test.mjs`;

for (const browser of browsers) {
  const { name } = browser;
  const options = { skip: browser.missing || missing(ravendb), timeout: LIMIT };

  for (const { source, all } of SOURCES)
    test(`no id twice, whoever is killed [${name}, ${source}]`, options, async (t) => {
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

  test(`a claim that is rolled back is seen as a duplicate [${name}]`, options, async (t) => {
    const { ledger } = await run(t, browser, { seed, kills: ENOUGH, lossy: true });
    assert.notEqual(ledger.duplicates.length, 0);
  });
}
