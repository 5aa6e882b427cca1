// Callers that go away before their answer: the platform never goes on with such a request, and what the core held for it
// would stay for as long as the isolate lives.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SECRET } from "../support/gateway.mjs";
import { forgetful } from "../support/gone.mjs";
import { client, document } from "./requests.mjs";

test("who goes away leaves nothing behind", { timeout: 60_000 }, async (t) => {
  const options = { database: "Shop", secret: SECRET, path: "/raven", collections: { Orders: "write" } };
  const { gone, memory } = await forgetful(t, {
    worker: (upstream) => `
      import gateway from "raven-edge/gateway";
      const handler = gateway(${JSON.stringify({ ...options, upstream })});`,
    alias: { "raven-edge/gateway": "../../pkg/gateway.js" },
  });
  const { batch, put } = client("Shop");
  const large = { ...document("Orders"), text: "x".repeat(1_000_000) };
  const saving = batch([{ ...put("orders/1-A", "Orders"), Document: large }]);
  for (let i = 0; i < 20; i++) await gone(saving);
  const used = (await memory()) / 2 ** 20;
  assert.ok(used < 16, `${used} MiB`);
});
