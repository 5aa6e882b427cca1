// `node www/dev/field-notes.mjs` runs the app of examples/field-notes in real workerd, on loopback, as `wrangler dev` does, but without the
// packages that the example installs. Environment: PORT (default 8788; 0 = any free port), RAVENDB_URL, SECRET (of sign-ins and of the
// gateway; default: another one for each start, so that everybody must sign in again).

import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Miniflare } from "miniflare";
import { worker as bundle } from "./build.mjs";
import { checkPort } from "./port.mjs";
import { createDatabase } from "./ravendb.mjs";

const HOST = "127.0.0.1";
const EXAMPLE = fileURLToPath(new URL("../../examples/field-notes/", import.meta.url));
const PACKAGE = fileURLToPath(new URL("../../pkg", import.meta.url));

const { PORT = "8788", RAVENDB_URL: server, SECRET = randomBytes(32).toString("hex") } = process.env;

/** What `npm install` would do; all other packages are those of the workspace. */
async function linkPackage() {
  const modules = join(EXAMPLE, "node_modules");
  if (existsSync(join(modules, "raven-edge"))) return modules;
  await mkdir(modules, { recursive: true });
  // Two programs may start at once.
  await symlink(PACKAGE, join(modules, "raven-edge"), "junction").catch((error) => {
    if (error.code !== "EEXIST") throw error;
  });
  return modules;
}

const folder = await mkdtemp(join(tmpdir(), "raven-edge-notes-"));
let miniflare;
let ending;

function endOnce(code) {
  const remove = () => rm(folder, { recursive: true, force: true });
  ending ??= Promise.allSettled([miniflare?.dispose(), remove()]).then(() => process.exit(code));
}

function replaceSignalHandlers() {
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.removeAllListeners(signal);
    process.on(signal, () => endOnce(0));
  }
}

replaceSignalHandlers();
try {
  if (!server)
    throw new Error(
      "RAVENDB_URL is missing: the app lists visits by queries, which the authority does not have",
    );
  await checkPort(HOST, Number(PORT));
  const [root, assets] = ["worker", "assets"].map((name) => join(folder, name));
  const modules = await linkPackage();
  await Promise.all([
    promisify(execFile)(process.execPath, [join(EXAMPLE, "build.mjs"), assets]),
    bundle(root, modules, join(EXAMPLE, "worker/worker.js")),
  ]);
  miniflare = new Miniflare({
    host: HOST,
    port: Number(PORT),
    cf: false,
    modules: true,
    modulesRoot: root,
    scriptPath: join(root, "worker.js"),
    modulesRules: [
      { type: "ESModule", include: ["**/*.js"] },
      { type: "CompiledWasm", include: ["**/*.wasm"] },
    ],
    compatibilityDate: "2026-04-01",
    bindings: {
      RAVENDB_URL: server,
      GATEWAY_SECRET: `gateway ${SECRET}`,
      SESSION_SECRET: `sign-in ${SECRET}`,
    },
    durableObjects: { CHANGES_HUB: { className: "ChangesHub", useSQLite: true } },
    assets: {
      directory: assets,
      binding: "ASSETS",
      routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: true },
    },
  });
  // Miniflare has added its own handlers.
  replaceSignalHandlers();
  const { origin } = await miniflare.ready;
  await createDatabase(server, "FieldNotes");
  console.log(`field notes on ${origin}`);
} catch (error) {
  if (!ending) console.error(`field notes: ${error.message}`);
  endOnce(1);
}
