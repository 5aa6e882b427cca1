// Numbers of a page in Rust that outlive it: parked on the device, shared with pages that use the npm package, returned when a page is left.
import assert from "node:assert/strict";
import { becomes, distinct, inTabs } from "../support/pages.mjs";
import { isCounterWrite, isLease } from "../support/proxy.mjs";
import { number } from "../support/server.mjs";

const folder = process.env.RUST_PAGE;
const sessions = process.env.RUST_SESSIONS;
const skip = (!folder && "no RUST_PAGE") || (!sessions && "no RUST_SESSIONS");
const options = { skip, mounts: { "/rust/": folder, "/sessions/": sessions } };

/** A test with `rust()`, which opens a page in Rust beside those with the package. */
function inPages(name, body) {
  const withRust = async (tools) => {
    const { base, site, context } = tools;
    const loadRust = async (page) => {
      await page.goto(`${site.url}/rust/index.html?database=${base}`);
      await page.waitForFunction(() => globalThis.shop);
      return page;
    };
    const rust = async () => loadRust(await context.newPage());
    await body({ ...tools, rust, loadRust });
  };
  inTabs(name, withRust, options);
}

const next = (page) => page.evaluate(() => globalThis.shop.next());

async function take(page, count) {
  const ids = [];
  while (ids.length < count) ids.push(number(await next(page)));
  return ids;
}

/** The records of the origin's device; with `change`, replaced by what it makes of each. Runs in a page. */
function records(change) {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("raven-edge");
    opening.onsuccess = () => {
      const transaction = opening.result.transaction("ranges", "readwrite");
      const ranges = transaction.objectStore("ranges");
      const found = {};
      ranges.openCursor().onsuccess = ({ target: { result: cursor } }) => {
        if (!cursor) return;
        found[cursor.key] = cursor.value;
        if (change?.[0].test(cursor.value)) cursor.update(cursor.value.replace(...change));
        cursor.continue();
      };
      transaction.oncomplete = () => {
        opening.result.close();
        resolve(found);
      };
      transaction.onabort = () => reject(transaction.error);
    };
  });
}

inPages(
  "numbers survive a reload without a connection; the tail is returned when the page is left",
  async ({ base, gate, rust, loadRust }) => {
    const page = await rust();
    assert.deepEqual(await take(page, 1), [1]);
    await page.goto("about:blank");
    // Eight stay parked, 10 to 32 went back.
    await becomes(base, 9);
    gate.open = false;
    await loadRust(page);
    assert.deepEqual(await take(page, 8), [2, 3, 4, 5, 6, 7, 8, 9]);
    gate.open = true;
    assert.deepEqual(await take(page, 1), [10]);
  },
);

inPages("dispose() returns what is parked, too", async ({ base, rust, loadRust }) => {
  const page = await rust();
  await take(page, 1);
  await loadRust(page);
  await page.evaluate(() => globalThis.shop.dispose());
  await becomes(base, 1);
});

inPages(
  "a page with the npm package and one in Rust share their numbers: none twice, in ascending order",
  async ({ base, wire, tab, load, rust, loadRust }) => {
    const [rusty, npm] = [await rust(), await tab()];
    const begin = () =>
      npm.evaluate((name) => {
        globalThis.hilo = open(name).hilo("orders");
      }, base);
    const ofNpm = async () => number(await npm.evaluate(() => globalThis.hilo.next()));
    const ofRust = async () => number(await next(rusty));
    await begin();
    const [inRust, inNpm] = [[], []];
    for (let turn = 0; turn < 12; turn++) {
      inRust.push(await ofRust());
      inNpm.push(await ofNpm());
      if (turn === 5) {
        await Promise.all([loadRust(rusty), load(npm)]);
        await begin();
      }
    }
    distinct([...inRust, ...inNpm]);
    for (const ids of [inRust, inNpm])
      assert.deepEqual(
        ids,
        [...ids].sort((a, b) => a - b),
      );
    // One lease serves both.
    assert.equal(wire.requests.filter(isLease).length, 1);
    assert.ok(Math.max(...inRust, ...inNpm) <= 32);
  },
);

