// docs/moving-names.md compared with both packages: every public name of npm ravendb is listed once; names that are
// the same or different exist in both; absent ones do not exist here, or throw an error that says so.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { after, test } from "node:test";
import { textOf } from "./blocks.mjs";
import { dispose, here, isTyped, npm, objectsOf, there } from "./names.mjs";
import { listed } from "./names-page.mjs";

after(dispose);

test("every heading of the list is on the page", () => {
  assert.deepEqual(Object.keys(listed).sort(), Object.keys(npm).sort());
});

for (const [of, rows] of Object.entries(listed)) {
  test(`the public names of ${of} in npm ravendb are listed, each once`, () => {
    const names = rows.flatMap((row) => row.names).sort();
    assert.deepEqual(names, [...npm[of]].sort());
  });

  test(`names of ${of} that are the same exist in both packages, as a value or as a type`, () => {
    const wrong = rows
      .filter(({ verdict }) => verdict === "same")
      .flatMap(({ names }) => names)
      .filter((name) => here(of, name) !== there(of, name) || !isTyped(of, name));
    assert.deepEqual(wrong, []);
  });

  test(`names of ${of} that are different exist, and the page says how they differ`, () => {
    for (const { verdict, names, text } of rows.filter(({ verdict }) => verdict === "different"))
      for (const name of names) assert.ok(here(of, name) && text, `${verdict}: ${name}`);
  });

  test(`names of ${of} that are absent do not exist, and the page names an alternative`, () => {
    for (const { verdict, names, text } of rows.filter(({ verdict }) => verdict === "absent"))
      for (const name of names) assert.ok(!here(of, name) && text, `${verdict}: ${name}`);
  });
}

/** The members of an object and its classes that throw `Unsupported` when they are read. */
function refused(object) {
  const found = [];
  for (let at = object; at && at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at))
      try {
        object[name];
      } catch ({ code }) {
        if (code === "Unsupported") found.push(name);
      }
  return found;
}

test("docs/moving.md lists what is refused by name, and says why and what to use instead", () => {
  const [, chapter] = textOf("docs/moving.md").split(/\n## Absent\n/);
  const rows = chapter
    .split("\n## ")[0]
    .split("\n")
    .filter((line) => line.startsWith("| `"));
  const names = rows.flatMap((row) => {
    const [, absent, why, instead] = row.split("|").map((cell) => cell.trim());
    assert.ok(why && instead, row);
    return [...absent.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
  });
  const { store, conventions } = objectsOf.ours;
  const all = Object.entries({ store, conventions }).flatMap(([what, object]) =>
    refused(object).map((name) => `${what}.${name}`),
  );
  assert.deepEqual(names.sort(), all.sort());
});

test("docs/differences.md has each row that the compatibility program names", () => {
  const folder = new URL("../compat/program/", import.meta.url);
  const text = readdirSync(folder)
    .map((file) => readFileSync(new URL(file, folder), "utf8"))
    .join("");
  const named = [...text.matchAll(/^ +row: "(.+)",$/gm)].map(([, row]) => row);
  assert.ok(named.length > 1);
  const rows = textOf("docs/differences.md")
    .split("\n")
    .filter((line) => line.startsWith("| "));
  const missing = named.filter((name) => !rows.some((row) => row.includes(name)));
  assert.deepEqual(missing, []);
});
