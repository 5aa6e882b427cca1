// The examples of docs/sources.md, run as they stand there.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { promisify } from "node:util";
import { database, LIMIT, missing, ravendb } from "../support/server.mjs";

const text = readFileSync(new URL("../../docs/sources.md", import.meta.url), "utf8");
const entry = new URL("../../pkg/node.js", import.meta.url).href;

/** Whole programs; recipes are parts of one. */
const programs = text.split(/^## /m).flatMap((chapter) => {
  const [, program] = /^```js\n(import .*?)^```$/ms.exec(chapter) ?? [];
  return program ? [{ title: chapter.split("\n")[0], program }] : [];
});

/** What stands behind the lines that print. */
const promised = (program) =>
  [...program.matchAll(/^console\.log.*\/\/ (.*)$/gm)].map(([, line]) => line.trim());

test("each source has its example", () => {
  assert.deepEqual(
    programs.map(({ title }) => title),
    ["`server`", "`document`", "`classic`", "Your own"],
  );
});

for (const { title, program } of programs) {
  test(`the example of ${title} prints what it says`, {
    skip: missing(ravendb),
    timeout: LIMIT,
  }, async (t) => {
    const name = await database(t, ravendb);
    const script = program
      .replace('"raven-edge"', JSON.stringify(entry))
      .replace("https://ravendb.example", ravendb.url)
      .replace('"Shop"', JSON.stringify(name));
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
    const expected = promised(program);
    assert.ok(expected.length > 0);
    assert.deepEqual(stdout.trim().split("\n"), expected);
  });
}
