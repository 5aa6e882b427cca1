// The first visit of a page: what needs no core leaves while the module is on its way, which is the first lease of a tag and the first load
// of a session. The reply is used once, or not at all: then the numbers of the lease are a gap.
import assert from "node:assert/strict";
import { createReadStream, readFileSync } from "node:fs";
import { join } from "node:path";
import { inTabs, pkg } from "../support/pages.mjs";
import { isLease } from "../support/proxy.mjs";
import { counter, number, putDocument, ravendb } from "../support/server.mjs";

const MODULE = "gen/raven_edge_bg.wasm";
const isLoad = ({ path }) => /\/docs$/.test(path);

/** A test whose module arrives when `module.arrive()` is called, from then on at once; after `module.hold()` it is held again. */
function cold(name, body, options = {}) {
  const module = {
    hold() {
      module.arrived = new Promise((resolve) => {
        module.arrive = resolve;
      });
    },
  };
  const respond = async (_, response) => {
    await module.arrived;
    response.writeHead(200, { "content-type": "application/wasm" });
    createReadStream(join(pkg, MODULE)).pipe(response);
  };
  const run = (tools) => {
    module.hold();
    return body({ ...tools, module });
  };
  inTabs(name, run, { ...options, handlers: { [`/${MODULE}`]: respond } });
}

/** Begins to take an id in this page. */
const begin = (page, base, options) =>
  page.evaluate(
    ([name, options]) => {
      globalThis.store = open(name, options);
      globalThis.id = globalThis.store.hilo("orders").next();
      globalThis.id.catch(() => {});
    },
    [base, options],
  );

/** Begins to take an id in this page; resolves with the request of its lease when the server has responded. */
async function leaseEarly({ base, wire }, page) {
  const leased = wire.next(isLease, { responded: true });
  await begin(page, base);
  return leased;
}

const idOf = (page) => page.evaluate(() => globalThis.id);
const regressions = (page) => page.evaluate(() => seen("regression").length);

/** A page that has begun to take an id and has its module; resolves with page and id. */
async function visited({ base, tab, module }) {
  const page = await tab();
  await begin(page, base);
  module.arrive();
  return [page, await idOf(page)];
}

/** Fails if the page has sent a request to the database before the module arrives. */
async function sendsNothingEarly({ base, wire, module }, page) {
  const ofDatabase = ({ path }) => path.includes(base);
  const before = wire.of(ofDatabase).length;
  // What has left before this request is in the list when it has its response.
  await page.evaluate(() => fetch("/raven/build/version"));
  assert.equal(wire.of(ofDatabase).length, before);
  module.arrive();
}

cold("the first lease leaves before the module has arrived, and is the only one", async (tools) => {
  const { base, tab, wire, module } = tools;
  const page = await tab();
  await leaseEarly({ base, wire }, page);
  module.arrive();
  assert.equal(await idOf(page), "orders/1-A");
  assert.equal(wire.of(isLease).length, 1);
  const more = await page.evaluate(async () => [
    await take(globalThis.store.hilo("orders"), 40),
    seen("lease").map(({ low, high, fenced }) => [low, high, fenced]),
  ]);
  assert.deepEqual(
    more[0].map(number),
    Array.from({ length: 40 }, (_, at) => at + 2),
  );
  assert.deepEqual(more[1][0], [1, 32, true]);
  assert.equal(wire.of(isLease).length, more[1].length, "each later lease has a request of its own");
  assert.equal(await regressions(page), 0);
});

cold("the events of an early lease come once, and the nodes are read after it", async (tools) => {
  const { base, tab, wire, module } = tools;
  const page = await tab();
  const [leased, read] = [
    wire.next(isLease, { responded: true }),
    wire.next(({ path }) => /topology/.test(path)),
  ];
  await page.evaluate((name) => {
    globalThis.store = new DocumentStore("/raven", name);
    globalThis.requests = [];
    for (const event of ["beforeRequest", "succeedRequest", "failedRequest"])
      globalThis.store.on(event, ({ url }) => /multi_get/.test(url) && globalThis.requests.push(event));
    globalThis.id = globalThis.store.initialize().hilo("orders").next();
  }, base);
  await leased;
  module.arrive();
  await idOf(page);
  assert.deepEqual(await page.evaluate(() => globalThis.requests), ["beforeRequest", "succeedRequest"]);
  await read;
});

