// Bundles the page and its service worker into `dist`, or into the folder that is given. Wrangler bundles the Worker.
import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import precache from "raven-edge/precache";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const dist = process.argv[2] ?? path("dist");
const common = {
  bundle: true,
  format: "esm",
  minify: true,
  target: "es2022",
  outdir: dist,
  logLevel: "error",
};
/** The parts of the package that the app uses: they are there without a connection. */
const PARTS = ["attachments", "capabilities", "live", "named", "rql", "session"];
const { start, later } = precache["raven-edge"];
const { sets } = precache["raven-edge/offline"].later;

await rm(dist, { recursive: true, force: true });
const {
  metafile: { outputs },
} = await build({
  ...common,
  entryPoints: [path("page/app.js"), path("page/style.css")],
  // What is loaded on first use becomes a file of its own.
  splitting: true,
  metafile: true,
});
for (const name of ["icon.svg", "manifest.webmanifest"])
  await copyFile(path(`page/${name}`), join(dist, name));
/** These files, and what they import at once. */
function withImports(names) {
  const found = new Set(names);
  for (const name of found)
    for (const { path, kind } of outputs[name].imports) if (kind === "import-statement") found.add(path);
  return [...found];
}

/** The files that were built of these. */
const builtOf = (files) =>
  Object.keys(outputs).filter((name) => files.some((file) => outputs[name].entryPoint?.endsWith(file)));

// The browser fetches all files that the start needs at once, instead of one import after the other.
const needed = withImports(builtOf(["page/app.js"]));
const links = needed.map((name) => `<link rel="modulepreload" href="/${relative(dist, name)}">`);
const page = await readFile(path("page/index.html"), "utf8");
await writeFile(join(dist, "index.html"), page.replace("</head>", `${links.join("")}</head>`));
// The package looks for its module in `gen`, beside the script; esbuild does not copy it.
await mkdir(join(dist, "gen"));
const wasm = start.find((file) => file.endsWith(".wasm"));
await copyFile(
  fileURLToPath(new URL(wasm, import.meta.resolve("raven-edge/package.json"))),
  join(dist, wasm),
);

// What the app needs is available offline. `revision` tells the service worker which files are new.
const used = withImports(
  builtOf(["page/app.js", "page/style.css", ...start, ...PARTS.flatMap((part) => later[part]), ...sets]),
);
const names = used.map((name) => relative(dist, name));
const files = [...names, "index.html", "icon.svg", "manifest.webmanifest", wasm];
const manifest = files.map(async (name) => {
  const file = join(dist, name);
  const revision = createHash("sha256")
    .update(await readFile(file))
    .digest("hex")
    .slice(0, 16);
  return { url: `/${name.replaceAll("\\", "/")}`, revision };
});
await build({
  ...common,
  entryPoints: [path("page/service-worker.js")],
  define: {
    "self.__WB_MANIFEST": JSON.stringify(await Promise.all(manifest)),
    "process.env.NODE_ENV": '"production"',
  },
});
