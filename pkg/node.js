// Node, Deno and Bun: the module lies beside this file and is read at once.

import { readFileSync } from "node:fs";
import * as glue from "./gen/raven_edge.js";
import { connect } from "./lib/certificate.js";
import { Runtime } from "./lib/runtime.js";
import { StoreBase } from "./lib/store.js";

function load() {
  try {
    return readFileSync(new URL("./gen/raven_edge_bg.wasm", import.meta.url));
  } catch {
    // A bundler left the file behind.
    return import("./gen/inline.js").then(({ default: text }) =>
      WebAssembly.compile(Buffer.from(text, "base64")),
    );
  }
}

const runtime = new Runtime(glue, load, { connect });

export class DocumentStore extends StoreBase {
  constructor(urls, database, options) {
    super(runtime, urls, database, options);
  }
}

export * from "./lib/api.js";