cold("the module may arrive before the reply to the first lease", async ({ base, tab, wire, module }) => {
  const page = await tab();
  let respond;
  wire.rule = (request) =>
    isLease(request)
      ? new Promise((resolve) => {
          respond = resolve;
        })
      : undefined;
  const sent = wire.next(isLease);
  await begin(page, base);
  await sent;
  module.arrive();
  await page.evaluate(() => globalThis.store.ready());
  respond();
  assert.equal(await idOf(page), "orders/1-A");
  assert.equal(wire.of(isLease).length, 1);
});

for (const [what, entity, isNamed] of [
  ["a plain object", `({ "@metadata": { "@collection": "Orders" } })`, true],
  ["a registered class", "new globalThis.Order()", true],
  ["a class whose collection is its plural", "new globalThis.Order()", false],
])
  cold(`to store ${what} leases before the module has arrived`, async ({ base, tab, wire, module }) => {
    const page = await tab();
    const leased = wire.next(isLease, { responded: true });
    await page.evaluate(
      ([name, entity, isNamed]) => {
        globalThis.Order = class {};
        const store = new DocumentStore("/raven", name);
        store.conventions.registerEntityType(globalThis.Order, "Order");
        if (isNamed) store.conventions.findCollectionName = () => "Orders";
        globalThis.session = store.initialize().openSession();
        globalThis.entity = new Function(`return ${entity}`)();
        globalThis.stored = globalThis.session.store(globalThis.entity);
      },
      [base, entity, isNamed],
    );
    await leased;
    module.arrive();
    const id = await page.evaluate(async () => {
      await globalThis.stored;
      await globalThis.session.saveChanges();
      return globalThis.entity.id;
    });
    assert.equal(id, "orders/1-A");
    assert.equal(wire.of(isLease).length, 1);
  });

cold("with numbers on the device nothing is leased, early or later", async (tools) => {
  const { base, tab, wire, module } = tools;
  const [page] = await visited(tools);
  await page.evaluate(() => globalThis.store.hilo("orders").reserve(40));
  await page.close();
  const before = wire.of(isLease).length;
  module.hold();
  const second = await tab();
  await begin(second, base);
  await sendsNothingEarly(tools, second);
  assert.equal(number(await idOf(second)), 2);
  assert.equal(wire.of(isLease).length, before);
});

cold("the hint in localStorage has no number", async (tools) => {
  const [page] = await visited(tools);
  const entries = await page.evaluate(() => Object.entries(localStorage));
  assert.deepEqual(entries, [
    [`raven-edge ["server","${tools.site.url}/raven","${tools.base.toLowerCase()}","/","orders"]`, ""],
  ]);
});

cold(
  "if localStorage was cleared alone, the parked numbers are used and the early lease is not",
  async (tools) => {
    const { base, tab, wire, module } = tools;
    const [page] = await visited(tools);
    await page.evaluate(() => globalThis.store.hilo("orders").reserve(40));
    await page.evaluate(() => localStorage.clear());
    await page.close();
    const max = await counter(ravendb, base, "orders");
    module.hold();
    const second = await tab();
    await leaseEarly({ base, wire }, second);
    module.arrive();
    assert.equal(number(await idOf(second)), 2);
    const ids = await second.evaluate(() => take(globalThis.store.hilo("orders"), 60));
    assert.equal(new Set(ids).size, 60);
    assert.ok(!ids.map(number).includes(max + 1), "the numbers of the early lease are a gap");
    assert.equal(await regressions(second), 0);
    const hints = await second.evaluate(() => localStorage.length);
    assert.equal(hints, 1, "the hint is written again");
  },
);

cold("if IndexedDB was cleared alone, the lease leaves when the module has arrived", async (tools) => {
  const { base, tab, module } = tools;
  const [page] = await visited(tools);
  await page.evaluate(async () => {
    await globalThis.store.dispose();
    await new Promise((resolve, reject) => {
      const request = indexedDB.deleteDatabase("raven-edge");
      Object.assign(request, { onsuccess: resolve, onerror: reject });
    });
  });
  await page.close();
  module.hold();
  const second = await tab();
  await begin(second, base);
  await sendsNothingEarly(tools, second);
  assert.equal(number(await idOf(second)), 2, "dispose has returned the others");
});

