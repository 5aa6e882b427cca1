// Random loads, saves, queued changes, foreign writes, evictions and users: what a device shows without a connection is the last that its
// user was shown of the server, with pending changes over it. 60 seeds with `--full`; `SEED=…` repeats one.
import assert from "node:assert/strict";
import { createReadStream } from "node:fs";
import { fileURLToPath } from "node:url";
import { inTabs } from "../support/pages.mjs";
import { create, ravendb, remove } from "../support/server.mjs";

const IS_FULL = process.env.RAVEN_EDGE_FULL === "1";
const SEEDS = process.env.SEED
  ? [Number(process.env.SEED)]
  : Array.from({ length: IS_FULL ? 60 : 3 }, (_, at) => at + 1);
const STEPS = IS_FULL ? 200 : 60;

/** Serves a file of `tests/support`. */
const script = (file) => (_, response) => {
  response.writeHead(200, { "content-type": "text/javascript" });
  createReadStream(fileURLToPath(new URL(`../support/${file}`, import.meta.url))).pipe(response);
};

inTabs(
  "a device shows what its user was shown last, with pending changes over it",
  async ({ t, tab, base }) => {
    const page = await tab();
    page.setDefaultTimeout(0);
    const all = { shown: 0, missing: 0, lost: 0 };
    for (const seed of SEEDS) {
      const name = `${base}-${seed}`;
      await create(ravendb, name);
      const { shown, missing, lost } = await page.evaluate(
        ([name, seed, steps]) => run(name, seed, steps),
        [name, seed, STEPS],
      );
      await remove(ravendb, name);
      all.shown += shown;
      all.missing += missing;
      all.lost += lost;
    }
    // Where the order of responses is unknown, and after patches, a document is missing until it was read again.
    assert.ok(all.lost < all.shown / 10, `${all.lost} documents that were seen are missing`);
    t.diagnostic(
      `${SEEDS.length} seeds of ${STEPS} steps: ${all.shown} documents shown, ${all.missing} not kept, ${all.lost} until read again`,
    );
  },
  {
    timeout: IS_FULL ? 3_600_000 : 120_000,
    pages: {
      "/": '<!doctype html><meta charset=utf-8><title>model</title><script type=module src="/model.js"></script>',
    },
    handlers: { "/model.js": script("kept-model.js"), "/random.mjs": script("random.mjs") },
  },
);
