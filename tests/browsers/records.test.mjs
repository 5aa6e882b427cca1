// Stored records that are damaged, foreign or of another version: no number is read from them.
import assert from "node:assert/strict";
import { assertGranted, becomes, inTabs, STORAGE_REPORTED, work } from "../support/pages.mjs";
import { number } from "../support/server.mjs";

/** Runs in a page of the origin: replaces the record of the tag, or all records, with the result of `change`. */
function damage([base, change, key = `["server","${location.origin}/raven","${base}","/","orders"]`]) {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("raven-edge");
    opening.onsuccess = () => {
      const transaction = opening.result.transaction("ranges", "readwrite");
      const ranges = transaction.objectStore("ranges");
      ranges.get(key).onsuccess = ({ target: { result } }) => {
        if (!result) return reject(new Error(`nothing under ${key}`));
        new Function("ranges", "key", "text", `(${change})(ranges, key, text)`)(ranges, key, result);
      };
      transaction.oncomplete = () => resolve(opening.result.close());
      transaction.onabort = () => reject(transaction.error);
    };
  });
}

/** Runs in a page: `device()` makes a pool, and `read()`, which resolves with the incarnation that the pool finds. */
function defineDevice() {
  globalThis.device = async () => {
    const { Pool } = await import("/dist/device/parked-numbers.js");
    const pool = new Pool();
    const read = async () => {
      let found;
      await pool.move("a record", "a database", false, undefined, (_, incarnation) => {
        found = incarnation;
      });
      return found;
    };
    return { pool, read };
  };
}

