// The two ends of a page's connection for changes. The core decides what passes.

import type { Gateway, LiveWatches, Ruling } from "../../gen/edge_gateway_live.js";
import { within } from "../common/time.js";
import {
  asksForUpgrade,
  quietly,
  socketOf,
  socketPair,
  upgraded,
  upgradeRequest,
  type WorkerSocket,
} from "../common/worker-sockets.js";
import type { RequestLine } from "../logging/request-line.js";
import { askAuthorize, isWithinRate, nameOf, type Permitted } from "./callers.js";
import type { GatewayOptions, Operation } from "./options-types.js";
import { type Exchange, misconfigured } from "./report.js";

/** Maximum commands of a page that wait for `authorize`. */
const MOST_WAITING = 256;

/** Codes of RFC 6455. */
const UNSUPPORTED = 1003;
const POLICY = 1008;
const FAILURE = 1011;

interface Rights {
  /** The caller's name when the connection began. */
  name: string | undefined;
  /** Asks `authorize`; `null` or `false` if it does not permit all. */
  ask(operations: Operation[]): Promise<Permitted | null | false>;
  /** Milliseconds until it is asked again about all watches. */
  reauthorizeMs: number;
}

/** Connects a page with RavenDB. */
function connect(watches: LiveWatches, caller: WorkerSocket, server: WorkerSocket, rights: Rights): void {
  /** The commands, one after the other. */
  let commands: Promise<void> = Promise.resolve();
  let waiting = 0;
  let due = Date.now() + rights.reauthorizeMs;
  let isOver = false;

  const gone = () => end(FAILURE, "the connection to RavenDB was lost");
  for (const [socket, received] of [
    [caller, command],
    [server, forward],
  ] as const) {
    socket.accept();
    socket.addEventListener("message", ({ data }) => received(data));
    for (const type of ["close", "error"] as const) socket.addEventListener(type, gone);
  }

  function command(data: unknown): void {
    if (typeof data !== "string" || waiting >= MOST_WAITING) {
      end(UNSUPPORTED, "not a command");
      return;
    }
    waiting++;
    commands = commands.then(async () => {
      waiting--;
      if (isOver) return;
      const asked = watches.take(data);
      if (asked !== undefined) {
        const identity = await rights.ask(JSON.parse(asked));
        if (isOver) return;
        watches.settle(Boolean(identity));
      }
      if (watches.closes) return end(UNSUPPORTED, "not a command");
      const [sent, reply] = [watches.sent(), watches.reply()];
      if (sent !== undefined) server.send(sent);
      if (reply !== undefined) caller.send(reply);
    });
    commands.catch(failed);
  }

  function forward(data: unknown): void {
    if (isOver) return;
    const forwarded = typeof data === "string" ? watches.forward(data) : undefined;
    if (forwarded === undefined) {
      end(FAILURE, "RavenDB sent something else");
      return;
    }
    caller.send(forwarded);
    // RavenDB and the hub say every five seconds that they are there, so no timer is needed.
    if (Date.now() >= due) askAgain().catch(failed);
  }

  async function askAgain(): Promise<void> {
    due = Date.now() + rights.reauthorizeMs;
    const identity = await rights.ask(JSON.parse(watches.operations()));
    const isSame = identity && nameOf(identity) === rights.name;
    if (!isSame) end(POLICY, "the caller may no longer listen");
  }

  function failed(): void {
    end(FAILURE, "the gateway failed");
  }

  function end(code: number, reason: string): void {
    if (isOver) return;
    isOver = true;
    for (const socket of [caller, server]) quietly(() => socket.close(code, reason));
    watches.free();
  }
}

/** What a connection needs of the gateway. */
export interface LiveParts<Env, Core = Gateway> {
  core: Core;
  options: GatewayOptions<Env>;
  counted(exchange: Exchange<Env>, ask: () => Promise<boolean | undefined>): Promise<boolean>;
  permitted(exchange: Exchange<Env>, operations: Operation[]): Promise<Permitted | undefined>;
  /** RavenDB's address, what sends requests to it, and the secrets; throws if one is invalid. */
  reached(env: Env): { url: string; send: (request: Request) => Promise<Response>; words: string[] };
}

/** Seconds until `authorize` is asked again about an open connection. */
const REAUTHORIZE = 300;

/** Whether a request begins a connection, or gets the ticket for one. */
export function isLive({ url }: Request): boolean {
  return /\/databases\/[^/]+\/changes(\/ticket)?$/.test(new URL(url).pathname);
}

/** The request with the headers that its ticket holds. */
export function withTicket<Env>(
  { core, reached }: LiveParts<Env>,
  request: Request,
  env: Env,
  line: RequestLine,
): Request {
  const ticket = new URL(request.url).searchParams.get("ticket");
  if (ticket === null) return request;
  const headers = new Headers(request.headers);
  try {
    const origin = headers.get("Origin") ?? "";
    const sealed = core.openTicket(reached(env).words, origin, ticket, Date.now()) ?? [];
    for (let at = 0; at + 1 < sealed.length; at += 2)
      headers.set(sealed[at] as string, sealed[at + 1] as string);
  } catch (error) {
    line.note(error);
  }
  return new Request(request.url, { method: request.method, headers });
}

/** The response that begins a connection; nothing if the ruling has the response. */
export async function begin<Env>(
  parts: LiveParts<Env>,
  exchange: Exchange<Env> & { ruling: Ruling },
): Promise<Response | undefined> {
  const { core, options } = parts;
  const { ruling, request, env, line } = exchange;
  if (!(await parts.counted(exchange, () => isWithinRate(options, exchange, core.authorizeMs)))) return;
  ruling.judgeLive();
  const asked = ruling.operations();
  if (asked === undefined) return;
  const identity = await parts.permitted(exchange, JSON.parse(asked));
  if (identity === undefined) return;
  const name = nameOf(identity);
  const { reauthorize = REAUTHORIZE, hub } = typeof options.live === "object" ? options.live : {};
  let server: WorkerSocket | undefined;
  try {
    const { url, send, words } = parts.reached(env);
    if (request.method === "POST") return ruling.sealTicket(words, Date.now()) as undefined;
    if (!asksForUpgrade(request)) return ruling.bind(url, words, name, undefined) as undefined;
    const address = `${url.replace(/\/+$/, "")}/databases/${encodeURIComponent(options.database)}/changes`;
    const objects = hub?.(env);
    const sent = objects ? (given: Request) => objects.get(objects.idFromName(address)).fetch(given) : send;
    server = await connected(address, sent, core.upstreamMs, line);
  } catch (error) {
    return misconfigured(exchange, error);
  }
  if (!server) return ruling.refuse("UpstreamUnreachable", "RavenDB cannot be reached") as undefined;
  const [page, caller] = socketPair();
  const ask = (operations: Operation[]) => askAuthorize(options, core.authorizeMs, operations, exchange);
  connect(core.live(), caller, server, { name, ask, reauthorizeMs: reauthorize * 1_000 });
  line.end(101);
  return upgraded(page);
}

/** Opens the connection to RavenDB, or to the hub that shares one. */
async function connected(
  address: string,
  send: (request: Request) => Promise<Response>,
  millis: number,
  line: RequestLine,
): Promise<WorkerSocket | undefined> {
  try {
    return socketOf(await within(millis, send(upgradeRequest(address))));
  } catch (error) {
    line.note(error);
    return undefined;
  }
}
