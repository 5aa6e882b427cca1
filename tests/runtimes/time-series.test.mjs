// Time series in workerd, Deno and Bun: one program with the same result. `browsers/loaded-on-demand` runs it in Chromium.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { RUNTIMES } from "../support/runtimes.mjs";
import { database, missing, ravendb } from "../support/server.mjs";
import { EXPECTED } from "../support/time-series-program.js";
import { withDatabase } from "../support/worker-with-database.mjs";

const SERVER = { skip: missing(ravendb), timeout: 60_000 };
const file = (path) => fileURLToPath(new URL(path, import.meta.url));
const entry = new URL("../../pkg/lib/entries/node.js", import.meta.url).href;

const worker = `
  import { DocumentStore } from "raven-edge";
  import { timeSeriesProgram } from "./time-series-program.js";
  export default {
    async fetch(request, env) {
      const store = new DocumentStore(env.RAVENDB_URL, env.DATABASE).initialize();
      try {
        return Response.json(await timeSeriesProgram(store));
      } catch ({ message, code }) {
        return Response.json({ message, code }, { status: 500 });
      } finally {
        await store.dispose();
      }
    },
  };`;

test("time series in workerd [RavenDB]", SERVER, async (t) => {
  const { url } = await withDatabase(t, worker, await database(t, ravendb));
  assert.deepEqual(await (await fetch(url)).json(), EXPECTED);
});

test("time series in Deno and Bun [RavenDB]", SERVER, async (t) => {
  const all = ["Deno", "Bun"].map(async (runtime) => {
    const [command, ...flags] = RUNTIMES[runtime];
    const given = [...flags, file("../support/time-series-program.js"), entry, ravendb.url];
    const { stdout } = await promisify(execFile)(command, [...given, await database(t, ravendb)], {
      timeout: 30_000,
      env: { ...process.env, NODE_OPTIONS: "", NO_COLOR: "1" },
    });
    assert.deepEqual(JSON.parse(stdout), EXPECTED, runtime);
  });
  await Promise.all(all);
});
