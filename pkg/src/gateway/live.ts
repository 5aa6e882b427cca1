// The two ends of a page's connection for changes. The core decides what passes.

import type { Gateway, LiveWatches, Ruling } from "../../gen/edge_gateway_live.js";
import { within } from "../common/time.js";
import {
  asksForUpgrade,
  socketOf,
  socketPair,
  upgraded,
  upgradeRequest,
  type WorkerSocket,
} from "../common/worker-sockets.js";
import type { RequestLine } from "../logging/request-line.js";
import { responseOf } from "./bodies.js";
import { askAuthorize, isWithinRate, nameOf, type Permitted } from "./callers.js";
import type { GatewayContext, GatewayOptions, Operation } from "./options-types.js";
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

export class LiveConnection {
  #watches: LiveWatches;
  #caller: WorkerSocket;
  #server: WorkerSocket;
  #rights: Rights;
  /** The commands, one after the other. */
  #commands: Promise<void> = Promise.resolve();
  #waiting = 0;
  #due: number;
  #isOver = false;

  constructor(watches: LiveWatches, caller: WorkerSocket, server: WorkerSocket, rights: Rights) {
    this.#watches = watches;
    this.#caller = caller;
    this.#server = server;
    this.#rights = rights;
    this.#due = Date.now() + rights.reauthorizeMs;
  }

  begin(): void {
    const gone = () => this.#end(FAILURE, "the connection to RavenDB was lost");
    for (const [socket, received] of [
      [this.#caller, (data: unknown) => this.#command(data)],
      [this.#server, (data: unknown) => this.#received(data)],
    ] as const) {
      socket.accept();
      socket.addEventListener("message", ({ data }) => received(data));
      for (const type of ["close", "error"] as const) socket.addEventListener(type, gone);
    }
  }

  #command(data: unknown): void {
    if (typeof data !== "string" || this.#waiting >= MOST_WAITING) {
      this.#end(UNSUPPORTED, "not a command");
      return;
    }
    this.#waiting++;
    this.#commands = this.#commands.then(async () => {
      this.#waiting--;
      if (this.#isOver) return;
      const asked = this.#watches.take(data);
      if (asked !== undefined) {
        const identity = await this.#rights.ask(JSON.parse(asked));
        if (this.#isOver) return;
        this.#watches.settle(Boolean(identity));
      }
      if (this.#watches.closes) return this.#end(UNSUPPORTED, "not a command");
      const [sent, reply] = [this.#watches.sent(), this.#watches.reply()];
      if (sent !== undefined) this.#server.send(sent);
      if (reply !== undefined) this.#caller.send(reply);
    });
    this.#commands.catch(() => this.#end(FAILURE, "the gateway failed"));
  }

  #received(data: unknown): void {
    if (this.#isOver) return;
    const forwarded = typeof data === "string" ? this.#watches.forward(data) : undefined;
    if (forwarded === undefined) {
      this.#end(FAILURE, "RavenDB sent something else");
      return;
    }
    this.#caller.send(forwarded);
    // RavenDB and the hub say every five seconds that they are there, so no timer is needed.
    if (Date.now() >= this.#due) this.#askAgain().catch(() => this.#end(FAILURE, "the gateway failed"));
  }

  async #askAgain(): Promise<void> {
    this.#due = Date.now() + this.#rights.reauthorizeMs;
    const identity = await this.#rights.ask(JSON.parse(this.#watches.operations()));
    const isSame = identity && nameOf(identity) === this.#rights.name;
    if (!isSame) this.#end(POLICY, "the caller may no longer listen");
  }

  #end(code: number, reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const socket of [this.#caller, this.#server]) {
      try {
        socket.close(code, reason);
      } catch {
        // It is closed already.
      }
    }
    this.#watches.free();
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

export async function respondLive<Env>(
  parts: LiveParts<Env>,
  request: Request,
  env: Env,
  context: GatewayContext,
  line: RequestLine,
): Promise<Response> {
  const given = withTicket(parts, request, env, line);
  const ruling = parts.core.rule(given.method, given.url, [...given.headers].flat());
  const exchange = { ruling, request: given, env, context, line };
  try {
    const socket = ruling.isOpen ? await begin(parts, exchange) : undefined;
    if (!socket) return responseOf(exchange);
    line.end(101);
    return upgraded(socket);
  } finally {
    ruling.free();
  }
}

/** The request with the headers that its ticket holds. */
function withTicket<Env>(
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

/** The page's end of a connection; nothing if the ruling has the response. */
async function begin<Env>(
  parts: LiveParts<Env>,
  exchange: Exchange<Env> & { ruling: Ruling },
): Promise<WorkerSocket | undefined> {
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
  if (!server) {
    ruling.refuse("UpstreamUnreachable", "RavenDB cannot be reached");
    return;
  }
  const [page, caller] = socketPair();
  const ask = (operations: Operation[]) => askAuthorize(options, core.authorizeMs, operations, exchange);
  const watches: LiveWatches = core.live();
  new LiveConnection(watches, caller, server, { name, ask, reauthorizeMs: reauthorize * 1_000 }).begin();
  return page;
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
  }
  return undefined;
}
