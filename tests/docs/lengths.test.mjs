// How much somebody reads before something works, counted as `wc -w` counts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { textOf } from "./blocks.mjs";

const words = (pages) =>
  pages.reduce((sum, page) => sum + textOf(page).split(/\s+/).filter(Boolean).length, 0);

/** The pages that the index lists under a heading. */
function listed(heading) {
  const [, chapter] = textOf("docs/README.md").split(`\n## ${heading}\n`);
  return [...chapter.split("\n## ")[0].matchAll(/\]\(([a-z-]+\.md)\)/g)].map(([, page]) => `docs/${page}`);
}

/** The pages of the package that a newcomer reads for a task, and the most words that they may have together. */
const TASKS = {
  "a first Worker": { most: 1_500, pages: ["pkg/README.md", "docs/choosing.md", "docs/start-worker.md"] },
  "a page that works without a connection": {
    most: 4_000,
    pages: [
      "pkg/README.md",
      "docs/choosing.md",
      "docs/start-browser.md",
      "docs/offline.md",
      "docs/offline-start.md",
      "docs/kept-documents.md",
    ],
  },
};

for (const [task, { most, pages }] of Object.entries(TASKS))
  test(`${task} takes at most ${most} words of reading`, (t) => {
    t.diagnostic(`${words(pages)} words`);
    assert.ok(words(pages) <= most, `${words(pages)} words`);
  });

test("a guide has at most 1,200 words", () => {
  const guides = listed("Guides");
  assert.ok(guides.length > 20);
  const long = guides.filter((page) => words([page]) > 1_200).map((page) => `${page}: ${words([page])}`);
  assert.deepEqual(long, []);
});

test("README.md has at most 110 lines", () => {
  assert.ok(textOf("README.md").split("\n").length - 1 <= 110);
});
