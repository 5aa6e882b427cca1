// The decisions about the connection for changes, without sockets and clocks: missed changes are reported, and no connection gets stuck.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ConnectionState,
  FIRST_PAUSE,
  LAST_PAUSE,
  LINGER,
  SILENCE,
} from "../../pkg/dist/live/connection-state.js";
import { random as seeded } from "../support/random.mjs";

const LIMIT = 15_000;
const ORDERS = { watch: "watch-collection", unwatch: "unwatch-collection", param: "Orders" };
const state = (random = () => 1) => new ConnectionState(LIMIT, random);
const kinds = (effects) => effects.map((effect) => effect.do);
const commands = (effects) =>
  effects.filter((effect) => effect.do === "send").map(({ text }) => JSON.parse(text));

/** A state with one confirmed watch on an open connection. */
function listening(random) {
  const made = state(random);
  const [{ socket }] = made.watch(0, "orders", ORDERS);
  const [{ CommandId }] = commands(made.opened(10, socket));
  made.confirmed(socket, CommandId);
  return { state: made, socket };
}

test("the first watch connects, the confirmation of its command confirms it", () => {
  const made = state();
  const [connect, ...others] = made.watch(0, "orders", ORDERS);
  assert.deepEqual([connect.do, connect.failures, others], ["connect", 0, []]);
  assert.equal(made.connected, false);
  const opened = made.opened(10, connect.socket);
  assert.deepEqual(kinds(opened), ["send", "status"]);
  assert.deepEqual(commands(opened), [{ CommandId: 1, Command: "watch-collection", Param: "Orders" }]);
  assert.equal(made.isConfirmed("orders"), false);
  assert.deepEqual(made.confirmed(connect.socket, 1), [{ do: "confirmed", watch: "orders", gap: false }]);
  assert.equal(made.isConfirmed("orders"), true);
});

test("a second watch uses the connection, and watching twice sends nothing", () => {
  const { state: made, socket } = listening();
  const sent = commands(made.watch(20, "a", { watch: "watch-doc", unwatch: "unwatch-doc", param: "a" }));
  assert.deepEqual(sent, [{ CommandId: 2, Command: "watch-doc", Param: "a" }]);
  assert.deepEqual(made.watch(20, "orders", ORDERS), []);
  assert.deepEqual(commands(made.unwatch(30, "a")), [{ CommandId: 3, Command: "unwatch-doc", Param: "a" }]);
  assert.deepEqual(made.confirmed(socket, 2), []);
});

test("after a lost connection all watches are sent again, and the gap is told once all are confirmed", () => {
  const { state: made, socket } = listening();
  made.watch(20, "a", { watch: "watch-doc", unwatch: "unwatch-doc", param: "a" });
  made.confirmed(socket, 2);
  assert.deepEqual(made.closed(100, socket), [{ do: "status" }]);
  const [connect] = made.tick(made.deadline);
  assert.equal(connect.failures, 0);
  const sent = commands(made.opened(1_000, connect.socket));
  assert.deepEqual(
    sent.map(({ CommandId, Param }) => [CommandId, Param]),
    [
      [1, "Orders"],
      [2, "a"],
    ],
  );
  assert.deepEqual(made.confirmed(connect.socket, 1), [{ do: "confirmed", watch: "orders", gap: true }]);
  assert.deepEqual(made.confirmed(connect.socket, 2), [
    { do: "confirmed", watch: "a", gap: true },
    { do: "resync" },
  ]);
});

test("a watch that was never confirmed has no gap", () => {
  const made = state();
  const [first] = made.watch(0, "orders", ORDERS);
  made.opened(10, first.socket);
  made.closed(20, first.socket);
  const [second] = made.tick(made.deadline);
  made.opened(1_000, second.socket);
  assert.deepEqual(made.confirmed(second.socket, 1), [{ do: "confirmed", watch: "orders", gap: false }]);
});

