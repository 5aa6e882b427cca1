// The app requests ids while its page closes, freezes and returns: each id is issued once, and nothing is leased
// meanwhile.
import assert from "node:assert/strict";
import { after as afterAll, test } from "node:test";
import { launch, missing as missingChromium } from "../support/browsers/chromium.mjs";
import { distinct, pkg } from "../support/pages.mjs";
import { isLease, isReturn, proxy } from "../support/proxy.mjs";
import { whole } from "../support/request-body.mjs";
import { serve } from "../support/serve.mjs";
import { counter, database, missing, number, otherLease, ravendb } from "../support/server.mjs";
import { until } from "../support/store.mjs";

const EVENTS = `[[window, "pagehide"], [document, "visibilitychange"], [document, "freeze"], [document, "resume"], [window, "pageshow"]]`;

/**
 * An app that requests ids in all ways in each of these events, before or after the package's own listeners. It
 * reports each id to the server in the task that got it; a closing page can only send beacons.
 */
const app = (name, keep, when) => `<!doctype html><meta charset=utf-8><title>dying</title><script type=module>
  import { DocumentStore } from "/lib/entries/web.js";
  let left = false;
  globalThis.tell = (id, where, how = "beacon") => {
    const n = Number(sessionStorage.reported ?? 0) + 1;
    sessionStorage.reported = n;
    const text = JSON.stringify({ n, id, where, left });
    if (how === "beacon") return navigator.sendBeacon("/report", text);
    const request = new XMLHttpRequest();
    request.open("POST", "/report", false);
    request.send(text);
  };
  const ask = (hilo, where) => {
    tell(hilo.take() ?? null, where);
    hilo.next().then((id) => tell(id, where + ", next"), () => {});
    hilo.reserve(3).catch(() => {});
  };
  const listen = () => {
    for (const [target, event] of ${EVENTS})
      target.addEventListener(event, ({ persisted }) => {
        if (event === "pagehide") left = true;
        if (event === "pageshow" || event === "resume") left = false;
        if (event === "pageshow" && !persisted) return;
        if (globalThis.hilo) ask(hilo, event);
      });
    addEventListener("pageshow", ({ persisted }) => { globalThis.persisted = persisted; });
  };
  if (${when === "before"}) listen();
  const store = new DocumentStore("/raven", "${name}", { keep: ${keep}, timeout: 5_000 }).initialize();
  globalThis.hilo = store.hilo("orders");
  if (${when === "after"}) listen();
  globalThis.some = async (count) => {
    while (count-- > 0) tell(await hilo.next(), "awake", "synchronously");
  };
  globalThis.loaded = true;
</script>`;

let browser;
afterAll(async () => (await browser)?.close());

/** A test with the app in a tab of a Chromium with a back/forward cache. */
function dying(name, { keep = 8, when = "none" }, body) {
  test(name, { skip: missingChromium || missing(ravendb), timeout: 60_000 }, async (t) => {
    const base = await database(t, ravendb);
    const wire = await proxy(t, ravendb.url);
    const reports = [];
    const site = await serve(t, {
      folder: pkg,
      pages: { "/": app(base, keep, when), "/away": "<!doctype html><title>away</title>" },
      handlers: {
        "/report": async (request, response) => {
          reports.push(JSON.parse(await whole(request)));
          response.writeHead(204).end();
        },
      },
      raven: wire.url,
    });
    browser ??= launch();
    const tab = await (await browser).open(site.url);
    const ready = async () => {
      while (!(await tab.evaluate(() => !!globalThis.loaded)));
    };
    await ready();
    await body({
      base,
      wire,
      tab,
      reports,
      some: (count) => tab.evaluate((count) => some(count), count),
      away: () => tab.goto(`${site.url}/away`),
      back: () => tab.back(),
      reload: async () => {
        await tab.reload();
        await ready();
      },
      /** The reported ids, once all have arrived. */
      all: async () => {
        const count = await tab.evaluate(() => Number(sessionStorage.reported));
        await until(() => reports.length >= count, "the reports of the page");
        return reports.filter(({ id }) => id !== null);
      },
    });
    await tab.close();
  });
}

for (const when of ["before", "after"]) {
  dying(`reloads, listeners ${when} the package's`, { when }, async ({ some, reload, all }) => {
    for (let round = 0; round < 4; round++) {
      await some(5);
      await reload();
    }
    await some(20);
    const ids = await all();
    assert.ok(distinct(ids.map(({ id }) => id)) >= 40);
  });

  dying(`back and forth, listeners ${when} the package's`, { when }, async (tools) => {
    const { tab, wire, reports, some, away, back, all } = tools;
    for (let round = 0; round < 4; round++) {
      await some(5);
      const asked = wire.of(isLease).length;
      await away();
      const meanwhile = wire.of(isLease).length - asked;
      // Listeners before the package's run while the page is still active.
      if (when === "after") assert.equal(meanwhile, 0, "nothing is leased while the page is inactive");
      await back();
      assert.equal(await tab.evaluate(() => globalThis.persisted), true, "the page was kept");
    }
    await some(20);
    const ids = await all();
    distinct(ids.map(({ id }) => id));
    assert.ok(ids.length >= 40);
    const kinds = new Set(reports.map(({ where }) => where));
    for (const event of ["pagehide", "visibilitychange", "freeze", "pageshow"])
      assert.ok(kinds.has(event), `ids were requested in ${event}`);
    if (when === "after") {
      const late = ids.filter(({ left, where }) => left && !where.endsWith("next"));
      assert.deepEqual(late, [], "between pagehide and pageshow take returns no id");
    }
  });

  dying(`frozen and resumed, listeners ${when} the package's`, { when }, async ({ tab, some, all }) => {
    for (let round = 0; round < 3; round++) {
      await some(5);
      await tab.call("Page.setWebLifecycleState", { state: "frozen" });
      await tab.call("Page.setWebLifecycleState", { state: "active" });
    }
    await some(20);
    distinct((await all()).map(({ id }) => id));
  });
}

dying("a reload whose first lease overtakes the return of the page before", { keep: 0 }, async (tools) => {
  const { base, wire, some, reload, all } = tools;
  await some(1);
  let deliver;
  wire.rule = (request) => isReturn(request) && new Promise((resolve) => (deliver = () => resolve()));
  const back = wire.next(isReturn);
  await reload();
  await some(1);
  await back;
  assert.equal(await counter(ravendb, base, "orders"), 64, "the lease came first");
  const applied = wire.next(isReturn, { responded: true });
  deliver();
  const { responseText } = await applied;
  const [{ Result }] = JSON.parse(responseText).Results;
  assert.equal(Result.Results[0].PatchStatus, "NotModified", "so the return comes too late");
  wire.rule = undefined;
  await some(40);
  const ids = (await all()).map(({ id }) => id);
  assert.equal(distinct(ids), 42);
  const highest = Math.max(...ids.map(number));
  assert.ok((await otherLease(ravendb, base, "orders")).Low > highest);
});
