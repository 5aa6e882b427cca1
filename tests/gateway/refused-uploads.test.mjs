// The rest of an upload that the gateway refuses: many callers read no response before they have sent everything. The Worker calls the
// gateway itself and counts what is read of the body before the response.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { SECRET } from "../support/gateway.mjs";
import { workerd } from "../support/workerd.mjs";

const PIECE = 65_536;
const CONFIG = {
  database: "Shop",
  secret: SECRET,
  log: "error",
  collections: { Drops: ["create", "attach"], Plain: "write" },
  limits: { upload: 400_000 },
};

const WORKER = `
  import gateway from "raven-edge/gateway";
  // RavenDB reads a request to its end, and does not respond.
  const send = async (request) => void (await request.arrayBuffer());
  const handler = gateway({ ...${JSON.stringify(CONFIG)}, upstream: () => ({ url: "http://ravendb", fetch: send }) });
  export default {
    async fetch(request, env, context) {
      const { begin, pieces, ends } = await request.json();
      const read = { pieces: 0, isEnded: false, isCancelled: false };
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode(begin)),
        pull(controller) {
          if (read.pieces < pieces) {
            read.pieces++;
            controller.enqueue(new Uint8Array(${PIECE}));
          } else if (ends) {
            read.isEnded = true;
            controller.close();
          } else return new Promise(() => {});
        },
        cancel() {
          read.isCancelled = true;
        },
      }, { highWaterMark: 0 });
      const headers = { "content-type": "multipart/mixed; boundary=xx" };
      const asked = new Request("https://app.example/databases/Shop/bulk_docs", { method: "POST", headers, body });
      const response = await handler.fetch(asked, env, context);
      const seen = { ...read };
      return Response.json({ type: (await response.json()).Type, ...seen });
    },
  };`;

/** Uploads by what is wrong with them: the refused type, and how many pieces show it. */
const REFUSED = {
  "whose commands are not permitted": { id: "plain/1", type: "CollectionRefused", shown: 0 },
  "whose contents are too large": { id: "drops/1", type: "LimitExceeded", shown: 7 },
};

test("the rest of an upload that is refused", { timeout: 60_000 }, async (t) => {
  const worker = await workerd(t, {
    text: WORKER,
    resolveDir: fileURLToPath(new URL(".", import.meta.url)),
    alias: {
      "raven-edge/gateway": fileURLToPath(new URL("../../pkg/dist/entries/gateway.js", import.meta.url)),
    },
    compatibilityDate: "2026-04-01",
  });
  const upload = async (id, pieces, ends = true) => {
    const metadata = { "@collection": id.startsWith("drops") ? "Drops" : "Plain" };
    const Commands = [
      // A new document: nothing is read before the save is sent.
      { Type: "PUT", Id: id, ChangeVector: "", Document: { "@metadata": metadata } },
      { Type: "AttachmentPUT", Id: id, Name: "a", ChangeVector: null },
    ];
    const begin =
      `--xx\r\nContent-Type: application/json\r\n\r\n${JSON.stringify({ Commands })}` +
      "\r\n--xx\r\nContent-Type: application/octet-stream\r\n\r\n";
    const response = await worker("/", { method: "POST", body: JSON.stringify({ begin, pieces, ends }) });
    return response.json();
  };

  for (const [what, { id, type, shown }] of Object.entries(REFUSED)) {
    const refused = { type: `RavenEdge.Gateway.${type}` };

    await t.test(`of one ${what} is read before the response`, async () => {
      const pieces = shown + 10;
      const read = { pieces, isEnded: true, isCancelled: false };
      assert.deepEqual(await upload(id, pieces), { ...refused, ...read });
    });

    await t.test(`of one ${what} is read up to 1 MiB`, async () => {
      const read = { pieces: shown + 16, isEnded: false, isCancelled: true };
      assert.deepEqual(await upload(id, 100), { ...refused, ...read });
    });

    await t.test(`of one ${what} is not waited for if it does not come`, async () => {
      const pieces = shown + 3;
      const read = { pieces, isEnded: false, isCancelled: true };
      assert.deepEqual(await upload(id, pieces, false), { ...refused, ...read });
    });
  }
});
