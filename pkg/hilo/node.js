// Ids alone, in Node, Deno and Bun: the module lies beside this file and is read at once.

import { readFileSync } from "node:fs";
import * as glue from "../gen/raven_edge_hilo.js";
import { connect } from "../lib/certificate.js";
import { IdStore } from "../lib/ids.js";
import { Runtime } from "../lib/runtime.js";

function load() {
  try {
    return readFileSync(new URL("../gen/raven_edge_hilo_bg.wasm", import.meta.url));
  } catch {
    // A bundler left the file behind.
    return import("../gen/inline_hilo.js").then(({ default: text }) =>
      WebAssembly.compile(Buffer.from(text, "base64")),
    );
  }
}

const runtime = new Runtime(glue, load, { connect });

export class HiLoStore extends IdStore {
  constructor(urls, database, options) {
    super(runtime, urls, database, options);
  }
}

export { RavenEdgeError } from "../lib/error.js";
export { HiLo } from "../lib/hilo.js";
