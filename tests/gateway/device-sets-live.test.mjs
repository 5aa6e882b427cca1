// Sets that follow a collection without rows: its changes tell ids, so that documents are loaded without a comparison.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bulk } from "../support/callers.mjs";
import { missingChromium, profile } from "../support/chromium.mjs";
import { gateway } from "../support/gateway.mjs";
import { PAGE } from "../support/offline.mjs";
import { pkg } from "../support/pages.mjs";
import { serve } from "../support/serve.mjs";
import { missing, ravendb, send } from "../support/server.mjs";

const options = { skip: missingChromium || missing(ravendb), timeout: 120_000 };

const item = (more) => ({ ...more, "@metadata": { "@collection": "Items" } });

/** Longer than any pause but one after a run that is thought to have taken an hour, in milliseconds. */
const LONG = 10 * 3_600_000;

/** Requests for a set take an hour of the page's time, and the page remembers its longest timer. */
const SLOWLY = (isSlow) => {
  const [ask, wait, now] = [globalThis.fetch, globalThis.setTimeout, performance.now.bind(performance)];
  let hours = 0;
  globalThis.longest = 0;
  performance.now = () => now() + hours * 3_600_000;
  globalThis.setTimeout = (work, millis, ...more) => {
    globalThis.longest = Math.max(globalThis.longest, millis ?? 0);
    return wait(work, millis, ...more);
  };
  const slow = new Function(`return ${isSlow}`)();
  globalThis.fetch = async (url, init) => {
    try {
      return await ask(url, init);
    } finally {
      if (slow(String(url))) hours++;
    }
  };
};

/** Follows the set `items`, which has been compared after the server has confirmed the watch. */
const FOLLOW = async ([url, base]) => {
  const [{ DocumentStore }, { offline }] = await Promise.all([
    import("/dist/entries/web.js"),
    import("/dist/entries/offline.js"),
  ]);
  const sets = { items: { collection: "Items", live: true } };
  const store = new DocumentStore(url, base, { offline: offline({ user: "ann", sets }) }).initialize();
  const set = store.offline.set("items");
  globalThis.set = set;
  globalThis.errors = [];
  set.on("error", ({ message }) => errors.push(message));
  const ids = (documents) => documents.map(({ "@metadata": { "@id": id } }) => id).sort();
  globalThis.shown = async () =>
    Object.fromEntries((await set.documents()).map(({ "@metadata": { "@id": id }, at }) => [id, at]));
  /** The next `change`. */
  globalThis.next = () =>
    new Promise((resolve) => {
      const changed = ({ added, changed, removed }) => {
        set.off("change", changed);
        resolve({ added: ids(added), changed: ids(changed), removed });
      };
      set.on("change", changed);
    });
  // The first call compares, and so does the watch once it is confirmed.
  let left = 2;
  await new Promise((resolve) => set.on("synced", () => --left === 0 && resolve()));
};

/** `isSlow`: for {@link SLOWLY}. */
async function followed(t, documents, isSlow) {
  const site = await serve(t, { folder: pkg, pages: { "/": PAGE } });
  const { origin } = new URL(site.url);
  const configuration = {
    collections: { Items: "write" },
    sets: { items: { collection: "Items" } },
    live: true,
    origins: [origin],
  };
  const { url, base } = await gateway(t, {
    options: configuration,
    functions: 'authorize: () => ({ name: "ann" })',
  });
  await bulk(ravendb, base, documents);
  const { problems, open } = await profile(t);
  const page = await open(site.url);
  await page.waitForFunction(() => globalThis.loaded);
  if (isSlow) await page.evaluate(SLOWLY, String(isSlow));
  await page.evaluate(FOLLOW, [url, base]);
  const requests = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() === "POST") requests.push([pathname.split("/").at(-1), request.postDataJSON().Ids]);
  });
  /** Does something, and waits for the event that follows. */
  const after = async (work) => {
    const next = page.evaluate(() => next());
    await work();
    return next;
  };
  return { base, page, problems, requests, after };
}

