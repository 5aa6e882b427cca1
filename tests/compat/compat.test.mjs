// One program has the same observable results with both clients; npm `ravendb` determines what is expected. See
// run.mjs.
import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import { missing, ravendb } from "../support/server.mjs";
import { NOT_YET, UNTYPED } from "./areas.mjs";
import { AREAS } from "./build.mjs";
import { compare, describe, observe } from "./compare.mjs";
import { check } from "./types.mjs";

const ready = AREAS.filter((area) => !NOT_YET.includes(area));

suite("compatibility", { skip: missing(ravendb), timeout: 600_000 }, () => {
  let there;
  let here;
  before(async () => {
    [there, here] = await Promise.all([observe("ravendb", ready), observe("edge", ready)]);
  });
  for (const area of ready) {
    test(area, () => {
      const { assertions, differences } = compare(there.get(area), here.get(area));
      assert.ok(assertions > 0);
      assert.equal(differences.map(describe).join("\n"), "");
    });
  }
});

test("the program compiles with both typings", () => {
  for (const client of ["ravendb", "edge"]) {
    const problems = check(client).filter(({ area }) => client === "ravendb" || !UNTYPED.includes(area));
    assert.equal(problems.map(({ text }) => text).join("\n"), "", client);
  }
});
