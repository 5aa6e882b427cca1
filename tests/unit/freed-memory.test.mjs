// Objects in WebAssembly memory are freed explicitly, because not every engine runs finalizers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { DocumentStore } from "../../pkg/dist/entries/node.js";
import { HiLo } from "../../pkg/dist/numbers/hilo.js";
import { Runtime } from "../../pkg/dist/runtime/runtime.js";
import { EVENT_JOINED } from "../../pkg/gen/protocol.js";
import { glueOf } from "../../pkg/gen/raven_edge.js";
import { failure } from "../support/store.mjs";

test("a request that the session's limit refuses is freed", async (t) => {
  const { Task } = glueOf("whole");
  let freed = 0;
  const { free } = Task.prototype;
  Task.prototype.free = function () {
    freed++;
    free.call(this);
  };
  t.after(() => {
    Task.prototype.free = free;
  });
  const store = new DocumentStore("http://127.0.0.1:9", "Shop");
  store.conventions.maxNumberOfRequestsPerSession = 0;
  store.initialize();
  t.after(() => store.dispose());
  await store.ready();
  const error = await failure(store.openSession().load("orders/1-A"));
  assert.equal(error.code, "InvalidOperation");
  assert.equal(freed, 1);
});

test("the core forgets a caller whose request the platform has cancelled", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  let joined;
  {
    const core = {
      addTag: () => 3,
      ofTag(name, ...args) {
        return this[name](...args);
      },
      fork: () => 7,
      ask: () => 1,
      notify: (tag, group, event) => {
        if (event === EVENT_JOINED) joined = [tag, group];
      },
    };
    const runtime = new Runtime({ initSync() {}, isAlive: () => true, onDeath() {} }, () => ({}));
    runtime.start();
    const store = { runtime, timeout: 0, chosen: () => [-1, 0], assertOpen() {} };
    const hilo = new HiLo(store, "orders");
    hilo.attach(core);
    // A cancelled request settles nothing, and nothing refers to it any more.
    hilo.next();
  }
  // Finalizers run in a later turn of the event loop.
  for (let turns = 0; !joined && turns < 100; turns++) await setTimeout(1).then(collect);
  assert.deepEqual(joined, [3, 7]);
});
