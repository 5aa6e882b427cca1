// Requests of a page: those that outlive it, those that leave while the module is on its way, and a hint in the error of a request to another
// origin.

import { REPLY_LATE, SOURCE_SERVER } from "../../gen/protocol.js";
import { isOffline } from "../common/connection.js";
import { within } from "../common/time.js";
import type { CoreRequest } from "../core/exchange.js";
import { withoutSlash } from "../core/known-texts.js";
import { leaseWithFence } from "../core/server-source.js";
import type { ConfiguredStore } from "../numbers/configured-store.js";
import type { NumberSource } from "../numbers/number-source.js";
import type { Reply } from "../runtime/core.js";
import type { Host } from "../wire/http-request.js";
import { encoded } from "../wire/query-string.js";
import { ifAllowed } from "./if-allowed.js";

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

/**
 * A hint for the message of an error, if a request goes to another origin than the page's: the browser shows RavenDB's refusal of
 * foreign origins as a network error. Empty for the page's own origin, outside of pages, and for pages that are not of HTTP.
 */
export function foreign(url: string): string {
  const page = globalThis.location?.origin;
  if (!page?.startsWith("http") || new URL(url, page).origin === page) return "";
  return `; RavenDB refuses pages of another origin (${page}): reach it through a path of the page's own origin`;
}

// Requests that leave while the module is on its way, so that a first visit does not wait for one after the other. The core knows nothing
// of them: when it asks for the same request, the first attempt gets the reply of the early one, and the core decides what it means. Each
// reply is handed over at most once. A reply that nobody takes is a gap in the numbers: its range is burnt.

/** What the names of notes begin with. */
const NOTE = "raven-edge ";

export class EarlyRequests {
  #kind;
  #of;
  #makeHost;
  #host: Host | undefined;
  #replies = new Map<string, Promise<Reply>>();

  /** `source`: where the numbers come from; `of`: the store; `makeHost`: makes a host that no core uses. */
  constructor({ kind }: NumberSource, of: ConfiguredStore, makeHost: () => Host) {
    this.#kind = kind;
    this.#of = of;
    this.#makeHost = makeHost;
  }

  /**
   * Sends the first lease of a tag, unless the device may have numbers of it. `record`: the key of its record. RavenDB leases other tags
   * than plain ones in special ways.
   */
  lease(tag: string, record: string): void {
    const { database, conventions } = this.#of;
    const isPlain = /^[\w.-]+ \w+$/.test(`${database} ${tag}`) && conventions.identityPartsSeparator === "/";
    // Also where the page may store nothing.
    const isNoted = ifAllowed(() => localStorage.getItem(NOTE + record)) !== null;
    if (isNoted || !isPlain || this.#kind !== SOURCE_SERVER) return;
    const nonce = Math.floor(Math.random() * 2 ** 53);
    const [last, proof, incarnation] = [] as undefined[];
    const ask = { tag, exact: 0, last, above: 0, proof, incarnation, nonce };
    // At once, so that a tab which opens meanwhile waits for this lease, and a device loses the numbers of one early lease at most.
    if (this.send(leaseWithFence(`/databases/${encoded(database)}/`, ask, "/"))) this.note(record);
  }

  /**
   * Notes that the device has this record, or soon will. Only a hint, for whether to lease early: the device may lose either of them
   * alone.
   */
  note(record: string): void {
    ifAllowed(() => localStorage.setItem(NOTE + record, ""));
  }

  /** Sends a request. Returns a function that drops the reply if it was not taken. */
  send({ method, path, body, early = "" }: CoreRequest): (() => void) | undefined {
    const { conventions, timeout, events } = this.#of;
    const url = this.#url;
    const key = url + early;
    // Spans are made by the task that asks for a request.
    if (isOffline() || events.tracing || this.#replies.has(key)) return undefined;
    this.#host ??= this.#makeHost();
    const etag = conventions.disableTopologyUpdates ? -1 : 0;
    this.#replies.set(key, this.#host.send(method, url + path, body, undefined, etag, timeout));
    return () => this.#replies.delete(key);
  }

  /** The address that the core tries first. */
  get #url(): string {
    return withoutSlash(this.#of.urls[0] as string);
  }

  /** Drops the lease of a tag. */
  forget(tag: string): void {
    this.#replies.delete(this.#url + tag);
  }

  /**
   * Removes and returns the reply to a request, within `limit` milliseconds from now. `responded` gets the incarnation that the response
   * names.
   */
  take(
    key: string,
    limit: number,
    responded: (incarnation: string | undefined) => void,
  ): Promise<Reply> | undefined {
    const early = this.#replies.get(key);
    this.#replies.delete(key);
    return (
      early &&
      within(limit, early).then((reply = [REPLY_LATE, new Uint8Array()]) => {
        if (reply[0] >= 200) responded(reply[2]);
        return reply;
      })
    );
  }

  /** Drops all replies. */
  clear(): void {
    this.#replies.clear();
  }
}
