// The glue between the package and its module: what xtask/js/glue.mjs rewrites.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { glue, Store } from "../../pkg/gen/raven_edge_worker.js";

const module = readFileSync(new URL("../../pkg/gen/raven_edge_worker_bg.wasm", import.meta.url));
glue.initSync({ module });

/** The core of a store; errors of the core are their messages. */
function coreStore() {
  const host = { error: (_code, message) => message };
  return new Store(host, "Shop", "/", 1_000, false, true, 0, 0, true);
}

for (const text of ["orders", "Bestellungen für Žofie", "注文", "🛒", "a\ud800b", ""])
  test(`the text ${JSON.stringify(text)} reaches the module whole`, () => {
    const store = coreStore();
    const session = store.session(501, false, undefined);
    // The message of a refused id contains it.
    assert.throws(
      () => session.check(`${text}\\`),
      (message) => message.includes(`${text.toWellFormed?.() ?? text}\\`),
    );
    session.free();
    store.free();
  });

test("an object of an instance that was replaced is refused", () => {
  const store = coreStore();
  const session = store.session(501, false, undefined);
  glue.__wbg_reset_state();
  for (const call of [() => session.check("orders/1-A"), () => store.topology(), () => session.free()])
    assert.throws(call, /earlier instance/);
  assert.equal(glue.isAlive(), true);
  coreStore().free();
});

test("an object that was freed is refused", () => {
  const store = coreStore();
  store.free();
  assert.throws(() => store.topology(), /null pointer/);
});
