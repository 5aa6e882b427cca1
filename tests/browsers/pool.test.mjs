// Numbers that stay on the device: a page parks them, and the next one finds them.
import assert from "node:assert/strict";
import { becomes, inPage } from "../support/pages.mjs";
import {
  counter,
  create,
  document,
  number,
  otherLease,
  ravendb,
  remove,
  setCounter,
} from "../support/server.mjs";
import { open as store } from "../support/store.mjs";

for (const [keep, expected] of [
  [undefined, 9],
  [0, 1],
  [3, 4],
  [Number.POSITIVE_INFINITY, 32],
]) {
  inPage(
    `after one order in a page that is left, Max is ${expected} with keep ${keep ?? "by default"}`,
    async ({ base, page, next }) => {
      const id = await page.evaluate(([name, keep]) => order(open(name, { keep })), [base, keep]);
      assert.equal(id, "orders/1-A");
      await next();
      await becomes(base, expected);
      assert.equal(
        await page.evaluate(async (name) => {
          await open(name).dispose();
          return events.filter(([event]) => event === "storage").length;
        }, base),
        0,
      );
      assert.equal(await counter(ravendb, base, "orders"), 1, "dispose returns exactly the parked numbers");
      assert.equal((await otherLease(ravendb, base, "orders")).Low, 2);
    },
  );
}

inPage("after one order and dispose Max is 1, with one request", async ({ base, page }) => {
  const { id, returns } = await page.evaluate(async (name) => {
    const store = open(name);
    const id = await order(store);
    await store.dispose();
    return {
      id,
      returns: events
        .filter(([event]) => event === "return")
        .map(([, { low, high, applied }]) => [low, high, applied]),
    };
  }, base);
  assert.deepEqual([id, returns], ["orders/1-A", [[2, 32, true]]]);
  assert.equal(await counter(ravendb, base, "orders"), 1);
});

inPage("a reloaded page uses parked numbers without a lease", async ({ base, page, next }) => {
  await page.evaluate((name) => order(open(name)), base);
  await next();
  await becomes(base, 9);
  const { ids, leases } = await page.evaluate(async (name) => {
    const store = open(name);
    const ids = [];
    for (let count = 0; count < 8; count++) ids.push(await store.hilo("orders").next());
    return { ids, leases: events.filter(([event]) => event === "lease").length };
  }, base);
  assert.deepEqual(ids.map(number), [2, 3, 4, 5, 6, 7, 8, 9]);
  assert.equal(leases, 0);
});

inPage(
  "reserved numbers are all available after closing and reopening offline",
  async ({ base, page, next, gate }) => {
    const parked = await page.evaluate(async (name) => {
      const store = open(name);
      await store.hilo("orders").reserve(1000);
      return store.hilo("orders").status().parked;
    }, base);
    assert.ok(parked >= 1000, `${parked} parked`);
    await next();
    gate.open = false;
    const ids = await page.evaluate(async (name) => {
      const hilo = open(name, { timeout: 3_000 }).hilo("orders");
      const ids = [];
      for (let count = 0; count < 1000; count++) ids.push(await hilo.next());
      return ids;
    }, base);
    assert.equal(new Set(ids).size, 1000);
  },
);

inPage("reserve counts numbers that an earlier page has parked, online and offline", async (tools) => {
  const { base, page, next, gate } = tools;
  await page.evaluate((name) => open(name).hilo("orders").reserve(100), base);
  const reserve = () =>
    page.evaluate(async (name) => {
      const hilo = open(name, { timeout: 3_000 }).hilo("orders");
      await hilo.reserve(100);
      return [hilo.status().parked >= 100, seen("lease").length];
    }, base);
  await next();
  assert.deepEqual(await reserve(), [true, 0], "there are enough");
  await next();
  gate.open = false;
  assert.deepEqual(await reserve(), [true, 0]);
});

for (const named of ["before", "by"]) {
  inPage(
    `a page that starts offline takes parked ids one after the other, of a tag named ${named} ready()`,
    async (tools) => {
      const { base, page, next, gate } = tools;
      await page.evaluate((name) => open(name).hilo("orders").reserve(200), base);
      await next();
      gate.open = false;
      const { ids, status, rest } = await page.evaluate(
        async ([name, named]) => {
          const store = open(name, { timeout: 3_000 });
          if (named === "before") store.hilo("orders");
          await store.ready(...(named === "by" ? ["orders"] : []));
          const hilo = store.hilo("orders");
          const status = hilo.status();
          const ids = Array.from({ length: 8 }, () => hilo.take());
          return { ids, status, rest: hilo.status().atHand };
        },
        [base, named],
      );
      assert.ok(
        ids.every((id) => typeof id === "string"),
        ids.join(),
      );
      assert.equal(new Set(ids).size, 8);
      assert.equal(status.atHand, 8);
      assert.ok(status.parked >= 192, `${status.parked} parked`);
      assert.equal(rest, 0);
    },
  );
}

