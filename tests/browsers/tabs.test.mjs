// Tabs share the pool, and nothing else.
import assert from "node:assert/strict";
import { becomes, distinct, inPage, inTabs } from "../support/pages.mjs";
import { isLease, isSave } from "../support/proxy.mjs";
import { counter, database, number, ravendb, setCounter } from "../support/server.mjs";

/** Has a page wait longer for other tabs, which are slow on a busy machine. */
function patient() {
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (work, ms, ...given) => setTimeout(work, ms === 60 ? 1_000 : ms, ...given);
  const { timeout } = AbortSignal;
  AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms === 2_000 ? 30_000 : ms);
}

/** Makes a page report how many other tabs have answered its last greeting: its behaviour depends on that, and no API shows it. */
function listen() {
  const names = new Set();
  globalThis.siblings = () => names.size;
  globalThis.BroadcastChannel = class extends BroadcastChannel {
    constructor(name) {
      super(name);
      this.addEventListener("message", ({ data }) => names.add(data[1]));
    }
    postMessage(data) {
      if (data[0] === 0) names.clear();
      super.postMessage(data);
    }
  };
}

/** Tabs with a store each, all of which know each other. */
async function crowd({ context, tab, base }, count, options) {
  await context.addInitScript(patient);
  await context.addInitScript(listen);
  const pages = [];
  for (let at = 0; at < count; at++) {
    const page = await tab();
    pages.push(page);
    await page.evaluate(
      ([name, options]) => {
        globalThis.store = open(name, options);
        globalThis.hilo = store.hilo("orders");
        return store.ready();
      },
      [base, options],
    );
  }
  for (const page of pages) await page.waitForFunction((others) => siblings() >= others, count - 1);
  return pages;
}

const status = (page) => page.evaluate(() => hilo.status());
const take = (page, count) => page.evaluate((count) => globalThis.take(hilo, count), count);

inTabs("a second tab makes the first park its tail; the last one keeps a tail again", async (tools) => {
  const { tab, base, wire, load } = tools;
  const first = await tab();
  const [id] = await first.evaluate((name) => {
    globalThis.hilo = open(name, { keep: 8 }).hilo("orders");
    return take(hilo, 1);
  }, base);
  const alone = await status(first);
  assert.deepEqual([number(id), alone.parked, alone.atHand], [1, 8, 23], "the rest of 32 is the tail");
  const [second] = await crowd(tools, 1, { keep: 8 });
  // Reported once the move has completed. When it starts, the second page reads the eight numbers of the tail into memory,
  // before the move or after it.
  await first.waitForFunction(() => hilo.status().atHand === 0 && hilo.status().parked > 8);
  assert.ok([31 - 8, 31].includes((await status(first)).parked), "the first parks all its numbers");
  const ids = [id];
  for (let turn = 0; turn < 5; turn++) {
    for (const page of [first, second]) {
      ids.push(...(await take(page, 3)));
      // Starting the second page claims eight numbers; otherwise a block doubles the demand.
      assert.ok(
        (await status(page)).atHand <= Math.max(8, 3 * turn + 4),
        "all but the block in use is parked",
      );
    }
  }
  assert.equal(distinct(ids), 31);
  assert.equal(wire.of(isLease).length, 1, "31 ids of two tabs need one lease");
  await load(second, new URL("/away", second.url()).href);
  const then = await take(first, 2);
  // When the burst has paused.
  await first.waitForFunction(() => hilo.status().parked > 0);
  const { atHand, parked, low, high } = await status(first);
  distinct(ids, then);
  assert.equal(wire.of(isLease).length, 2);
  assert.deepEqual(
    [parked, atHand],
    [8, high - low - 8],
    "the last tab holds the numbers that are neither issued nor to be parked",
  );
});

for (const count of [2, 5]) {
  inTabs(`${count} tabs that need ids at the same time lease once`, async (tools) => {
    const pages = await crowd(tools, count);
    const { wire } = tools;
    const asked = wire.next(isLease);
    let release;
    wire.rule = (request) =>
      isLease(request) &&
      new Promise((resolve) => {
        release = resolve;
      });
    const ids = await Promise.all([
      ...pages.map((page) => page.evaluate(() => hilo.next())),
      (async () => {
        await pages[0].waitForFunction(
          async (others) => (await navigator.locks.query()).pending.length === others,
          count - 1,
        );
        await asked;
        assert.equal(wire.of(isLease).length, 1, "the others wait for it");
        wire.rule = undefined;
        release();
      })(),
    ]);
    ids.pop();
    assert.equal(distinct(ids), count);
    assert.equal(wire.of(isLease).length, 1, `${count} tabs, one lease`);
  });
}

inTabs("without Web Locks, tabs that need ids at the same time never get one twice", async (tools) => {
  await tools.context.addInitScript(() => {
    Object.defineProperty(Navigator.prototype, "locks", { value: undefined });
  });
  const pages = await crowd(tools, 5);
  const lists = await Promise.all(pages.map((page) => take(page, 200)));
  assert.equal(distinct(...lists), 1_000);
});

