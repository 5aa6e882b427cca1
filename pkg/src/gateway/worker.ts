// The gateway as a Worker: reads a request, lets the core decide, sends what the core writes to RavenDB, and responds.

import type { Gateway } from "../../gen/edge_gateway.js";
import { REQUEST_ID, type RequestLine, requestIdOf, requestLine } from "../logging/request-line.js";
import { responseOf, unless, whole } from "./bodies.js";
import {
  areNamesWithinRate,
  askAuthorize,
  claimsOf,
  isWithinRate,
  nameOf,
  type Permitted,
} from "./callers.js";
import type { LiveParts } from "./live.js";
import { checked, plain, reached, secrets } from "./options.js";
import type { GatewayContext, GatewayHandler, GatewayOptions, Operation } from "./options-types.js";
import { type Exchange, misconfigured, noteRefusal } from "./report.js";
import { etagsIn, type SharedRead, SharedReads } from "./shared-reads.js";
import {
  type Conversation,
  compared,
  piecesOf,
  readCommands,
  readRest,
  streamed,
  UNCHANGED,
  uploaded,
} from "./streamed.js";

/** Where the Worker's own handler does not pass the platform's context on. */
const NO_CONTEXT: GatewayContext = { waitUntil() {} };

/** The request to RavenDB, as the core writes it. */
interface Sent {
  method: string;
  url: string;
  headers: [string, string][];
}

/** What answers requests about changes; only `raven-edge/gateway-live` has it. */
export interface Live<Core extends Gateway> {
  isLive(request: Request): boolean;
  withTicket<Env>(parts: LiveParts<Env, Core>, request: Request, env: Env, line: RequestLine): Request;
  begin<Env>(parts: LiveParts<Env, Core>, exchange: Exchange<Env>): Promise<Response | undefined>;
}

