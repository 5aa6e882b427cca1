// The gateway as a Worker: reads the request, asks the core, sends what it makes, and answers what it says.

import { Gateway, initSync, type Ruling } from "../../gen/edge_gateway.js";
import wasm from "../../gen/edge_gateway_bg.wasm";
import { within } from "../common/timeout.js";
import { checked, plain, reached, secrets } from "../gateway/checks.js";
import { claimsOf, isPermitted, type Permitted } from "../gateway/identity.js";
import type { GatewayContext, GatewayHandler, GatewayOptions, Operation } from "../gateway/options.js";

initSync({ module: wasm });

export type * from "../gateway/options.js";

/** Where the Worker's own handler does not pass the platform's context on. */
const NO_CONTEXT: GatewayContext = { waitUntil() {} };

/** The request to RavenDB, as the core writes it. */
interface Sent {
  method: string;
  url: string;
  headers: [string, string][];
}

/** Makes the Worker. A configuration that makes no sense throws at once, with the name of the field. */
export default function gateway<Env = unknown>(options: GatewayOptions<Env>): GatewayHandler<Env> {
  // What is a function, or a secret, stays out of the core's configuration.
  const { upstream, secret, authorize, rateLimit, ...config } = checked(options);
  const core = new Gateway(JSON.stringify(config, plain));
  // What is known already is checked already.
  if (typeof upstream === "string") reached(upstream);
  if (typeof secret === "string" || Array.isArray(secret)) secrets(secret);

  return {
    fetch(request, env, context = NO_CONTEXT) {
      const answer = answered(request, env, context);
      // If the caller disconnects, the platform would never resume this, and the ruling would stay in the core's memory.
      context.waitUntil(answer.catch(() => {}));
      return answer;
    },
  };

  async function answered(request: Request, env: Env, context: GatewayContext): Promise<Response> {
    const ruling = core.rule(request.method, request.url, [...request.headers].flat());
    try {
      if (ruling.isOpen) await run(ruling, request, env, context);
      const head: ResponseInit = JSON.parse(ruling.head());
      const bytes = ruling.body() as Uint8Array<ArrayBuffer>;
      // Answers of these statuses must not have a body, not even an empty one.
      const empty = bytes.length === 0 || request.method === "HEAD";
      return new Response(empty ? null : bytes, head);
    } finally {
      ruling.free();
    }
  }

  async function run(ruling: Ruling, request: Request, env: Env, context: GatewayContext): Promise<void> {
    // Before anything that costs: a flood need not be of requests that make sense.
    try {
      const isWithin = await within(core.authorizeMs, isWithinRate(rateLimit, request, env));
      if (isWithin === undefined) throw new Error("rateLimit: the limiter does not respond");
      if (!isWithin) return ruling.refuse("RateLimited", "too many requests; wait a moment");
    } catch (error) {
      return misconfigured(ruling, error);
    }
    ruling.judge(await read(request, core.bodyLimit));
    if (ruling.operations() === undefined) return;
    const identity = await permitted(ruling, request, env, context);
    if (identity === undefined) return;
    let head: string | undefined;
    let send: (request: Request) => Promise<Response>;
    try {
      const { url, fetch: own = fetch } = reached(typeof upstream === "function" ? upstream(env) : upstream);
      const words = secrets(typeof secret === "function" ? secret(env) : secret);
      const { name, claims } = claimsOf(identity, options.claims ?? []);
      head = ruling.bind(url, words, name, claims);
      send = own;
    } catch (error) {
      return misconfigured(ruling, error);
    }
    if (head === undefined) return;
    await converse(ruling, head, send, request);
    // Which documents are included the answer tells, and only that.
    if (ruling.operations() !== undefined) await permitted(ruling, request, env, context);
  }

  /** Sends the request, and what the core wants to know after that, within the time limit. */
  async function converse(
    ruling: Ruling,
    head: string,
    send: (request: Request) => Promise<Response>,
    request: Request,
  ): Promise<void> {
    const end = new AbortController();
    const timer = setTimeout(
      () => end.abort(new Error(`RavenDB did not respond within ${core.upstreamMs} ms`)),
      core.upstreamMs,
    );
    // Nobody waits for what was read for a caller that is gone. A write goes on: its caller may be a page that was closed.
    const isGone = () => end.abort(new Error("the caller is gone"));
    if (ruling.onlyReads) request.signal.addEventListener("abort", isGone);
    try {
      for (let next: string | undefined = head; next !== undefined; ) {
        const { url, ...init }: Sent = JSON.parse(next);
        const body = ruling.sentBody() ?? null;
        const sent = new Request(url, { ...init, body, redirect: "manual", signal: end.signal });
        const { status, headers, bytes } = await unless(end.signal, taken(send(sent)));
        next = ruling.receive(status, [...headers].flat(), bytes);
      }
    } catch (error) {
      log(error);
      ruling.refuse("UpstreamUnreachable", "RavenDB cannot be reached");
    } finally {
      clearTimeout(timer);
      request.signal.removeEventListener("abort", isGone);
    }
  }

  /** What `authorize` says of the caller, `true` without one; refuses and gives nothing where it does. */
  async function permitted(
    ruling: Ruling,
    request: Request,
    env: Env,
    context: GatewayContext,
  ): Promise<Permitted | undefined> {
    if (!authorize) return true;
    try {
      const operations: Operation[] = JSON.parse(ruling.operations() ?? "[]");
      const identity = await within(core.authorizeMs, authorize(request, { operations }, env, context));
      if (isPermitted(identity)) return identity;
      if (identity === undefined) log(new Error(`authorize returned nothing within ${core.authorizeMs} ms`));
      ruling.deny(identity !== null);
    } catch (error) {
      log(error);
      ruling.deny(true);
    }
    return undefined;
  }
}

/** A response that was read to its end. */
async function taken(answer: Promise<Response>) {
  const response = await answer;
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes };
}

/** The value of a promise, unless the signal comes first: an app's own `fetch` may not heed it. */
function unless<Value>(signal: AbortSignal, promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
    promise.then(resolve, reject);
  });
}

function misconfigured(ruling: Ruling, error: unknown): void {
  log(error);
  ruling.refuse("Misconfigured", "the gateway is not configured; its log says more");
}

function log(error: unknown): void {
  console.error(`raven-edge gateway: ${(error as Error | undefined)?.message ?? error}`);
}

/** At most one byte more than the limit: the core sees that it is too much. */
async function read(request: Request, limit: number): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    length += value.length;
    if (length > limit) {
      reader.cancel().catch(() => {});
      break;
    }
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

async function isWithinRate<Env>(
  rateLimit: GatewayOptions<Env>["rateLimit"],
  request: Request,
  env: Env,
): Promise<boolean> {
  if (!rateLimit) return true;
  const { limiter, key = (of: Request) => of.headers.get("CF-Connecting-IP") ?? "" } = rateLimit;
  const { success } = await limiter(env).limit({ key: key(request) });
  return success;
}
