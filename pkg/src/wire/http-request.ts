// What the package does for the core: one attempt of a request with its time limit, events of the app, errors of our class.

import { REPLY_LATE, REPLY_PROCEED, REPLY_UNREACHABLE, REPLY_UNSENT } from "../../gen/protocol.js";
import { RavenEdgeError } from "../common/error.js";
import { decoder, encoder } from "../common/text-codec.js";
import { within } from "../common/timeout.js";
import type * as page from "../device/page-requests.js";
import { callApp } from "../numbers/number-source.js";
import type { EnterTask, Reply } from "../runtime/core.js";
import { assertSendable, type SendRequest } from "../store/options.js";
import type { Cache, KeptBytes } from "./response-cache.js";
import { errorOf } from "./server-error.js";

const NOTHING = new Uint8Array();
/** Codes by which Node says that nobody was there to connect to, so nothing was sent. Browsers do not tell. */
const REFUSED = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/;
/** Routes of responses that may have no end. */
const STREAM = /\/databases\/[^/]+\/streams\//;

/** The body of a stream, which its reader takes piece by piece. */
export interface StreamedBody {
  stream: ReadableStream<Uint8Array>;
  /** Ends the request. */
  abort(): void;
}

/** What a store gives. */
export interface HostStore {
  readonly database: string;
  /** The paths that are calls of the app (its own source of numbers), with the functions. */
  readonly own?: Record<string, (given: never) => unknown> | undefined;
  /** Headers that the app adds to each request. */
  readonly headers?: (() => HeadersInit | undefined) | undefined;
  /** Is called in place of the platform's `fetch`. */
  readonly fetch?: SendRequest | undefined;
  /** The app's own `fetch`, if there is one. */
  readonly ownFetch?: unknown;
  /** Whether the platform is workerd or its like. */
  readonly isolated: boolean;
  /** Whether the store wants to know the nodes of the server. */
  readonly topology: boolean;
  readonly cache?: Cache | undefined;
  /** The configuration that the server has for its clients. */
  readonly settings?: { readonly etag: number; refresh(): void } | undefined;
  /** The page that sends the requests, where one does. */
  readonly page?: typeof page | undefined;
  emit(event: string, detail: object): void;
  /** The server has a newer topology. */
  refresh(): void;
  /** A response names an incarnation of the database that the last one did not. */
  heard(incarnation: string): void;
  /** Makes a move of the parked numbers; `decide` asks the task what to do with the record. */
  move(
    tag: string,
    strict: boolean,
    incarnation: string | undefined,
    decide: (...record: unknown[]) => unknown,
  ): Promise<Reply>;
  /** The addresses of the nodes, and the number of that topology. */
  nodes(etag: number, urls: string[]): void;
}

/** What `fetch` throws: Node says "fetch failed" and keeps the reason in the cause. */
interface FetchError {
  message?: string;
  cause?: { message?: string; code?: string };
}

export class Host {
  #store: HostStore;
  #refreshed: boolean;
  /** Of the database, as the latest response names it. */
  #incarnation: string | undefined;
  /** Whether the page is going away: requests have to outlive it. */
  #parting = false;

  constructor(store: HostStore) {
    this.#store = store;
    this.#refreshed = !store.topology;
  }

  /** Calls `begin`; the requests that it begins outlive the page. */
  whileParting(begin: () => unknown): void {
    this.#parting = true;
    begin();
    this.#parting = false;
  }

  /** Microseconds. */
  now(): number {
    return performance.now() * 1_000;
  }

  random(): number {
    return Math.floor(Math.random() * 2 ** 53);
  }

