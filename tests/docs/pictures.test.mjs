// Pictures of the documentation have a text for those who do not see them, are light, and none is left over.
import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DIAGRAMS } from "../support/diagrams.mjs";
import { root } from "../support/root.mjs";
import { pages, textOf } from "./blocks.mjs";

const FOLDER = join(root, "docs/images");
/** In bytes: what `tests/browsers/pictures.mjs` refuses; the drill draws a line for each fault. */
const LARGEST = 200_000;

const shown = pages.flatMap((page) =>
  [...textOf(page).matchAll(/!\[([^\]]*)\]\([^)]*images\/([^)]+)\)/g)].map(([, text, file]) => ({
    page,
    text,
    file,
  })),
);

test("each picture has a text that says what it shows", () => {
  assert.ok(shown.length > 8);
  for (const { page, text, file } of shown) assert.ok(text.length > 30, `${page}: ${file}: "${text}"`);
});

test("each picture is shown by a page or the home page of the site, and is light", () => {
  const home = textOf("site/home.md");
  for (const file of readdirSync(FOLDER)) {
    assert.ok(
      shown.some((picture) => picture.file === file) || home.includes(`/${file}`),
      `${file} is not shown`,
    );
    const { size } = statSync(join(FOLDER, file));
    assert.ok(size <= LARGEST, `${file}: ${size} bytes`);
  }
});

test("the diagrams are what their command writes", () => {
  for (const [name, draw] of Object.entries(DIAGRAMS))
    assert.equal(textOf(`docs/images/${name}.svg`), draw(), name);
});
