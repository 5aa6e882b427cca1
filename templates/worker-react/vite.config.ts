import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import precache from "raven-edge/precache";
import { defineConfig, type Plugin } from "vite";

/** The parts of the package that the app uses: they are there without a connection. */
const PARTS = ["live", "named", "rql", "session"];

const page = precache["raven-edge"];
const queue = precache["raven-edge/offline"];
if (!page || !queue) throw new Error("this version of raven-edge has no such lists");
const used = [
  ...page.start,
  ...PARTS.flatMap((part) => page.later[part] ?? []),
  ...Object.values(queue.later).flat(),
];

/** Writes the service worker, with the files that the app needs without a connection. */
function serviceWorker(): Plugin {
  return {
    name: "service-worker",
    apply: "build",
    // Not for the Worker, which a plugin may build, too.
    applyToEnvironment: ({ name }) => name === "client",
    enforce: "post",
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
        const kept = new Set(
          chunks
            .filter(
              ({ isEntry, facadeModuleId }) =>
                isEntry || used.some((path) => facadeModuleId?.endsWith(`/${path}`)),
            )
            .map(({ fileName }) => fileName),
        );
        for (const name of kept)
          for (const next of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) kept.add(next);
        // A file such as `.assetsignore` of Cloudflare's plugin is not served.
        for (const { type, fileName } of Object.values(bundle))
          if (type === "asset" && !fileName.startsWith(".")) kept.add(fileName);
        // Names have hashes, except that of the page.
        const html = bundle["index.html"];
        const version = createHash("sha256")
          .update(JSON.stringify([...kept]))
          .update(html?.type === "asset" ? html.source : "")
          .digest("hex")
          .slice(0, 16);
        const files = [...kept].map((name) => (name === "index.html" ? "/" : `/${name}`));
        const list = `const VERSION = "${version}";\nconst FILES = ${JSON.stringify(files)};\n`;
        const source = list + readFileSync("src/service-worker.js", "utf8");
        this.emitFile({ type: "asset", fileName: "service-worker.js", source });
      },
    },
  };
}

export default defineConfig({ plugins: [serviceWorker()] });
