// IndexedDB fails in every way: ids come from memory, the app is notified once, no number twice.
import assert from "node:assert/strict";
import { assertGranted, inTabs, STORAGE_REPORTED, work } from "../support/pages.mjs";

/** Ways to break IndexedDB in a page before the package is loaded. */
const SABOTAGE = {
  "there is no indexedDB": () => {
    Object.defineProperty(globalThis, "indexedDB", { value: undefined });
  },
  "reading indexedDB throws": () => {
    Object.defineProperty(globalThis, "indexedDB", {
      get() {
        throw new DOMException("denied", "SecurityError");
      },
    });
  },
  "open() throws": () => {
    IDBFactory.prototype.open = () => {
      throw new DOMException("denied", "SecurityError");
    };
  },
  "the site may not store anything, in Firefox": () => {
    const refuse = () => {
      throw new DOMException("The operation is insecure.", "SecurityError");
    };
    IDBFactory.prototype.open = refuse;
    LockManager.prototype.request = async () => refuse();
    globalThis.BroadcastChannel = class {
      constructor() {
        refuse();
      }
    };
  },
  "open() fails": () => {
    IDBFactory.prototype.open = () => {
      const request = { error: new DOMException("disk", "UnknownError") };
      queueMicrotask(() => request.onerror());
      return request;
    };
  },
  "open() never succeeds": () => {
    IDBFactory.prototype.open = () => ({});
  },
  "open() is blocked": () => {
    IDBFactory.prototype.open = () => {
      const request = {};
      queueMicrotask(() => request.onblocked());
      return request;
    };
  },
  "open() succeeds after the time limit": () => {
    const { set } = Object.getOwnPropertyDescriptor(IDBRequest.prototype, "onsuccess");
    Object.defineProperty(IDBOpenDBRequest.prototype, "onsuccess", {
      set(handler) {
        set.call(this, () => setTimeout(() => handler.call(this), 10_000));
      },
    });
  },
  "transaction() throws": () => {
    IDBDatabase.prototype.transaction = () => {
      throw new DOMException("closing", "InvalidStateError");
    };
  },
  "every transaction that writes aborts": () => {
    const put = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = function (...args) {
      const request = put.apply(this, args);
      this.transaction.abort();
      return request;
    };
  },
  "no transaction completes": () => {
    Object.defineProperty(IDBTransaction.prototype, "oncomplete", { set() {} });
  },
  "every transaction completes after the time limit": () => {
    Object.defineProperty(IDBTransaction.prototype, "oncomplete", {
      set(handler) {
        this.addEventListener("complete", () => setTimeout(() => handler.call(this), 1_500));
      },
    });
  },
  "get() throws": () => {
    IDBObjectStore.prototype.get = () => {
      throw new DOMException("gone", "TransactionInactiveError");
    };
  },
  "get() fails": () => {
    const get = IDBObjectStore.prototype.get;
    IDBObjectStore.prototype.get = function (key) {
      const request = get.call(this, key);
      Object.defineProperty(request, "onsuccess", { set() {} });
      this.transaction.abort();
      return request;
    };
  },
  "put() throws: no space": () => {
    IDBObjectStore.prototype.put = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
  },
  "durability is not reported": () => {
    delete IDBTransaction.prototype.durability;
  },
  "durability is relaxed": () => {
    Object.defineProperty(IDBTransaction.prototype, "durability", { get: () => "relaxed" });
  },
};

/** Runs before the package, in pages whose `localStorage` says what to break. */
function breakDown() {
  try {
    const text = localStorage.getItem("sabotage");
    if (text) new Function(`(${text})()`)();
  } catch (error) {
    if (error.name !== "SecurityError") throw error;
  }
}

const breakNext = (page, sabotage) =>
  page.evaluate((text) => (text ? localStorage.setItem("sabotage", text) : localStorage.clear()), sabotage);

for (const [name, sabotage] of Object.entries(SABOTAGE)) {
  inTabs(`${name}: ids come from memory, the app is notified once, no number twice`, async (tools) => {
    const { base, context, tab, load } = tools;
    await context.addInitScript(breakDown);
    const page = await tab();
    const before = await work(page, base);
    // Numbers are parked when the burst has paused: there is something to lose.
    await page.waitForFunction(() => store.hilo("orders").status().parked > 0);
    assert.deepEqual(before.storage, []);
    await breakNext(page, String(sabotage));
    await load(page);
    const broken = await work(page, base);
    assert.deepEqual(broken.storage, STORAGE_REPORTED);
    await page.evaluate(() => store.dispose());
    await breakNext(page);
    await load(page);
    const after = await work(page, base);
    assert.deepEqual(after.storage, []);
    assertGranted(before, broken, after);
  });
}

/** Runs in a page: blocks it for longer than a move may take. */
function busy() {
  globalThis.busy = () => {
    for (const end = performance.now() + 1_500; performance.now() < end; );
  };
}

inTabs("a page that is busy at startup uses its device later", async ({ base, context, tab, load, gate }) => {
  await context.addInitScript(busy);
  const page = await tab();
  const next = () =>
    page.evaluate(async (name) => {
      const hilo = open(name).hilo("orders");
      await undefined;
      busy();
      return [await hilo.next(), hilo.status().parked];
    }, base);
  // The device's database exists before the page is busy.
  await page.evaluate((name) => open(name).hilo("lines").next(), base);
  await load(page);
  assert.deepEqual(await next(), ["orders/1-A", 8]);
  await load(page);
  gate.open = false;
  assert.deepEqual(await next(), ["orders/2-A", 7]);
});

inTabs("a page that was busy for too long uses its device later", async ({ base, context, tab }) => {
  await context.addInitScript(busy);
  const page = await tab();
  const parked = await page.evaluate(async (name) => {
    const store = open(name);
    const both = ["orders", "lines"].map((tag) => store.hilo(tag));
    const { transaction } = IDBDatabase.prototype;
    let begun = 0;
    IDBDatabase.prototype.transaction = function (...args) {
      // Both stores look for parked numbers while the page is busy.
      if (args[2].durability === "strict" && ++begun === both.length) setTimeout(busy);
      return transaction.apply(this, args);
    };
    await Promise.all(both.map((hilo) => hilo.next()));
    return both.map((hilo) => hilo.status().parked);
  }, base);
  assert.deepEqual(parked, [8, 8]);
});
