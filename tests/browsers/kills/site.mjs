// The site under test: the package and a page that uses it; behind it RavenDB, in front of it a faulty proxy.
import { readFileSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after } from "../../support/cleanup.mjs";
import { proxy } from "../../support/proxy.mjs";
import { whole } from "../../support/request-body.mjs";
import { serve } from "../../support/serve.mjs";
import { TAGS } from "./plan.mjs";

const pkg = fileURLToPath(new URL("../../../pkg", import.meta.url));
const text = (name) => readFileSync(new URL(name, import.meta.url));

const page = (setting) => `<!doctype html><meta charset=utf-8><title>kills</title>
<script>
globalThis.setting = ${JSON.stringify(setting)};
globalThis.ready = new Promise((resolve) => { globalThis.begin = resolve; });
</script>
${setting.lossy ? "<script src=/lossy.js></script>" : ""}
<script type=module src=/page.js></script>`;

const script = (name) => (_, response) =>
  response.writeHead(200, { "content-type": "text/javascript" }).end(text(name));

/** Counts per requested name. */
function counters() {
  const last = new Map();
  return (request, response) => {
    const name = new URL(request.url, "http://site").searchParams.get("of");
    last.set(name, (last.get(name) ?? 0) + 1);
    response.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" });
    response.end(String(last.get(name)));
  };
}

/** Grants ranges, and takes back those that are still the last; a repeated call counts once. */
function ranges() {
  const last = new Map();
  const seen = new Set();
  const respond = (response, body) => {
    response.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" });
    response.end(JSON.stringify(body));
  };
  const called = (work) => async (request, response) => {
    const text = await whole(request);
    if (text === undefined) return;
    const { scope, tag, ...words } = JSON.parse(text);
    const name = `${scope} ${tag}`;
    respond(response, work(name, last.get(name) ?? 0, words));
  };
  return {
    "/range": called((name, max, { size, above }) => {
      const low = Math.max(max, above) + 1;
      last.set(name, low + size - 1);
      return { low, high: low + size - 1 };
    }),
    "/release": called((name, max, { low, high, call }) => {
      if (max === high && !seen.has(call)) last.set(name, low - 1);
      seen.add(call);
      return null;
    }),
  };
}

export async function site(t, { raven, notes, lossy, source, ...databases }) {
  // A copy: a build during the test must not change what runs here.
  const folder = await mkdtemp(join(tmpdir(), "raven-edge-pkg-"));
  after(t, () => rm(folder, { recursive: true, force: true }));
  await cp(pkg, folder, { recursive: true });
  const behind = await serve(t, {
    folder,
    pages: {
      "/": page({ notes, ...databases, collections: TAGS, lossy, source }),
      // What the broken variant never loses.
      "/spare": page({ notes, ...databases, source }),
      "/away": "<!doctype html><meta charset=utf-8><title>away</title>",
    },
    handlers: {
      "/page.js": script("page.js"),
      "/lossy.js": script("lossy.js"),
      "/hi": counters(),
      ...ranges(),
    },
    raven: raven.url,
  });
  const wire = await proxy(t, behind.url);
  return { url: wire.url, wire, behind: behind.url };
}
