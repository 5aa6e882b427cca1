// The program with raven-edge in workerd and in Chromium: npm `ravendb` runs there no better than in Node, so its observations in Node
// are what is expected.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { visit } from "../support/chromium.mjs";
import { after } from "../support/cleanup.mjs";
import { prepare, start } from "../support/own-workerd.mjs";
import { serve } from "../support/serve.mjs";
import { ravendb } from "../support/server.mjs";
import { bundle } from "./build.mjs";
import { add } from "./compare.mjs";

/** Sections that a platform does not have, by area, and why. */
export const WITHOUT = {
  workerd: {
    // They need a server in the program.
    "query-extras": ["a tag is in the address"],
  },
  Chromium: {
    // Browsers send no streams over HTTP/1.1: refused, as `browsers/attachments` proves.
    attachments: ["a stream of Node"],
    "attachment-operations": ["operations", "large contents"],
    // A page sends documents in chunks: they wait for one that is stored before `finish()`, or for progress before it.
    "bulk-insert": ["refused by the server", "aborted", "progress"],
    "query-extras": ["a tag is in the address"],
  },
};

/** Observations that differ on a platform: the value there, and why. */
export const DIFFERENT = {
  workerd: {
    // Its `fetch`, by which the program looks at the server, has no header without a value.
    "bulk-insert / attachments: an empty one": '[200, null, ""]',
  },
  Chromium: {
    // A session learns of the first call when the code of counters is loaded.
    "counters / increments: changes": "false",
  },
};

const pkg = fileURLToPath(new URL("../../pkg", import.meta.url));

async function bundled(t, areas) {
  const folder = await mkdtemp(join(tmpdir(), "compat-elsewhere-"));
  after(t, () => rm(folder, { recursive: true, force: true }));
  await bundle("elsewhere", folder, areas);
  return folder;
}

/** Observations as `observe` of `compare.mjs` gives them; `run(area)` resolves with a list. All areas at once: each has its database. */
async function collected(areas, run) {
  const lists = await Promise.all(areas.map(run));
  return new Map(
    areas.map((area, at) => {
      const seen = new Map();
      for (const observation of lists[at]) add(seen, observation);
      return [area, seen];
    }),
  );
}

async function observeInWorkerd(t, areas) {
  const folder = await bundled(t, areas);
  const worker = `
    ${areas.map((area, at) => `import area${at} from "./${area}.mjs";`).join("\n")}
    const AREAS = { ${areas.map((area, at) => `"${area}": area${at}`)} };
    export default {
      async fetch(request, env) {
        const observations = [];
        const { area, without } = await request.json();
        await AREAS[area](env.RAVENDB_URL, (each) => observations.push(each), undefined, without);
        return Response.json(observations);
      },
    };`;
  const entry = join(pkg, "lib/entries/workerd.js");
  await prepare({
    folder: join(folder, "worker"),
    worker,
    resolveDir: folder,
    alias: { "raven-edge": entry },
    compatibilityDate: "2026-04-01",
    vars: { RAVENDB_URL: ravendb.url },
  });
  const { url, stop } = await start(join(folder, "worker"));
  after(t, () => stop());
  return collected(areas, async (area) => {
    const body = JSON.stringify({ area, without: WITHOUT.workerd[area] });
    const response = await fetch(url, { method: "POST", body });
    if (!response.ok) throw new Error(`${area} in workerd: ${response.status} ${await response.text()}`);
    return response.json();
  });
}

async function observeInChromium(t, areas) {
  const folder = await bundled(t, areas);
  const imports = JSON.stringify({ imports: { "raven-edge": "/pkg/lib/entries/web.js" } });
  const site = await serve(t, {
    folder,
    mounts: { "/pkg/": pkg },
    pages: { "/": `<!doctype html><meta charset=utf-8><script type="importmap">${imports}</script>` },
    raven: ravendb.url,
  });
  const { page } = await visit(t, site.url);
  return collected(areas, (area) =>
    page.evaluate(
      async ([name, without]) => {
        const observations = [];
        const program = await import(`/${name}.mjs`);
        const report = (each) => observations.push(each);
        await program.default(`${location.origin}/raven`, report, undefined, without);
        return observations;
      },
      [area, WITHOUT.Chromium[area] ?? []],
    ),
  );
}

/** Observes areas on each platform. */
export const PLATFORMS = { workerd: observeInWorkerd, Chromium: observeInChromium };
