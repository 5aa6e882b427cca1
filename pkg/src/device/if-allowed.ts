// Access to what a platform may lack or refuse. Where a site may store nothing (blocked cookies, some frames), browsers throw when a page
// reads `indexedDB`, or opens a channel.

/** What `read` gives; `undefined` if the platform has no such thing, or refuses it. */
export function ifAllowed<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
