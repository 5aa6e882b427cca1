// The pages in the tarball, and the comments in its types, name only what its reader has.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { test } from "node:test";
import { packed, root } from "../support/packed.mjs";

/** What a page of the package must not have: how it is found, and what is said of it. */
const UNSHIPPED = [
  [/\b(?:tests?\/[\w-]+|node --test)/g, "a test, which the package lacks"],
  [/\bxtask\b/g, "a command of the repository"],
  [/\b(?:pictures?|screenshots?) (?:shows?|above|below)\b/gi, "a picture, which the package lacks"],
];

/** What a page names that is not among the files of the package. */
function faultsOf(page, text, files) {
  const has = (path) => files.includes(path) || files.some((file) => file.startsWith(`${path}/`));
  const near = (path) => posix.normalize(posix.join(posix.dirname(page), path.split("#")[0]));
  const prose = text.replaceAll(/^```[^\n]*\n[\s\S]*?^```$/gm, "");
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)|<img[^>]* src="([^"]+)"/g)]
    .map(([, link, picture]) => link ?? picture)
    .filter((link) => !/^(https?:|#)/.test(link) && !has(near(link)))
    .map((link) => `${page}: a link to ${link}, which the package lacks`);
  const named = [...text.matchAll(/`(docs\/[\w-]+\.md)`/g)]
    .filter(([, path]) => !has(path))
    .map(([, path]) => `${page}: the page ${path}, which the package lacks`);
  const rest = UNSHIPPED.flatMap(([pattern, what]) =>
    [...text.matchAll(pattern)].map(([found]) => `${page}: "${found}": ${what}`),
  );
  return [...links, ...named, ...rest];
}

test("links, tests, commands of the repository and pictures are found", () => {
  const files = ["docs/a.md", "docs/b.md"];
  const faults = (text) => faultsOf("docs/a.md", text, files).length;
  assert.equal(faults("[b](b.md#there), [here](#here), [there](https://example.com), `docs/b.md`"), 0);
  assert.equal(faults("[law](law.md)"), 1);
  assert.equal(faults("[notes](../examples/notes/README.md)"), 1);
  assert.equal(faults("![A map](images/map.png)"), 1);
  assert.equal(faults("see `docs/law.md`"), 1);
  assert.equal(faults("`tests/server/queries.test.mjs` sends it"), 1);
  assert.equal(faults("```js tested-by=tests/docs/live.test.mjs\nf();\n```"), 1);
  assert.equal(faults("`cargo xtask bench waste` prints it"), 1);
  assert.equal(faults("The pictures show the map."), 1);
});

test("the package names only what its reader has", async () => {
  const pages = packed.files.filter((file) => /\.(md|d\.c?ts)$/.test(file));
  assert.ok(pages.length > 50 && pages.includes("README.md") && pages.includes("docs/README.md"));
  const faults = await Promise.all(
    pages.map(async (page) => faultsOf(page, await readFile(join(root, "pkg", page), "utf8"), packed.files)),
  );
  assert.deepEqual(faults.flat(), []);
});
