// A stream in a page, read to its end and left in the middle; and a patch.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { missingChromium, visit } from "../support/chromium.mjs";
import { fill } from "../support/fill.mjs";
import { serve } from "../support/serve.mjs";
import { database, missing, ravendb } from "../support/server.mjs";

const pkg = fileURLToPath(new URL("../../pkg", import.meta.url));
const PAGE = "<!doctype html><meta charset=utf-8><title>raven-edge</title>";

test("a stream can be read and left in Chromium [RavenDB]", {
  skip: missingChromium || missing(ravendb),
  timeout: 60_000,
}, async (t) => {
  const name = await database(t, ravendb);
  await fill(ravendb, name, 3_000);
  const site = await serve(t, { folder: pkg, pages: { "/": PAGE }, raven: ravendb.url });
  const { page, problems } = await visit(t, site.url);
  const counted = await page.evaluate(async (name) => {
    const { DocumentStore } = await import("/lib/entries/web.js");
    const store = new DocumentStore("/raven", name).initialize();
    const { advanced } = store.openSession();
    let [all, some] = [0, 0];
    for await (const { document } of advanced.stream("orders/")) if (document.freight > 0) all++;
    for await (const _ of advanced.stream("orders/")) if (++some === 10) break;
    const session = store.openSession();
    session.advanced.patch("orders/0000000", "customer", "somebody");
    await session.saveChanges();
    const order = await session.load("orders/0000000");
    await store.dispose();
    return { all, some, customer: order.customer };
  }, name);
  assert.deepEqual(counted, { all: 3_000, some: 10, customer: "somebody" });
  assert.deepEqual(problems, []);
});
