// Callers that disconnect before the response: the platform never resumes such a request, so memory that the core
// holds for it would stay until the isolate ends.
import assert from "node:assert/strict";
import { test } from "node:test";
import { forgetful } from "../support/aborted-requests.mjs";
import { SECRET } from "../support/gateway.mjs";
import { client, document } from "./requests.mjs";

test("requests of callers that disconnect are freed", { timeout: 60_000 }, async (t) => {
  const options = { database: "Shop", secret: SECRET, path: "/raven", collections: { Orders: "write" } };
  const { disconnect, memory } = await forgetful(t, {
    module: "edge_gateway",
    worker: (upstream) => `
      import gateway from "raven-edge/gateway";
      const handler = gateway(${JSON.stringify({ ...options, upstream })});`,
    alias: { "raven-edge/gateway": "../../pkg/dist/entries/gateway.js" },
  });
  const { batch, put } = client("Shop");
  const large = { ...document("Orders"), text: "x".repeat(1_000_000) };
  const saving = batch([{ ...put("orders/1-A", "Orders"), Document: large }]);
  for (let i = 0; i < 20; i++) await disconnect(saving);
  const used = (await memory()) / 2 ** 20;
  assert.ok(used < 16, `${used} MiB`);
});