/** Makes the Worker on a module's core. */
export function workerOf<Env, Core extends Gateway>(
  options: GatewayOptions<Env>,
  coreOf: (config: string) => Core,
  connections?: Live<Core>,
): GatewayHandler<Env> {
  // Functions and secrets are not passed to the core.
  const { upstream, secret, authorize: _, rateLimit, live, log, ...config } = checked(options);
  if (live && !connections) throw new TypeError('live: import the gateway from "raven-edge/gateway-live"');
  const core = coreOf(JSON.stringify(config, plain));
  const parts: LiveParts<Env, Core> = { core, options, counted, permitted, reached: reachedBy };
  const shared = new SharedReads();
  // Values that do not depend on the environment are checked when the Worker starts.
  if (typeof upstream === "string") reached(upstream);
  if (typeof secret === "string" || Array.isArray(secret)) secrets(secret);

  return {
    fetch(request, env, context = NO_CONTEXT) {
      const line = requestLine("gateway", requestIdOf(request.headers), env, context, log, request);
      const response = respond(request, env, context, line);
      // If the caller disconnects, the platform would never resume this, and the ruling would stay in the core's memory.
      context.waitUntil(response.catch((error) => line.note(error, "failed")));
      return response;
    },
  };

  async function respond(
    given: Request,
    env: Env,
    context: GatewayContext,
    line: RequestLine,
  ): Promise<Response> {
    const changes = live && connections?.isLive(given) ? connections : undefined;
    const request = changes?.withTicket(parts, given, env, line) ?? given;
    const ruling = core.rule(request.method, request.url, [...request.headers].flat());
    const exchange: Exchange<Env> = { ruling, request, env, context, line };
    let body: ReadableStream<Uint8Array> | undefined;
    try {
      if (ruling.isOpen && changes) {
        const begun = await changes.begin(parts, exchange);
        if (begun) return begun;
      } else if (ruling.isOpen) body = await run(exchange);
      if (ruling.isRefused && exchange.pieces) await readRest(exchange.pieces);
      return responseOf(exchange, body);
    } finally {
      // A stream frees it at its end.
      if (body === undefined) ruling.free();
    }
  }

  /** Decides about a request and sends it; returns the body of a stream. */
  async function run(exchange: Exchange<Env>): Promise<ReadableStream<Uint8Array> | undefined> {
    const { ruling, request, env } = exchange;
    // Counted before any expensive work: a flood may consist of invalid requests.
    if (!(await counted(exchange, () => isWithinRate(options, exchange, core.authorizeMs)))) return;
    if (ruling.isUpload) {
      exchange.pieces = await readCommands(ruling, request.body);
      if (exchange.pieces === undefined) return;
      ruling.judge(new Uint8Array());
    } else {
      const body = await whole(request.body, core.bodyLimit);
      if (body === undefined) {
        ruling.refuse("LimitExceeded", `the body has more than ${core.bodyLimit} bytes`);
        return;
      }
      ruling.judge(body);
    }
    const asked = ruling.operations();
    if (asked === undefined) return;
    const operations: Operation[] = JSON.parse(asked);
    const identity = await permitted(exchange, operations);
    if (identity === undefined) return;
    const name = nameOf(identity);
    const named = () => areNamesWithinRate(options, exchange, operations, name, core.authorizeMs);
    if (!(await counted(exchange, named))) return;
    let head: string | undefined;
    let send: (request: Request) => Promise<Response>;
    try {
      const { url, words, send: own } = reachedBy(env);
      head = ruling.bind(url, words, name, claimsOf(identity, options.claims));
      send = own;
    } catch (error) {
      return misconfigured(exchange, error);
    }
    if (head === undefined) return;
    const stream = await converse(exchange, head, send);
    if (stream !== undefined) return stream;
    // Only the response says which documents are included.
    const included = ruling.operations();
    if (included !== undefined) await permitted(exchange, JSON.parse(included));
  }

  /** What the environment determines; throws if it is invalid. */
  function reachedBy(env: Env) {
    const { url, fetch: send = fetch } = reached(typeof upstream === "function" ? upstream(env) : upstream);
    return { url, send, words: secrets(typeof secret === "function" ? secret(env) : secret) };
  }

  /** Sends the request, and what the core wants to know after that, within the time limit; returns the body of a stream. */
  async function converse(
    exchange: Exchange<Env>,
    head: string,
    send: (request: Request) => Promise<Response>,
  ): Promise<ReadableStream<Uint8Array> | undefined> {
    const { ruling, request, line, pieces } = exchange;
    const end = new AbortController();
    const late = () => end.abort(new Error(`RavenDB did not respond within ${core.upstreamMs} ms`));
    let timer = setTimeout(late, core.upstreamMs);
    const conversation: Conversation = {
      signal: end.signal,
      millis: core.upstreamMs,
      abort: (reason) => end.abort(reason),
      progress() {
        clearTimeout(timer);
        timer = setTimeout(late, core.upstreamMs);
      },
      close() {
        clearTimeout(timer);
        request.signal.removeEventListener("abort", isGone);
      },
    };
    // If the caller disconnects, reads are aborted. A write continues: its caller may be a page that was closed.
    const isGone = () => end.abort(new Error("the caller is gone"));
    if (ruling.onlyReads) request.signal.addEventListener("abort", isGone);
    const turn = ruling.onlyReads ? shared.orderOf(request.url) : 0;
    let etags = "";
    let read: SharedRead | undefined;
    try {
      for (let next: string | undefined = head; next !== undefined; ) {
        const { url, ...init }: Sent = JSON.parse(next);
        init.headers.push([REQUEST_ID, line.id]);
        const contents = ruling.sendsContents ? pieces : undefined;
        const body = contents ? uploaded(ruling, contents, conversation) : (ruling.sentBody() ?? null);
        if (turn) {
          // What was read under the same ETags is as new.
          const key = `${url}\n${body}\n${etags}`;
          read = await unless(end.signal, shared.find(key, etags === "" ? turn : 0, end.signal));
          const { pieces, headers } = read;
          if (pieces) {
            if (ruling.isComparison) {
              ruling.beginComparison(headers);
              await compared(ruling, pieces, conversation);
              break;
            }
            const [bytes] = pieces as [Uint8Array];
            etags = etagsIn(bytes, headers);
            next = ruling.receive(200, headers, bytes);
            continue;
          }
        }
        const more = {
          body,
          redirect: "manual",
          signal: end.signal,
          ...(contents && { duplex: "half" }),
        } as const;
        const response = await unless(end.signal, send(new Request(url, { ...init, ...more })));
        const { status } = response;
        const headers = [...response.headers].flat();
        if (ruling.isStream && status === 200 && response.body) {
          ruling.beginStream(headers);
          return streamed(exchange, response.body, conversation);
        }
        if (ruling.isComparison && status === 200 && response.body) {
          ruling.beginComparison(headers);
          const pieces = await compared(ruling, piecesOf(response.body, conversation), conversation);
          if (read) shared.ended(read, headers, pieces);
          break;
        }
        if (ruling.isContent && ruling.beginContent(status, headers)) {
          if (response.body && request.method === "GET")
            return streamed(exchange, response.body, conversation, UNCHANGED);
          response.body?.cancel().catch(() => {});
          break;
        }
        const bytes = await unless(end.signal, whole(response.body, core.responseLimit));
        if (bytes === undefined) {
          end.abort();
          ruling.refuse("LimitExceeded", `RavenDB's response has more than ${core.responseLimit} bytes`);
          break;
        }
        noteRefusal(line, status, bytes);
        if (read) {
          shared.ended(read, headers, status === 200 ? [bytes] : undefined);
          etags = etagsIn(bytes, headers);
        }
        next = ruling.receive(status, headers, bytes);
      }
    } catch (error) {
      // If the core has refused the contents, it has cut the request itself.
      if (!ruling.isRefused) {
        line.note(error);
        ruling.refuse("UpstreamUnreachable", "RavenDB cannot be reached");
      }
    }
    // It has failed, if it was not shared before.
    if (read && !read.pieces) shared.ended(read);
    conversation.close();
    return undefined;
  }

  /** Asks a rate limiter; refuses the request if it does. */
  async function counted(exchange: Exchange<Env>, ask: () => Promise<boolean | undefined>): Promise<boolean> {
    try {
      const isWithin = await ask();
      if (isWithin === undefined) throw new Error("rateLimit: the limiter does not respond");
      if (!isWithin) exchange.ruling.refuse("RateLimited", "too many requests; wait a moment");
      return isWithin;
    } catch (error) {
      misconfigured(exchange, error);
      return false;
    }
  }

  /** What `authorize` says of the caller, `true` without one; refuses and gives nothing where it does. */
  async function permitted(exchange: Exchange<Env>, operations: Operation[]): Promise<Permitted | undefined> {
    const identity = await askAuthorize(options, core.authorizeMs, operations, exchange);
    if (identity) return identity;
    exchange.ruling.deny(identity === false);
    return undefined;
  }
}
