// The host that the core calls: sends one attempt of a request within its time limit, emits events, makes errors.

import { REPLY_LATE, REPLY_PROCEED, REPLY_UNREACHABLE } from "../../gen/protocol.js";
import { RavenEdgeError } from "../common/error.js";
import { encoder } from "../common/text-codec.js";
import { within } from "../common/time.js";
import type { CoreHost } from "../core/core-store.js";
import type { KnownTexts } from "../core/known-texts.js";
import type { Parking } from "../device/page-events-and-tabs.js";
import type { ConfiguredStore } from "../numbers/configured-store.js";
import { callApp } from "../numbers/number-source.js";
import type { EnterTask, Reply } from "../runtime/core.js";
import { addressOf } from "../store/check-options.js";
import type { TracedRequests } from "../tracing/trace-types.js";
import { headersOf, versionIn } from "./headers.js";
import type { KeptResponse } from "./response-cache.js";
import { type FetchError, nodeOf, unreached, unsendable } from "./server-error.js";
import type { SendRequest, Transport } from "./transport.js";

const NOTHING = new Uint8Array();
/** Routes whose responses are streams of any length. */
const STREAM = /\/databases\/[^/]+\/streams\//;

/** The body of a stream, which is read piece by piece. */
export interface StreamedBody {
  stream: ReadableStream<Uint8Array>;
  /** Ends the request. */
  abort(): void;
}

export interface HostCalls {
  /** Functions of the app (its own source of numbers), by the paths under which the core calls them. */
  readonly own: Record<string, (given: never) => unknown> | undefined;
  /** Called instead of the platform's `fetch`. */
  readonly fetch: SendRequest | undefined;
  /** The store on its device, and functions that only pages need. */
  readonly parking: Parking | undefined;
  /** The server has a newer topology. */
  refresh(): void;
  /** A response named another incarnation of the database than the one before; `incarnation`: what is known now. */
  incarnationChanged(incarnation: string, named: string): void;
  /** Sets the addresses of the nodes; `etag`: the number of this topology. */
  nodes(etag: number, urls: string[]): void;
}

export class Host implements CoreHost {
  #store;
  #calls;
  #refreshed: boolean;
  /** The incarnation of the database in the latest response; if two of them may be the latest, both texts in one. */
  #incarnation: string | undefined;
  /** How often the incarnation has changed. */
  #incarnations = 0;

  constructor(store: ConfiguredStore, calls: HostCalls) {
    this.#store = store;
    this.#calls = calls;
    this.#refreshed = store.conventions.disableTopologyUpdates;
  }

