// What happens to the numbers that a closing page of the package returns, with the real RavenDB.
import { fileURLToPath } from "node:url";
import { isReturn, proxy } from "../../support/proxy.mjs";
import { serve } from "../../support/serve.mjs";
import { counter, database, ravendb } from "../../support/server.mjs";
import { actions } from "./arrivals.mjs";
import { ELSEWHERE } from "./ways.mjs";

const pkg = fileURLToPath(new URL("../../../pkg", import.meta.url));

/** How long the action and the response of the return may take, in milliseconds. */
const LATE = 5_000;

const ways = {
  "a store": "{}",
  "a store with `headers()`": "{ headers: () => ({ authorization: 'Bearer 1' }) }",
};

/** A page that is armed with a number takes one id of its own tag and has 31 to return. */
const page = (base, options) => `<!doctype html><meta charset=utf-8><title>returns</title><script type=module>
  import { DocumentStore } from "/lib/entries/web.js";
  const store = new DocumentStore("/raven", "${base}", { keep: 0, ...${options} }).initialize();
  globalThis.take = (n) => store.hilo("tag" + n).next();
  globalThis.begin();
</script>
<script>
  const ready = new Promise((resolve) => { globalThis.begin = resolve; });
  globalThis.arm = (n) => ready.then(() => globalThis.take(n));
</script>`;

/** Rows `{ action, way, times, delivered, applied }` of a running browser; `t.after` registers clean-up. */
export async function returns(t, browser, times, tell) {
  const rows = [];
  for (const action of ["navigate away", "reload", "close the tab, another is open"]) {
    for (const [way, options] of Object.entries(ways)) {
      const base = await database(t, ravendb);
      const wire = await proxy(t, ravendb.url);
      const pages = { "/": page(base, options), "/elsewhere": ELSEWHERE };
      const { url } = await serve(t, { folder: pkg, pages, raven: wire.url });
      const leave = await actions[action](browser, `${url}/`, `${url}/elsewhere`);
      const of = (n) => (request) => isReturn(request) && request.body.includes(`"Raven/Hilo/tag${n}"`);
      for (let n = 0; n < times; n++) {
        const response = wire.next(of(n), { responded: true, limit: LATE }).catch(() => {});
        await leave(n);
        await response;
      }
      let [delivered, applied] = [0, 0];
      for (let n = 0; n < times; n++) {
        if (wire.of(of(n)).length > 0) delivered++;
        if ((await counter(ravendb, base, `tag${n}`)) === 1) applied++;
      }
      rows.push({ action, way, times, delivered, applied });
      tell(`${action}, ${way}: ${delivered} delivered, ${applied} applied of ${times}`);
    }
  }
  return rows;
}