inPages(
  "they share the numbers of counter documents, too, which they write themselves",
  async ({ base, wire, tab }) => {
    const [rusty, npm] = [await tab(), await tab()];
    await rusty.evaluate(async (base) => {
      const { default: init, Store } = await import("/sessions/rust_sessions.js");
      await init();
      globalThis.ids = Store.withCounters("/raven", base).ids("orders");
    }, base);
    const ofRust = () => rusty.evaluate(() => globalThis.ids.next());
    await npm.evaluate((base) => {
      globalThis.ids = open(base, { source: "document" }).hilo("orders");
    }, base);
    const ofNpm = () => npm.evaluate(() => globalThis.ids.next());
    const ids = [await ofRust(), await ofNpm(), await ofRust(), await ofNpm()];
    assert.equal(distinct(ids), 4);
    for (const id of ids) assert.match(id, /^orders\/\d+$/);
    assert.equal(wire.requests.filter(isCounterWrite).length, 1, "one range serves both");
    assert.equal(wire.requests.filter(isLease).length, 0);
  },
);

inPages(
  "a record of a version that is not known stays as it is, and ids come from memory",
  async ({ base, load, rust, loadRust, site }) => {
    const page = await rust();
    await take(page, 1);
    await load(page, `${site.url}/away`);
    await becomes(base, 9);
    await page.evaluate(records, [/"version":1/, '"version":9']);
    const before = await page.evaluate(records);
    await loadRust(page);
    const ids = await take(page, 3);
    assert.ok(Math.min(...ids) > 9, `${ids}: none of the numbers that were parked`);
    await load(page, `${site.url}/away`);
    // All went back.
    await becomes(base, Math.max(...ids));
    assert.deepEqual(await page.evaluate(records), before);
  },
);

inPages(
  "a page that leaves a newer record alone notes the database's incarnation all the same",
  async ({ base, context, wire, load, rust, site }) => {
    const page = await rust();
    await take(page, 1);
    await load(page, `${site.url}/away`);
    await becomes(base, 9);
    const isNote = ([key]) => JSON.parse(key).length === 2;
    const [, incarnation] = Object.entries(await page.evaluate(records)).find(isNote);
    // As if the database had been restored since the newer version parked its numbers.
    await page.evaluate(records, [/^[^{]*$/, "the incarnation before"]);
    await page.evaluate(records, [/"version":1/, '"version":9']);
    const before = Object.entries(await page.evaluate(records));
    assert.equal(before.find(isNote)[1], "the incarnation before");
    // No response names the incarnation before the page has given up on the device.
    let respond;
    const held = new Promise((resolve) => {
      respond = resolve;
    });
    wire.rule = () => held;
    await context.addInitScript(() => {
      const { abort } = IDBTransaction.prototype;
      IDBTransaction.prototype.abort = function () {
        this.addEventListener("abort", () => setTimeout(() => (globalThis.hasGivenUp = true)));
        abort.call(this);
      };
    });
    const other = await rust();
    const taken = take(other, 1);
    await other.waitForFunction(() => globalThis.hasGivenUp);
    respond();
    await taken;
    // This transaction begins after that of the note.
    const after = Object.entries(await other.evaluate(records));
    assert.equal(after.find(isNote)[1], incarnation);
    assert.deepEqual(
      after.filter((each) => !isNote(each)),
      before.filter((each) => !isNote(each)),
      "the newer record stays as it is",
    );
  },
);

inPages(
  "numbers leave the device only in transactions that are on disk",
  async ({ context, rust, loadRust }) => {
    await context.addInitScript(() => {
      globalThis.opened = [];
      const { transaction } = IDBDatabase.prototype;
      IDBDatabase.prototype.transaction = function (...given) {
        globalThis.opened.push(given[2]?.durability);
        return transaction.apply(this, given);
      };
    });
    const page = await rust();
    await take(page, 1);
    await loadRust(page);
    await take(page, 1);
    const opened = await page.evaluate(() => globalThis.opened);
    assert.ok(opened.includes("strict"), String(opened));
  },
);

inPages(
  "where the device has no strict durability, ids come from memory",
  async ({ base, context, rust }) => {
    await context.addInitScript(() => {
      Object.defineProperty(IDBTransaction.prototype, "durability", { value: "relaxed" });
    });
    const page = await rust();
    assert.deepEqual(await take(page, 3), [1, 2, 3]);
    await page.goto("about:blank");
    await becomes(base, 3);
  },
);
