// Names that an app gives: one that is misspelt would be ignored in silence.

import { fail } from "./error.js";

/** How many letters two names have in common, at their beginning and at their end. */
function likeness(a, b) {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < most - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  return head + tail;
}

/** Refuses a name that is none of the known ones; `what`: what it names. */
export function checkName(what, name, known) {
  if (known.includes(name)) return;
  const text = String(name);
  const [nearest] = [...known].sort((a, b) => likeness(text, b) - likeness(text, a));
  const isTypo = 2 * likeness(text, nearest) > text.length;
  fail(
    "InvalidArgument",
    `there is no ${what} "${text}"${isTypo ? `: did you mean "${nearest}"?` : `, but ${known.join(", ")}`}`,
  );
}

/** The same for the names of an object that have a value. */
export function checkNames(what, given, known) {
  for (const name in given) if (given[name]) checkName(what, name, known);
}
