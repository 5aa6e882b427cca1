// A recorded call: the name of the method and its arguments, as JSON has them.

import { fail } from "../common/error.js";

/** A call as a query records it. */
export type RecordedCall = [name: string, ...given: unknown[]];

/** Refuses a call that has no meaning at this place of a query. */
export function misplaced(message: string): never {
  fail("InvalidOperation", message);
}

/** Refuses an argument that no call can take. */
export function invalid(message: string): never {
  fail("InvalidArgument", message);
}

export class Call {
  declare readonly name: string;
  declare readonly given: unknown[];

  constructor([name, ...given]: RecordedCall) {
    this.name = name;
    this.given = given;
  }

  /** An argument; `null` if it is absent. */
  value(at: number): unknown {
    return this.given[at] ?? null;
  }

  /** Whether an argument is a text that can name something: half of a surrogate pair would become another character. */
  isText(at: number): boolean {
    const value = this.value(at);
    return typeof value === "string" && value !== "" && !/\p{Surrogate}/u.test(value);
  }

  text(at: number): string {
    if (!this.isText(at)) invalid("a query names fields, paths and collections by texts that are not empty");
    return this.value(at) as string;
  }

  /** A text; `""` if it is absent. */
  optionalText(at: number): string {
    return this.value(at) === null || this.value(at) === "" ? "" : this.text(at);
  }

  /** A whole number, 0 or more, that the server can read: below 2^64. */
  count(at: number): number {
    const value = this.value(at) as number;
    if (!Number.isInteger(value) || value < 0 || value >= 2 ** 64)
      invalid("this takes a whole number, 0 or more");
    return value;
  }

  /** A number, 0 or more. */
  number(at: number): number {
    const value = this.value(at);
    if (typeof value !== "number" || value < 0) invalid("this takes a number, 0 or more");
    return value;
  }
}
