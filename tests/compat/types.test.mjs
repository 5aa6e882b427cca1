// The program and the programs of the documentation compile with both typings. One file, so that the compiler reads declarations once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { UNTYPED } from "./areas.mjs";
import { ABSENT, WAITING } from "./programs/named.mjs";
import { check } from "./types.mjs";

/** Where the compiler may complain of raven-edge: the files with what is not there. */
const ABSENT_THERE = Object.keys({ ...ABSENT, ...WAITING }).map((key) => key.split(":")[0]);

for (const [what, untyped] of [
  ["program", UNTYPED],
  ["programs", ABSENT_THERE],
]) {
  for (const client of ["ravendb", "edge"]) {
    test(`compat/${what} compiles with the typings of ${client}`, () => {
      const problems = check(client, what).filter(
        ({ area }) => client === "ravendb" || !untyped.includes(area),
      );
      assert.equal(problems.map(({ text }) => text).join("\n"), "");
    });
  }
}
