// When a queue tries again: after pauses that grow. While the browser says that it is offline, only when the connection is back, or after
// the longest pause, or when the server has responded to another request.
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
  const network = { isUp: false, attempts: 0, receipts: 0 };
  const unreachable = () => Object.assign(new Error("no connection"), { code: "Unreachable" });
  const responses = new Set();
  const requests = {
    async node() {
      network.attempts++;
      await network.held;
      if (!network.isUp) throw unreachable();
      return "/raven";
    },
    async receipt() {
      network.receipts++;
      if (!network.isUp) throw unreachable();
    },
  };
  const memory = {
    control: { nodes: [], receipt: "Raven-Edge/Devices/1" },
    core: { members: () => [], paused: () => 0 },
  };
  // The core finds nothing to send.
  const state = { memory, transact: async () => [] };
  const store = { database: "Shop", on: (_, listener) => responses.add(listener), emitLater: () => {} };
  const drain = new Drain(state, requests, {}, undefined);
  const sender = new Sender(store, state, drain, {
    ready: Promise.resolve(),
    name: "pauses",
    automatic: true,
    status: () => ({}),
    changed: () => {},
    responded: () => {},
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
    /** The server responds to a request of the store. */
    respond() {
      const response = new Response("", { headers: { "Database-Cluster-Tx-Id": "one" } });
      for (const listener of responses) listener({ database: "Shop", response });
    },
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

test("what another tab has sent leaves no tab without a connection: it reads its receipt until the server responds", async (t) => {
  const { network, sender, drain, ends, come } = started(t, { onLine: true });
  await ends(() => sender.wake());
  assert.equal(drain.isReached, false);
  // By now nothing waits.
  network.isUp = true;
  await ends(() => come("online"));
  assert.deepEqual([drain.isReached, drain.failures, network.receipts], [true, 0, 1]);
  await ends(() => come("online"));
  assert.equal(network.receipts, 1, "nobody asks whether a server is there that was reached");
});

test("a response to another request ends each pause of an outage, also if it arrives during an attempt", async (t) => {
  const { network, sender, drain, ends, respond } = started(t, { onLine: true });
  await ends(() => sender.wake());
  await ends(respond);
  await ends(() => mock.timers.tick(2_000));
  assert.equal(network.attempts, 3);
  await ends(respond);
  assert.equal(network.attempts, 4, "the next pause");
  let fail;
  network.held = new Promise((resolve) => {
    fail = resolve;
  });
  await pass(8_000);
  assert.equal(network.attempts, 5);
  respond();
  network.held = undefined;
  await ends(fail);
  await pass(0);
  assert.deepEqual([network.attempts, drain.failures], [6, 6], "at once after the attempt that failed");
});

test("a response to another request ends one pause of an outage", async (t) => {
  const { network, sender, drain, ends, respond } = started(t, { onLine: true });
  for (let failures = 0; failures < 3; failures++)
    await ends(() => (failures ? mock.timers.tick(2 ** failures * 1_000) : sender.wake()));
  const { attempts } = network;
  // Only what the queue sends fails.
  await ends(respond);
  assert.deepEqual([network.attempts, drain.failures, drain.isReached], [attempts + 1, 4, false]);
  respond();
  await pass(7_999);
  assert.deepEqual([network.attempts, drain.isReached], [attempts + 1, true], "the pauses go on");
  network.isUp = true;
  await ends(() => mock.timers.tick(1));
  assert.equal(drain.failures, 0);
  respond();
  await pass(0);
  assert.equal(network.attempts, attempts + 2, "nothing has failed");
  network.isUp = false;
  await ends(() => sender.wake());
  network.isUp = true;
  await ends(respond);
  assert.deepEqual([drain.failures, drain.isReached], [0, true], "after the next outage as well");
});
