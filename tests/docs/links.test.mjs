// Links of the pages lead to existing files and headings.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { root } from "../support/root.mjs";
import { pages, textOf } from "./blocks.mjs";

const plain = (page) => textOf(page).replaceAll(/```[\s\S]*?```/g, "");

/** The anchors of headings, as GitHub generates them. */
const anchors = (page) =>
  [...plain(page).matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

for (const page of pages)
  test(`the links of ${page} lead to existing targets`, () => {
    for (const [, link] of plain(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(link)) continue;
      const [path, anchor] = link.split("#");
      // `pkg/docs` is a copy of `docs`, which a build makes.
      const target =
        path === "" ? page : normalize(join(dirname(page), path)).replace(/^pkg\/docs\//, "docs/");
      assert.ok(existsSync(join(root, target)), `${link}: there is no ${target}`);
      if (anchor) assert.ok(anchors(target).includes(anchor), `${link}: ${target} has no such heading`);
    }
  });

test("every page of docs is listed in its index, or in the page of the evidence", () => {
  const lists = ["docs/README.md", "docs/evidence.md"];
  const linked = [
    ...lists
      .map(textOf)
      .join("\n")
      .matchAll(/\]\(([a-z-]+\.md)/g),
  ].map(([, file]) => `docs/${file}`);
  const there = pages.filter((page) => page.startsWith("docs/") && !lists.includes(page));
  assert.deepEqual(
    there.filter((page) => !linked.includes(page)),
    [],
  );
});

/** Verbs that begin a title. A title may also be a question. */
const VERBS =
  /^(Bundle|Change|Check|Choose|Compare|Count|Create|Decide|Find|Give|Insert|Load,?|Look up|Make|Move|Process|Query|Reach|Read|Run|Save|Search|See|Show|Store|Trace|Understand|Use|Write) /;

for (const page of pages.filter((page) => page.startsWith("docs/")))
  test(`${page} has one title, which is a task or a question`, () => {
    const title = /^# (.*)\n/.exec(textOf(page))?.[1] ?? "";
    assert.ok(VERBS.test(title) || title.endsWith("?"), `"${title}": begin with a verb`);
    assert.equal(plain(page).match(/^# /gm).length, 1);
  });
