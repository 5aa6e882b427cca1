// The options of a store, looked at before anything is sent.

import { fail } from "../common/error.js";
import { idKey } from "../common/id-key.js";
import { checkNames } from "../common/known-names.js";
import { checkTimeout } from "../common/timeout.js";
import { checkCapacity } from "../numbers/number-source.js";

const KNOWN = [
  "certificate",
  "type",
  "password",
  "ca",
  "headers",
  "fetch",
  "waitUntil",
  "timeout",
  "keep",
  "capacity",
  "source",
];

/** Refuses what cannot be meant. */
export function check(urls, database, timeout, options) {
  checkNames("option", options, KNOWN);
  const { capacity, keep } = options;
  if (database && typeof database !== "string") fail("InvalidArgument", "the name of a database is a string");
  checkTimeout(timeout);
  for (const count of countsIn(keep))
    if (!(typeof count === "number" && count >= 0))
      fail("InvalidArgument", "keep is a number from 0 to Infinity");
  for (const count of countsIn(capacity)) checkCapacity(count);
  if (urls.length === 0) fail("InvalidArgument", "no server address was given");
  for (const url of urls) {
    const { href, origin, pathname } = addressOf(url);
    // No platform sends a request there. Messages end in logs, so this one does not show the address.
    if (href !== origin + pathname)
      fail("InvalidArgument", "a server address has no query and no credentials: send them in `headers`");
  }
}

/** As requests find it: a document's base may be another address than its own. `localhost:8080` is no server's URL. */
export function addressOf(url) {
  try {
    const address = new URL(url, globalThis.document?.baseURI ?? globalThis.location?.href);
    if (["http:", "https:"].includes(address.protocol)) return address;
  } catch {
    // Said below.
  }
  const hint = url.startsWith("/") ? "; outside a page it must be absolute" : "";
  // There may be a password in it.
  const shown = url.includes("@") ? "" : ` "${url}"`;
  fail("InvalidArgument", `the server address${shown} is not a URL${hint}`);
}

/** Ports that the Fetch standard forbids: https://fetch.spec.whatwg.org/#port-blocking */
const FORBIDDEN =
  /^(0|1|7|9|1[1379]|15|2[01235]|37|4[23]|53|69|7[79]|87|95|10[1-4]|109|11[013579]|123|13[579]|143|161|179|389|427|465|51[2345]|526|53[012]|540|548|55[46]|563|587|601|636|989|99[035]|1719|172[03]|2049|3659|4045|4190|506[01]|6000|6566|666[5-9]|6679|6697|10080)$/;

/** Refuses what `fetch` would not send, before it is called: in a browser its refusal looks like a lost connection. */
export function assertSendable(url) {
  const { port } = addressOf(url);
  if (FORBIDDEN.test(port)) fail("InvalidArgument", `the Fetch standard forbids port ${port}`);
}

/** What sends requests: the app's own, one that shows a client certificate; `undefined`: the platform's. */
export function senderOf({ connect }, options, fetch = options.fetch) {
  if (fetch || !options.certificate) return fetch;
  return (
    connect?.(options) ??
    fail(
      "Unsupported",
      "client certificates cannot be read here; give the store a `fetch` that presents one, as a Worker's mTLS binding does",
    )
  );
}

/** A count for all tags, or an object with one for some. */
function countsIn(option) {
  const counts = typeof option === "object" ? Object.values(option ?? {}) : [option];
  return counts.filter((count) => count !== undefined);
}

/** The count for a tag; tags are without case. */
export function countFor(option, tag) {
  if (typeof option !== "object") return option;
  const key = idKey(tag);
  return option?.[Object.keys(option ?? {}).find((name) => idKey(name) === key)];
}
