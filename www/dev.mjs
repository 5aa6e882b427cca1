// `node www/dev.mjs`: the demo in real workerd, on loopback. Its environment:
// PORT (8787; 0 = any free one), RAVENDB_URL (without it: the authority), DATABASE (Shop), DATA (where the authority
// keeps its database: www/.data).

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";
import { build } from "./dev/build.mjs";
import { checkPort } from "./dev/port.mjs";
import { createDatabase } from "./dev/ravendb.mjs";

const HOST = "127.0.0.1";

const { PORT = "8787", RAVENDB_URL: server, DATABASE = "Shop", DATA: data = "www/.data" } = process.env;

/** Starts workerd with what `build` made, arranged as a deployed Worker would have it. */
function start({ root, script, assets }) {
  return new Miniflare({
    host: HOST,
    port: Number(PORT),
    // No look-up of where this machine is.
    cf: false,
    modules: true,
    modulesRoot: root,
    scriptPath: script,
    modulesRules: [
      { type: "ESModule", include: ["**/*.js"] },
      { type: "CompiledWasm", include: ["**/*.wasm"] },
    ],
    compatibilityDate: "2026-04-01",
    bindings: server ? { RAVENDB_URL: server, DATABASE } : { DATABASE },
    durableObjects: {
      AUTHORITY: { className: "AuthorityObject", useSQLite: true },
      HUB: { className: "LeaseHub", useSQLite: true },
    },
    durableObjectsPersist: resolve(fileURLToPath(new URL("..", import.meta.url)), data),
    assets: {
      directory: assets,
      binding: "ASSETS",
      // The Worker comes first: it adds the security headers.
      routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: true },
    },
  });
}

let built;
let worker;
let ending;

/** Ctrl-C twice is one end. */
function end(code) {
  ending ??= Promise.allSettled([worker?.dispose(), built?.remove()]).then(() => process.exit(code));
}

/** Miniflare ends the process by itself on a signal, as a failure and at once: here it is asked to, and waited for. */
function listen() {
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.removeAllListeners(signal);
    process.on(signal, () => end(0));
  }
}

listen();
try {
  await checkPort(HOST, Number(PORT));
  built = await build();
  worker = start(built);
  listen();
  const { origin } = await worker.ready;
  console.log(`raven-edge demo on ${origin}`);
  console.log(
    `behind it: ${server ? `RavenDB at ${server}` : `the authority in a Durable Object, data in ${data}`}`,
  );
  if (server) await createDatabase(server, DATABASE);
} catch (error) {
  // Ending while starting is no failure.
  if (!ending) console.error(`raven-edge demo: ${error.message}`);
  end(1);
}
