// `node site/check.mjs`: every link, picture and script of the built site leads to a file of it, and every anchor to an element. The
// generators have checked their own pages; this is about links between them, and about what the server makes of a path.
import { existsSync, statSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";

const site = fileURLToPath(new URL("../target/site/www", import.meta.url));

/** Parts of the site that the Worker answers. */
const BY_WORKER = /^\/(raven|hub|gateway|mine|server|sign-in)\b/;

/** Without these the site is not whole. */
const PAGES = [
  "index.html",
  "docs/index.html",
  "docs/session.html",
  "demo/index.html",
  "gen/raven_edge_bg.wasm",
  "404.html",
];
const REFERENCES = ["api/index.html", "rust/raven_edge_client/index.html"];

const isFile = (path) => existsSync(path) && statSync(path).isFile();

/** The file that Workers assets serve for a path, as `html_handling` describes; nothing if there is none. */
function served(path) {
  const file = join(site, decodeURIComponent(path));
  return [file, `${file}.html`, join(file, "index.html")].find(isFile);
}

/** What a page refers to. Pages of rustdoc are checked by rustdoc. */
const links = (html) => [...html.matchAll(/<[^>]*?\s(?:href|src)="([^"]*)"/g)].map(([, link]) => link);

const texts = new Map();
async function hasAnchor(file, anchor) {
  if (!texts.has(file)) texts.set(file, await readFile(file, "utf8"));
  const name = decodeURIComponent(anchor);
  return texts.get(file).includes(` id="${name}"`);
}

async function faultsOf(page) {
  const html = await readFile(join(site, page), "utf8");
  const faults = [];
  for (const link of new Set(links(html))) {
    if (/^[a-z]+:/.test(link) || link === "" || link === "#") continue;
    const [path, anchor] = link.replaceAll("&amp;", "&").split("#");
    const target = path === "" ? `/${page}` : posix.resolve("/", posix.dirname(page), path.split("?")[0]);
    if (BY_WORKER.test(target)) continue;
    const file = served(target);
    if (!file) faults.push(`${page}: ${link} leads to no file`);
    else if (anchor && file.endsWith(".html") && !(await hasAnchor(file, anchor)))
      faults.push(`${page}: ${link} leads to no heading`);
  }
  return faults;
}

const withoutReferences = process.argv.includes("--pages");
const missing = [...PAGES, ...(withoutReferences ? [] : REFERENCES)].filter(
  (page) => !isFile(join(site, page)),
);
const files = (await readdir(site, { recursive: true })).filter(
  (file) => file.endsWith(".html") && !file.startsWith("rust/") && !file.startsWith("api/"),
);
const faults = missing.map((page) => `${page} is missing`);
for (const page of files) {
  const found = await faultsOf(page);
  // Without the references, links to them lead nowhere.
  faults.push(...found.filter((fault) => !withoutReferences || !/: \/(api|rust)\//.test(fault)));
}
for (const fault of faults) console.error(fault);
console.log(`${files.length} pages, ${faults.length} faults`);
process.exitCode = faults.length > 0 ? 1 : 0;
