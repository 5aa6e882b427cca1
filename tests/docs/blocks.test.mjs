// Tests every fenced block of the pages.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { missingChromium } from "../support/chromium.mjs";
import { root } from "../support/root.mjs";
import { missing, ravendb } from "../support/server.mjs";
import { blocksOf, pages, wayOf } from "./blocks.mjs";
import { tryCommands } from "./commands.mjs";
import { inChromium, inNode, inWorkerd } from "./run.mjs";

const unstarted = missing(ravendb);
const one = (text) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .trim();

/** How each kind of block is tested, and why it may be skipped. */
const WAYS = {
  node: { run: inNode, skip: unstarted },
  with: { run: inNode, skip: unstarted },
  worker: { run: inWorkerd, skip: unstarted },
  page: { run: inChromium, skip: unstarted || missingChromium },
  commands: { run: (_, block) => tryCommands(block) },
  "part-of": {
    run: (_, { code, options }) => {
      const whole = readFileSync(root + options["part-of"], "utf8");
      assert.ok(one(whole).includes(one(code)), `${options["part-of"]} does not have it so`);
    },
  },
  rustdoc: {
    run: (_, { page }) => {
      const crate = readFileSync(`${root}client/src/lib.rs`, "utf8");
      assert.ok(
        crate.includes(`include_str!("../../${page}")`),
        `client/src/lib.rs does not include ${page}`,
      );
    },
  },
  "tested-by": {
    run: (_, { page, options }) => {
      const file = root + options["tested-by"];
      assert.ok(existsSync(file), `there is no ${options["tested-by"]}`);
      assert.ok(readFileSync(file, "utf8").includes(page), `${options["tested-by"]} does not read ${page}`);
    },
  },
};

test("a block that does not say how it is tested is a failure", () => {
  const wayIn = (text) => blocksOf("page", text).map(wayOf);
  assert.throws(() => wayIn("```js\nawait session.saveChanges();\n```"), /page:1: how is this block tried/);
  assert.throws(() => wayIn("```python\nprint(1)\n```"), /page:1: how is this block tried/);
  assert.throws(() => wayIn("```\ntext\n```"), /how is this block tried/);
  assert.throws(() => wayIn("```js later\nf();\n```"), /how is this block tried/);
  assert.throws(() => blocksOf("page", "```js\nf();\n"), /without an end/);
  assert.throws(() => blocksOf("page", "\n    f();\n"), /without a fence/);
  assert.throws(() => tryCommands({ code: "rm -rf /\n" }), /no known way/);
  assert.throws(() => tryCommands({ code: "cargo xtask test --fast\n" }), /knows no --fast/);
  assert.deepEqual(wayIn('```js\nimport "raven-edge";\n```\n```js\nexport default {};\n```'), [
    "node",
    "worker",
  ]);
});

for (const page of pages)
  for (const block of blocksOf(page)) {
    const { run, skip = false } = WAYS[wayOf(block)];
    test(`${block.name} ${Object.keys(block.options)[0] ?? ""}`, { skip, timeout: 60_000 }, (t) =>
      run(t, block),
    );
  }
