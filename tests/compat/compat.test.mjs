// One program has the same observable results with both clients; npm `ravendb` determines what is expected. See
// run.mjs.
import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import { missingChromium } from "../support/chromium.mjs";
import { missing, ravendb } from "../support/server.mjs";
import { NOT_YET } from "./areas.mjs";
import { AREAS } from "./build.mjs";
import { compare, describe, observe } from "./compare.mjs";
import { DIFFERENT, PLATFORMS, WITHOUT } from "./elsewhere.mjs";

/** Areas of what is loaded on first use. */
const ALL = [
  "attachment-operations",
  "attachments",
  "bulk-insert",
  "cluster-transaction",
  "compare-exchange",
  "counter-includes",
  "counters",
  "query-extras",
  "revisions",
  "time-series",
  "time-series-operations",
];
/** Where they run, too: pages take longer. */
const PLACES = process.env.RAVEN_EDGE_FULL ? ["workerd", "Chromium"] : ["workerd"];

const ready = AREAS.filter((area) => !NOT_YET.includes(area));

suite("compatibility", { skip: missing(ravendb), timeout: 600_000 }, () => {
  let there;
  let here;
  before(async () => {
    [there, here] = await Promise.all([observe("ravendb", ready), observe("edge", ready)]);
  });
  for (const platform of PLACES) {
    const skip = platform === "Chromium" && missingChromium;
    test(`what is loaded on first use, in ${platform}`, { skip }, async (t) => {
      const found = await PLATFORMS[platform](t, ALL);
      for (const area of ALL) {
        const without = WITHOUT[platform][area] ?? [];
        const expected = new Map(
          [...there.get(area)].filter(([, { section }]) => !without.includes(section)),
        );
        const { assertions, differences } = compare(expected, found.get(area));
        assert.ok(assertions > 0, area);
        const isNamed = ({ key, edge }) => DIFFERENT[platform][`${area} / ${key}`] === edge;
        assert.equal(
          differences
            .filter((each) => !isNamed(each))
            .map(describe)
            .join("\n"),
          "",
          area,
        );
      }
    });
  }
  for (const area of ready) {
    test(area, () => {
      const { assertions, differences } = compare(there.get(area), here.get(area));
      assert.ok(assertions > 0);
      assert.equal(differences.map(describe).join("\n"), "");
    });
  }
});
