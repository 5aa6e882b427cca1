// The calculation behind the demo's map, without a page: sets of numbers, their homes, and how few cells they need.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cells } from "../../www/page/cells.js";
import { homeless, homesOf } from "../../www/page/homes.js";
import { above, minus, size, top, union, upTo, within } from "../../www/page/ranges.js";
import { random } from "../support/random.mjs";

const TOP = 60;

const list = (set) =>
  set.flatMap(([low, high]) => Array.from({ length: high - low + 1 }, (_, at) => low + at));

/** A set with gaps, in the page's form: sorted, without adjacent ranges. */
function any({ below }) {
  const numbers = Array.from({ length: below(TOP) }, () => below(TOP) + 1);
  return union(...numbers.map((number) => [[number, Math.min(TOP, number + below(4))]]));
}

test("sets of numbers have union, difference and intersection", () => {
  for (let seed = 0; seed < 300; seed++) {
    const draw = random(seed);
    const [a, b] = [any(draw), any(draw)];
    const [first, second] = [list(a), list(b)];
    const sorted = (numbers) => [...new Set(numbers)].sort((x, y) => x - y);
    assert.deepEqual(list(union(a, b)), sorted([...first, ...second]));
    assert.deepEqual(
      list(minus(a, b)),
      first.filter((number) => !second.includes(number)),
    );
    assert.deepEqual(
      list(within(a, b)),
      first.filter((number) => second.includes(number)),
    );
    const at = draw.below(TOP + 2);
    assert.deepEqual(
      list(upTo(a, at)),
      first.filter((number) => number <= at),
    );
    assert.deepEqual(
      list(above(a, at)),
      first.filter((number) => number > at),
    );
    assert.deepEqual([size(a), top(a)], [first.length, first.at(-1) ?? 0]);
  }
});

const facts = (given) => ({
  max: 0,
  parked: [],
  tabs: [],
  issued: {},
  got: [],
  returned: [],
  burnt: [],
  ...given,
});

test("each number has one home, and numbers without a known home are shown", () => {
  const known = facts({
    max: 20,
    parked: [[2, 4]],
    tabs: [{ letter: "A", held: [[8, 9]] }],
    issued: { A: [[1, 1]], "": [[15, 15]] },
    got: [[1, 12]],
    burnt: [[5, 6]],
    returned: [[21, 24]],
  });
  assert.deepEqual(homeless(known), [
    [5, 7],
    [10, 12],
  ]);
  assert.deepEqual(
    homesOf(known).map(({ low, high, home, who }) => [low, high, home + who]),
    [
      [1, 1, "issuedA"],
      [2, 4, "parked"],
      [5, 6, "burnt"],
      [7, 7, "moving"],
      [8, 9, "handA"],
      [10, 12, "moving"],
      [13, 14, "elsewhere"],
      [15, 15, "issued"],
      [16, 20, "elsewhere"],
      [21, 24, "returned"],
    ],
  );
});

test("cells contain each number once, in order, followed by Max; a million numbers need few cells", () => {
  for (let seed = 0; seed < 300; seed++) {
    const draw = random(seed);
    const issued = { A: any(draw) };
    const runs = homesOf(facts({ max: draw.below(TOP), issued }));
    const max = draw.below(TOP) + 1;
    const shown = cells(runs, max, 1_000);
    const numbers = shown
      .filter(({ home }) => home !== "max")
      .flatMap(({ low, high }) => list([[low, high]]));
    assert.deepEqual(numbers, list(runs.map(({ low, high }) => [low, high])));
    const line = shown.findIndex(({ home }) => home === "max");
    if (runs.length === 0) continue;
    assert.ok(shown.slice(0, line).every(({ low }) => low <= max));
    assert.ok(shown.slice(line + 1).every(({ low }) => low > max));
  }
  const million = homesOf(facts({ max: 1_000_000, issued: { A: [[1, 999_000]] } }));
  assert.ok(cells(million, 1_000_000, 384).length < 40);
  const holes = Array.from({ length: 5_000 }, (_, at) => [2 * at + 1, 2 * at + 1]);
  const torn = cells(homesOf(facts({ max: 10_000, issued: { A: holes } })), 10_000, 384);
  assert.ok(torn.length <= 386, `${torn.length} cells`);
  assert.equal(torn[0].home, "older");
  assert.equal(torn.at(-1).low, 10_000);
});