  /** One attempt of a request, given up after `limit` milliseconds. */
  async send(
    method: string,
    url: string,
    body: string | Uint8Array | undefined,
    ifMatch: string | undefined,
    topologyEtag: number,
    limit: number,
  ): Promise<Reply> {
    const { own, headers: given, isolated, cache, settings, page, ownFetch, ...store } = this.#store;
    const call = own?.[url];
    // Nobody waits for the response.
    if (this.#parting && !call && !given && !store.fetch && page?.beacon(url, body)) return Promise.reject();
    const controller = new AbortController();
    const request = { url, method, database: store.database };
    const key = cache?.key(method, url, body as string | undefined);
    let sent = false;
    const answer = async (known?: {
      etag: string;
      bytes: KeptBytes;
      incarnation: string | undefined;
    }): Promise<Reply> => {
      // Another `fetch` may send what the platform's does not.
      if (!store.fetch) assertSendable(url);
      const headers = new Headers(given?.());
      if (body) headers.set("Content-Type", "application/json");
      // workerd drops an empty header; in quotes it means the same: "must not exist".
      if (ifMatch !== undefined) headers.set("If-Match", `"${ifMatch}"`);
      // Without it the server ignores the change vectors of a cluster-wide transaction, which is known by its id.
      if (url.includes("raft-request-id=")) headers.set("Raven-Client-Version", "7.2.7.0");
      if (topologyEtag >= 0) headers.set("Topology-Etag", `"${topologyEtag}"`);
      if (settings) headers.set("Client-Configuration-Etag", `"${settings.etag}"`);
      if (known) headers.set("If-None-Match", `"${known.etag}"`);
      const init: RequestInit & { headers: Headers } = {
        method,
        headers,
        body: body as BodyInit,
        signal: controller.signal,
      };
      // A lease changes the server although part of it is a GET; Workers know no cache mode.
      if (!isolated) init.cache = "no-store";
      if (this.#parting) init.keepalive = true;
      const under = this.#incarnation;
      store.emit("beforeRequest", { ...request });
      sent = true;
      const response = await (store.fetch ?? fetch)(url, init);
      const bytes = await contents(method, url, response, controller);
      // The first response of a database that is just being loaded does not say that there is a topology.
      if (response.headers.has("Refresh-Topology") || !this.#refreshed) store.refresh();
      this.#refreshed = true;
      if (response.headers.has("Refresh-Client-Configuration")) settings?.refresh();
      const incarnation = response.headers.get("Database-Cluster-Tx-Id") ?? undefined;
      // A response that was on its way while another one named a new incarnation may be of the old one.
      if (incarnation && under === this.#incarnation && under !== incarnation) {
        this.#incarnation = incarnation;
        store.heard(incarnation);
      }
      // Smaller numbers mean something else to a task; an opaque response has status 0.
      if (response.status < 200) throw new Error(`an answer with status ${response.status}`);
      if (response.ok || response.status === 304) store.emit("succeedRequest", { ...request, response });
      if (known && response.status === 304) {
        // Another database, in which the same change vector may stand for something else.
        return incarnation === known.incarnation ? replyOf(200, known.bytes, incarnation) : answer();
      }
      // A stream has no bytes to keep.
      const etag = key && response.status === 200 && !("stream" in bytes) && response.headers.get("ETag");
      if (etag) cache?.keep(key, etag, bytes as Uint8Array, incarnation);
      return replyOf(response.status, bytes, incarnation);
    };
    try {
      const answered = call
        ? callApp(call, body as Uint8Array)
        : answer(key === undefined ? undefined : cache?.find(key, this.#incarnation));
      const result = await within(limit, answered as Promise<Reply>);
      if (result) return result;
      // The app's own `fetch` may ignore the signal.
      controller.abort();
      if (!call)
        store.emit("failedRequest", {
          ...request,
          error: new RavenEdgeError("Timeout", `no answer within ${limit} ms`),
        });
      return [REPLY_LATE, NOTHING];
    } catch (thrown) {
      const error = thrown as FetchError | undefined;
      if (call) return [REPLY_UNREACHABLE, NOTHING, `the source failed: ${error?.message ?? error}`];
      const reason = error?.cause?.message || error?.cause?.code;
      store.emit("failedRequest", { ...request, error });
      const text = `the server ${nodeOf(url)} cannot be reached: ${error?.message ?? error}${reason ? `: ${reason}` : ""}`;
      // The app's own `fetch` may have sent it before, and fail with the reason of its second attempt.
      const arrived = sent && (ownFetch || !REFUSED.test(error?.cause?.code ?? ""));
      return [
        arrived ? REPLY_UNREACHABLE : REPLY_UNSENT,
        NOTHING,
        text + ((sent && page?.foreign(url)) || ""),
      ];
    }
  }

  /** What moves numbers between memory and the pool, given a way to ask the task what to do with the record. */
  move(tag: string, strict: boolean): (enter: EnterTask) => Promise<Reply> {
    return (enter) =>
      this.#store.move(tag, strict, this.#incarnation, (...record) => enter("decide", record));
  }

  pause(millis: number): Promise<Reply> {
    return new Promise((resolve) => setTimeout(resolve, millis, [REPLY_PROCEED, NOTHING]));
  }

  /** Takes a topology: members first, and from a page only nodes of its own origin. */
  topology(answer: Uint8Array): void {
    const text = decoder.decode(answer);
    // Not while Rust is on the stack, which a response that is no topology would unwind.
    queueMicrotask(() => {
      try {
        const { Etag, Nodes } = JSON.parse(text) as {
          Etag: number;
          Nodes: { Url: string | null; ServerRole: string }[];
        };
        const { page } = this.#store;
        // A node that is just being added has no address yet.
        const reachable = Nodes.filter(({ Url }) => Url && !page?.foreign(new URL(Url).href));
        reachable.sort((a, b) => +(b.ServerRole === "Member") - +(a.ServerRole === "Member"));
        this.#store.nodes(
          Etag,
          reachable.map(({ Url }) => Url as string),
        );
      } catch {
        // The addresses in use stay as they are.
      }
    });
  }

  leased(tag: string, low: number, high: number, nodeTag: string, fenced: boolean): void {
    this.#store.emit("lease", { tag, low, high, nodeTag, fenced });
  }

  returned(tag: string, low: number, high: number, applied: boolean, error?: RavenEdgeError): void {
    this.#store.emit("return", { tag, low, high, applied, error });
  }

  regression(tag: string, low: number, high: number, highest: number): void {
    this.#store.emit("regression", { tag, low, high, highest });
  }

  error(...given: Parameters<typeof errorOf>): RavenEdgeError {
    return errorOf(...given);
  }
}

/** The reply to a task; the body of a stream goes to its reader, not to the core. */
function replyOf(status: number, body: Uint8Array | StreamedBody, incarnation: string | undefined): Reply {
  return [status, body as Uint8Array, incarnation as string];
}

/** The bytes of a response, or the stream of them. */
async function contents(
  method: string,
  url: string,
  response: Response,
  controller: AbortController,
): Promise<Uint8Array | StreamedBody> {
  // The response to a HEAD says all in a header.
  if (method === "HEAD") return encoder.encode(response.headers.get("ETag") ?? "");
  // Last the body: asking for it makes a stream, which nobody might read.
  if (response.status === 200 && STREAM.test(url) && response.body)
    return { stream: response.body, abort: () => controller.abort() };
  return new Uint8Array(await response.arrayBuffer());
}

/** The address of a node, as the app gave it. */
function nodeOf(url: string): string {
  return url.replace(/\/(databases\/|topology\?).*$/s, "");
}
