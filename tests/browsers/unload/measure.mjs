// node tests/browsers/unload/measure.mjs [--times 100] [--only Firefox] [--package]: measures which requests survive
// the end of a page, as Markdown. With RAVENDB_URL also what happens to the numbers that the package returns; with
// --package only that.
import { parseArgs } from "node:util";
import { browsers } from "../../support/browsers.mjs";
import { arrivals, quits } from "./arrivals.mjs";
import { bfcache } from "./bfcache.mjs";
import { facts } from "./facts.mjs";
import { returns } from "./returns.mjs";

const { values } = parseArgs({
  options: {
    times: { type: "string", default: "100" },
    only: { type: "string" },
    package: { type: "boolean", default: false },
  },
});
const times = Number(values.times);
/** Slower measurements are repeated less often. */
const fewer = Math.ceil(times / 5);

/** What must be cleaned up: the site, the proxy and the databases. */
const endings = [];
const t = { after: (end) => endings.push(end) };

const measured = [];
for (const { name, missing, launch } of browsers) {
  if (values.only !== undefined && values.only !== name) continue;
  if (missing) {
    console.error(missing);
    continue;
  }
  const tell = (line) => console.error(`${name}: ${line}`);
  const browser = await launch();
  try {
    const { version } = browser;
    const returned = process.env.RAVENDB_URL ? await returns(t, browser, times, tell) : [];
    measured.push({ version, returned });
    if (values.package) continue;
    const sent = await arrivals(browser, times, tell);
    const kept = await bfcache(browser, fewer, tell);
    Object.assign(measured.at(-1), { sent, kept, facts: await facts(browser) });
  } finally {
    await browser.close();
  }
  measured.at(-1).sent.push(...(await quits(launch, fewer, tell)));
}
for (const end of endings) await end();

const row = (cells) => console.log(`| ${cells.join(" | ")} |`);
function table(head, rows) {
  console.log();
  row([...head, ...measured.map(({ version }) => version)]);
  row([...head, ...measured].map(() => "---"));
  for (const cells of rows) row(cells);
}

const share = (part, all) =>
  part === all ? `all ${all}` : part === 0 ? `none of ${all}` : `${part} of ${all}`;

console.log(`Measured on ${new Date().toISOString().slice(0, 10)}.`);
const { returned: rows } = measured[0];
if (rows.length > 0)
  table(
    ["the page is left by", "and has"],
    rows.map(({ action, way }, index) => [
      action,
      way,
      ...measured.map(({ returned }) => {
        const { delivered, applied, times } = returned[index];
        return `${share(delivered, times)}, applied ${applied}`;
      }),
    ]),
  );
if (values.package) process.exit();
table(
  ["the page is left by", "what it sends in `pagehide`"],
  measured[0].sent.map(({ action, way }, index) => [
    action,
    way,
    ...measured.map(({ sent }) => share(sent[index].arrived, sent[index].times)),
  ]),
);
table(
  ["a page that holds"],
  measured[0].kept.map(({ what }, index) => [
    what,
    ...measured.map(({ kept }) => {
      const { kept: count, times, reasons } = kept[index];
      return [share(count, times), ...reasons].join(", ");
    }),
  ]),
);
table(
  ["on http://127.0.0.1"],
  Object.keys(measured[0].facts).map((what) => [what, ...measured.map(({ facts }) => facts[what])]),
);
