// Programs as RavenDB's documentation shows them (`programs/`), run with npm `ravendb` and with raven-edge: only the import
// differs. `RAVENDB_URL=… node tests/compat/run.mjs --only queries/ --values` prints what those of a folder print.
import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import { missing, ravendb } from "../support/server.mjs";
import { TOPICS } from "./build.mjs";
import { compare, describe, observe } from "./compare.mjs";
import { ABSENT, DIFFERENT, WAITING } from "./programs/named.mjs";

const NAMED = { ...ABSENT, ...DIFFERENT, ...WAITING };
/** What is absent is refused by name; an export that is not there is the compiler's error, and no constructor in a bundle. */
const REFUSED = /^(NotSupported|InvalidArgument)Exception: |is not a constructor/;
/** How many programs have to give the same: fewer mean that most could not run. */
const LEAST = 80;

suite("programs as the documentation shows them", { skip: missing(ravendb), timeout: 600_000 }, () => {
  let there;
  let here;
  let same = 0;
  before(async () => {
    [there, here] = await Promise.all([observe("ravendb", TOPICS), observe("edge", TOPICS)]);
  });
  for (const topic of TOPICS) {
    test(topic, () => {
      const alone = compare(there.get(topic));
      assert.equal(alone.differences.map(describe).join("\n"), "", "they run with npm `ravendb`");
      const { equal, differences } = compare(there.get(topic), here.get(topic));
      const differ = new Set(differences.map(({ key }) => key.split(": ")[0]));
      const unnamed = differences.filter(
        ({ key }) => !(topic in NAMED || `${topic}: ${key.split(": ")[0]}` in NAMED),
      );
      assert.equal(unnamed.map(describe).join("\n"), "");
      for (const { key, edge } of differences) {
        if (!(`${topic}: ${key.split(": ")[0]}` in ABSENT) || !key.includes("failed")) continue;
        assert.match(edge, REFUSED, `${topic}: ${key} says what is absent`);
      }
      for (const key of Object.keys(NAMED)) {
        const [file, program] = key.split(": ");
        if (file !== topic) continue;
        assert.ok(
          program ? differ.has(program) : differ.size > 0,
          `${key} gives the same: take it off named.mjs`,
        );
      }
      same += equal;
    });
  }
  test(`at least ${LEAST} of them give the same with both packages`, () =>
    assert.ok(same >= LEAST, `${same} do`));
});