test("a change that tells its id is loaded by the id, without a comparison", options, async (t) => {
  const { base, page, problems, requests, after } = await followed(t, {
    "items/1": item({ at: 1 }),
    "items/2": item({ at: 2 }),
  });
  assert.deepEqual(
    await after(() => bulk(ravendb, base, { "items/1": item({ at: 10 }), "items/3": item({ at: 3 }) })),
    { added: ["items/3"], changed: ["items/1"], removed: [] },
  );
  assert.deepEqual(await page.evaluate(() => shown()), { "items/1": 10, "items/2": 2, "items/3": 3 });
  assert.equal(requests.length, 1);
  const [[route, ids]] = requests;
  assert.deepEqual([route, ids.toSorted()], ["docs", ["items/1", "items/3"]]);
  assert.equal(await page.evaluate(() => set.isComplete), true);
  requests.length = 0;
  // What is deleted, a comparison finds.
  const removed = await after(() =>
    send(ravendb.url, "DELETE", `/databases/${base}/docs?id=${encodeURIComponent("items/2")}`),
  );
  assert.deepEqual(removed, { added: [], changed: [], removed: ["items/2"] });
  assert.equal(requests[0][0], "sync");
  assert.deepEqual(await page.evaluate(() => set.sync().then(() => [errors, set.isComplete])), [[], true]);
  assert.deepEqual(problems, []);
});

test(
  "a load that finds an older version than the change has told is followed by a comparison",
  options,
  async (t) => {
    const { base, page, requests, after } = await followed(t, { "items/1": item({ at: 1 }) });
    let old;
    await page.route("**/docs", async (route) => {
      const response = await route.fetch();
      old ??= await response.body();
      // As of a node that lags behind.
      await route.fulfill({ response, body: requests.some(([name]) => name === "sync") ? undefined : old });
    });
    await after(() => bulk(ravendb, base, { "items/1": item({ at: 2 }) }));
    await after(() => bulk(ravendb, base, { "items/1": item({ at: 3 }) }));
    assert.deepEqual(
      requests.map(([name]) => name),
      ["docs", "docs", "sync", "docs"],
    );
    assert.deepEqual(await page.evaluate(() => set.sync().then(() => [errors, set.isComplete])), [[], true]);
    assert.deepEqual(await page.evaluate(() => shown()), { "items/1": 3 });
  },
);

test("neither a slow first load nor an outage delays the next comparison", options, async (t) => {
  const isFirst = (url) => url.includes("/streams/") || globalThis.isOut;
  const { base, page, after } = await followed(t, { "items/1": item({ at: 1 }) }, isFirst);
  await after(() => bulk(ravendb, base, { "items/1": item({ at: 2 }) }));
  assert.ok((await page.evaluate(() => longest)) < LONG);
  // The connection for changes stays.
  await page.route("**/sync", (route) => route.abort());
  const code = await page.evaluate(() => {
    globalThis.isOut = true;
    return set.sync().catch(({ code }) => code);
  });
  assert.equal(code, "Unreachable");
  await page.unroute("**/sync");
  await page.evaluate(() => {
    globalThis.isOut = false;
  });
  await after(() => bulk(ravendb, base, { "items/1": item({ at: 3 }) }));
  assert.deepEqual(await page.evaluate(() => shown()), { "items/1": 3 });
  assert.ok((await page.evaluate(() => longest)) < LONG);
});

test("a comparison that takes long delays the next one", options, async (t) => {
  const isSlow = (url) => url.endsWith("/sync") && globalThis.isLate;
  const { base, page } = await followed(t, { "items/1": item({ at: 1 }) }, isSlow);
  await page.evaluate(() => {
    globalThis.isLate = true;
    return set.sync();
  });
  const told = page.evaluate(
    (most) =>
      new Promise((resolve) => {
        const wait = globalThis.setTimeout;
        globalThis.setTimeout = (work, millis, ...more) => {
          if (millis >= most) resolve(true);
          return wait(work, millis, ...more);
        };
      }),
    LONG,
  );
  await bulk(ravendb, base, { "items/1": item({ at: 2 }) });
  assert.equal(await told, true);
});
