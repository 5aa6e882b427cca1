// Checks names that an app passes, because a misspelt one would be ignored without an error.

import { fail } from "./error.js";

/** The number of characters that two names have in common at the beginning and at the end. */
function likeness(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < most - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  return head + tail;
}

/** Throws if a name is not a known one; the message suggests the nearest. `what`: the kind of thing that is named. */
export function checkName(what: string, name: unknown, known: readonly string[]): void {
  if (known.includes(name as string)) return;
  const text = String(name);
  const [nearest = ""] = [...known].sort((a, b) => likeness(text, b) - likeness(text, a));
  const isTypo = 2 * likeness(text, nearest) > text.length;
  fail(
    "InvalidArgument",
    `there is no ${what} "${text}"${isTypo ? `: did you mean "${nearest}"?` : `, but ${known.join(", ")}`}`,
  );
}

/** Refuses unknown names of an object: all whose value is not `undefined`. */
export function checkNames(what: string, given: object | null | undefined, known: readonly string[]): void {
  for (const name in given) if (given[name as keyof typeof given] !== undefined) checkName(what, name, known);
}
