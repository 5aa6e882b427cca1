// Memory may grow whenever the module runs, which detaches all views of it. So no list of numbers that the module returns may be a view that
// was made before. Here memory grows on every import.
import assert from "node:assert/strict";
import { onServers, order } from "../support/server.mjs";

const { Instance } = WebAssembly;
let grown = 0;

/** An instance whose memory grows whenever it calls an import. */
class Growing extends Instance {
  constructor(module, imports) {
    let memory;
    const grows =
      (entry) =>
      (...args) => {
        const given = entry(...args);
        // Imports are also called while the instance is made.
        grown += memory ? 1 : 0;
        memory?.grow(1);
        return given;
      };
    const wrapped = Object.entries(imports).map(([from, entries]) => [
      from,
      Object.fromEntries(
        Object.entries(entries).map(([name, entry]) => [
          name,
          typeof entry === "function" ? grows(entry) : entry,
        ]),
      ),
    ]);
    super(module, Object.fromEntries(wrapped));
    memory = Object.values(this.exports).find((value) => value instanceof WebAssembly.Memory);
  }
}
WebAssembly.Instance = Growing;

const { open } = await import("../support/store.mjs");
const { database, document } = await import("../support/server.mjs");

onServers("documents are saved and loaded although memory grows with every import", async (t, server) => {
  const name = await database(t, server);
  const store = open(t, server.url, name);
  const session = store.openSession();
  const orders = Array.from({ length: 70 }, (_, i) => order({ name: `käse ${i}`, text: "x".repeat(i * 50) }));
  for (const one of orders) await session.store(one);
  await session.saveChanges();
  assert.ok(grown > 0, `${grown} times`);
  assert.equal((await document(server, name, orders[69].id)).text.length, 69 * 50);
  const again = await store.openSession().load(orders.map(({ id }) => id));
  const found = Object.values(again instanceof Map ? Object.fromEntries(again) : again);
  assert.deepEqual(
    found.map((one) => one.name),
    orders.map((one) => one.name),
  );
});
