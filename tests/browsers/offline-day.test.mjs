// Twelve hours offline in miniature: changes queued one by one and sent at the end; 5,000 of 1,000 documents with `--full`. It prints
// the times; how fast it is, is no test.
import assert from "node:assert/strict";
import { withQueue } from "../support/offline.mjs";
import { ravendb, send } from "../support/server.mjs";

const DOCUMENTS = process.env.RAVEN_EDGE_FULL === "1" ? 1_000 : 60;
const CHANGES = 5;

withQueue(
  "five changes of each of many documents are queued offline, then saved in order",
  async ({ t, page, base, gate, context }) => {
    await page.evaluate(
      async ([name, documents]) => {
        globalThis.store = open(
          name,
          { automatic: false },
          { keep: Number.POSITIVE_INFINITY, timeout: 30_000 },
        );
        await store.hilo("orders").reserve(documents);
      },
      [base, DOCUMENTS],
    );
    const devtools = await context.newCDPSession(page);
    const memory = async () => {
      await devtools.send("HeapProfiler.collectGarbage");
      const { usedSize } = await devtools.send("Runtime.getHeapUsage");
      return usedSize / 2 ** 20;
    };
    const before = await memory();
    gate.open = false;
    const queued = await page.evaluate(
      async ([documents, changes]) => {
        const began = performance.now();
        for (let at = 0; at < documents; at++) {
          const session = store.openSession();
          const order = Order({ customer: `customers/${at}`, lines: [], note: "x".repeat(200) });
          await session.store(order);
          for (let change = 0; change < changes; change++) {
            order.lines.push(change);
            await session.queueChanges();
          }
        }
        return performance.now() - began;
      },
      [DOCUMENTS, CHANGES],
    );
    const full = await memory();
    gate.open = true;
    const drained = await page.evaluate(async () => {
      const began = performance.now();
      const isEmpty = await store.offline.flush({ timeout: 300_000 });
      return [isEmpty, performance.now() - began];
    });
    const after = await memory();
    const [isEmpty, sent] = drained;
    t.diagnostic(
      `queued in ${(queued / 1_000).toFixed(1)} s, drained in ${(sent / 1_000).toFixed(1)} s; heap ${before.toFixed(1)} MB, ` +
        `${full.toFixed(1)} with all of them, ${after.toFixed(1)} at the end`,
    );
    assert.equal(isEmpty, true);
    const { Results } = (
      await send(ravendb.url, "GET", `/databases/${base}/docs?startsWith=orders/&pageSize=1100`)
    ).json;
    assert.equal(Results.length, DOCUMENTS);
    for (const { lines } of Results) assert.deepEqual(lines, [0, 1, 2, 3, 4]);
  },
  { timeout: 600_000 },
);
