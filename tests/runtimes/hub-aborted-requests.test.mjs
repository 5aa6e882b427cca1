// Callers of a hub that disconnect before the response.
import assert from "node:assert/strict";
import { test } from "node:test";
import { forgetful } from "../support/aborted-requests.mjs";

test("requests of callers that disconnect are freed", { timeout: 60_000 }, async (t) => {
  const { disconnect, memory } = await forgetful(t, {
    module: "edge_hub",
    worker: (upstream) => `
      import { hub } from "raven-edge/hub";
      const handler = hub({ upstream: ${JSON.stringify(upstream)}, namespace: (env) => env.HUB });
      export const LeaseHub = handler.LeaseHub;`,
    alias: { "raven-edge/hub": "../../pkg/dist/entries/hub.js" },
    objects: { HUB: "LeaseHub" },
  });
  // Different counters: with the same one the second request would wait for the first one's range.
  const lease = (at) => disconnect({ path: `/databases/Shop/hilo/next?tag=${at % 20}${"x".repeat(400)}` });
  for (let i = 0; i < 40; i++) await lease(i);
  const before = await memory();
  for (let i = 0; i < 300; i++) await lease(i);
  assert.equal(await memory(), before);
});
