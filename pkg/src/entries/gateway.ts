// The gateway as a Worker: reads a request, lets the core decide, sends what the core writes to RavenDB, and responds.

import { Gateway, initSync } from "../../gen/edge_gateway.js";
import wasm from "../../gen/edge_gateway_bg.wasm";
import { responseOf, unless, whole } from "../gateway/bodies.js";
import {
  areNamesWithinRate,
  askAuthorize,
  claimsOf,
  isWithinRate,
  nameOf,
  type Permitted,
} from "../gateway/callers.js";
import { isLive, respondLive } from "../gateway/live.js";
import { checked, plain, reached, secrets } from "../gateway/options.js";
import type { GatewayContext, GatewayHandler, GatewayOptions, Operation } from "../gateway/options-types.js";
import { type Exchange, misconfigured, noteRefusal } from "../gateway/report.js";
import { etagsIn, type SharedRead, SharedReads } from "../gateway/shared-reads.js";
import {
  type Conversation,
  compared,
  piecesOf,
  readCommands,
  readRest,
  streamed,
  UNCHANGED,
  uploaded,
} from "../gateway/streamed.js";
import { REQUEST_ID, type RequestLine, requestIdOf, requestLine } from "../logging/request-line.js";

initSync({ module: wasm });

export { type DatabaseEnv, fromEnv } from "../gateway/options.js";
export type * from "../gateway/options-types.js";
export type * from "../logging/request-line.js";

/** Where the Worker's own handler does not pass the platform's context on. */
const NO_CONTEXT: GatewayContext = { waitUntil() {} };

/** The request to RavenDB, as the core writes it. */
interface Sent {
  method: string;
  url: string;
  headers: [string, string][];
}

/** The default export: a type, because a CommonJS declaration has no default that an ES module can import. */
export type MakeGateway = <Env = unknown>(options: GatewayOptions<Env>) => GatewayHandler<Env>;

/** Makes the Worker. A configuration that makes no sense throws at once, with the name of the field. */
export default function gateway<Env = unknown>(options: GatewayOptions<Env>): GatewayHandler<Env> {
  // Functions and secrets are not passed to the core.
  const { upstream, secret, authorize: _, rateLimit, live, log, ...config } = checked(options);
  const core = new Gateway(JSON.stringify(config, plain));
  const shared = new SharedReads();
  // Values that do not depend on the environment are checked when the Worker starts.
  if (typeof upstream === "string") reached(upstream);
  if (typeof secret === "string" || Array.isArray(secret)) secrets(secret);

  return {
    fetch(request, env, context = NO_CONTEXT) {
      const line = requestLine("gateway", requestIdOf(request.headers), env, context, log, request);
      const response =
        live && isLive(request)
          ? respondLive(
              { core, options, counted, permitted, reached: reachedBy },
              request,
              env,
              context,
              line,
            )
          : respond(request, env, context, line);
      // If the caller disconnects, the platform would never resume this, and the ruling would stay in the core's memory.
      context.waitUntil(response.catch((error) => line.note(error, "failed")));
      return response;
    },
  };

  async function respond(
    request: Request,
    env: Env,
    context: GatewayContext,
    line: RequestLine,
  ): Promise<Response> {
    const ruling = core.rule(request.method, request.url, [...request.headers].flat());
    const exchange: Exchange<Env> = { ruling, request, env, context, line };
    let body: ReadableStream<Uint8Array> | undefined;
    try {
      if (ruling.isOpen) body = await run(exchange);
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
