// A lease hub in its own workerd, in front of a server.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after } from "./cleanup.mjs";
import { prepare, start } from "./own-workerd.mjs";

const file = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The Worker as a README would show it; `options` is the text of further options of the hub. */
const worker = (options) => `
  import { DocumentStore } from "raven-edge";
  import { hub } from "raven-edge/hub";
  const shop = hub({ upstream: (env) => env.RAVENDB_URL, namespace: (env) => env.HUB, log: () => {}, ${options} });
  export const LeaseHub = shop.LeaseHub;
  let store;
  export default {
    async fetch(request, env) {
      const url = new URL(request.url);
      const [, , database, tag, ...more] = url.pathname.split("/");
      try {
        if (more.length > 0) return await shop.fetch(request, env);
        if (url.pathname.startsWith("/release/")) return new Response(await shop.release(env, database, decodeURIComponent(tag)));
        if (url.pathname.startsWith("/burn/")) return new Response(await shop.burn(env, database, tag));
      } catch (error) {
        return new Response(error.message, { status: 500 });
      }
      if (!url.pathname.startsWith("/inside/")) return shop.fetch(request, env);
      const fetch = (input, init) => shop.fetch(new Request(input, init), env);
      store ??= new DocumentStore("https://hub", database, { fetch }).initialize();
      return Response.json(await store.hilo(tag).next());
    },
  };`;

/** Prepares a hub in front of `upstream`; returns the folder to start it in. */
export async function hubFolder(t, upstream, options = "") {
  const folder = await mkdtemp(join(tmpdir(), "raven-edge-hub-"));
  after(t, () => rm(folder, { recursive: true, force: true }));
  return prepare({
    folder,
    worker: worker(options),
    resolveDir: file("."),
    alias: {
      "raven-edge/hub": file("../../pkg/dist/entries/hub.js"),
      "raven-edge": file("../../pkg/dist/entries/workerd.js"),
    },
    compatibilityDate: "2026-04-01",
    objects: { HUB: "LeaseHub" },
    vars: { RAVENDB_URL: upstream },
  });
}

/**
 * Starts a hub in front of `upstream`, which is ended after the test; `again()` kills it and restarts it with the
 * same data.
 */
export async function startHub(t, upstream, options) {
  const folder = await hubFolder(t, upstream, options);
  let running = await start(folder);
  after(t, () => running.stop());
  return {
    get url() {
      return running.url;
    },
    async again() {
      await running.kill();
      running = await start(folder);
    },
  };
}
