// The workerd processes of the drill: each keeps its port and its data when it is killed and started again.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after } from "../../support/cleanup.mjs";
import { SECRET } from "../../support/gateway.mjs";
import { prepare, start } from "../../support/own-workerd.mjs";
import { freePort } from "../../support/ports.mjs";

const file = (path) => fileURLToPath(new URL(path, import.meta.url));
const entry = (name) => file(`../../../pkg/dist/entries/${name}.js`);
const alias = {
  "raven-edge/gateway": entry("gateway"),
  "raven-edge/hub": entry("hub"),
  "raven-edge": entry("workerd"),
};

const HUB = `
  const shop = hub({ upstream: (env) => env.UPSTREAM, namespace: (env) => env.HUB, ranges: { first: 64, largest: 512 } });
  export const LeaseHub = shop.LeaseHub;`;

/** What pages may do: their documents have no owner, because all devices change the shared ones. */
const gateway = (upstream) => `
  export default gateway({
    upstream: ${upstream},
    database: "drill",
    secret: ${JSON.stringify(SECRET)},
    collections: { Orders: ["write", "attach"], Items: ["write", "attach"], Shared: "write", Counts: "create" },
    patches: {
      count: {
        collection: "Counts",
        script: "this.count++; this.marks.push($mark)",
        parameters: { mark: { type: "string" } },
      },
    },
    authorize: (request) => request.headers.get("x-user") ?? null,
  });`;

export const GATEWAY = `
  import gateway from "raven-edge/gateway";
  ${gateway("(env) => env.UPSTREAM")}`;

/** The gateway in front of a hub, in one Worker. */
export const GATEWAY_AND_HUB = `
  import gateway from "raven-edge/gateway";
  import { hub } from "raven-edge/hub";
  ${HUB}
  ${gateway('(env) => ({ url: "https://hub", fetch: (request) => shop.fetch(request, env) })')}`;

export const LEASE_HUB = `
  import { hub } from "raven-edge/hub";
  ${HUB}
  export default { fetch: (request, env) => shop.fetch(request, env) };`;

/** An app's Worker: see clients/worker.js. */
export const APP = 'export { default } from "../clients/worker.js";';

/** Starts a Worker before `upstream`; `again()` kills it and starts it on the same port. */
export async function worker(t, text, upstream, vars = {}) {
  const folder = await mkdtemp(join(tmpdir(), "raven-edge-drill-worker-"));
  after(t, () => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  await prepare({
    folder,
    worker: text,
    resolveDir: file("."),
    alias,
    compatibilityDate: "2026-04-01",
    objects: text.includes("LeaseHub") ? { HUB: "LeaseHub" } : {},
    vars: { UPSTREAM: upstream, ...vars },
  });
  const port = await freePort();
  let running = await start(folder, port);
  // Killed, because it would wait for responses that a fault of the network holds back for ever.
  after(t, () => running.kill());
  // Also if the drill ends without an end.
  process.once("exit", () => {
    try {
      process.kill(running.pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  });
  return {
    url: running.url,
    async again() {
      await running.kill();
      running = await start(folder, port);
    },
  };
}
