// docs/errors.md has every code, with the name that npm ravendb has for it, and no other one.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { RavenEdgeError } from "../../pkg/node.js";
import { root } from "../support/packed.mjs";
import { textOf } from "./blocks.mjs";

const told = new Map(
  [...textOf("docs/errors.md").matchAll(/^\| `([A-Z]\w+)` \| (.*?) \|/gm)].map(([, code, name]) => [
    code,
    name,
  ]),
);
const read = (file) => readFileSync(root + file, "utf8");

test("the page has the codes of the types", () => {
  const [, union] = /export type ErrorCode =([^;]*);/.exec(read("pkg/types/errors.d.ts"));
  const codes = [...union.matchAll(/"(\w+)"/g)].map(([, code]) => code);
  assert.ok(codes.length > 10);
  assert.deepEqual([...told.keys()].sort(), codes.sort());
});

test("the table beside the type has the same", () => {
  const table = [...read("pkg/types/errors.d.ts").matchAll(/^ \* \| `([A-Z]\w+)` \|/gm)].map(
    ([, code]) => code,
  );
  assert.deepEqual(table.sort(), [...told.keys()].sort());
});

test("each code of the core and of the façade is told", () => {
  const core = [...read("src/error.rs").matchAll(/Code::\w+ => "(\w+)"/g)];
  const sources = ["pkg/lib", "pkg/device"].flatMap((folder) =>
    readdirSync(root + folder, { recursive: true })
      .filter((file) => file.endsWith(".js"))
      .map((file) => read(`${folder}/${file}`)),
  );
  const facade = [...sources.join("\n").matchAll(/(?:fail|RavenEdgeError)\(\s*"(\w+)"/g)];
  assert.ok(core.length > 5 && facade.length > 20);
  for (const [, code] of [...core, ...facade]) assert.ok(told.has(code), `${code} is not in docs/errors.md`);
});

test("the names are those that errors have", () => {
  for (const [code, name] of told) {
    const plain = /^`(\w+)`$/.exec(name)?.[1] ?? "RavenException";
    assert.equal(new RavenEdgeError(code, "").name, plain, code);
  }
});
