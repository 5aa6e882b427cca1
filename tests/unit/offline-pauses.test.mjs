// When a queue tries again: after pauses that grow. While the browser says that it is offline, only when the connection is back, or after
// the longest pause.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mock, test } from "node:test";
import { Drain } from "../../pkg/dist/offline/sending/drain.js";
import { Sender } from "../../pkg/dist/offline/sending/sender.js";

/** A queue whose server can be reached while `network.isUp`, in a page that thinks it is online while `navigator.onLine`. */
function started(t, { onLine }) {
  const page = new EventTarget();
  const navigator = { onLine };
  for (const [name, value] of Object.entries({
    navigator,
    indexedDB: {},
    BroadcastChannel: undefined,
    addEventListener: page.addEventListener.bind(page),
  }))
    Object.defineProperty(globalThis, name, { value, configurable: true });
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(Math, "random", () => 1);
  const events = new EventTarget();
  const network = { isUp: false, attempts: 0 };
  const requests = {
    async node() {
      network.attempts++;
      if (!network.isUp) throw Object.assign(new Error("no connection"), { code: "Unreachable" });
      return "/raven";
    },
  };
  const memory = {
    control: { nodes: [], receipt: "Raven-Edge/Devices/1" },
    core: { members: () => [], paused: () => 0 },
  };
  // The core finds nothing to send.
  const state = { memory, transact: async () => [] };
  const drain = new Drain(state, {}, requests, {}, undefined);
  const sender = new Sender({ on: () => {}, emitLater: () => {} }, state, drain, {
    ready: Promise.resolve(),
    name: "pauses",
    automatic: true,
    status: () => ({}),
    changed: () => {},
    ended: () => events.dispatchEvent(new Event("ended")),
  });
  t.after(() => {
    sender.stop();
    mock.timers.reset();
    mock.restoreAll();
  });
  return {
    network,
    navigator,
    drain,
    sender,
    /** Resolves when the drain that `act` causes has ended. */
    async ends(act) {
      const ended = once(events, "ended");
      act();
      await ended;
    },
    come: (name) => page.dispatchEvent(new Event(name)),
  };
}

/** Lets time pass, and waits until what the timers have begun is done. */
async function pass(milliseconds) {
  mock.timers.tick(milliseconds);
  await new Promise((resolve) => setImmediate(resolve));
}

test("while the server cannot be reached the pauses double from a second to a minute", async (t) => {
  const { network, sender, drain, ends, come } = started(t, { onLine: true });
  await ends(() => sender.wake());
  for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
    const { attempts } = network;
    await pass(seconds * 1_000 - 1);
    assert.equal(network.attempts, attempts, `before ${seconds} seconds`);
    await ends(() => mock.timers.tick(1));
    assert.equal(network.attempts, attempts + 1, `after ${seconds} seconds`);
  }
  await ends(() => come("online"));
  assert.equal(drain.failures, 1, "the connection is back: pauses begin anew");
  network.isUp = true;
  await ends(() => mock.timers.tick(1_000));
  assert.equal(drain.failures, 0);
});

test("offline one attempt is made, the next after the longest pause, and one when the connection is back", async (t) => {
  const { network, navigator, sender, ends, come } = started(t, { onLine: false });
  await ends(() => sender.wake());
  for (let change = 0; change < 5; change++) sender.wake();
  await pass(59_999);
  assert.equal(network.attempts, 1);
  // The browser may be wrong.
  await ends(() => mock.timers.tick(1));
  assert.equal(network.attempts, 2);
  Object.assign(navigator, { onLine: true });
  network.isUp = true;
  await ends(() => come("online"));
  assert.equal(network.attempts, 3);
});

test("a browser that is wrong about the connection delays nothing", async (t) => {
  const { network, sender, ends } = started(t, { onLine: false });
  network.isUp = true;
  await ends(() => sender.wake());
  await ends(() => sender.wake());
  assert.equal(network.attempts, 2);
});
