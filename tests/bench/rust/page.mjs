// `page.mjs URL FOLDER COUNT RUNS`: prints the times of three clients in a page of Chromium. FOLDER: the module of src/lib.rs with its glue.
// Each run has a profile and a database of its own, the clients in turn; the lowest time of each step counts.
import { fileURLToPath } from "node:url";
import { visit } from "../../support/chromium.mjs";
import { serve } from "../../support/serve.mjs";
import { create, remove } from "../../support/server.mjs";

const [raven, folder, count, runs] = process.argv.slice(2);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const PAGE = `<!doctype html><script type=module>
  import start, { measure as rust } from "/rust/page.js";
  import { DocumentStore } from "/lib/entries/web.js";
  import { measure } from "/bench/times.js";
  await start({ module_or_path: "/rust/page_bg.wasm" });
  globalThis.times = async (client, database, count) =>
    client === "npm" ? measure(DocumentStore, "/raven", database, count)
      : JSON.parse(await rust(client, location.origin + "/raven", database, count));
</script>`;

const best = { "raven-edge": {}, "by-hand": {}, npm: {} };
for (let run = 0; run < Number(runs); run++)
  for (const [client, least] of Object.entries(best)) {
    const ends = [];
    const t = { after: (end) => ends.push(end) };
    const name = `bench-page-${process.pid}-${run}-${client}`;
    await create({ url: raven }, name);
    const mounts = { "/rust/": folder, "/bench/": here(".") };
    const { url } = await serve(t, { folder: here("../../../pkg"), pages: { "/": PAGE }, mounts, raven });
    const { page } = await visit(t, url);
    await page.waitForFunction(() => globalThis.times);
    const times = await page.evaluate((given) => globalThis.times(...given), [client, name, Number(count)]);
    for (const [step, time] of Object.entries(times)) least[step] = Math.min(time, least[step] ?? Infinity);
    for (const end of ends.reverse()) await end();
    await remove({ url: raven }, name);
  }
console.log(JSON.stringify(best));
process.exit();
