// What a request has to know of the page that sends it.

/**
 * Whether the browser takes a batch for later: of what is sent as it ends, Firefox delivers beacons alone. RavenDB reads
 * their `text/plain`, which a page may send without asking first, only in a `multi_get`.
 */
export function beacon(url, body) {
  // What stands before it is the page's own path to RavenDB, whatever it is called.
  const [path] = /\/databases\/[^/]+\/[^/]+$/.exec(url);
  const parts = [`{"Requests":[{"Url":"${path}","Query":"","Method":"POST","Content":`, body, "}]}"];
  const text = new Blob(parts, { type: "text/plain" });
  return navigator.sendBeacon?.(url.replace(/bulk_docs$/, "multi_get"), text);
}

/** The page's origin, where there is one. */
function origin() {
  const page = globalThis.location?.origin;
  return page?.startsWith("http") && page;
}

/** A browser hides RavenDB's refusal of foreign origins behind a network error. */
export function foreign(url) {
  const page = origin();
  if (!page || new URL(url, page).origin === page) return "";
  return `; to RavenDB this page is one of another origin (${page}), which it refuses: reach it through a path of the page's own`;
}
