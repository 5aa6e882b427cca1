// pkg/lib/precache.js: for each entry of pages the files that a page needs to start without a connection.
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** The export of the lists. */
export const PRECACHE = "./precache";

const STATIC = /^\s*(?:import|export)\b(?:[^;"'(]*?\bfrom)?\s*["'](\.[^"']+)["']/gm;
/** How parts are loaded: `name: () => import("…")`. */
const LATER = /(?:\b(\w+):\s*\(\)\s*=>\s*)?\bimport\(\s*["'](\.[^"']+)["']\s*\)/g;
const MODULE = /new URL\(\s*["'](\.[^"']+\.wasm)["']/g;
/** A copy of the module for pages that cannot load it: with the module in the cache it is not requested. */
const COPY = /^gen\/inline\.js$/;

function fail(part) {
  throw new Error(`precache: no loader names ${part}`);
}

/** The entries of pages, as apps import them, with their files. */
function pageEntries(pkg) {
  const { name, exports } = JSON.parse(readFileSync(join(pkg, "package.json"), "utf8"));
  return Object.entries(exports).flatMap(([path, conditions]) => {
    const file = conditions.browser ?? conditions.default;
    const isPage = file?.startsWith("./lib/") && (conditions.browser || !conditions.node);
    const isForPages =
      isPage && !/\/(authority|gateway|gateway-live|hub|changes-hub)\.js$/.test(file) && path !== PRECACHE;
    return isForPages ? [[posix.join(name, path), file.slice(2)]] : [];
  });
}

/** The contents of the file. `texts`: the files of pkg/lib. */
export function precacheLists(pkg, texts) {
  const textOf = (file) =>
    file.startsWith("lib/") ? String(texts.get(file.slice(4))) : readFileSync(join(pkg, file), "utf8");
  /** Paths in a file, the last group of `pattern`, with the group before. */
  const found = (file, pattern) =>
    (file.endsWith(".js") ? [...textOf(file).matchAll(pattern)] : [])
      .map((match) => [posix.join(posix.dirname(file), match.at(-1)), match.at(-2)])
      .filter(([path]) => !COPY.test(path));
  const matches = (file, pattern) => found(file, pattern).map(([path]) => path);
  /** What these files load at once, and the module. */
  const atOnce = (files) => {
    const all = new Set(files);
    for (const file of all)
      for (const next of [...matches(file, STATIC), ...matches(file, MODULE)]) all.add(next);
    return all;
  };
  const lists = {};
  for (const [entry, file] of pageEntries(pkg)) {
    const start = atOnce([file]);
    const seen = new Set(start);
    const later = {};
    for (const each of seen)
      for (const [part, name] of found(each, LATER)) {
        if (start.has(part)) continue;
        const files = [...atOnce([part])].filter((one) => !start.has(one));
        later[name ?? fail(part)] = files;
        for (const one of files) seen.add(one);
      }
    lists[entry] = { start: [...start], later };
  }
  return Buffer.from(`export default ${JSON.stringify(lists, undefined, 2)};\n`);
}