test("events of earlier connections change nothing", () => {
  const { state: made, socket } = listening();
  made.closed(100, socket);
  const [connect] = made.tick(made.deadline);
  assert.equal(made.closed(700, socket), undefined);
  assert.deepEqual(made.confirmed(socket, 1), []);
  assert.deepEqual(made.opened(700, socket), [{ do: "close", socket }]);
  made.opened(800, connect.socket);
  assert.equal(made.isConfirmed("orders"), false);
});

test("pauses grow from half a second to half a minute, shortened by up to half at random", () => {
  for (const random of [0, 1]) {
    const made = state(() => random);
    let [connect] = made.watch(0, "orders", ORDERS);
    let now = 0;
    const pauses = [];
    for (let count = 0; count < 9; count++) {
      assert.equal(connect.failures, count);
      made.closed(now, connect.socket);
      pauses.push(made.deadline - now);
      now = made.deadline;
      assert.deepEqual(made.tick(now - 1), []);
      [connect] = made.tick(now);
    }
    const whole = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000];
    assert.deepEqual([whole[0], whole.at(-1)], [FIRST_PAUSE, LAST_PAUSE]);
    assert.deepEqual(
      pauses,
      whole.map((pause) => pause * (0.5 + random / 2)),
    );
  }
});

test("a server that accepts connections and confirms nothing is asked less and less often", () => {
  const made = state();
  let [connect] = made.watch(0, "orders", ORDERS);
  let now = 0;
  for (let count = 0; count < 7; count++) {
    made.opened(now, connect.socket);
    made.closed(now, connect.socket);
    now = made.deadline;
    [connect] = made.tick(now);
  }
  assert.equal(connect.failures, 7);
});

test("silence ends a connection, any message keeps it", () => {
  const { state: made, socket } = listening();
  made.received(10_000, socket);
  assert.equal(made.deadline, 10_000 + SILENCE);
  assert.deepEqual(made.tick(10 + SILENCE), []);
  assert.deepEqual(made.tick(10_000 + SILENCE), [{ do: "close", socket, dead: true }, { do: "status" }]);
});

test("an attempt that neither succeeds nor fails is given up", () => {
  const made = state();
  const [{ socket }] = made.watch(0, "orders", ORDERS);
  assert.deepEqual(made.tick(LIMIT - 1), []);
  assert.deepEqual(kinds(made.tick(LIMIT)), ["close"]);
  assert.deepEqual(kinds(made.tick(made.deadline)), ["connect"]);
  assert.equal(made.expects(socket), false);
});

test("a connection that nobody needs is closed after five seconds, unless somebody listens again", () => {
  const { state: made, socket } = listening();
  made.unwatch(1_000, "orders");
  made.watch(2_000, "orders", ORDERS);
  assert.deepEqual(made.tick(1_000 + LINGER), []);
  made.unwatch(6_000, "orders");
  assert.equal(made.deadline, 6_000 + LINGER);
  assert.deepEqual(made.tick(6_000 + LINGER), [{ do: "close", socket }, { do: "status" }]);
  assert.equal(made.deadline, Number.POSITIVE_INFINITY);
});

test("a caller that waits needs a connection", () => {
  const made = state();
  const [{ socket }] = made.wait(0, 1);
  assert.deepEqual(kinds(made.opened(10, socket)), ["status"]);
  made.wait(10, -1);
  assert.deepEqual(kinds(made.tick(10 + LINGER)), ["close", "status"]);
});

test("a page that is put away has no connection; when it is shown again the gap is told", () => {
  const { state: made, socket } = listening();
  assert.deepEqual(made.suspend(), [{ do: "close", socket }, { do: "status" }]);
  assert.deepEqual(made.watch(100, "b", ORDERS), []);
  const [connect] = made.resume(200);
  made.opened(300, connect.socket);
  made.confirmed(connect.socket, 1);
  assert.deepEqual(kinds(made.confirmed(connect.socket, 2)), ["confirmed", "resync"]);
});

test("when the network is back the pause ends at once", () => {
  const { state: made, socket } = listening();
  made.closed(100, socket);
  assert.deepEqual(kinds(made.hurry(101)), ["connect"]);
  assert.deepEqual(made.hurry(102), []);
});

