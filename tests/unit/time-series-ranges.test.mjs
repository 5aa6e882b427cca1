// What a session has read of a time series: in random worlds, the cached ranges and the gaps that are requested give every entry
// once and in order. Times of entries are read as the engine reads them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { timeReader } from "../../pkg/dist/time-series/entries/times.js";
import { entriesIn, gaps, RangeCache } from "../../pkg/dist/time-series/session/read-entries.js";
import { random } from "../support/random.mjs";

const entry = (time) => ({ timestamp: new Date(time), values: [time] });
const times = (entries) => entries.map(({ timestamp }) => timestamp.getTime());

test("cached ranges and gaps together have every entry once", () => {
  const { below, chance } = random(7);
  for (let world = 0; world < 300; world++) {
    const all = Array.from({ length: 30 }, (_, time) => time).filter(() => chance(0.6));
    const between = (from, to) => all.filter((time) => time >= from && time <= to).map(entry);
    const cache = new RangeCache();
    for (let step = 0; step < 12; step++) {
      const ends = [below(32) - 1, below(32) - 1].sort((a, b) => a - b);
      const [from, to] = chance(0.1) ? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] : ends;
      const missing = gaps(cache.of("a", "Heart"), from, to);
      for (const gap of missing) {
        const isKnown = cache.of("a", "Heart").some((range) => range.from < gap.to && range.to > gap.from);
        assert.ok(!isKnown, "a gap is not known");
        cache.add("a", "heart", { ...gap, entries: between(gap.from, gap.to) });
      }
      // A single time in no range is no gap.
      if (from === to && missing.length === 0) continue;
      const found = cache.of("A".toLowerCase(), "HEART").flatMap((range) => entriesIn(range, from, to));
      assert.deepEqual(times(found), times(between(from, to)), `world ${world}, step ${step}`);
      if (chance(0.2)) cache.drop("a", "Heart", below(30), below(30));
    }
  }
});

test("times of entries are those of the engine", () => {
  const read = timeReader();
  const { below } = random(8);
  for (let at = 0; at < 2_000; at++) {
    const date = new Date((below(4_000_000) - 1_200_000) * 1_000_003);
    assert.equal(read(`${date.toISOString().slice(0, -1)}0000Z`).getTime(), date.getTime());
  }
  assert.equal(read("2026-01-01T00:00:00Z").getTime(), Date.UTC(2026, 0, 1));
  assert.ok(Number.isNaN(read("2026-01-01Txx:00:00.0000000Z").getTime()));
});
