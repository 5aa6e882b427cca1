// Requests of a page: those that outlive it, and a hint in the error of a request to another origin.

/** Whether the page is closing: requests that begin now have to outlive it. */
export let isParting = false;

/** Calls `begin`; the requests that it begins outlive the page. */
export function whileParting(begin: () => unknown): void {
  isParting = true;
  begin();
  isParting = false;
}

/**
 * Sends a batch as a beacon. Returns whether the browser accepted it, or `undefined` without beacons. While a page closes, Firefox
 * delivers only beacons. The body is `text/plain`, which a page may send to another origin without a preflight, and RavenDB reads
 * `text/plain` only in a `multi_get`.
 */
export function beacon(url: string, body: string | Uint8Array | undefined): boolean | undefined {
  // Before this part the URL contains the path under which the page reaches RavenDB, which can have any name.
  const [path] = /\/databases\/[^/]+\/[^/]+$/.exec(url) as RegExpExecArray;
  const parts = [
    `{"Requests":[{"Url":"${path}","Query":"","Method":"POST","Content":`,
    body as BlobPart,
    "}]}",
  ];
  const text = new Blob(parts, { type: "text/plain" });
  return navigator.sendBeacon?.(url.replace(/bulk_docs$/, "multi_get"), text);
}

/** The origin of the page; falsy outside of pages, and for pages that are not of HTTP. */
function origin(): string | false | undefined {
  const page = globalThis.location?.origin;
  return page?.startsWith("http") && page;
}

/**
 * A hint for the message of an error, if a request goes to another origin than the page's: the browser shows RavenDB's refusal of
 * foreign origins as a network error. Empty for the page's own origin.
 */
export function foreign(url: string): string {
  const page = origin();
  if (!page || new URL(url, page).origin === page) return "";
  return `; RavenDB refuses pages of another origin (${page}): reach it through a path of the page's own origin`;
}
