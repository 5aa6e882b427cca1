// `node www/dev.mjs` runs the demo in real workerd, on loopback. Environment: PORT (default 8787; 0 = any free port),
// RAVENDB_URL (default: the built-in authority), DATABASE (default: Shop), DATA (the folder of the authority's
// database; default: www/.data), NOTES_PORT (also runs the app of examples/field-notes there; default: does not).

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";
import { build } from "./dev/build.mjs";
import { checkPort } from "./dev/port.mjs";
import { createDatabase } from "./dev/ravendb.mjs";

const HOST = "127.0.0.1";

const {
  PORT = "8787",
  RAVENDB_URL: server,
  DATABASE = "Shop",
  DATA: data = "www/.data",
  NOTES_PORT,
} = process.env;

/** Starts workerd with the output of `build`, configured like a deployed Worker. */
function start({ root, script, assets }) {
  return new Miniflare({
    host: HOST,
    port: Number(PORT),
    // Do not look up the location of this machine.
    cf: false,
    modules: true,
    modulesRoot: root,
    scriptPath: script,
    modulesRules: [
      { type: "ESModule", include: ["**/*.js"] },
      { type: "CompiledWasm", include: ["**/*.wasm"] },
    ],
    compatibilityDate: "2026-04-01",
    bindings: {
      DATABASE,
      GATEWAY_SECRET: randomBytes(32).toString("hex"),
      SESSION_SECRET: randomBytes(32).toString("hex"),
      ...(server && { RAVENDB_URL: server }),
    },
    durableObjects: {
      AUTHORITY: { className: "AuthorityObject", useSQLite: true },
      HUB: { className: "LeaseHub", useSQLite: true },
    },
    durableObjectsPersist: resolve(fileURLToPath(new URL("..", import.meta.url)), data),
    assets: {
      directory: assets,
      binding: "ASSETS",
      // The Worker runs before the assets are served, because it adds the security headers.
      routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: true },
    },
  });
}

let built;
let worker;
let notes;
let ending;

/** Disposes of the Worker and ends the process; a second call, as by a second Ctrl-C, has no effect. */
function endOnce(code) {
  notes?.kill();
  ending ??= Promise.allSettled([worker?.dispose(), built?.remove()]).then(() => process.exit(code));
}

/**
 * Replaces Miniflare's signal handlers, which end the process at once with an exit code of failure, by one that waits until the
 * Worker is disposed. Called again after the start, because Miniflare adds its handlers then.
 */
function replaceSignalHandlers() {
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.removeAllListeners(signal);
    process.on(signal, () => endOnce(0));
  }
}

replaceSignalHandlers();
try {
  await checkPort(HOST, Number(PORT));
  built = await build();
  worker = start(built);
  replaceSignalHandlers();
  const { origin } = await worker.ready;
  console.log(`raven-edge demo on ${origin}`);
  console.log(
    `behind it: ${server ? `RavenDB at ${server}` : `the authority in a Durable Object, data in ${data}`}`,
  );
  if (NOTES_PORT !== undefined) {
    const script = fileURLToPath(new URL("dev/field-notes.mjs", import.meta.url));
    const env = { ...process.env, PORT: NOTES_PORT };
    notes = spawn(process.execPath, [script], { env, stdio: "inherit" });
  }
  if (server) await createDatabase(server, DATABASE);
} catch (error) {
  // Ending during startup is not an error.
  if (!ending) console.error(`raven-edge demo: ${error.message}`);
  endOnce(1);
}