inPage("reserve(0) ends the reservation: numbers beyond keep are returned", async ({ base, page }) => {
  const parked = await page.evaluate(async (name) => {
    const hilo = open(name).hilo("orders");
    await hilo.reserve(100);
    await hilo.reserve(0);
    return hilo.status().parked;
  }, base);
  assert.equal(parked, 8);
  await becomes(base, 8);
});

inPage("a page that is restored from the cache issues no duplicate", async ({ base, page, site, next }) => {
  const first = await page.evaluate(async (name) => {
    globalThis.store = open(name);
    return [await store.hilo("orders").next(), await store.hilo("orders").next()];
  }, base);
  await next(`${site.url}/away`);
  await page.goBack();
  const { persisted, then } = await page.evaluate(async (name) => {
    const persisted = "store" in globalThis;
    globalThis.store ??= open(name);
    const then = [];
    for (let count = 0; count < 20; count++) then.push(await store.hilo("orders").next());
    return { persisted, then };
  }, base);
  assert.equal(new Set([...first, ...then]).size, 22, `${first} ${then} ${persisted}`);
});

inPage("another incarnation discards parked numbers before the next id", async ({ base, page, next }) => {
  await page.evaluate((name) => order(open(name)), base);
  await next();
  await becomes(base, 9);
  await remove(ravendb, base);
  await create(ravendb, base);
  const { ids, events: seen } = await page.evaluate(async (name) => {
    const store = open(name);
    const first = await store.hilo("orders").next();
    const session = store.openSession();
    for (const id of [first, "orders/", "orders|", ""])
      await session.store({ "@metadata": { "@collection": "Orders" } }, id);
    await session.load("orders/1-A");
    const ids = [first, await store.hilo("orders").next()];
    return { ids, events };
  }, base);
  assert.equal(number(ids[0]), 2, "it came from the device before the server was asked");
  assert.equal(number(ids[1]), 1, "the new database begins with 1");
  const [, details] = seen.find(([event]) => event === "regression");
  assert.deepEqual(details.unsaved, [ids[0]], "the app is notified about unsaved documents with old numbers");
});

inPage("a lowered counter is noticed after a reload", async ({ base, page, next }) => {
  const first = await page.evaluate(async (name) => {
    const ids = [];
    const hilo = open(name).hilo("orders");
    for (let count = 0; count < 12; count++) ids.push(await hilo.next());
    return ids;
  }, base);
  const before = await document(ravendb, base, "Raven/Hilo/orders");
  assert.equal(before.Max, 32);
  await setCounter(ravendb, base, "orders");
  await next();
  const { ids, seen } = await page.evaluate(async (name) => {
    const hilo = open(name).hilo("orders");
    const ids = [];
    for (let count = 0; count < 40; count++) ids.push(await hilo.next());
    return { ids, seen: events.map(([event]) => event) };
  }, base);
  assert.equal(new Set([...first, ...ids]).size, 52, `${first} ${ids}`);
  assert.ok(seen.includes("regression"), `${seen}`);
});

inPage(
  "the ids of a killed page are known to the next one, also with keep 0",
  async ({ base, page, next }) => {
    const first = await page.evaluate(async (name) => {
      const hilo = open(name, { keep: 0 }).hilo("orders");
      const ids = [];
      for (let count = 0; count < 17; count++) ids.push(await hilo.next());
      // Transactions are ordered: once this one is complete, the first sixteen are recorded on the device.
      await new Promise((resolve) => {
        const request = indexedDB.open("raven-edge");
        request.onsuccess = () => {
          const transaction = request.result.transaction("ranges", "readwrite");
          transaction.objectStore("ranges").count();
          transaction.oncomplete = resolve;
        };
      });
      return ids;
    }, base);
    assert.equal(first.length, 17);
    await setCounter(ravendb, base, "orders");
    await next();
    const id = await page.evaluate((name) => open(name, { keep: 0 }).hilo("orders").next(), base);
    assert.ok(!first.includes(id), `${id} was issued before`);
  },
);

inPage(
  "the ids of a closed page are known to the next one, also with keep 0",
  async ({ base, page, next }) => {
    const first = await page.evaluate(async (name) => {
      const hilo = open(name, { keep: 0 }).hilo("orders");
      // Blocks double: the last one has begun.
      const ids = await take(hilo, 11);
      // Transactions are ordered: once this one is complete, all earlier ones are recorded on the device.
      await new Promise((resolve) => {
        indexedDB.open("raven-edge").onsuccess = ({ target }) => {
          const transaction = target.result.transaction("ranges", "readwrite");
          transaction.oncomplete = () => resolve(target.result.close());
        };
      });
      return ids;
    }, base);
    await next();
    // The state before the last block.
    await setCounter(ravendb, base, "orders", 9);
    const id = await page.evaluate((name) => open(name, { keep: 0 }).hilo("orders").next(), base);
    assert.ok(!first.includes(id), `${id} was issued before`);
  },
);