test("a response to a request ends one pause until the server has proven to work", () => {
  const { state: made, socket } = listening();
  made.closed(100, socket);
  const [first, ...others] = made.responded(101);
  assert.deepEqual([first.do, others, made.responded(102)], ["connect", [], []]);
  made.closed(103, first.socket);
  assert.deepEqual(made.responded(104), [], "WebSockets do not pass here");
  const [second] = made.hurry(105);
  made.closed(106, second.socket);
  const [last] = made.responded(107);
  assert.equal(last.do, "connect", "after a new connection of the device as well");
  const [{ CommandId }] = commands(made.opened(108, last.socket));
  made.confirmed(last.socket, CommandId);
  made.closed(109, last.socket);
  assert.deepEqual(kinds(made.responded(110)), ["connect"], "and after a connection");
});

test("a refused watch is told, does not hold up the others, and is sent again when it is watched again", () => {
  const { state: made, socket } = listening();
  made.watch(20, "secret", { watch: "watch-docs", unwatch: "unwatch-docs", param: null });
  assert.deepEqual(made.refused(socket, 2, "no"), [{ do: "refused", watch: "secret", reason: "no" }]);
  const again = made.watch(30, "secret", { watch: "watch-docs", unwatch: "unwatch-docs", param: null });
  assert.deepEqual(commands(again)[0].CommandId, 3);
});

// A world with a server that comes and goes, silent cuts and lost tails. Whoever reads when the state says so (a first
// confirmation, a change, a gap) sees the newest version in the end.
const SEEDS = process.env.SEED ? [Number(process.env.SEED)] : Array.from({ length: 300 }, (_, at) => at + 1);

test("whoever reads after confirmations, changes and gaps sees the newest version in the end", () => {
  for (const seed of SEEDS) {
    const world = new World(seeded(seed));
    world.run(400);
    assert.equal(world.wrong(), undefined, `seed ${seed}`);
  }
});

class World {
  now = 0;
  /** When the server last said that it is there. */
  #beat = 0;
  #random;
  #state;
  /** What is on its way to the client: `[time, socket, what]`, in order for each socket. */
  #wire = [];
  /** The server's side: the watches of each connection that it knows. */
  #server = new Map();
  /** The client's sockets that it has not closed. */
  #open = new Set();
  #isUp = true;
  #version = { a: 0, b: 0, c: 0 };
  #seen = {};
  /** The watches that were never confirmed: whoever waits for that reads then. */
  #fresh = new Set();
  #problem;

  constructor(random) {
    this.#random = random;
    this.#state = new ConnectionState(LIMIT, () => random.below(1_000) / 1_000);
  }