  async send(
    method: string,
    url: string,
    body: string | Uint8Array | Transport | undefined,
    ifMatch: string | undefined,
    topologyEtag: number,
    limit: number,
  ): Promise<Reply> {
    const store = this.#store;
    const { database, options, cache, settings } = store;
    const { isolated, isUncached } = store.runtime;
    const { own, fetch: chosen, parking } = this.#calls;
    const page = parking?.page;
    const call = own?.[url];
    // Begins spans of what is asked for now.
    const trace = store.events.tracer?.requests(store);
    // The page is closing, so no code waits for the response.
    if (page?.isParting && !call && !options.headers && !chosen && page.beacon(url, body as string))
      return Promise.reject();
    const controller = new AbortController();
    const request = { url, method, database };
    const key = isUncached ? undefined : cache?.key(method, url, body as string | undefined);
    const transport = body as Partial<Transport> | undefined;
    let sent = false;
    let headers: Headers | undefined;
    let span: ReturnType<TracedRequests> | undefined;
    const failed = (error: unknown) => {
      span?.end(error);
      store.emitLater("failedRequest", { ...request, error });
    };
    const attempt = async (known?: KeptResponse): Promise<Reply> => {
      // The app's `fetch` may send requests that the platform's `fetch` refuses. If this or the headers fail, there are no headers.
      if (!chosen) addressOf(nodeOf(url));
      headers = headersOf(options.headers, ifMatch);
      if (!chosen) store.runtime.assertSendable?.(url);
      if (body) headers.set("Content-Type", "application/json");
      // Without this header the server ignores the change vectors of a cluster-wide transaction (the only request with this id).
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
      if (page?.isParting) init.keepalive = true;
      const under = this.#incarnations;
      store.emitLater("beforeRequest", { ...request });
      span = trace?.(request, headers);
      sent = true;
      const send = chosen ?? fetch;
      const response = await (transport?.send?.(send, url, init, limit, !!page, isolated) ?? send(url, init));
      const bytes = await contents(method, url, response, controller);
      if (response.headers.has("Refresh-Client-Configuration")) settings?.refresh();
      const incarnation = response.headers.get("Database-Cluster-Tx-Id") ?? undefined;
      this.#responded(incarnation, under, response.headers.has("Refresh-Topology"));
      // For a task, numbers below 200 have other meanings (`REPLY_…`). An opaque response has status 0.
      if (response.status < 200) throw new Error(`a response with status ${response.status}`);
      span?.end(response.status);
      if (response.ok || response.status === 304) store.emitLater("succeedRequest", { ...request, response });
      if (known && response.status === 304) {
        // In another incarnation the same change vector may mean another version.
        return incarnation === known.incarnation ? [200, known.bytes, incarnation] : attempt();
      }
      // Streams are not cached.
      const etag = key && response.status === 200 && !("stream" in bytes) && versionIn(response.headers);
      if (etag) cache?.keep(key, etag, bytes as Uint8Array, incarnation);
      // The body of a stream is passed on to its reader by `run`.
      return [response.status, bytes as Uint8Array, incarnation];
    };
    try {
      const reply = call
        ? callApp(call, body as string)
        : attempt(key === undefined ? undefined : cache?.find(key, this.#incarnation));
      const result = await within(transport?.limit ?? limit, reply as Promise<Reply>);
      if (result) return result;
      // The app's own `fetch` may ignore the signal.
      controller.abort();
      if (!call) failed(new RavenEdgeError("Timeout", `no response within ${limit} ms`));
      return [REPLY_LATE, NOTHING];
    } catch (thrown) {
      const error = thrown as FetchError | undefined;
      if (call) return [REPLY_UNREACHABLE, NOTHING, `the source failed: ${error?.message ?? error}`, error];
      failed(error);
      if (!headers) return unsendable(error);
      return unreached(error, url, sent, !!options.fetch, (sent && page?.foreign(url)) || "");
    }
  }

  takeEarly(key: string, limit: number): Promise<Reply> | undefined {
    // It was sent before this host got its first response.
    return this.#calls.parking?.early.take(key, limit, (incarnation) => this.#responded(incarnation, 0));
  }

  /** A response has arrived; `under`: how often the incarnation had changed when its request was sent. */
  #responded(incarnation: string | undefined, under: number, refreshes = false): void {
    // The topology is read once without a hint: the first response of a database that is being loaded has no `Refresh-Topology`.
    if (refreshes || !this.#refreshed) this.#calls.refresh();
    this.#refreshed = true;
    // If another response has changed it since the request was sent, nobody knows which one is current: the numbers of neither are
    // used until a later response tells.
    const isLatest = under === this.#incarnations;
    const before = this.#incarnation;
    if (incarnation && before !== incarnation && (isLatest || !before?.includes(incarnation))) {
      this.#incarnations++;
      this.#incarnation = isLatest ? incarnation : before + incarnation;
      this.#calls.incarnationChanged(this.#incarnation, incarnation);
    }
  }

  move(texts: KnownTexts, tag: number, strict: boolean): (enter: EnterTask) => Promise<Reply> {
    const parking = this.#calls.parking as Parking;
    return (enter) =>
      parking.move(
        texts,
        tag,
        strict,
        this.#incarnation,
        (stored, record) => enter((task) => task.decide(stored, record)) as ArrayLike<number>,
      );
  }

  pause(millis: number): Promise<Reply> {
    return new Promise((resolve) => setTimeout(resolve, millis, [REPLY_PROCEED, NOTHING]));
  }

  /** Reads a topology and sets the nodes: members first; in a page only nodes of its own origin. */
  topology(text: string): void {
    try {
      const { Etag, Nodes } = JSON.parse(text) as {
        Etag: number;
        Nodes: { Url: string | null; ServerRole: string }[];
      };
      const { parking, nodes } = this.#calls;
      // A node that is just being added has no address yet.
      const reachable = Nodes.filter(({ Url }) => Url && !parking?.page.foreign(new URL(Url).href));
      reachable.sort((a, b) => +(b.ServerRole === "Member") - +(a.ServerRole === "Member"));
      nodes(
        Etag,
        reachable.map(({ Url }) => Url as string),
      );
    } catch {
      // Invalid: the addresses in use are kept.
    }
  }

  emit(event: string, detail: object): void {
    this.#store.emitLater(event, detail);
  }
}

async function contents(
  method: string,
  url: string,
  response: Response,
  controller: AbortController,
): Promise<Uint8Array | StreamedBody> {
  // The result of a HEAD is a header.
  if (method === "HEAD") return encoder.encode(versionIn(response.headers) ?? "");
  // `body` is read last: the getter makes a stream, which would not be read.
  if (response.status === 200 && STREAM.test(url) && response.body)
    return { stream: response.body, abort: () => controller.abort() };
  return new Uint8Array(await response.arrayBuffer());
}
