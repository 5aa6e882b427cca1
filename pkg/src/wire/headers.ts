// The version in the headers of a response.

/**
 * The version that a response shows in its `ETag`, a change vector; `null`: none, because a proxy may remove the header. A proxy that
 * compresses makes the ETag weak, or adds the method to it.
 */
export function versionIn(headers: Headers): string | null {
  const tag = /^(?:W\/)?"?([^"]+?)(?:-(?:gzip|br|zstd))?"?$/.exec(headers.get("ETag") ?? "");
  return tag && (tag[1] as string);
}