  run(steps) {
    for (let step = 0; step < steps; step++) this.#step();
    this.#isUp = true;
    for (const name of Object.keys(this.#seen)) this.#write(name);
    const end = this.now + 120_000;
    while (this.now < end) this.#pass(1_000);
  }

  wrong() {
    if (this.#problem) return this.#problem;
    for (const [name, version] of Object.entries(this.#seen)) {
      if (!this.#state.isConfirmed(name)) return `${name} is not confirmed`;
      if (version !== this.#version[name]) return `${name}: saw ${version} of ${this.#version[name]}`;
    }
    for (const name of Object.keys(this.#seen)) this.#do(this.#state.unwatch(this.now, name));
    for (let count = 0; count < 10; count++) this.#pass(1_000);
    return this.#open.size > 0 ? "a connection stays open" : undefined;
  }

  #any(of) {
    return this.#random.pick(of);
  }

  #step() {
    const name = this.#any(["a", "b", "c"]);
    const steps = {
      watch: () => {
        if (!(name in this.#seen)) this.#fresh.add(name);
        this.#seen[name] ??= -1;
        const command = { watch: "watch", unwatch: "unwatch", param: name };
        this.#do(this.#state.watch(this.now, name, command));
      },
      unwatch: () => {
        delete this.#seen[name];
        this.#do(this.#state.unwatch(this.now, name));
      },
      write: () => this.#write(name),
      pass: () => this.#pass(this.#any([10, 500, 5_000, 20_000])),
      // The server closes all connections; what is on the wire may still arrive.
      close: () => {
        for (const id of this.#server.keys()) this.#later(id, () => this.#closed(id));
        this.#server.clear();
      },
      // Nobody notices.
      cut: () => this.#server.clear(),
      lose: () => {
        const [lost] = [...this.#server.keys()];
        this.#server.delete(lost);
        this.#wire = this.#wire.filter(([, id]) => id !== lost);
      },
      down: () => {
        this.#isUp = false;
        steps.close();
      },
      up: () => {
        this.#isUp = true;
      },
      online: () => this.#do(this.#state.hurry(this.now)),
      respond: () => this.#do(this.#state.responded(this.now)),
      hide: () => this.#do(this.#state.suspend()),
      show: () => this.#do(this.#state.resume(this.now)),
    };
    this.#any(
      [
        ...["watch", "watch", "write", "write", "write", "pass", "pass", "pass", "pass"],
        ...["unwatch", "close", "cut", "lose", "down", "up", "up", "online", "respond"],
      ].map((step) => steps[step]),
    )();
    if (this.#random.chance(0.05)) {
      steps.hide();
      this.#pass(this.#any([0, 30_000]));
      steps.show();
    }
    if (this.#open.size > 1) this.#problem = "two connections";
  }

  #write(name) {
    this.#version[name]++;
    for (const [id, watches] of this.#server) if (watches.has(name)) this.#later(id, () => this.#read(name));
  }

  #read(name) {
    if (name in this.#seen) this.#seen[name] = this.#version[name];
  }

  #later(id, what) {
    const last = this.#wire.filter(([, of]) => of === id).at(-1)?.[0] ?? 0;
    this.#wire.push([Math.max(last, this.now + this.#random.below(50)), id, what]);
  }

  #closed(id) {
    this.#open.delete(id);
    this.#do(this.#state.closed(this.now, id) ?? []);
  }

  #pass(millis) {
    const end = this.now + millis;
    while (this.now < end) {
      const next = Math.min(end, this.#state.deadline, ...this.#wire.map(([time]) => time));
      this.now = Math.max(this.now, next);
      const due = this.#wire.filter(([time]) => time <= this.now);
      this.#wire = this.#wire.filter(([time]) => time > this.now);
      for (const [, id, what] of due) {
        // The client hears nothing on a socket that it has closed.
        if (!this.#open.has(id)) continue;
        this.#state.received(this.now, id);
        what();
      }
      if (this.now >= this.#state.deadline) this.#do(this.#state.tick(this.now));
      if (this.#beat + 5_000 <= this.now) {
        this.#beat = this.now;
        for (const id of this.#server.keys()) this.#later(id, () => {});
      }
    }
  }

  #do(effects) {
    for (const effect of effects) {
      const { socket: id } = effect;
      if (effect.do === "connect") this.#connect(id);
      if (effect.do === "close") {
        this.#open.delete(id);
        this.#server.delete(id);
      }
      if (effect.do === "send") this.#receive(id, JSON.parse(effect.text));
      if (effect.do === "confirmed" && (effect.gap || this.#fresh.delete(effect.watch)))
        this.#read(effect.watch);
    }
  }

  #connect(id) {
    this.#open.add(id);
    if (!this.#isUp) return this.#later(id, () => this.#closed(id));
    this.#later(id, () => {
      if (!this.#isUp) return this.#closed(id);
      this.#server.set(id, new Set());
      this.#do(this.#state.opened(this.now, id));
    });
  }

  #receive(id, { CommandId, Command, Param }) {
    const watches = this.#server.get(id);
    if (!watches) return;
    if (Command === "watch") watches.add(Param);
    else watches.delete(Param);
    this.#later(id, () => this.#do(this.#state.confirmed(id, CommandId)));
  }
}
