// Runs the gateways of the pages below; the list of refusals in docs/gateway-reference.md is complete.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { SECRET } from "../support/gateway.mjs";
import { workerd } from "../support/workerd.mjs";

const read = (page) => readFileSync(new URL(`../../${page}`, import.meta.url), "utf8");
const PAGES = ["docs/gateway.md", "docs/gateway-documents.md", "docs/sets.md"];
const reference = read("docs/gateway-reference.md");
const kinds = read("edge/src/gateway/refusal.rs");
const examples = [
  ...PAGES.map(read)
    .join("\n")
    .matchAll(/```js[^\n]*\n([\s\S]*?)```/g),
]
  .map(([, code]) => code)
  // Those that import another file are parts of an app, which has its own test.
  .filter((code) => /^import gateway [\s\S]*^export default /m.test(code) && !code.includes('from "./'));
const resolveDir = fileURLToPath(new URL(".", import.meta.url));
const alias = {
  "raven-edge/gateway": fileURLToPath(new URL("../../pkg/dist/entries/gateway.js", import.meta.url)),
};

test("the Workers of the pages start and respond", { timeout: 60_000 }, async (t) => {
  assert.equal(examples.length, 7);
  for (const text of examples) {
    const bindings = { GATEWAY_SECRET: SECRET, GATEWAY_SECRET_BEFORE: SECRET };
    const more = {
      serviceBindings: { RAVEN: () => new Response() },
      ratelimits: { LIMITER: { simple: { limit: 100, period: 60 } } },
    };
    const compatibilityDate = "2026-04-01";
    const fetch = await workerd(t, { text, resolveDir, alias, compatibilityDate, bindings, more });
    const headers = { Authorization: "Bearer demo" };
    const response = await fetch("/raven/topology?name=Shop", { headers });
    assert.equal(response.status, 200);
    assert.deepEqual(
      (await response.json()).Nodes.map(({ Url }) => Url),
      ["http://worker/raven"],
    );
    const refused = await fetch("/raven/databases/Shop/docs?id=secrets%2F1-A", { headers });
    assert.equal((await refused.json()).Type, "RavenEdge.Gateway.CollectionRefused");
  }
});

test("the page lists every reason of a refusal", () => {
  const [, table] = /const fn name[\s\S]*?match self \{([\s\S]*?)\n {8}\}/.exec(kinds);
  const names = [...table.matchAll(/RavenEdge\.Gateway\.(\w+)/g)].map(([, name]) => name);
  const described = [...reference.matchAll(/^\| `(\w+)` \| \d+ \|/gm)].map(([, name]) => name);
  assert.deepEqual(described.sort(), names.sort());
});