cold(
  "a record of another version without a hint: neither its numbers nor the early lease are used",
  async (tools) => {
    const { base, tab, wire, module } = tools;
    const [page] = await visited(tools);
    await page.evaluate(async () => {
      localStorage.clear();
      const request = indexedDB.open("raven-edge");
      await new Promise((resolve) => {
        request.onsuccess = resolve;
      });
      const ranges = request.result.transaction("ranges", "readwrite").objectStore("ranges");
      const cursor = ranges.openCursor();
      await new Promise((resolve) => {
        cursor.onsuccess = () => {
          const { result } = cursor;
          if (!result) return resolve();
          if (/version/.test(result.value)) result.update(result.value.replace('"version":1', '"version":9'));
          result.continue();
        };
      });
      request.result.close();
    });
    await page.close();
    module.hold();
    const second = await tab();
    const { responseText } = await leaseEarly({ base, wire }, second);
    const early = Number(/"Low":(\d+)/.exec(responseText)[1]);
    module.arrive();
    const id = number(await idOf(second));
    assert.ok(id > early, `${id} is of a later lease than ${early}`);
    assert.equal(await regressions(second), 0);
  },
);

cold("where a site may store nothing, the lease leaves when the module has arrived", async (tools) => {
  const { base, tab } = tools;
  const page = await tab();
  await page.evaluate(() =>
    Object.defineProperty(globalThis, "localStorage", {
      get() {
        throw new DOMException("denied", "SecurityError");
      },
    }),
  );
  await begin(page, base);
  await sendsNothingEarly(tools, page);
  assert.equal(await idOf(page), "orders/1-A");
});

cold("without IndexedDB the early lease is used", async ({ base, tab, wire, module }) => {
  const page = await tab();
  await page.evaluate(() =>
    Object.defineProperty(IDBFactory.prototype, "open", {
      value() {
        throw new DOMException("denied", "SecurityError");
      },
    }),
  );
  await leaseEarly({ base, wire }, page);
  module.arrive();
  assert.equal(await idOf(page), "orders/1-A");
  assert.equal(wire.of(isLease).length, 1);
});

for (const [what, clear, leases] of [
  ["lease once", false, 1],
  ["whose hint was cleared lease twice", true, 2],
])
  cold(
    `two tabs on a new device ${what} while the module is on its way, take different ids, and report no regression`,
    async (tools) => {
      const { base, tab, wire, module } = tools;
      const tabs = [await tab(), await tab()];
      await leaseEarly({ base, wire }, tabs[0]);
      if (clear) await tabs[1].evaluate(() => localStorage.clear());
      const again = clear && wire.next(isLease, { responded: true });
      await begin(tabs[1], base);
      await again;
      // The core of the second tab may ask once more if it is there before the one whose lease has left.
      assert.equal(wire.of(isLease).length, leases);
      module.arrive();
      const ids = [];
      for (const page of tabs) ids.push(await idOf(page));
      for (const page of tabs)
        ids.push(...(await page.evaluate(() => take(globalThis.store.hilo("orders"), 50))));
      assert.equal(new Set(ids).size, 102);
      for (const page of tabs) assert.equal(await regressions(page), 0);
    },
  );

cold("an app that reserves numbers first leases once, for all of them", async (tools) => {
  const { base, tab, wire } = tools;
  const page = await tab();
  await page.evaluate((name) => {
    globalThis.store = open(name, { keep: Infinity });
    globalThis.reserved = globalThis.store.hilo("orders").reserve(100);
    globalThis.id = globalThis.store.hilo("orders").next();
  }, base);
  await sendsNothingEarly(tools, page);
  assert.equal(await idOf(page), "orders/1-A");
  await page.evaluate(() => globalThis.reserved);
  assert.equal(wire.of(isLease).length, 1);
});

cold("a second tab that opens later does not lease early", async (tools) => {
  const { base, tab, module } = tools;
  const [, first] = await visited(tools);
  module.hold();
  const second = await tab();
  await begin(second, base);
  await sendsNothingEarly(tools, second);
  assert.notEqual(await idOf(second), first);
});

cold(
  "an early lease that meets an outage is tried again, by the core",
  async ({ base, tab, wire, module }) => {
    const page = await tab();
    wire.rule = (request) => (isLease(request) ? { status: 503, body: "" } : undefined);
    const failed = wire.next(isLease, { responded: true });
    await begin(page, base);
    await failed;
    wire.rule = undefined;
    module.arrive();
    assert.equal(await idOf(page), "orders/1-A");
    assert.equal(wire.of(isLease).length, 2);
  },
);

