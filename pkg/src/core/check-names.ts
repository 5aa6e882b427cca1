// Which tags and ids RavenDB accepts. The twin of `src/ids`.

import { fail } from "../common/error.js";
import { hasControl, isTooLong } from "./grant.js";

/**
 * Refuses tags that RavenDB cannot lease safely.
 *
 * For a tag that ends in `/`, every call of `hilo/next` returns the same range (observed with 7.2.7). A tag that ends in `|` is an
 * identity. A tag that ends in the separator makes ids such as `orders//1-A`. Ids cannot contain control characters, and longer tags make
 * the id of the counter document too long.
 */
export function checkTag(tag: string, separator: string): void {
  const [last] = /[/|]?$/.exec(tag) ?? [];
  const reason = /^ *$/.test(tag)
    ? "is blank"
    : isTooLong(tag)
      ? "is longer than 501 bytes"
      : last
        ? `ends in '${last}'`
        : tag.endsWith(separator)
          ? "ends in the separator"
          : hasControl(tag)
            ? "has a control character"
            : "";
  if (!reason) return;
  const shown = isTooLong(tag, 60) || hasControl(tag) ? "…" : tag;
  fail("InvalidTag", `the tag "${shown}" ${reason}; use a name such as "orders"`);
}

/**
 * Checks the identity parts separator: one UTF-16 unit (`hilo/next` refuses longer ones) that is safe in ids. A digit is not: with the
 * separator `1`, number 211 of `a` and number 1 of `a12` would both be `a1211`.
 */
export function checkSeparator(separator: string): void {
  if (!/^[^\0- |\d\x7f-\xa0\u2000-\u200a\u3000\ud800-\udfff]$/.test(separator))
    fail("InvalidArgument", "identityPartsSeparator must be one visible character, but not '|' or a digit");
}

/** Refuses texts that cannot be ids of documents. `longest`: in bytes; `backslash`: whether ids may contain one. */
export function checkId(id: string, longest: number, backslash: boolean): void {
  // The server makes the rest of an id that ends in one of these.
  const stem = id.replace(/[/|]$/, "");
  const reason = isTooLong(id, longest)
    ? `is too long; the limit in bytes is ${longest}`
    : id && (!stem || /[/|]$/.test(stem))
      ? "has an empty part before its end"
      : id.startsWith("/")
        ? "begins with '/'"
        : !backslash && id.includes("\\")
          ? "has a '\\'"
          : hasControl(id)
            ? "has a control character"
            : "";
  if (reason) fail("InvalidId", `the id ${isTooLong(id, longest) ? '"…"' : JSON.stringify(id)} ${reason}`);
}
