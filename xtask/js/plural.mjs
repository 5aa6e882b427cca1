// Writes the file OUTPUT: a module that makes the plural of words as npm pluralize does. The rules of pluralize become tables, and
// code for plurals alone reads them: that is a third of the bytes. Usage: plural.mjs OUTPUT
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { build } from "esbuild";

const path = createRequire(import.meta.url).resolve("pluralize");
const { default: original } = await import(path);
const source = await readFile(path, "utf8");

// The function that makes the original returns its tables here.
const [, body] = source.split("(this, function () {");
const end = body?.lastIndexOf("return pluralize;") ?? -1;
assert.ok(end > 0, "pluralize has another form");
const tables = "return { irregularSingles, uncountables, pluralRules };";
const { irregularSingles, uncountables, pluralRules } = new Function(body.slice(0, end) + tables)();

/** A list of words as an expression. */
function list(words) {
  assert.ok(words.every((word) => !/[\s`]/.test(word)));
  return `String.raw\`${words.join(" ")}\`.split(" ")`;
}

// The rule that was added last is tried first. The last one tried matches every word.
const rules = pluralRules.reverse().flatMap(([rule, plural]) => {
  assert.equal(rule.flags, "i");
  return [rule.source, plural];
});

const { outputFiles } = await build({
  stdin: {
    contents: `const irregular = ${list(Object.entries(irregularSingles).flat())};
const same = ${list(Object.keys(uncountables))};
const rules = ${list(rules)};

/** A word in the case of another one: lower, upper, or capitalised. */
function inCaseOf(other, word) {
  const lower = word.toLowerCase();
  if (other === word) return word;
  if (other === other.toLowerCase()) return lower;
  if (other === other.toUpperCase()) return word.toUpperCase();
  return other[0] === other[0].toUpperCase() ? word.charAt(0).toUpperCase() + lower.slice(1) : lower;
}

export default function plural(word) {
  const lower = word.toLowerCase();
  const pair = irregular.indexOf(lower);
  if (pair >= 0) return inCaseOf(word, irregular[pair | 1]);
  if (!word || same.includes(lower)) return word;
  const at = rules.findIndex((rule, at) => at % 2 === 0 && new RegExp(rule, "i").test(word));
  return word.replace(new RegExp(rules[at], "i"), (...found) =>
    inCaseOf(found[0] || word.at(-1), rules[at + 1].replace(/\\$(\\d)/g, (_, group) => found[group] ?? "")),
  );
}
`,
  },
  bundle: true,
  minify: true,
  charset: "utf8",
  format: "esm",
  target: "es2022",
  write: false,
});
const [{ text }] = outputFiles;

const { default: plural } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
const words = new Set(
  ["", "s", "Café", "Ärzte", "数", "Order2", "order_line", ...source.match(/[a-z]+/gi)].flatMap((word) => [
    word,
    original.plural(word),
    original.singular(word),
  ]),
);
for (const word of words)
  for (const spelling of [
    word,
    word.toUpperCase(),
    `${word[0]?.toUpperCase()}${word.slice(1)}`,
    `Special${word}`,
  ])
    assert.equal(plural(spelling), original.plural(spelling), `the plural of ${spelling}`);

await writeFile(process.argv[2], text);
