// Indexes that an earlier build, or npm `ravendb`, has made for the whole path to a nested field: the code of docs/queries-reference.md removes
// them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { DeleteIndexOperation, GetIndexNamesOperation } from "../../pkg/lib/entries/node.js";
import { onRavenDb, order } from "../support/server.mjs";
import { prepared } from "../support/store.mjs";

const AsyncFunction = (async () => {}).constructor;

/** The block of the page, from the line after the one that makes a store. */
function removal() {
  const page = readFileSync(new URL("../../docs/queries-reference.md", import.meta.url), "utf8");
  const [, block] = /\n## Indexes that an earlier build has made\n[\s\S]*?```ts\n([\s\S]*?)```/.exec(page);
  return block.slice(block.indexOf("\nfor "));
}

onRavenDb(
  "what an index of a quoted path hides from other queries is found again without it",
  async (t, server) => {
    const { store, session } = await prepared(t, server);
    await session.store(order({ adresse: { straße: "A" }, total: 1 }));
    await session.saveChanges();
    const found = async (condition) => {
      const query = store.openSession().advanced.rawQuery(`from Orders where ${condition}`);
      return (await query.waitForNonStaleResults(15_000).all()).length;
    };
    const names = () => store.maintenance.send(new GetIndexNamesOperation(0, 100));
    assert.equal(await found("total = 1"), 1);
    assert.equal(await found("'adresse.straße' = 'A'"), 0);
    assert.equal(await found("adresse.straße = 'A'"), 0, "the right query uses the index of the wrong one");
    const operations = ["DeleteIndexOperation", "GetIndexNamesOperation"];
    await new AsyncFunction("store", ...operations, removal())(
      store,
      DeleteIndexOperation,
      GetIndexNamesOperation,
    );
    assert.deepEqual(
      (await names()).filter((name) => name.includes("straße")),
      [],
    );
    assert.equal(await found("adresse.straße = 'A'"), 1);
  },
);
