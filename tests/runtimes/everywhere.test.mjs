// The package in Node 20, 22 and 24, in Deno and in Bun: one program with the same result, which ends by itself.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startHub } from "../support/hub.mjs";
import { RUNTIMES } from "../support/runtimes.mjs";
import { authority, counter, database, document, missing, ravendb } from "../support/server.mjs";

const require = createRequire(import.meta.url);
const file = (path) => fileURLToPath(new URL(path, import.meta.url));
const program = file("../support/everywhere.mjs");

/** Runs the program; the `export` conditions are the runtime's, so it uses the package's entry for it. */
async function run([command, ...flags], url, name) {
  const { exports } = require("../../pkg/package.json");
  const condition = /deno$/.test(command) ? "deno" : /bun$/.test(command) ? "bun" : "node";
  const path = exports["."][condition];
  const entry = new URL(`../../pkg/${path.default ?? path}`, import.meta.url).href;
  const { stdout, stderr } = await promisify(execFile)(command, [...flags, program, entry, url, name], {
    timeout: 30_000,
    env: { ...process.env, NODE_OPTIONS: "", NO_COLOR: "1" },
  });
  assert.equal(stderr, "");
  return JSON.parse(stdout);
}

for (const [runtime, command] of Object.entries(RUNTIMES)) {
  for (const server of [authority, ravendb]) {
    test(`${runtime} saves, loads and returns [${server.name}]`, {
      skip: missing(server),
      timeout: 60_000,
    }, async (t) => {
      const name = await database(t, server);
      assert.deepEqual(await run(command, server.url, name), {
        ids: ["orders/1-A", "orders/2-A", "orders/3-A"],
        name: "käse 🧀",
        taken: ["orders/4-A", "orders/5-A"],
        failure: "Timeout",
      });
      assert.equal((await document(server, name, "orders/2-A")).total, 20);
      assert.equal(await counter(server, name, "orders"), 5);
    });
  }
}

test("all runtimes behind one hub issue no id twice", {
  skip: missing(ravendb),
  timeout: 60_000,
}, async (t) => {
  const name = await database(t, ravendb);
  const hub = await startHub(t, ravendb.url);
  const outcomes = await Promise.all(
    Object.values(RUNTIMES).map((command) => run(command, `${hub.url}/raven`, name)),
  );
  // A returned end may be short, so there is not always a number at hand.
  const ids = outcomes.flatMap(({ ids: saved, taken }) => [...saved, ...taken]).filter((id) => id !== null);
  assert.ok(ids.length >= 4 * outcomes.length);
  assert.equal(new Set(ids).size, ids.length, ids.join(" "));
});
