// A recorded call: the name of the method and what it was given, as JSON has that.

import { fail } from "../common/error.js";

/** What cannot be meant at this place of a query. */
export function misplaced(message) {
  fail("InvalidOperation", message);
}

/** What no call can take. */
export function invalid(message) {
  fail("InvalidArgument", message);
}

export class Call {
  constructor([name, ...given]) {
    this.name = name;
    this.given = given;
  }

  /** An argument; `null` where there is none. */
  value(at) {
    return this.given[at] ?? null;
  }

  /** Whether an argument is a text that can name something: half of a surrogate pair would become another character. */
  isText(at) {
    const value = this.value(at);
    return typeof value === "string" && value !== "" && !/\p{Surrogate}/u.test(value);
  }

  text(at) {
    if (!this.isText(at)) invalid("a query names fields, paths and collections by texts that are not empty");
    return this.value(at);
  }

  /** A text, empty where there is none. */
  optionalText(at) {
    return this.value(at) === null || this.value(at) === "" ? "" : this.text(at);
  }

  /** A whole number, 0 or more, that the server can read. */
  count(at) {
    const value = this.value(at);
    if (!Number.isInteger(value) || value < 0 || value >= 2 ** 64)
      invalid("this takes a whole number, 0 or more");
    return value;
  }

  /** A number, 0 or more. */
  number(at) {
    const value = this.value(at);
    if (typeof value !== "number" || value < 0) invalid("this takes a number, 0 or more");
    return value;
  }
}