cold("the refusal of an early lease is the error of the caller", async ({ base, tab, wire, module }) => {
  const page = await tab();
  wire.rule = (request) => (isLease(request) ? { status: 401, body: "" } : undefined);
  const refused = wire.next(isLease, { responded: true });
  await begin(page, base);
  await refused;
  module.arrive();
  const status = await page.evaluate(() => globalThis.id.catch(({ status }) => status));
  assert.equal(status, 401);
  assert.equal(wire.of(isLease).length, 1);
});

cold(
  "an early lease without a response ends at the time limit of the caller",
  async ({ base, tab, wire }) => {
    const page = await tab();
    wire.rule = (request) => (isLease(request) ? "hole" : undefined);
    await begin(page, base, { timeout: 300 });
    assert.equal(await page.evaluate(() => globalThis.id.catch(({ code }) => code)), "Timeout");
  },
);

cold("a page that is left before the module has arrived leaves a gap, and nothing else", async (tools) => {
  const { base, tab, load, wire, module } = tools;
  const page = await tab();
  await leaseEarly({ base, wire }, page);
  await load(page);
  module.arrive();
  await begin(page, base);
  assert.equal(await idOf(page), "orders/33-A");
  assert.equal(await regressions(page), 0);
});

cold(
  "a store that is disposed of before the module has arrived leaves a gap, and nothing else",
  async (tools) => {
    const { base, tab, wire, module } = tools;
    const page = await tab();
    await leaseEarly({ base, wire }, page);
    const code = await page.evaluate(async () => {
      const code = globalThis.id.catch(({ code }) => code);
      await globalThis.store.dispose();
      return code;
    });
    assert.equal(code, "Disposed");
    module.arrive();
    assert.equal(await counter(ravendb, base, "orders"), 32, "nothing is returned");
    await begin(page, base);
    assert.equal(await idOf(page), "orders/33-A");
  },
);

for (const [what, tag, options] of [
  ["a capacity of the app", "orders", { capacity: 10 }],
  ["the source `document`", "orders", { source: "document" }],
  ["a tag that is no plain name", "or-ders", {}],
])
  cold(`with ${what} the lease leaves when the module has arrived`, async (tools) => {
    const page = await tools.tab();
    await page.evaluate(
      ([name, tag, options]) => {
        globalThis.id = open(name, options).hilo(tag).next();
      },
      [tools.base, tag, options],
    );
    await sendsNothingEarly(tools, page);
    assert.match(await idOf(page), /^or-?ders\/1(-A)?$/);
  });

cold("the first load of a session leaves before the module has arrived, once", async (tools) => {
  const { base, tab, wire, module } = tools;
  await putDocument(ravendb, base, "orders/7-A", { total: 5 });
  const page = await tab();
  const loaded = wire.next(isLoad, { responded: true });
  await page.evaluate((name) => {
    globalThis.session = open(name).openSession();
    globalThis.order = globalThis.session.load("orders/7-A");
  }, base);
  await loaded;
  module.arrive();
  assert.equal(await page.evaluate(async () => (await globalThis.order).total), 5);
  assert.equal(wire.of(isLoad).length, 1);
});

cold("the first query of a session leaves before the module has arrived, once", async (tools) => {
  const { base, tab, wire, module } = tools;
  await putDocument(ravendb, base, "orders/7-A", { total: 5, "@metadata": { "@collection": "Orders" } });
  const page = await tab();
  const isQuery = ({ path }) => /\/queries$/.test(path);
  const queried = wire.next(isQuery, { responded: true });
  await page.evaluate((name) => {
    const session = open(name).openSession();
    globalThis.orders = session.query({ collection: "Orders" }).whereEquals("id()", "orders/7-A").all();
  }, base);
  await queried;
  module.arrive();
  assert.deepEqual(await page.evaluate(async () => (await globalThis.orders).map(({ total }) => total)), [5]);
  assert.equal(wire.of(isQuery).length, 1);
});

