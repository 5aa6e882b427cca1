// The site that `cargo xtask site` builds: its pages and links, without VitePress; with --full also the built site in Chromium.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, posix } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { groups, pages, slug, target } from "../../site/stage.mjs";
import { missingChromium, profile } from "../support/chromium.mjs";
import { root } from "../support/root.mjs";
import { serve } from "../support/serve.mjs";
import { pages as tested } from "./blocks.mjs";

const staged = await pages();
const prose = (text) => text.replaceAll(/^```[\s\S]*?^```$/gm, "");
const headings = (text) => [...prose(text).matchAll(/^#+ (.*)$/gm)].map(([, title]) => slug(title));

/** Links of pages to what is no page of the site. */
function deadLinks(site) {
  const found = [];
  for (const [path, text] of site)
    for (const [, link] of prose(text).matchAll(/\]\(([^)\s]+)\)/g)) {
      const to = target(path, link);
      if (!to) continue;
      if (!site.has(to.file)) {
        const picture = to.file.startsWith("docs/images/") && existsSync(join(root, to.file));
        if (!picture) found.push(`${path}: ${link}`);
      } else if (to.anchor && !headings(site.get(to.file)).includes(to.anchor))
        found.push(`${path}: ${link}`);
    }
  return found;
}

test("a link to a page or a heading that the site lacks is found", () => {
  const site = (text) =>
    new Map([
      ["docs/a.md", text],
      ["index.md", "# Home"],
    ]);
  assert.deepEqual(deadLinks(site("# A\n[a](#a), [home](../index.md#home)")), []);
  assert.equal(
    deadLinks(site("# A\n[b](b.md), [home](../index.md#away), [picture](images/none.png)")).length,
    3,
  );
});

test("every page of docs is a page of the site, and its links lead to pages of the site", () => {
  const docs = tested.filter((page) => page.startsWith("docs/") && page !== "docs/README.md");
  for (const page of [...docs, "docs/index.md", "index.md", "pkg/index.md"])
    assert.ok(staged.has(page), page);
  assert.deepEqual(deadLinks(staged), []);
});

test("the sidebar lists every page of docs once", async () => {
  const listed = (await groups()).flatMap(({ pages }) => pages.map((name) => `docs/${name}.md`));
  const docs = [...staged.keys()].filter(
    (page) => posix.dirname(page) === "docs" && page !== "docs/index.md",
  );
  assert.deepEqual(listed.toSorted(), docs.toSorted());
});

test("code blocks of the site say their language alone", () => {
  for (const [path, text] of staged)
    for (const [fence] of text.matchAll(/^ *```[^\n]+$/gm)) assert.match(fence, /^ *```[a-z]+$/, path);
});

test("the Worker of the site runs for the paths of the demo alone, and is that of the demo", () => {
  const config = (path) => JSON.parse(readFileSync(join(root, path), "utf8").replaceAll(/^\s*\/\/.*$/gm, ""));
  const site = config("site/wrangler.jsonc");
  const demo = config("www/wrangler.jsonc");
  assert.ok(!site.assets.run_worker_first.some((path) => "/docs/session".startsWith(path.replace("*", ""))));
  assert.equal(posix.normalize(posix.join("site", site.main)), posix.join("www", demo.main));
  for (const part of ["alias", "durable_objects", "migrations", "compatibility_date"])
    assert.deepEqual(site[part], demo[part], part);
});

const CONFIG = "site/wrangler.jsonc";
const PAGES = ["/", "/docs/", "/docs/start-worker", "/docs/gateway-reference", "/docs/leases"];
const WIDTHS = [375, 820, 1440];

if (process.env.RAVEN_EDGE_FULL === "1")
  test("the built site has no dead link, fits three widths, and axe finds nothing on five pages", {
    skip: missingChromium,
    timeout: 600_000,
  }, async (t) => {
    const run = (program, ...flags) => promisify(execFile)(program, flags, { cwd: root });
    if (!existsSync(join(root, "site/node_modules")))
      await promisify(execFile)("npm", ["ci", "--no-audit", "--no-fund"], { cwd: join(root, "site") });
    await run(process.execPath, "site/build.mjs");
    await run(process.execPath, "site/check.mjs", "--pages");
    const wrangler = ["--no-warnings", "node_modules/wrangler/wrangler-dist/cli.js"];
    const outdir = join(root, "target/site/worker");
    await run(process.execPath, ...wrangler, "deploy", "--dry-run", "--outdir", outdir, "--config", CONFIG);
    const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    const folder = join(root, "target/site/www");
    // Paths without `.html`, as Workers assets serve them.
    const files = PAGES.map((path) => (path.endsWith("/") ? `${path}index.html` : `${path}.html`));
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
    const { url } = await serve(t, {
      folder,
      pages: Object.fromEntries(PAGES.map((path, at) => [path, texts[at]])),
    });
    const { open } = await profile(t);
    const page = await open(`${url}/`);
    const faults = [];
    for (const path of PAGES)
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 });
          await page.goto(url + path, { waitUntil: "load" });
          const where = `${path}, ${width}, ${colorScheme}`;
          const isWider = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
          if (isWider) faults.push(`${where}: wider than the window`);
          await page.evaluate(axe);
          const { violations } = await page.evaluate(() => globalThis.axe.run());
          for (const { id, nodes } of violations) faults.push(`${where}: ${id}: ${nodes[0].html}`);
        }
      }
    assert.deepEqual(faults, []);
  });
