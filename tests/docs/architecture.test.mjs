// `pkg/src/ARCHITECTURE.md` names the owner of each piece of state: every file that has some is named, and every named file exists.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { root } from "../support/root.mjs";

const PAGE = "pkg/src/ARCHITECTURE.md";
const text = readFileSync(`${root}${PAGE}`, "utf8");

/** Paths in code: those of `pkg/src` from there, those of the core from the root. */
const named = new Set(Array.from(text.matchAll(/`((?:[\w.-]+\/)+[\w.-]*)`/g), ([, path]) => path));

/** A private field of a class, as Biome formats it; not a method or accessor. */
const FIELD = /^ {2}(?:declare |readonly )*#\w+(?:[;:]| =)/m;
/** State of a module: a variable, or a collection that is filled. */
const VARIABLE =
  /^(?:export )?let |^(?:export )?const \w+(?::[^=\n]+)? = new (?:Weak)?(?:Map|Set)(?:<.*>)?\(\);/m;

const sources = readdirSync(`${root}pkg/src`, { recursive: true }).filter((path) => path.endsWith(".ts"));

test(`${PAGE} names every file that has private fields or variables of its module`, () => {
  const withState = sources.filter((path) => {
    const source = readFileSync(`${root}pkg/src/${path}`, "utf8");
    return FIELD.test(source) || VARIABLE.test(source);
  });
  assert.ok(withState.length > 100, `${withState.length} files`);
  assert.deepEqual(
    withState.filter((path) => !named.has(path)),
    [],
  );
});

test(`every file that ${PAGE} names exists`, () => {
  assert.ok(named.size > 200, `${named.size} files`);
  const missing = [...named].filter(
    (path) => !existsSync(`${root}pkg/src/${path}`) && !existsSync(`${root}${path}`),
  );
  assert.deepEqual(missing, []);
});

test(`the links of ${PAGE} lead to its headings`, () => {
  const headings = Array.from(text.matchAll(/^#+ (.*)$/gm), ([, title]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
  const links = Array.from(text.matchAll(/\]\(#([^)]+)\)/g), ([, anchor]) => anchor);
  assert.ok(links.length > 10);
  assert.deepEqual(
    links.filter((anchor) => !headings.includes(anchor)),
    [],
  );
});