inPage(
  "a page that closes during a write to the device causes no rollback alarm",
  async ({ base, page, next }) => {
    await page.evaluate(async (name) => {
      // The tenth id begins a block of four, which is written to the device.
      await take(open(name, { keep: 0 }).hilo("orders"), 10);
      dispatchEvent(new Event("pagehide"));
    }, base);
    await next();
    const alarms = await page.evaluate(async (name) => {
      await take(open(name, { keep: 0 }).hilo("orders"), 1);
      return seen("regression");
    }, base);
    assert.deepEqual(alarms, []);
  },
);

inPage("returned numbers can be leased again without an alarm", async ({ base, page }) => {
  const { ids, alarms } = await page.evaluate(async (name) => {
    const ids = [];
    for (const end of ["release", "dispose", "dispose"]) {
      const store = open(name);
      const hilo = store.hilo("orders");
      for (let count = 0; count < 9; count++) ids.push(await hilo.next());
      await store[end]();
      if (end === "release") ids.push(await hilo.next());
      await store.dispose();
    }
    return { ids, alarms: events.filter(([event]) => event === "regression") };
  }, base);
  assert.deepEqual(alarms, []);
  assert.equal(new Set(ids).size, 28);
});

inPage("unsuccessful takes count as demand: the next ones find as many numbers", async ({ base, page }) => {
  const taken = await page.evaluate(async (name) => {
    const hilo = open(name).hilo("orders");
    await hilo.next();
    await hilo.reserve(50);
    const burst = () => Array.from({ length: 20 }, () => hilo.take()).filter(Boolean);
    while (hilo.take());
    const none = burst();
    // The requested numbers arrive before a later caller is served.
    const later = await hilo.next();
    return [none.length, later, burst()];
  }, base);
  assert.equal(taken[0], 0);
  assert.ok(taken[2].length >= 10, `${taken[2].length} of 20 takes found a number`);
  assert.equal(new Set([taken[1], ...taken[2]]).size, taken[2].length + 1);
});

inPage("numbers that were set aside for unsuccessful takes are no sign of a rollback", async (tools) => {
  const { base, page, next } = tools;
  const work = (count) =>
    page.evaluate(
      async ([name, count]) => {
        const store = open(name, { keep: 0 });
        await store.ready();
        const hilo = store.hilo("orders");
        while (count-- > 0) hilo.take();
        return [await hilo.next(), seen("regression")];
      },
      [base, count],
    );
  assert.deepEqual(await work(5), ["orders/1-A", []]);
  await next();
  // They were not issued: all are returned.
  await becomes(base, 1);
  assert.deepEqual(await work(0), ["orders/2-A", []]);
});

for (const [ours, theirs] of [
  ["ΟΔΟΣ", "οδος"],
  ["İş", "i̇ş"],
  ["𐐀", "𐐨"],
  ["\ua7cb", "\u0264"],
]) {
  inPage(
    `parked numbers of ${ours} are not returned to ${theirs}, which is another counter of RavenDB`,
    async ({ t, base, page, next }) => {
      const first = await page.evaluate(([name, tag]) => open(name).hilo(tag).next(), [base, ours]);
      assert.equal(first, `${ours}/1-A`);
      await next();
      await becomes(base, 9, ours);
      const other = store(t, ravendb.url, base);
      const ids = [];
      for (let count = 0; count < 9; count++) ids.push(await other.hilo(theirs).next());
      await other.dispose();
      assert.equal(await counter(ravendb, base, theirs), 9);
      await page.evaluate((name) => open(name).dispose(), base);
      assert.equal(await counter(ravendb, base, theirs), 9, `${ids} are in use`);
      assert.equal(await counter(ravendb, base, ours), 1);
    },
  );
}

inPage(
  "a loop gets its numbers from the device in blocks, and dispose returns the last one",
  async ({ base, page }) => {
    const { ids, moves } = await page.evaluate(async (name) => {
      const { transaction } = IDBDatabase.prototype;
      let moves = 0;
      IDBDatabase.prototype.transaction = function (...given) {
        moves += 1;
        return transaction.apply(this, given);
      };
      const store = open(name);
      const ids = await take(store.hilo("orders"), 500);
      const soFar = moves;
      await store.dispose();
      return { ids, moves: soFar };
    }, base);
    assert.equal(new Set(ids).size, 500);
    assert.ok(moves < 250, `${moves} transactions for 500 numbers`);
    assert.equal(await counter(ravendb, base, "orders"), Math.max(...ids.map(number)));
  },
);
