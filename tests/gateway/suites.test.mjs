// Suites of leases, returns and saves, run again with the gateway between client and RavenDB.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gateways } from "../support/gateway.mjs";
import { missing, ravendb } from "../support/server.mjs";

const SUITES = [
  "dispose",
  "first-order",
  "ids",
  "outage",
  "requests",
  "saving-results",
  "saving-lost",
  "session-objects",
  "session-order",
  "session-sent",
];

/** Tests whose requests the gateway is expected to refuse, with the reason. */
const OTHERWISE = new Map([
  [
    "tags that RavenDB cannot lease safely are refused before anything is sent",
    "leases a tag of 501 letters",
  ],
  ["tags with spaces, umlauts and another separator make ids that the server accepts", "has tags of its own"],
  [
    "ids and change vectors reach their entities, whatever commands are between them",
    "reads ids of no collection",
  ],
  ["a document without a collection can be loaded, changed and saved", "has no collection"],
  ["reserve provides that many numbers with one exact lease", "looks at the fence, which is a token"],
]);

/** Runs test files in an environment; returns the names of passed and failed tests. */
function run(files, environment) {
  const reporter = new URL("../../xtask/js/reporter.mjs", import.meta.url).href;
  const child = spawn(
    process.execPath,
    ["--test", "--test-concurrency=3", "--test-timeout=180000", `--test-reporter=${reporter}`, ...files],
    {
      env: { ...process.env, ...environment, NODE_TEST_CONTEXT: undefined },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  let text = "";
  child.stdout.on("data", (data) => {
    text += data;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () =>
      resolve(
        text
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line)),
      ),
    );
  });
}

test("the suites of leases, returns and saves succeed through the gateway", {
  skip: missing(ravendb),
  timeout: 600_000,
}, async (t) => {
  const { url } = await gateways(t);
  const files = SUITES.map((name) => fileURLToPath(new URL(`../server/${name}.test.mjs`, import.meta.url)));
  // Without the other servers, all tests use the gateway.
  const events = await run(files, {
    GATEWAY_URL: url,
    RAVENDB_URL: "",
    AUTHORITY_URL: "",
    RAVENDB_START: "",
  });
  const through = events.filter(({ name }) => name?.endsWith(" [gateway]"));
  const named = (event) => event.name.replace(/ \[gateway\]$/, "");
  const failed = through.filter(({ failed }) => failed).map((event) => [named(event), event.failed]);
  const unexpected = failed.filter(([name]) => !OTHERWISE.has(name));
  assert.deepEqual(unexpected, []);
  assert.deepEqual(failed.map(([name]) => name).sort(), [...OTHERWISE.keys()].sort());
  const passed = through.filter(({ passed }) => passed).length;
  assert.ok(passed >= 50, `${passed} tests passed`);
  t.diagnostic(`${passed} tests through the gateway`);
});
