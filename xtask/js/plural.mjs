// Writes the file OUTPUT: npm pluralize as a module that has `plural` alone, which is half of the bytes. Usage: plural.mjs OUTPUT
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { build } from "esbuild";

const path = createRequire(import.meta.url).resolve("pluralize");
const { default: original } = await import(path);
const source = await readFile(path, "utf8");

/** The part of a text between two others. */
function between(text, start, end) {
  const [from, to] = [text.indexOf(start), text.lastIndexOf(end)];
  assert.ok(from >= 0 && to > from, `pluralize has another form: ${start} … ${end}`);
  return text.slice(from + start.length, to);
}

/** Cuts the list that begins after `start`. */
function without(text, start, end) {
  const at = text.indexOf(start);
  assert.ok(at >= 0, `pluralize has no ${start}`);
  return text.slice(0, at) + text.slice(text.indexOf(end, at) + end.length);
}

// The function in which everything is becomes the module, and the members that it returns become variables. The bundler
// removes those that are not used.
const rules = without(
  between(source, "(this, function () {", "return pluralize;"),
  "Singularization rules.\n   */",
  "pluralize.addSingularRule(rule[0], rule[1]);\n  });",
)
  .replace(/pluralize\.(\w+) = (\w+Word)\(/g, "var $1 = /* @__PURE__ */ $2(")
  .replace(/pluralize\.(\w+) = /g, "var $1 = ")
  .replace(/addSingularRule\(\w+, '\$0'\);/, "")
  .replace(/pluralize\./g, "");

const { outputFiles } = await build({
  stdin: { contents: `${rules}\nexport default plural;` },
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  write: false,
});
const [{ text }] = outputFiles;

const { default: plural } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
const words = new Set(
  source.match(/[a-z]+/gi).flatMap((word) => [word, original.plural(word), original.singular(word)]),
);
for (const word of words)
  for (const spelling of [word, word.toUpperCase(), word[0]?.toUpperCase() + word.slice(1), `Special${word}`])
    assert.equal(plural(spelling), original.plural(spelling), `the plural of ${spelling}`);

await writeFile(process.argv[2], text);
