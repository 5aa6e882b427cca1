// Pages with `raven-edge/offline` in Chromium, and what the server has stored: documents and receipts.
import { inTabs } from "./pages.mjs";
import { document, ravendb, send } from "./server.mjs";

/** The page's module defines functions for the scripts of tests, so that several scripts can use one store. */
export const PAGE = `<!doctype html><meta charset=utf-8><title>offline</title><script type=module>
  import { DocumentStore } from "/dist/entries/web.js";
  import { offline } from "/dist/entries/offline.js";
  globalThis.events = [];
  globalThis.seen = (name) => events.filter(([event]) => event === name).map(([, detail]) => detail);
  globalThis.open = (name, given = {}, options = {}) => {
    const store = new DocumentStore("/raven", name, { timeout: 5_000, ...options, offline: offline({ user: "ann", ...given }) });
    store.initialize();
    for (const event of ["offline", "conflict", "needsAuth", "regression", "storage"])
      store.on(event, (detail) => events.push([event, detail]));
    return store;
  };
  globalThis.next = (store, name, fits = () => true) =>
    new Promise((resolve) => store.on(name, (detail) => fits(detail) && resolve(detail)));
  globalThis.until = async (store, fits) => {
    while (!fits(store.offline.status())) await next(store, "offline", fits);
  };
  globalThis.Order = (fields = {}) => ({ ...fields, "@metadata": { "@collection": "Orders" } });
  globalThis.queue = async (store, entity, id) => {
    const session = store.openSession();
    await session.store(entity, id);
    return session.queueChanges();
  };
  globalThis.edit = async (store, id, change) => {
    const session = store.openSession();
    const entity = await session.load(id);
    change(entity);
    return session.queueChanges();
  };
  globalThis.code = (promise) => promise.then(() => undefined, ({ code }) => code ?? "none");
  globalThis.loaded = true;
</script>`;

/** A test with tabs of one profile whose pages have the queue; `gate.open = false`: the server is unreachable. */
export function withQueue(name, body, options) {
  inTabs(
    name,
    async (tools) => {
      const { tab, base } = tools;
      const documentOf = (id) => document(ravendb, base, id);
      await body({ ...tools, page: await tab(), documentOf, receipts: () => receiptsOf(base) });
    },
    { ...options, pages: { "/": PAGE, ...options?.pages } },
  );
}

/** The receipts of all devices. */
export async function receiptsOf(base) {
  const answer = await send(
    ravendb.url,
    "GET",
    `/databases/${base}/docs?startsWith=Raven-Edge/Devices/&pageSize=100`,
  );
  return answer.json.Results;
}
