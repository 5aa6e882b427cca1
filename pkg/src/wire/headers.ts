// The headers of the app in a request, and the version in a response.

import { fail } from "../common/error.js";
import type { HeadersSource } from "../store/store-options-types.js";

/**
 * The headers of the app, and `If-Match` with this version.
 * @throws {RavenEdgeError} `InvalidArgument` that names the header which `fetch` refuses, or says why `given` fails.
 */
export function headersOf(given: HeadersSource | undefined, ifMatch?: string): Headers {
  const headers = new Headers();
  let name: string | undefined;
  try {
    const all = given?.() ?? [];
    if ("then" in all) throw "they are a promise";
    for (const [each, value] of Symbol.iterator in all ? all : Object.entries(all)) {
      name = each;
      headers.append(name, value as string);
    }
    name = "If-Match";
    // workerd drops an empty header; in quotes it means the same: "must not exist".
    if (ifMatch !== undefined) headers.set(name, `"${ifMatch}"`);
  } catch (cause) {
    // The platform's error about a header may show its value, which may be a secret.
    const reason = name ? `"${name}" must be Latin-1 in one line` : cause;
    fail("InvalidArgument", `the headers cannot be sent: ${reason}`, {
      cause: name ? undefined : cause,
      unsent: true,
    });
  }
  return headers;
}

/**
 * The version that a response shows in its `ETag`, a change vector; `null`: none, because a proxy may remove the header. A proxy that
 * compresses makes the ETag weak, or adds the method to it.
 */
export function versionIn(headers: Headers): string | null {
  const tag = /^(?:W\/)?"?([^"]+?)(?:-(?:gzip|br|zstd))?"?$/.exec(headers.get("ETag") ?? "");
  return tag && (tag[1] as string);
}
