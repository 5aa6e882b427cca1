// docs/moving-names.md beside both packages: every public name of npm ravendb is told there once, what is called the same or
// different is there in both, and what is called absent is absent here, or says so when it is read.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { textOf } from "./blocks.mjs";
import { dispose, EVENTS, here, isTyped, npm, there } from "./names.mjs";

after(dispose);

/** The headings of the page, and what they are of. */
const OF = {
  Exports: "exports",
  DocumentStore: "DocumentStore",
  DocumentSession: "session",
  "session.advanced": "session.advanced",
  "advanced.lazily": "lazily",
  "advanced.eagerly": "eagerly",
  conventions: "conventions",
  DocumentQuery: "query",
  RawDocumentQuery: "rawQuery",
  GroupByDocumentQuery: "groupBy",
  RequestExecutor: "getRequestExecutor",
  "store.maintenance": "maintenance",
  "store.operations": "operations",
  ...Object.fromEntries(EVENTS.map((name) => [name, name])),
};

/** Rows as `{ verdict, names, text }`, by what they are of. */
const told = {};
for (const chapter of textOf("docs/moving-names.md")
  .split(/\n##+ /)
  .slice(1)) {
  const of = OF[chapter.split("\n")[0]];
  if (!of) continue;
  const rows = chapter.split("\n").filter((line) => /^\| (same|different|absent)\b/.test(line));
  told[of] = rows.map((row) => {
    const [, here, names, text] = row.split("|").map((cell) => cell.trim());
    const verdict = here.split(":")[0];
    return { verdict, names: [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name), text };
  });
}

test("every heading of the list is on the page", () => {
  assert.deepEqual(Object.keys(told).sort(), Object.values(OF).sort());
});

for (const [of, rows] of Object.entries(told)) {
  test(`the public names of ${of} in npm ravendb are told, each once`, () => {
    const names = rows.flatMap((row) => row.names).sort();
    assert.deepEqual(names, [...npm[of]].sort());
  });

  test(`what is the same of ${of} is there in both, as a value or as a type`, () => {
    const wrong = rows
      .filter(({ verdict }) => verdict === "same")
      .flatMap(({ names }) => names)
      .filter((name) => here(of, name) !== there(of, name) || !isTyped(of, name));
    assert.deepEqual(wrong, []);
  });

  test(`what is different of ${of} is there, and the page says how`, () => {
    for (const { verdict, names, text } of rows.filter(({ verdict }) => verdict === "different"))
      for (const name of names) assert.ok(here(of, name) && text, `${verdict}: ${name}`);
  });

  test(`what is absent of ${of} is not there, and the page says what to use instead`, () => {
    for (const { verdict, names, text } of rows.filter(({ verdict }) => verdict === "absent"))
      for (const name of names) assert.ok(!here(of, name) && text, `${verdict}: ${name}`);
  });
}
