// When a watch reads, without clocks and requests.
import assert from "node:assert/strict";
import { test } from "node:test";
import { WatchSchedule } from "../../pkg/dist/live/watching/watch.js";

const EVERY = 500;
/** A schedule that has read once, from 0 to 100. */
function schedule() {
  const made = new WatchSchedule(EVERY);
  made.begin(0);
  made.end(100, "fresh");
  return made;
}

test("the first read is due at once, the next one after a change", () => {
  assert.ok(new WatchSchedule(EVERY).next < 0);
  const made = schedule();
  assert.equal(made.next, Number.POSITIVE_INFINITY);
  made.change(2_000);
  assert.equal(made.next, 2_000);
});

test("reads begin at least `every` apart, however much changes", () => {
  const made = schedule();
  for (let now = 101; now < 400; now++) made.change(now);
  assert.equal(made.next, EVERY);
  made.begin(EVERY);
  made.end(550, "fresh");
  assert.equal(made.next, Number.POSITIVE_INFINITY);
});

test("a change during a read leads to another read", () => {
  const made = schedule();
  made.change(1_000);
  made.begin(1_000);
  made.change(1_010);
  assert.equal(made.next, Number.POSITIVE_INFINITY, "not two at once");
  made.end(1_900, "fresh");
  assert.equal(made.next, 1_500, "overdue");
});

test("stale results are read again after pauses that double up to five seconds", () => {
  const made = schedule();
  const pauses = [];
  for (let count = 0; count < 6; count++) {
    const now = count * 10_000 + 1_000;
    made.begin(now);
    made.end(now, "stale");
    pauses.push(made.next - now);
  }
  assert.deepEqual(pauses, [500, 1_000, 2_000, 4_000, 5_000, 5_000]);
  made.begin(100_000);
  made.end(100_000, "fresh");
  assert.equal(made.next, Number.POSITIVE_INFINITY);
});

test("a failed read is tried again, up to every 30 seconds, and at once after a change", () => {
  const made = schedule();
  let now = 1_000;
  for (let count = 0; count < 10; count++) {
    made.begin(now);
    made.end(now, "failed");
    now = made.next;
  }
  made.begin(now);
  made.end(now, "failed");
  assert.equal(made.next - now, 30_000);
  made.change(now + 600);
  assert.equal(made.next, now + 600);
});

test("after a failure and a sign-in it reads at once, however long `every` is", () => {
  const made = new WatchSchedule(60_000);
  made.begin(1_000);
  made.end(1_000, "failed");
  made.hurry(1_200);
  assert.equal(made.next, 1_200);
});

test("nothing is read while the page is hidden; what changed is read when it is shown", () => {
  const made = schedule();
  made.hide(true);
  made.change(1_000);
  assert.equal(made.next, Number.POSITIVE_INFINITY);
  made.hide(false);
  assert.equal(made.next, 1_000);
});
