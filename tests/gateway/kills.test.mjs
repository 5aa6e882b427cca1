// Pages die at any moment with the gateway between them and RavenDB; no id is issued twice.
import { test } from "node:test";
import { judge } from "../browsers/kills/judge.mjs";
import { run } from "../browsers/kills/run.mjs";
import { browsers } from "../support/browsers.mjs";
import { gateways } from "../support/gateway.mjs";
import { missing, ravendb } from "../support/server.mjs";

const full = process.env.RAVEN_EDGE_FULL === "1";
const seed = Number(process.env.RAVEN_EDGE_SEED || Date.now() % 1_000_000);
const kills = Number(process.env.RAVEN_EDGE_KILLS || (full ? 200 : 8));

const chromium = browsers.find(({ name }) => name === "Chromium");

test("no id is issued twice through the gateway when pages are killed", {
  skip: chromium.missing || missing(ravendb),
  timeout: full ? 1_800_000 : 240_000,
}, async (t) => {
  console.log(
    `repeat: RAVEN_EDGE_SEED=${seed} RAVEN_EDGE_KILLS=${kills} node --test tests/gateway/kills.test.mjs`,
  );
  const raven = await gateways(t);
  const { ledger, wrong, browsers, contents, errors } = await run(t, chromium, { seed, kills, raven });
  t.diagnostic(
    `seed ${seed}: ${browsers + contents} kills, ${ledger.taken.size} ids, ${ledger.saved.length} saved; errors ${JSON.stringify(errors)}`,
  );
  judge({ ledger, wrong, errors });
});
