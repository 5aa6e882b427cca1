// The decisions of a subscription worker: every state that any order of events leads to. The world around the worker is as bad as it
// can be: connections fail at any moment, events of lost connections still arrive, listeners fail, the app disposes at any moment.
import assert from "node:assert/strict";
import { test } from "node:test";
import { step } from "../../pkg/dist/subscriptions/worker-steps.js";

const PERIOD = 2;
const VERDICTS = ["end", "again", "outage", "unexpected"];

/** What the test knows beside the worker: what is open, who works, what was told. */
const START = {
  state: { phase: "idle" },
  now: 0,
  started: false,
  /** A connection: "none", "opening", "open", "asked" (a batch is expected), "sent" (it was received), "acknowledged". */
  link: "none",
  /** Whether listeners have a batch, and whether it came over the connection that is open now. */
  working: false,
  own: false,
  timer: false,
  errors: 0,
  ends: 0,
};

/** The events that may come next. */
function* possible(world) {
  const { link, working, timer, started, ends } = world;
  yield { is: "dispose" };
  // A second listener for batches.
  yield { is: "start" };
  if (!started || ends > 0) return;
  if (link === "opening") yield { is: "accepted" };
  if (link === "open") yield { is: "batch" };
  if (link === "acknowledged") yield { is: "confirmed" };
  if (link !== "none") for (const verdict of VERDICTS) yield { is: "failed", verdict, at: world.now };
  if (working) for (const failed of [false, true]) yield { is: "processed", failed };
  if (timer) yield { is: "resumed" };
}

/** The world after an event; throws if a rule is broken. */
function after(world, event, decide) {
  const next = { ...world };
  if (event.is === "start") next.started = true;
  if (event.is === "accepted" || event.is === "confirmed") next.link = "open";
  if (event.is === "batch") next.link = "sent";
  if (event.is === "failed") {
    next.link = "none";
    next.own = false;
    // Time passes: failures last.
    next.now = Math.min(world.now + 1, PERIOD + 2);
  }
  const isDone = event.is === "processed" && !event.failed;
  if (event.is === "processed") next.working = false;
  if (event.is === "resumed") next.timer = false;
  const [state, ...effects] = decide(world.state, event, PERIOD);
  next.state = state;
  for (const effect of effects) {
    assert.equal(next.ends, 0, `${effect} after the end`);
    switch (effect) {
      case "connect":
        assert.equal(next.link, "none", "two connections");
        assert.equal(next.timer, false, "it connects during the pause");
        assert.equal(next.working, false, "it connects while a listener works");
        next.link = "opening";
        break;
      case "close":
        next.link = "none";
        next.own = false;
        break;
      case "deliver":
        assert.equal(next.working, false, "two batches at a time");
        assert.equal(next.link, "sent");
        Object.assign(next, { working: true, own: true });
        break;
      case "acknowledge":
        assert.ok(isDone, "acknowledged without its listeners having finished");
        assert.ok(next.own, "acknowledged on another connection");
        assert.equal(next.link, "sent", "acknowledged twice");
        Object.assign(next, { link: "acknowledged", own: false });
        break;
      case "pause":
        assert.equal(next.link, "none", "a pause with a connection");
        assert.equal(next.working, false, "a pause while a listener works");
        assert.equal(next.timer, false, "two pauses");
        next.timer = true;
        break;
      case "tell error":
      case "tell worn out":
      case "tell listener failed":
        next.errors += 1;
        assert.equal(next.errors, 1, "two errors");
        break;
      case "tell end":
        assert.equal(next.working, false, "the end while a listener works");
        assert.equal(next.link, "none", "the end with a connection");
        next.ends = 1;
        break;
    }
  }
  // The shell clears the timer.
  if (event.is === "dispose") next.timer = false;
  if (next.ends) next.timer = false;
  if (event.is === "dispose" && next.started)
    assert.ok(next.ends || next.working, "disposed, and neither ended nor waiting for a listener");
  const busy = next.ends || !next.started || next.link !== "none" || next.working || next.timer;
  assert.ok(busy, `stuck in ${JSON.stringify(next)}`);
  if (event.is === "processed" && event.failed)
    assert.ok(next.ends, "a listener failed, and the worker goes on");
  return next;
}

/** Visits all worlds; the number of them and the phases seen. */
function explore(decide) {
  const known = new Set();
  const waiting = [START];
  const phases = new Set();
  while (waiting.length > 0) {
    const world = waiting.pop();
    const key = JSON.stringify(world);
    if (known.has(key)) continue;
    known.add(key);
    phases.add(world.state.phase);
    for (const event of possible(world)) waiting.push(after(world, event, decide));
  }
  return { worlds: known.size, phases };
}

test("every state of a worker keeps the four rules, and none is stuck", (t) => {
  const { worlds, phases } = explore(step);
  t.diagnostic(`${worlds} states`);
  assert.equal(phases.size, 10);
});

/** Variants with one mistake: the test finds each. */
const BROKEN = {
  "acknowledges a batch whose listener failed": (state, event, period) =>
    step(state, event.is === "processed" ? { ...event, failed: false } : event, period),
  "acknowledges on the connection after the lost one": (state, event, period) =>
    state.phase === "orphaned" && event.is === "processed"
      ? [{ phase: "confirming" }, "acknowledge"]
      : step(state, event, period),
  "acknowledges before the listeners have finished": (state, event, period) =>
    event.is === "batch" ? [{ phase: "confirming" }, "deliver", "acknowledge"] : step(state, event, period),
  "connects again while a listener works": (state, event, period) =>
    state.phase === "processing" && event.is === "failed"
      ? [{ phase: "pausing" }, "close", "pause"]
      : step(state, event, period),
  "ends while a listener works": (state, event, period) =>
    event.is === "dispose" && state.phase === "processing"
      ? [{ phase: "ended" }, "close", "tell end"]
      : step(state, event, period),
  "ends twice": (state, event, period) =>
    event.is === "dispose" ? [{ phase: "ended" }, "tell end"] : step(state, event, period),
  "stays without a connection": (state, event, period) =>
    state.phase === "confirming" && event.is === "failed"
      ? [{ phase: "confirming" }, "close"]
      : step(state, event, period),
};

for (const [mistake, decide] of Object.entries(BROKEN))
  test(`a worker that ${mistake} is found`, () => {
    assert.throws(() => explore(decide), assert.AssertionError);
  });

test("connecting that fails for longer than the period ends the worker; an accepted connection begins a new period", () => {
  const fail = (state, at) => step(state, { is: "failed", verdict: "outage", at }, 100);
  let [state] = fail({ phase: "connecting" }, 1_000);
  assert.equal(state.phase, "pausing");
  [state] = step(state, { is: "resumed" }, 100);
  [state] = fail(state, 1_100);
  assert.equal(state.phase, "pausing");
  [state] = step(state, { is: "resumed" }, 100);
  assert.deepEqual(fail(state, 1_101).slice(1), ["close", "tell worn out", "tell end"]);
  [state] = step(state, { is: "accepted" }, 100);
  [state] = fail(state, 5_000);
  assert.deepEqual([state.phase, state.failingSince], ["pausing", 5_000]);
});
