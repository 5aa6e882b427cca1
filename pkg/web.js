// Browsers and their workers: the module is fetched and compiled as it arrives.

import { Device } from "./device/device.js";
import { Runtime } from "./lib/runtime.js";
import { StoreBase } from "./lib/store.js";

async function load() {
  // In this form bundlers find the file and move it along.
  const url = new URL("./gen/raven_edge_bg.wasm", import.meta.url);
  try {
    const response = await fetch(url);
    const streams = response.headers.get("content-type")?.startsWith("application/wasm");
    return await (streams
      ? WebAssembly.compileStreaming(response)
      : WebAssembly.compile(await response.arrayBuffer()));
  } catch (error) {
    // A dev server that does not know the file answers with a page; an offline cache may lack it.
    const { default: text } = await import("./gen/inline.js").catch(() => {
      throw error;
    });
    return WebAssembly.compile(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
  }
}

const runtime = new Runtime(load, { device: (life) => new Device(life) });

export class DocumentStore extends StoreBase {
  constructor(urls, database, options) {
    super(runtime, urls, database, options);
  }
}

export * from "./lib/api.js";
