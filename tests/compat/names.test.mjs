// Everything that docs/moving-names.md calls the same is called with npm `ravendb` and with this package (names/plan.mjs), on databases with
// the same documents: both return the same, or fail alike.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, suite, test } from "node:test";
import { missing, ravendb } from "../support/server.mjs";
import { EXCEPTIONS, UNCALLED } from "./names/exceptions.mjs";
import { observe } from "./names/observe.mjs";
import { plan, uncovered } from "./names/plan.mjs";
import { NOT_CALLED } from "./names/show.mjs";

const isNamed = ({ calls, npm }, { key, there }) => (calls ? calls.test(key) : npm.test(there.outcome));

const textOf = ({ key, there, here }) =>
  [
    key,
    ...Object.entries({ there, here }).flatMap(([side, { outcome, details }]) => [
      `  ${side.padEnd(5)} ${outcome}`,
      ...details.map((text) => `        ${text}`),
    ]),
  ].join("\n");

test("a call is made of every name that docs/moving-names.md calls the same", () => {
  assert.deepEqual(uncovered, []);
});

test("every exception is on a page", () => {
  const pages = ["differences", "moving-names"].map((page) =>
    readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), "utf8"),
  );
  const rows = pages.flatMap((page) => page.split("\n").filter((line) => line.startsWith("|")));
  for (const { row } of EXCEPTIONS)
    assert.ok(
      rows.some((each) => each.includes(row)),
      row,
    );
});

suite("names that are the same", { skip: missing(ravendb), timeout: 600_000 }, () => {
  let results;
  let differences;
  let unhandled;
  before(async () => {
    const [there, here] = await Promise.all([observe("ravendb", plan), observe("edge", plan)]);
    unhandled = [...here].filter(([key]) => key.startsWith("(unhandled)"));
    results = plan.calls.map(({ key }) => ({ key, there: there.get(key), here: here.get(key) }));
    differences = results.filter(({ there, here }) => there.outcome !== here.outcome);
  });

  test("a call has the same result or error with both packages", () => {
    const unnamed = differences.filter((each) => !EXCEPTIONS.some((exception) => isNamed(exception, each)));
    assert.equal(unnamed.map(textOf).join("\n"), "");
  });

  test("every call is made", () => {
    const missed = results.filter(({ there, here }) =>
      `${there.outcome}${here.outcome}`.includes(NOT_CALLED),
    );
    const unnamed = missed.filter(({ key }) => !UNCALLED.some((calls) => calls.test(key)));
    assert.equal(unnamed.map(textOf).join("\n"), "");
    assert.ok(UNCALLED.every((calls) => missed.some(({ key }) => calls.test(key))));
  });

  test("no exception permits a bare TypeError, or a promise that nobody can catch", () => {
    const bare = differences.filter((each) => /TypeError/.test(each.here.outcome));
    assert.equal(bare.map(textOf).join("\n"), "");
    assert.deepEqual(unhandled, []);
  });

  test("an exception that no longer differs is taken out", () => {
    const old = EXCEPTIONS.filter((exception) => !differences.some((each) => isNamed(exception, each)));
    assert.deepEqual(old, []);
  });
});
