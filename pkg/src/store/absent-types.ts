// Members of npm `ravendb` that are absent, for `tsc` to show at the place of use. Types alone.

declare const absent: unique symbol;

/**
 * A member that is absent. Reading it throws `Unsupported` in Node, Deno, Bun and Workers; in a page it is `undefined`.
 * `docs/moving.md` has recipes.
 */
export interface Absent<Instead extends string> {
  readonly [absent]: Instead;
}

type Listed = "docs/moving.md#absent says what to use instead";

/** Members of npm `ravendb`'s store that are absent. */
export interface AbsentOfStore {
  /** @deprecated Absent: the option `timeout` of the store. */
  readonly setRequestTimeout: Absent<"use the store's option `timeout`, in milliseconds">;
  /** @deprecated Absent: npm `ravendb`, on a server. */
  readonly smuggler: Absent<Listed>;
  /** @deprecated Absent: npm `ravendb`, on a server. */
  readonly ai: Absent<Listed>;
}