/** The numbers are discarded; nothing is guessed. */
const UNREADABLE = {
  "cut off": (ranges, key, text) => ranges.put(text.slice(0, -5), key),
  "no JSON": (ranges, key) => ranges.put("numbers", key),
  empty: (ranges, key) => ranges.put("", key),
  "a number": (ranges, key) => ranges.put(5, key),
  "an object": (ranges, key, text) => ranges.put(JSON.parse(text), key),
  null: (ranges, key) => ranges.put(null, key),
  "of version 2": (ranges, key, text) => ranges.put(text.replace('"version":1', '"version":2'), key),
  "with numbers above 2^53": (ranges, key, text) =>
    ranges.put(text.replace(/"parked":\[\[\d+,\d+/, '"parked":[[9007199254740990,9007199254740999'), key),
  "with a range that ends before it begins": (ranges, key, text) =>
    ranges.put(text.replace(/"parked":\[\[\d+,\d+/, '"parked":[[9,2'), key),
  "with a number below 1": (ranges, key, text) =>
    ranges.put(text.replace(/"parked":\[\[\d+/, '"parked":[[0'), key),
  "with a fraction": (ranges, key, text) =>
    ranges.put(text.replace(/"parked":\[\[\d+/, '"parked":[[2.5'), key),
  "with ranges that overlap": (ranges, key, text) =>
    ranges.put(text.replace(/"parked":\[(\[.*?\])/, '"parked":[$1,$1'), key),
};

/** Valid records that belong to another incarnation, source, address, database, separator or tag. */
const FOREIGN = {
  "of another incarnation": (ranges, key, text) =>
    ranges.put(text.replace(/"incarnation":"[^"]*"/, '"incarnation":"another"'), key),
  ...Object.fromEntries(
    [
      ["another source", 0, "own"],
      ["another address", 1, "/other"],
      ["another database", 2, "other"],
      ["another separator", 3, "-"],
      ["another tag", 4, "order"],
    ].map(([name, at, value]) => [
      `of ${name}`,
      `(ranges, key, text) => {
        const foreign = JSON.parse(key);
        foreign[${at}] = ${JSON.stringify(value)};
        ranges.delete(key);
        ranges.put(text, JSON.stringify(foreign));
      }`,
    ]),
  ),
};

for (const [kind, changes] of [
  ["unreadable", UNREADABLE],
  ["foreign", FOREIGN],
]) {
  for (const [name, change] of Object.entries(changes)) {
    inTabs(
      `a record ${name} is ${kind}, and none of its numbers is issued`,
      async ({ base, tab, load, site }) => {
        const page = await tab();
        const before = await work(page, base);
        await load(page, `${site.url}/away`);
        await page.evaluate(damage, [base, String(change)]);
        await load(page);
        const then = await work(page, base);
        assert.deepEqual(then.storage, []);
        // The device is used again.
        await page.waitForFunction(() => store.hilo("orders").status().parked > 0);
        // Numbers that were parked before do not belong to this page's leases.
        assertGranted({ ...before, leases: [], ids: [] }, then);
        assertGranted(before, then);
      },
    );
  }
}

inTabs(
  "a record of the version before, in the order in which its numbers were parked, is used in ascending order",
  async ({ base, tab, load, site }) => {
    const page = await tab();
    const one = () => page.evaluate(async (name) => take(open(name).hilo("orders"), 1), base);
    assert.deepEqual(await one(), ["orders/1-A"]);
    await load(page, `${site.url}/away`);
    await becomes(base, 9);
    const parted = String((ranges, key, text) =>
      ranges.put(
        text.replace(
          /"parked":.*?\]\]/,
          '"parked":[[8,9,"orders/","A"],[6,7,"orders/","A"],[2,3,"orders/","A"]]',
        ),
        key,
      ),
    );
    await page.evaluate(damage, [base, parted]);
    await load(page);
    const ids = await page.evaluate((name) => take(open(name).hilo("orders"), 7), base);
    assert.deepEqual(ids.map(number), [2, 3, 6, 7, 8, 9, 10]);
  },
);

inTabs(
  "a record of a newer version stays as it is, ids come from memory, and the event says what to do",
  async ({ base, context, tab, load, site }) => {
    const page = await tab();
    const before = await work(page, base);
    await load(page, `${site.url}/away`);
    const newer = (ranges, key, text) => ranges.put(text.replace('"version":1', '"version":9'), key);
    await page.evaluate(damage, [base, String(newer)]);
    const read = async () => {
      await page.evaluate(damage, [
        base,
        String((_ranges, _key, text) => {
          globalThis.record = text;
        }),
      ]);
      return page.evaluate(() => globalThis.record);
    };
    const record = await read();
    await load(page);
    const then = await work(page, base);
    assert.deepEqual(then.storage, STORAGE_REPORTED);
    const [message] = await page.evaluate(() => seen("storage").map(({ error }) => error.message));
    assert.match(message, /a newer raven-edge wrote them: reload the page/);
    // Numbers that are parked do not belong to this page's leases.
    assertGranted({ ...before, leases: [], ids: [] }, then);
    assertGranted(before, then);
    // The numbers of the newer version are void if the database was restored meanwhile.
    await page.evaluate(defineDevice);
    const noted = await page.evaluate(async () => {
      const { pool, read } = await globalThis.device();
      const newer = () => {
        throw "a newer raven-edge wrote them";
      };
      await pool.move("a record", "a database", true, "old", newer);
      const noted = await pool.note("a database", "new");
      const isUsable = pool.usable;
      return [noted, isUsable, await read(), pool.usable];
    });
    assert.deepEqual(
      noted,
      [true, false, undefined, false],
      "the incarnation is noted, and nothing is parked",
    );
    // Also after a trouble that was reported before.
    await context.addInitScript(() => {
      const { transaction } = IDBDatabase.prototype;
      IDBDatabase.prototype.transaction = () => {
        IDBDatabase.prototype.transaction = transaction;
        throw new DOMException("a moment of trouble", "UnknownError");
      };
    });
    const other = await tab();
    const last = await work(other, base);
    const messages = await other.evaluate(() => seen("storage").map(({ error }) => error.message));
    assert.match(
      messages.join(),
      /^[^,]*a moment of trouble,[^,]*a newer raven-edge wrote them: reload the page$/,
    );
    await other.evaluate(() => store.dispose());
    await page.evaluate(() => store.dispose());
    assert.equal(await read(), record);
    // What these pages have not used went back, and nothing else.
    await becomes(base, Math.max(...[...then.ids, ...last.ids].map(number)));
  },
);

inTabs("a stored incarnation that is not a string is ignored", async ({ base, tab, load, site }) => {
  const page = await tab();
  const before = await work(page, base);
  await load(page, `${site.url}/away`);
  await page.evaluate(damage, [
    base,
    String((ranges, key) => ranges.put(7, key)),
    `["${site.url}/raven","${base}"]`,
  ]);
  await load(page);
  const then = await work(page, base);
  assert.deepEqual(then.storage, []);
  assertGranted(before, then);
});

inTabs(
  "a tab that moves no numbers does not overwrite the incarnation that another tab stored",
  async ({ tab }) => {
    const page = await tab();
    await page.evaluate(defineDevice);
    const noted = await page.evaluate(async () => {
      const { pool, read } = await globalThis.device();
      await pool.note("a database", "new");
      await pool.move("a record", "a database", true, "old", () => undefined);
      const stepped = await read();
      await pool.move("a record", "a database", true, "newest", () => "a grant's record");
      return [stepped, await read()];
    });
    assert.deepEqual(noted, ["new", "newest"]);
  },
);
