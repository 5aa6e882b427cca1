// The options of a store, checked before anything is sent.

import { type AllNames, checkNames } from "../common/arguments.js";
import { fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import { checkTimeout } from "../common/time.js";
import { checkCapacity } from "../numbers/number-source.js";
import type { Certificate } from "../wire/client-certificate.js";
import type { SendRequest } from "../wire/transport.js";
import type { StoreOptions } from "./store-options-types.js";

/** An option by tag, or one for all tags. */
type ByTag = number | Record<string, number> | null | undefined;

const OPTIONS = [
  "certificate",
  "type",
  "password",
  "ca",
  "headers",
  "fetch",
  "webSocket",
  "waitUntil",
  "timeout",
  "keep",
  "capacity",
  "source",
  "offline",
] as const;

/** Throws if the address, the database or an option is invalid or unknown. */
export function checkOptions(
  urls: string[],
  database: unknown,
  timeout: number,
  options: StoreOptions,
): void {
  checkNames("option", options, OPTIONS satisfies AllNames<StoreOptions, typeof OPTIONS>);
  const { capacity, keep } = options;
  if (database && typeof database !== "string") fail("InvalidArgument", "the name of a database is a string");
  checkTimeout(timeout);
  for (const count of countsIn(keep))
    if (!(typeof count === "number" && count >= 0))
      fail("InvalidArgument", "keep is a number from 0 to Infinity");
  for (const count of countsIn(capacity)) checkCapacity(count);
  if (urls.length === 0) fail("InvalidArgument", "no server address was given");
  for (const url of urls) {
    const { href, origin, pathname } = addressOf(url, ELSEWHERE);
    // No platform sends requests to such an address. Messages end in logs, so this one does not show it.
    if (href !== origin + pathname)
      fail("InvalidArgument", "a server address has no query and no credentials: send them in `headers`");
  }
}

/** The base of relative addresses where there is no page. Nothing is sent to it. */
export const ELSEWHERE = "http://page";

/**
 * The address of a server, resolved as `fetch` resolves it: relative to the base of the document, which may differ from its own
 * address. `localhost:8080` is a URL of the protocol `localhost:`, and refused. A store may be opened where a page is only rendered:
 * `elsewhere` is the base of relative addresses there; without it they are `Unsupported`.
 */
export function addressOf(url: string, elsewhere?: string): URL {
  const isRelative = /^[./]/.test(url);
  const page = globalThis.document?.baseURI ?? globalThis.location?.href;
  for (const base of [page, isRelative ? elsewhere : undefined])
    try {
      const address = new URL(url, base);
      if (["http:", "https:"].includes(address.protocol)) return address;
    } catch {
      // The errors below explain it.
    }
  // It may contain a password.
  const shown = url.includes("@") ? "" : ` "${url}"`;
  if (isRelative && !elsewhere)
    fail(
      "Unsupported",
      `the server address${shown} needs a page: give an absolute one here, or send requests in the page`,
      { unsent: true },
    );
  fail("InvalidArgument", `the server address${shown} is not a URL`);
}

/**
 * The function that sends requests: the app's own, or one that shows a client certificate; `undefined`: the platform's `fetch`.
 */
export function senderOf(
  { connect }: { readonly connect?: ((certificate: Certificate) => unknown) | undefined },
  options: StoreOptions,
  fetch: SendRequest | undefined = options.fetch,
): SendRequest | undefined {
  if (fetch || !options.certificate) return fetch;
  return (
    (connect?.(options as Certificate) as SendRequest | undefined) ??
    fail(
      "Unsupported",
      "client certificates cannot be read here; give the store a `fetch` that presents one, as a Worker's mTLS binding does",
    )
  );
}

/** The counts of an option: one for all tags, or one by tag. */
function countsIn(option: ByTag): unknown[] {
  const counts: unknown[] = typeof option === "object" ? Object.values(option ?? {}) : [option];
  return counts.filter((count) => count !== undefined);
}

/** The count for a tag; the case of tags does not matter. */
export function countFor(option: ByTag, tag: string): number | undefined {
  if (typeof option !== "object") return option;
  const key = idKey(tag);
  return Object.entries(option ?? {}).find(([name]) => idKey(name) === key)?.[1];
}
