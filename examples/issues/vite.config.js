import { readFileSync } from "node:fs";

/** Writes the service worker, with the names of all files of the build; they have hashes. */
const serviceWorker = {
  name: "service-worker",
  generateBundle: {
    order: "post",
    handler(_options, bundle) {
      const files = Object.keys(bundle).map((name) => (name === "index.html" ? "/" : `/${name}`));
      const source = `const FILES = ${JSON.stringify(files)};\n${readFileSync("service-worker.js", "utf8")}`;
      this.emitFile({ type: "asset", fileName: "service-worker.js", source });
    },
  },
};

export default { plugins: [serviceWorker] };
