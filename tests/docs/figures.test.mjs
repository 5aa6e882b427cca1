// Each measured figure of the pages has a date and a command; limits in the pages are those of the build.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { faults, old, pages } from "../../xtask/js/figures.mjs";
import { root } from "../support/root.mjs";

const REGISTER = "docs/evidence.md";

/** Pages of a world with one page, and a register with one row for it. */
const world = (page, row) =>
  new Map([
    ["docs/a.md", page],
    [
      REGISTER,
      `# Evidence\n\n## Figures\n\n| page | figure | command | measured |\n|---|---|---|---|\n${row}\n`,
    ],
  ]);

const ROW = "| [a](a.md#bytes) | bytes | `cargo xtask bench size` | 2026-11-20 |";

test("a figure without a row, a row without command, date or chapter, and a date that differs are found", () => {
  const found = (page, row = ROW) => faults(world(page, row));
  const page = "# A\n\n## Bytes\n\nIt has 7 KB (2026-11-20).\n";
  assert.deepEqual(found(page), []);
  assert.match(found(`${page}\n## Time\n\nIt takes 7 ms.\n`)[0], /a\.md#time: "takes 7 ms" has no row/);
  assert.match(found(page, "")[0], /a\.md#bytes: "7 KB" has no row/);
  assert.match(found(page, ROW.replace("`cargo xtask bench size`", ""))[0], /no command/);
  assert.match(found(page, ROW.replace("2026-11-20", ""))[0], /no date/);
  assert.match(found(page, ROW.replace("2026-11-20", "2026-11-21"))[0], /none of its dates/);
  assert.match(found(page, ROW.replace("#bytes", "#size"))[0], /there is no docs\/a\.md#size/);
});

test("figures that are older than 30 days at a release are found", () => {
  const text = world("", ROW).get(REGISTER);
  assert.deepEqual(old(text, Date.parse("2026-12-20")), []);
  assert.deepEqual(
    old(text, Date.parse("2026-12-21T12:00")).map(({ name }) => name),
    ["docs/a.md#bytes"],
  );
});

test("each measured figure of the pages has a date and a command", () => {
  assert.deepEqual(faults(pages()), []);
});

test("the limits of bytes in packaging.md are those of the build", () => {
  const source = readFileSync(join(root, "xtask/src/entry_bytes.rs"), "utf8");
  const names = new Map(
    [...source.matchAll(/^const (\w+): &str = "(.*)";$/gm)].map(([, name, text]) => [name, text]),
  );
  const limits = [...source.matchAll(/^ {4}\((\w+), ([\d_]+)\),$/gm)];
  assert.equal(limits.length, 11);
  const page = readFileSync(join(root, "docs/packaging.md"), "utf8");
  const row = (chapter, entry) => {
    const [, text] = page.split(`\n## ${chapter}\n`);
    const line = text
      .split("\n## ")[0]
      .split("\n")
      .find((line) => line.startsWith(`| \`${entry}\` |`));
    return line?.split("|").map((cell) => cell.trim());
  };
  for (const [, name, bytes] of limits) {
    const [entry, inWorker] = names.get(name).split(" in a ");
    const cell = row("Sizes", entry)?.[inWorker ? 3 : 2] ?? row("What a Worker uploads", entry)?.[3];
    assert.equal(cell, `${(Number(bytes.replaceAll("_", "")) / 1_000).toFixed(1)} KB`, names.get(name));
  }
});
