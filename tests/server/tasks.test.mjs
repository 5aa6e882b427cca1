// What WebAssembly holds for JavaScript is freed by whoever made it: not every engine collects it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Task } from "../../pkg/gen/raven_edge.js";
import { DocumentStore } from "../../pkg/node.js";
import { failure } from "../support/store.mjs";

test("a request that the session's limit refuses leaves nothing behind", async (t) => {
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
