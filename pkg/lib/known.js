// Names that an app gives: one that is misspelt would be ignored in silence.

import { fail } from "./error.js";

/** Refuses a name that is none of the known ones; `what`: what it names. */
export function checkName(what, name, known) {
  if (!known.includes(name))
    fail("InvalidArgument", `there is no ${what} "${String(name)}", but ${known.join(", ")}`);
}

/** The same for the names of an object that have a value. */
export function checkNames(what, given, known) {
  for (const name in given) if (given[name]) checkName(what, name, known);
}
