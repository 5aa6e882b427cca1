// The requests that begin a page's connection for changes: the ticket and the upgrade. `live-connection.ts` then passes messages.

import type { Gateway, LiveWatches, Ruling } from "../../gen/edge_gateway.js";
import { within } from "../common/timeout.js";
import { askAuthorize, claimsOf, type Permitted } from "./identity.js";
import { LiveConnection, type WorkerSocket } from "./live-connection.js";
import type { GatewayContext, GatewayOptions, Operation } from "./options.js";
import { isWithinRate } from "./rates.js";
import { log, misconfigured } from "./report.js";
import { responseOf } from "./response.js";

/** What Workers have and the types of pages lack. */
interface WorkerGlobal {
  WebSocketPair: new () => { 0: WorkerSocket; 1: WorkerSocket };
}
type Upgraded = Response & { webSocket?: WorkerSocket | null };

/** What a connection needs of the gateway. */
export interface LiveParts<Env> {
  core: Gateway;
  options: GatewayOptions<Env>;
  counted(ruling: Ruling, ask: () => Promise<boolean | undefined>): Promise<boolean>;
  permitted(
    ruling: Ruling,
    operations: Operation[],
    request: Request,
    env: Env,
    context: GatewayContext,
  ): Promise<Permitted | undefined>;
  /** RavenDB's address, what sends requests to it, and the secrets; throws if one is invalid. */
  reached(env: Env): { url: string; send: (request: Request) => Promise<Response>; words: string[] };
}

/** Seconds until `authorize` is asked again about an open connection. */
const REAUTHORIZE = 300;

/** Whether a request begins a connection, or gets the ticket for one. */
export function isLive({ url }: Request): boolean {
  return /\/databases\/[^/]+\/changes(\/ticket)?$/.test(new URL(url).pathname);
}

export async function respondLive<Env>(
  parts: LiveParts<Env>,
  request: Request,
  env: Env,
  context: GatewayContext,
): Promise<Response> {
  const given = withTicket(parts, request, env);
  const ruling = parts.core.rule(given.method, given.url, [...given.headers].flat());
  try {
    const socket = ruling.isOpen ? await begin(parts, ruling, given, env, context) : undefined;
    if (!socket) return responseOf(ruling, request);
    const init: ResponseInit & { webSocket: WorkerSocket } = { status: 101, webSocket: socket };
    return new Response(null, init);
  } finally {
    ruling.free();
  }
}

/** The request with the headers that its ticket holds. */
function withTicket<Env>({ core, reached }: LiveParts<Env>, request: Request, env: Env): Request {
  const ticket = new URL(request.url).searchParams.get("ticket");
  if (ticket === null) return request;
  const headers = new Headers(request.headers);
  try {
    const origin = headers.get("Origin") ?? "";
    const sealed = core.openTicket(reached(env).words, origin, ticket, Date.now()) ?? [];
    for (let at = 0; at + 1 < sealed.length; at += 2)
      headers.set(sealed[at] as string, sealed[at + 1] as string);
  } catch (error) {
    log(error);
  }
  return new Request(request.url, { method: request.method, headers });
}

/** The page's end of a connection; nothing if the ruling has the response. */
async function begin<Env>(
  parts: LiveParts<Env>,
  ruling: Ruling,
  request: Request,
  env: Env,
  context: GatewayContext,
): Promise<WorkerSocket | undefined> {
  const { core, options } = parts;
  if (!(await parts.counted(ruling, () => isWithinRate(options, request, env, core.authorizeMs)))) return;
  ruling.judgeLive();
  const asked = ruling.operations();
  if (asked === undefined) return;
  const identity = await parts.permitted(ruling, JSON.parse(asked), request, env, context);
  if (identity === undefined) return;
  const { name } = claimsOf(identity, []);
  let server: WorkerSocket | undefined;
  try {
    const { url, send, words } = parts.reached(env);
    if (request.method === "POST") return ruling.sealTicket(words, Date.now()) as undefined;
    if (request.headers.get("Upgrade")?.toLowerCase() !== "websocket")
      return ruling.bind(url, words, name, undefined) as undefined;
    server = await connected(url, options.database, send, core.upstreamMs);
  } catch (error) {
    return misconfigured(ruling, error);
  }
  if (!server) {
    ruling.refuse("UpstreamUnreachable", "RavenDB cannot be reached");
    return;
  }
  const { WebSocketPair } = globalThis as object as WorkerGlobal;
  const { 0: page, 1: caller } = new WebSocketPair();
  const { reauthorize = REAUTHORIZE } = typeof options.live === "object" ? options.live : {};
  const ask = (operations: Operation[]) =>
    askAuthorize(options, core.authorizeMs, operations, request, env, context);
  const watches: LiveWatches = core.live();
  new LiveConnection(watches, caller, server, { name, ask, reauthorizeMs: reauthorize * 1_000 }).begin();
  return page;
}

async function connected(
  url: string,
  database: string,
  send: (request: Request) => Promise<Response>,
  millis: number,
): Promise<WorkerSocket | undefined> {
  const address = `${url.replace(/\/+$/, "")}/databases/${encodeURIComponent(database)}/changes`;
  try {
    const sent = send(new Request(address, { headers: { Upgrade: "websocket" } }));
    const response = (await within(millis, sent)) as Upgraded | undefined;
    if (response?.webSocket) return response.webSocket;
    log(new Error(`RavenDB opened no connection for changes: ${response ? response.status : "no response"}`));
  } catch (error) {
    log(error);
  }
  return undefined;
}
