// Numbers that leave the pool are on disk before they are used or sent; and broken variants show that the check can fail.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { transform } from "esbuild";
import { inTabs, PAGE, pkg } from "../support/pages.mjs";
import { spy, tally, violations } from "../support/pool-moves.mjs";

/**
 * Ids one by one and in bursts, a cancelled reserve, the page left, a claim and a dispose in the next page; returns
 * both logs.
 */
async function life({ base, context, tab, load }) {
  await context.addInitScript(spy);
  const page = await tab();
  const first = await page.evaluate(async (name) => {
    const store = open(name);
    const hilo = store.hilo("orders");
    for (let count = 0; count < 20; count++) note(await hilo.next());
    for (let count = 0; count < 20; count++) note(hilo.take());
    await Promise.all(Array.from({ length: 20 }, () => hilo.next().then(note)));
    await hilo.reserve(100);
    await Promise.all(Array.from({ length: 20 }, () => hilo.next().then(note)));
    const notes = store.hilo("notes");
    note(await notes.next());
    await notes.reserve(100);
    await notes.reserve(0);
    return log;
  }, base);
  await load(page);
  const second = await page.evaluate(async (name) => {
    const store = open(name);
    const hilo = store.hilo("orders");
    for (let count = 0; count < 3; count++) note(await hilo.next());
    await hilo.reserve(50);
    await store.dispose();
    return log;
  }, base);
  return [first, second];
}

inTabs("no number is used before a strict transaction is complete", async (tools) => {
  const [first, second] = await life(tools);
  assert.deepEqual(violations(first), []);
  assert.deepEqual(violations(second), []);
  const [one, two] = [tally(first), tally(second)];
  assert.ok(one.takeOuts > 1 && one.strict > 3 && one.returns > 0 && one.ids > 60, JSON.stringify(one));
  assert.ok(two.takeOuts >= 2 && two.strict > 2 && two.returns > 0 && two.ids === 3, JSON.stringify(two));
});

/** The package with one line of its pool changed. */
const MUTANTS = {
  "asks for relaxed durability": [
    [/strict \? "strict" : "relaxed"/, '"relaxed"'],
    [/strict && transaction\.durability !== "strict"/, "false"],
  ],
  "does not wait for `complete`": [
    [/ranges\.put\(text, key\)/, "ranges.transaction.oncomplete(ranges.put(text, key))"],
  ],
  "calls a claim a put-in": [[/(async move\([^)]*)\bstrict\b([^)]*\) \{)/, "$1_$2 const strict = false;"]],
};

/** The pool as JavaScript with blanks and line breaks, unlike the module that is shipped. */
const { code: source } = await transform(readFileSync(join(pkg, "src/device/parked-numbers.ts"), "utf8"), {
  loader: "ts",
  target: "es2022",
});

for (const [name, changes] of Object.entries(MUTANTS)) {
  let text = source;
  const handlers = {
    "/dist/device/parked-numbers.js": (_, response) =>
      response.writeHead(200, { "content-type": "text/javascript" }).end(text),
  };
  inTabs(
    `a pool that ${name} is caught`,
    async (tools) => {
      for (const [from, to] of changes) {
        assert.match(text, from, "the line still exists");
        text = text.replace(from, to);
      }
      const [first, second] = await life(tools);
      assert.notDeepEqual(violations(first), []);
      assert.notDeepEqual(violations(second), []);
    },
    { handlers, pages: { "/": PAGE.replace("/lib/", "/dist/") } },
  );
}