inTabs("no Web Lock is held or requested while idle", async (tools) => {
  const pages = await crowd(tools, 2);
  await Promise.all(pages.map((page) => take(page, 50)));
  for (const page of pages) await page.waitForFunction(() => !hilo.status().leasing);
  const locks = await pages[0].evaluate(async () => {
    const { held, pending } = await navigator.locks.query();
    return [...held, ...pending];
  });
  assert.deepEqual(locks, []);
});

inPage(
  "of several stores in one tab the first to be disposed parks, the last returns everything",
  async (tools) => {
    const { base, page, wire } = tools;
    await page.evaluate(patient);
    const [first, second] = await page.evaluate(async (name) => {
      globalThis.stores = [open(name), open(name)];
      return [await stores[0].hilo("orders").next(), await stores[1].hilo("orders").next()];
    }, base);
    distinct([first, second]);
    const max = await counter(ravendb, base, "orders");
    await page.evaluate(() => stores[0].dispose());
    assert.equal(await counter(ravendb, base, "orders"), max, "nothing was returned");
    const leases = wire.of(isLease).length;
    const ids = await page.evaluate(() => take(stores[1].hilo("orders"), 20));
    distinct([first, second], ids);
    assert.equal(wire.of(isLease).length, leases, "the other store uses the parked numbers");
    await page.evaluate(() => stores[1].dispose());
    const highest = Math.max(...[first, second, ...ids].map(number));
    assert.equal(
      await counter(ravendb, base, "orders"),
      highest,
      "the last one returned everything that can be",
    );
  },
);

inPage("stores of two databases do not share numbers: each returns its own", async (tools) => {
  const { t, base, page, next } = tools;
  const other = await database(t, ravendb);
  const work = (keep) =>
    page.evaluate(
      async ([name, other, keep]) => {
        globalThis.store = open(name, { keep });
        await store.openSession(other).store({ "@metadata": { "@collection": "Orders" } });
        // Long enough for stores to notice each other.
        await new Promise((resolve) => setTimeout(resolve, 100));
        await store.hilo("orders").next();
      },
      [base, other, keep],
    );
  await work(0);
  await next();
  for (const name of [base, other]) await becomes(name, 1);
  await work();
  await page.evaluate(() => store.dispose());
  for (const name of [base, other]) assert.equal(await counter(ravendb, name, "orders"), 2);
});

inTabs("dispose parks numbers while another tab is open, which uses them", async (tools) => {
  const [first, second] = await crowd(tools, 2);
  const { base, wire } = tools;
  const before = [...(await take(first, 5)), ...(await take(second, 5))];
  const max = await counter(ravendb, base, "orders");
  await first.evaluate(() => store.dispose());
  assert.equal(await counter(ravendb, base, "orders"), max, "nothing was returned");
  const leases = wire.of(isLease).length;
  const { parked } = await second.evaluate(async () => {
    globalThis.claimed = await take(hilo, 1);
    return hilo.status();
  });
  const rest = await take(second, parked);
  distinct(before, await second.evaluate(() => claimed), rest);
  assert.equal(wire.of(isLease).length, leases);
});

inTabs("two stores in two tabs concurrently take thousands of ids in all ways", async (tools) => {
  const { base, wire } = tools;
  const pages = [await tools.tab(), await tools.tab()];
  const results = await Promise.all(
    pages.map((page) =>
      page.evaluate(async (name) => {
        const stores = [open(name), open(name)];
        const ids = [];
        let saves = 0;
        const one = async (store) => {
          const hilo = store.hilo("orders");
          for (let round = 0; round < 40; round++) {
            const waiting = Array.from({ length: 10 }, () => hilo.next());
            for (let count = 0; count < 20; count++) {
              const id = hilo.take();
              if (id !== undefined) ids.push(id);
            }
            const session = store.openSession();
            const orders = Array.from({ length: 5 }, () => ({ "@metadata": { "@collection": "Orders" } }));
            await Promise.all(orders.map((order) => session.store(order)));
            await session.saveChanges();
            saves++;
            ids.push(...(await Promise.all(waiting)), ...orders.map(({ id }) => id));
          }
        };
        await Promise.all(stores.map(one));
        return { ids, saves };
      }, base),
    ),
  );
  const count = distinct(...results.map(({ ids }) => ids));
  assert.ok(count >= 2 * 2 * 40 * 15, `${count} ids`);
  assert.equal(
    wire.of(isSave).length,
    results[0].saves + results[1].saves,
    "each session saved with one request",
  );
});

inPage("a disposed store does not park numbers from a counter that was rolled back", async (tools) => {
  const { base, page, wire } = tools;
  const first = await page.evaluate((name) => {
    globalThis.stays = open(name, { keep: 0 });
    return take(stays.hilo("orders"), 32);
  }, base);
  let letGo;
  const held = new Promise((resolve) => {
    letGo = resolve;
  });
  wire.rule = (request) => (isLease(request) ? held : undefined);
  const asked = wire.next(isLease);
  await page.evaluate((name) => {
    globalThis.ends = open(name, { keep: 0 });
    ends
      .hilo("orders")
      .next()
      .catch(() => {});
  }, base);
  await asked;
  await setCounter(ravendb, base, "orders");
  await page.evaluate(() => {
    globalThis.ended = ends.dispose();
  });
  letGo();
  const then = await page.evaluate(async () => {
    await ended;
    return take(stays.hilo("orders"), 3);
  });
  distinct(first, then);
});
