// Bundles the page and its service worker into `dist`, or into the folder that is given. Wrangler bundles the Worker.
import { createHash } from "node:crypto";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

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

await rm(dist, { recursive: true, force: true });
const { metafile } = await build({
  ...common,
  entryPoints: [path("page/app.js"), path("page/style.css")],
  // What is loaded on first use becomes a file of its own.
  splitting: true,
  metafile: true,
});
for (const name of ["icon.svg", "manifest.webmanifest"])
  await copyFile(path(`page/${name}`), join(dist, name));
// The browser fetches all files that the start needs at once, instead of one import after the other.
const needed = new Set([Object.keys(metafile.outputs).find((name) => name.endsWith("app.js"))]);
for (const name of needed)
  for (const { path, kind } of metafile.outputs[name].imports)
    if (kind === "import-statement") needed.add(path);
const links = [...needed].map((name) => `<link rel="modulepreload" href="/${relative(dist, name)}">`);
const page = await readFile(path("page/index.html"), "utf8");
await writeFile(join(dist, "index.html"), page.replace("</head>", `${links.join("")}</head>`));
// The package looks for its module in `gen`, beside the script; esbuild does not copy it.
await mkdir(join(dist, "gen"));
const wasm = "gen/raven_edge_bg.wasm";
await copyFile(
  fileURLToPath(new URL(wasm, import.meta.resolve("raven-edge/package.json"))),
  join(dist, wasm),
);

// Everything that was built is available offline. `revision` tells the service worker which files are new.
const files = (await readdir(dist, { recursive: true, withFileTypes: true })).filter((entry) =>
  entry.isFile(),
);
const manifest = files.map(async ({ parentPath, name }) => {
  const file = join(parentPath, name);
  const revision = createHash("sha256")
    .update(await readFile(file))
    .digest("hex")
    .slice(0, 16);
  return { url: `/${relative(dist, file).replaceAll("\\", "/")}`, revision };
});
await build({
  ...common,
  entryPoints: [path("page/service-worker.js")],
  define: {
    "self.__WB_MANIFEST": JSON.stringify(await Promise.all(manifest)),
    "process.env.NODE_ENV": '"production"',
  },
});