cold("a query that a listener may change leaves when the module has arrived", async (tools) => {
  const page = await tools.tab();
  await page.evaluate((name) => {
    const session = open(name).openSession();
    globalThis.seen = [];
    session.advanced.on("beforeQuery", () => globalThis.seen.push("listener"));
    globalThis.orders = session.query({ collection: "Orders" }).all();
  }, tools.base);
  await sendsNothingEarly(tools, page);
  assert.deepEqual(await page.evaluate(async () => [await globalThis.orders, globalThis.seen]), [
    [],
    ["listener"],
  ]);
});

cold("a load behind another operation of its session waits for it", async (tools) => {
  const page = await tools.tab();
  await page.evaluate((name) => {
    const session = open(name).openSession();
    session.store({ total: 3, "@metadata": { "@collection": "Orders" } }, "orders/own");
    session.saveChanges();
    globalThis.found = session.load(["orders/own", "orders/none"]);
  }, tools.base);
  await sendsNothingEarly(tools, page);
  const found = await page.evaluate(() => globalThis.found);
  assert.deepEqual([found["orders/own"].total, found["orders/none"]], [3, null]);
});

cold("a load that was given up leaves its reply to no later one", async ({ base, tab, wire, module }) => {
  await putDocument(ravendb, base, "orders/7-A", { total: 5 });
  const page = await tab();
  const loaded = wire.next(isLoad, { responded: true });
  const code = page.evaluate(async (name) => {
    globalThis.store = open(name, { timeout: 500 });
    return globalThis.store
      .openSession()
      .load("orders/7-A")
      .catch(({ code }) => code);
  }, base);
  await loaded;
  assert.equal(await code, "Timeout");
  await putDocument(ravendb, base, "orders/7-A", { total: 6 });
  module.arrive();
  const total = await page.evaluate(async () => {
    await globalThis.store.ready();
    return (await globalThis.store.openSession().load("orders/7-A")).total;
  });
  assert.equal(total, 6);
});

cold("a record that no early lease preceded is noted, too", async ({ base, tab, wire, module }) => {
  module.arrive();
  const page = await tab();
  const before = await page.evaluate(async (name) => {
    globalThis.store = open(name);
    await globalThis.store.ready();
    const before = localStorage.length;
    await globalThis.store.hilo("orders").next();
    return before;
  }, base);
  assert.deepEqual([before, await page.evaluate(() => localStorage.length)], [0, 1]);
  assert.equal(wire.of(isLease).length, 1);
});

cold("a page that is left and restored before the module has arrived leases again", async (tools) => {
  const { base, tab, wire, module } = tools;
  const page = await tab();
  await leaseEarly({ base, wire }, page);
  await page.evaluate(() => {
    for (const event of ["pagehide", "pageshow"])
      dispatchEvent(new PageTransitionEvent(event, { persisted: true }));
  });
  module.arrive();
  assert.equal(await idOf(page), "orders/33-A");
  assert.equal(await regressions(page), 0);
});

let recipe = "";
inTabs(
  "the links that the guide recommends fetch what the page needs at once, each once",
  async ({ base, context, site }) => {
    const guide = readFileSync(join(pkg, "../docs/start-browser.md"), "utf8");
    const [, block] = /```html\n(<!doctype html>[\s\S]*?)```/.exec(guide);
    recipe = block.replaceAll("/node_modules/raven-edge/", "/").replaceAll('"Shop"', JSON.stringify(base));
    const links = [...recipe.matchAll(/<link rel="(?:module)?preload".* href="([^"]+)"/g)].map(
      ([, href]) => href,
    );
    assert.deepEqual(links, [`/${MODULE}`, "/lib/ids.js", "/lib/session.js", "/lib/queries.js"]);
    const page = await context.newPage();
    const [printed] = await Promise.all([
      page.waitForEvent("console", (message) => message.type() === "log"),
      page.goto(`${site.url}/recipe`),
    ]);
    assert.equal(printed.text(), "orders/1-A");
    const asked = site.requests.filter((path) => /^\/(lib|gen)\//.test(path));
    assert.equal(new Set(asked).size, asked.length, "nothing is fetched twice");
    assert.equal(asked.length, 13, "the guide says twelve scripts, and the module");
    const first = asked.filter((path) => path !== "/lib/entries/web.js").slice(0, links.length);
    assert.deepEqual(first.sort(), links.sort(), "what the page needs most comes first");
  },
  {
    handlers: {
      "/recipe": (_, response) =>
        response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(recipe),
    },
  },
);
