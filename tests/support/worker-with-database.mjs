// A Worker in workerd that reaches a database of the real RavenDB, and the memory of its process.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after } from "./cleanup.mjs";
import { prepare, start } from "./own-workerd.mjs";
import { ravendb } from "./server.mjs";

/**
 * Starts a Worker that imports `raven-edge`; its `env` names RavenDB and a database. It ends with the test. `v8Flags`: of the engine.
 */
export async function withDatabase(t, worker, database, v8Flags = []) {
  const file = (path) => fileURLToPath(new URL(path, import.meta.url));
  const folder = await mkdtemp(join(tmpdir(), "raven-edge-workerd-"));
  after(t, () => rm(folder, { recursive: true, force: true }));
  await prepare({
    folder,
    worker,
    resolveDir: file("."),
    alias: { "raven-edge": file("../../pkg/lib/entries/workerd.js") },
    compatibilityDate: "2026-04-01",
    v8Flags,
    vars: { RAVENDB_URL: ravendb.url, DATABASE: database },
  });
  const started = await start(folder);
  after(t, () => started.stop());
  return started;
}

/** The resident memory of a process, in bytes. */
export async function resident(pid) {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, "utf8"));
  return kilobytes * 1024;
}
