// The Worker of docs/authority.md stores and loads documents without RavenDB.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../support/root.mjs";
import { workerd } from "../support/workerd.mjs";
import { blocksOf } from "./blocks.mjs";

test("the Worker of the guide stores a document in its Durable Object, and loads it", async (t) => {
  const [{ code: text }, { code: config }] = blocksOf("docs/authority.md");
  const { compatibility_date, durable_objects, migrations } = JSON.parse(config);
  const [{ name, class_name: className }] = durable_objects.bindings;
  assert.deepEqual(migrations[0].new_sqlite_classes, [className]);
  const worker = await workerd(t, {
    text,
    resolveDir: join(root, "pkg"),
    compatibilityDate: compatibility_date,
    more: { durableObjects: { [name]: { className, useSQLite: true } } },
  });
  const stored = await worker("/", { method: "POST", body: '{"total":105}' });
  assert.deepEqual(await stored.json(), { id: "orders/1-A" });
  const { total } = await (await worker("/orders/1-A")).json();
  assert.equal(total, 105);
  assert.equal(await (await worker("/orders/2-A")).json(), null);
});
