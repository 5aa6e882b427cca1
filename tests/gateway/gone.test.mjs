// Callers that go away before their answer: the platform never goes on with such a request, and what the core held for it
// would stay for as long as the isolate lives.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { after } from "../support/cleanup.mjs";
import { SECRET } from "../support/gateway.mjs";
import { prepare, start } from "../support/own-workerd.mjs";
import { client, document } from "./requests.mjs";

const file = (path) => fileURLToPath(new URL(path, import.meta.url));

/** A gateway in a workerd without FinalizationRegistry; `/memory` says how many bytes its core has. */
async function prepared(t, upstream) {
  const folder = await mkdtemp(join(tmpdir(), "raven-edge-gone-"));
  after(t, () => rm(folder, { recursive: true, force: true }));
  const options = {
    upstream,
    database: "Shop",
    secret: SECRET,
    path: "/raven",
    collections: { Orders: "write" },
  };
  const worker = `
    import gateway from "raven-edge/gateway";
    import { initSync } from ${JSON.stringify(file("../../pkg/gen/edge.js"))};
    const { fetch } = gateway(${JSON.stringify(options)});
    export default {
      fetch: (request, env, context) => request.url.endsWith("/memory")
        ? new Response(String(initSync().memory.buffer.byteLength))
        : fetch(request, env, context),
    };`;
  const alias = { "raven-edge/gateway": file("../../pkg/gateway.js") };
  await prepare({ folder, worker, resolveDir: file("."), alias, compatibilityDate: "2024-09-23" });
  const running = await start(folder);
  after(t, () => running.stop());
  return running.url;
}

test("who goes away leaves nothing behind", { timeout: 60_000 }, async (t) => {
  const server = http.createServer((request) => request.resume());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(t, () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const url = await prepared(t, `http://127.0.0.1:${server.address().port}`);
  const memory = async () => Number(await (await fetch(`${url}/memory`)).text());
  const put = { ...client("Shop").put("orders/1-A", "Orders"), Document: document("Orders") };
  put.Document.text = "x".repeat(1_000_000);
  const { method, path, headers, body } = client("Shop").batch([put]);
  for (let i = 0; i < 20; i++) {
    const sent = http.request(url + path, { method, headers, agent: false }).on("error", () => {});
    sent.end(body);
    const [, answer] = await once(server, "request");
    sent.socket.resetAndDestroy();
    // Behind this the platform has heard of it.
    await memory();
    answer.writeHead(500).end();
  }
  const used = (await memory()) / 2 ** 20;
  assert.ok(used < 16, `${used} MiB`);
});
