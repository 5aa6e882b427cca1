// docs/errors.md has exactly the existing codes, with the name of npm ravendb for each.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { RavenEdgeError } from "../../pkg/lib/entries/node.js";
import { root } from "../support/root.mjs";
import { textOf } from "./blocks.mjs";

const documented = new Map(
  [...textOf("docs/errors.md").matchAll(/^\| `([A-Z]\w+)` \| (.*?) \|/gm)].map(([, code, name]) => [
    code,
    name,
  ]),
);
const read = (file) => readFileSync(root + file, "utf8");

test("the page has the same codes as the types", () => {
  const [, union] = /export type ErrorCode =([^;]*);/.exec(read("pkg/src/common/error.ts"));
  const codes = [...union.matchAll(/"(\w+)"/g)].map(([, code]) => code);
  assert.ok(codes.length > 10);
  assert.deepEqual([...documented.keys()].sort(), codes.sort());
});

test("the table in the type's documentation has the same codes", () => {
  const table = [...read("pkg/src/common/error.ts").matchAll(/^ \* \| `([A-Z]\w+)` \|/gm)].map(
    ([, code]) => code,
  );
  assert.deepEqual(table.sort(), [...documented.keys()].sort());
});

test("each code of the core and of the façade is documented", () => {
  const core = [...read("src/error.rs").matchAll(/Code::\w+ => "(\w+)"/g)];
  const sources = readdirSync(`${root}pkg/src`, { recursive: true })
    .filter((file) => /\.[jt]s$/.test(file))
    .map((file) => read(`pkg/src/${file}`));
  const facade = [...sources.join("\n").matchAll(/(?:fail|RavenEdgeError)\(\s*"(\w+)"/g)];
  assert.ok(core.length > 5 && facade.length > 20);
  for (const [, code] of [...core, ...facade])
    assert.ok(documented.has(code), `${code} is not in docs/errors.md`);
});

test("the names are those of the errors", () => {
  for (const [code, name] of documented) {
    const plain = /^`(\w+)`$/.exec(name)?.[1] ?? "RavenException";
    assert.equal(new RavenEdgeError(code, "").name, plain, code);
  }
});
