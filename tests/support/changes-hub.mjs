// A gateway whose listeners share a connection to RavenDB by the hub for changes, in its own workerd behind a proxy.
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after } from "./cleanup.mjs";
import { SECRET } from "./gateway.mjs";
import { prepare, start } from "./own-workerd.mjs";
import { proxy } from "./proxy.mjs";
import { database } from "./server.mjs";

const file = (path) => fileURLToPath(new URL(path, import.meta.url));

/** `/abort` ends the object, as a crash does; all other requests are the gateway's. */
const worker = (config, functions) => `
  import gateway from "raven-edge/gateway-live";
  import { ChangesHub as Hub } from "raven-edge/changes-hub";
  const config = ${JSON.stringify(config)};
  const object = (env) => env.CHANGES_HUB.get(env.CHANGES_HUB.idFromName(
    config.upstream + "/databases/" + config.database + "/changes"));
  export class ChangesHub extends Hub {
    #ctx;
    constructor(ctx, env) {
      super(ctx, env);
      this.#ctx = ctx;
    }
    fetch(request) {
      if (new URL(request.url).pathname === "/abort") this.#ctx.abort("a test");
      return super.fetch(request);
    }
  }
  const served = gateway({ ...config, live: { hub: (env) => env.CHANGES_HUB, ...config.live }, ${functions} });
  export default {
    async fetch(request, env, context) {
      if (new URL(request.url).pathname !== "/abort") return served.fetch(request, env, context);
      await object(env).fetch("https://hub/abort").catch(() => {});
      return new Response();
    },
  };`;

/**
 * `url`: of the gateway; `front`: the proxy before it; `wire`: the proxy before RavenDB; `pid`: of workerd; `abort()` ends the hub.
 * `options`: further configuration of the gateway, `functions`: the text of members that are functions.
 */
export async function changesHub(t, server, { base, options = {}, functions = "" } = {}) {
  const name = base ?? (await database(t, server));
  const wire = await proxy(t, server.url);
  const folder = await mkdtemp(join(tmpdir(), "raven-edge-changes-hub-"));
  after(t, () => rm(folder, { recursive: true, force: true }));
  const config = { upstream: wire.url, database: name, secret: SECRET, ...options };
  await prepare({
    folder,
    worker: worker(config, functions),
    resolveDir: file("."),
    alias: {
      "raven-edge/gateway-live": file("../../pkg/dist/entries/gateway-live.js"),
      "raven-edge/changes-hub": file("../../pkg/dist/entries/changes-hub.js"),
    },
    compatibilityDate: "2026-04-01",
    objects: { CHANGES_HUB: "ChangesHub" },
  });
  const { url: inside, pid, stop } = await start(folder);
  after(t, stop);
  const front = await proxy(t, inside);
  // On a connection of its own, because workerd may be about to close one that is kept.
  const abort = async () => {
    const [response] = await once(get(`${inside}/abort`, { agent: false }), "response");
    response.resume();
  };
  return { url: front.url, inside, base: name, front, wire, pid, abort };
}
