// Objects in WebAssembly memory are freed explicitly, because not every engine runs finalizers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DocumentStore } from "../../pkg/dist/entries/node.js";
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
