// Finds numbers that JavaScript cannot hold exactly: RavenDB keeps every digit, `JSON.parse` does not.

import { idOf } from "../documents/snapshot-values.js";

/** Only a number with at least this many characters, or with a large exponent, can lose digits. Most responses have none. */
const LONG = 16;
const EXPONENT = /\d[eE][-+]?\d{3}/;

const TOKEN = /["{}[\]]|-?\d[-+.\deE]*/g;

/**
 * The numbers of each document that a double cannot hold exactly, by id. `depth`: the number of objects and lists that are open
 * inside a document.
 */
export function inexact(
  text: string,
  depth: number,
  id: (document: unknown) => string | undefined = idOf,
): Map<string, string[]> {
  const found = new Map<string, string[]>();
  if (!hasLong(text) && !EXPONENT.test(text)) return found;
  let [open, start, literals]: [number, number, string[]] = [0, 0, []];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
    const [token] = match;
    if (token === '"') TOKEN.lastIndex = behind(text, match.index);
    else if (token === "{" || token === "[") {
      if (++open === depth) start = match.index;
    } else if (token === "}" || token === "]") {
      if (open-- !== depth || literals.length === 0) continue;
      found.set(id(JSON.parse(text.slice(start, TOKEN.lastIndex))) as string, literals);
      literals = [];
    } else if (open >= depth && !isExact(token)) literals.push(token);
  }
  return found;
}

/** Whether a text has as many characters of numbers in a row; looks at every sixteenth, and around those that are. */
function hasLong(text: string): boolean {
  for (let at = LONG - 1; at < text.length; at += LONG) {
    if (!isOfNumber(text.charCodeAt(at))) continue;
    let [from, to] = [at, at];
    while (isOfNumber(text.charCodeAt(from - 1))) from--;
    while (isOfNumber(text.charCodeAt(to))) to++;
    if (to - from >= LONG) return true;
  }
  return false;
}

/** Whether a character is one of `+-.0123456789eE`. */
function isOfNumber(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 43 || code === 45 || code === 46 || (code | 32) === 101;
}

/** The position behind the string that opens at `at`. */
function behind(text: string, at: number): number {
  for (;;) {
    at = text.indexOf('"', at + 1);
    let escapes = at;
    while (text[escapes - 1] === "\\") escapes--;
    if ((at - escapes) % 2 === 0) return at + 1;
  }
}

/** Whether a double holds every digit of a number. */
function isExact(literal: string): boolean {
  const held = Number(literal);
  return Number.isFinite(held) && digits(literal) === digits(String(held));
}

function digits(text: string): string {
  return text
    .replace(/e.*/i, "")
    .replace(/[-.]/g, "")
    .replace(/^0+|0+$/g, "");
}
