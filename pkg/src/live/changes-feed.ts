// The connection for changes of one database: opens sockets, keeps time, follows the page, and passes on what arrives. What to do
// when is decided by `connection-state.ts`.

import { RavenEdgeError } from "../common/error.js";
import { within } from "../common/time.js";
import type { LiveSocket } from "../store/store-options-types.js";
import { ask } from "../wire/command-request.js";
import { ConnectionState, type Effect, type WatchCommand } from "./connection-state.js";
import type { LiveStore } from "./live-store.js";
import { changesAddress, nodeChooser, openSocket, type SocketEvent } from "./web-socket.js";

/** A message of the server. */
interface Message {
  Type?: string;
  CommandId?: number;
  Exception?: string;
  Value?: Record<string, unknown>;
}

/** Says that everything was read so far, for a hub that asks. */
const ACKNOWLEDGE = '{"CommandId":0,"Command":"acknowledge"}';

/** Receives what arrives at a feed. */
export interface FeedListener {
  status(): void;
  failed(error: Error): void;
  confirmed(watch: string, gap: boolean): void;
  resync(): void;
  changed(type: string, value: Record<string, unknown>): void;
}

/** A caller that waits for a connection, or for the confirmation of a watch. */
interface Waiter {
  watch: string | undefined;
  resolve(): void;
  reject(error: Error): void;
}

export class ChangesFeed {
  #store: LiveStore;
  #listener: FeedListener;
  #state: ConnectionState;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sockets = new Map<number, LiveSocket>();
  #nextNode;
  #waiters = new Set<Waiter>();
  #unfollowUser;
  readonly #responded = (): void => this.#do(this.#state.responded(now()));
  #disposal = new AbortController();
  /** Why the last attempt failed; `null` while there is a connection. */
  lastError: Error | null = null;

  constructor(store: LiveStore, tag: string | undefined, listener: FeedListener) {
    this.#store = store;
    this.#listener = listener;
    this.#nextNode = nodeChooser(store, tag);
    this.#state = new ConnectionState(store.timeout, Math.random);
    const hurry = () => this.#do(this.#state.hurry(now()));
    const { signal } = this.#disposal;
    for (const [name, handler] of [
      // A page that is put away is kept by the browser only without a connection.
      ["pagehide", () => this.#do(this.#state.suspend())],
      ["pageshow", () => this.#do(this.#state.resume(now()))],
      ["online", hurry],
      ["visibilitychange", () => globalThis.document?.visibilityState === "visible" && hurry()],
    ] as const)
      globalThis.addEventListener?.(name, handler, { signal });
    store.events.on("succeedRequest", this.#responded);
    // A connection may succeed now: a browser does not say why one was refused.
    this.#unfollowUser = store.offline?.onSignedIn(hurry);
  }

  get connected(): boolean {
    return this.#state.connected;
  }

  watch(name: string, command: WatchCommand): void {
    this.#do(this.#state.watch(now(), name, command));
  }

  unwatch(name: string): void {
    this.#do(this.#state.unwatch(now(), name));
  }

  get #isDisposed(): boolean {
    return this.#disposal.signal.aborted;
  }

  /** Resolves when there is a connection, on which `watch` is confirmed. */
  async ready(watch?: string): Promise<void> {
    if (this.#isDisposed) throw disposed();
    if (this.#isReady(watch)) return;
    const { timeout } = this.#store;
    const waiter = { watch } as Waiter;
    const confirmed = new Promise<true>((resolve, reject) => {
      Object.assign(waiter, { resolve: () => resolve(true), reject });
    });
    this.#waiters.add(waiter);
    this.#do(this.#state.wait(now(), 1));
    try {
      if (await within(timeout, confirmed)) return;
      throw (
        this.lastError ?? new RavenEdgeError("Timeout", `no confirmation of changes within ${timeout} ms`)
      );
    } finally {
      this.#waiters.delete(waiter);
      if (!this.#isDisposed) this.#do(this.#state.wait(now(), -1));
    }
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#disposal.abort();
    this.#store.events.off("succeedRequest", this.#responded);
    this.#unfollowUser?.();
    this.#do(this.#state.dispose());
    this.#reject(disposed());
  }

  #isReady(watch: string | undefined): boolean {
    return watch === undefined ? this.connected : this.#state.isConfirmed(watch);
  }

  #do(effects: Effect[]): void {
    for (const effect of effects) this.#perform(effect);
    clearTimeout(this.#timer);
    const { deadline } = this.#state;
    if (deadline === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.#do(this.#state.tick(now())), Math.max(deadline - now(), 0));
  }

  #perform(effect: Effect): void {
    switch (effect.do) {
      case "connect":
        this.#connect(effect.socket, effect.failures);
        break;
      case "close":
        this.#close(effect.socket);
        if (effect.dead)
          this.#tell(new RavenEdgeError("Unreachable", "the connection for changes went silent"));
        break;
      case "send":
        this.#sockets.get(effect.socket)?.send(effect.text);
        break;
      case "status":
        if (this.connected) this.lastError = null;
        this.#resolve();
        this.#listener.status();
        break;
      case "confirmed":
        this.#resolve();
        this.#listener.confirmed(effect.watch, effect.gap);
        break;
      case "refused":
        this.#refused(effect.watch, effect.reason);
        break;
      case "resync":
        this.#listener.resync();
        break;
    }
  }

  async #connect(id: number, failures: number): Promise<void> {
    try {
      const url = await this.#nextNode(failures);
      const ticket = await ticketOf(this.#store);
      if (!this.#state.expects(id)) return;
      const socket = openSocket(this.#store, changesAddress(this.#store, url) + ticket);
      this.#sockets.set(id, socket);
      let what = "no connection for changes";
      let reason = "";
      let cause: unknown;
      socket.addEventListener("open", () => {
        what = "the connection for changes was lost";
        this.#do(this.#state.opened(now(), id));
      });
      socket.addEventListener("message", ({ data }: SocketEvent) => this.#received(id, String(data)));
      socket.addEventListener("error", ({ message, error }: SocketEvent) => {
        reason = message ? `: ${message}` : "";
        cause = error;
      });
      socket.addEventListener("close", () => {
        this.#sockets.delete(id);
        this.#failed(id, new RavenEdgeError("Unreachable", `${what}: ${url}${reason}`, { cause }));
      });
    } catch (error) {
      this.#failed(id, error as Error);
      // The server has said why, so waiting longer is of no use.
      if (!(error as RavenEdgeError).outage) this.#reject(error as Error);
    }
  }

  #failed(id: number, error: Error): void {
    const effects = this.#state.closed(now(), id);
    if (!effects) return;
    this.#tell(error);
    this.#do(effects);
  }

  #tell(error: Error): void {
    this.lastError = error;
    this.#listener.failed(error);
  }

  #close(id: number): void {
    const socket = this.#sockets.get(id);
    this.#sockets.delete(id);
    if (socket?.terminate) socket.terminate();
    else socket?.close();
  }

  #received(id: number, text: string): void {
    if (!this.#state.expects(id)) return;
    this.#state.received(now(), id);
    let messages: Message | Message[];
    try {
      messages = JSON.parse(text);
    } catch (cause) {
      this.#listener.failed(new RavenEdgeError("BadAnswer", "a message about changes is no JSON", { cause }));
      return;
    }
    for (const { Type, CommandId = 0, Exception, Value } of [messages].flat()) {
      if (Type === "Confirm") this.#do(this.#state.confirmed(id, CommandId));
      else if (Type === "Error") {
        this.#do(this.#state.refused(id, CommandId, String(Exception)));
        if (!CommandId) this.#listener.failed(new RavenEdgeError("Server", String(Exception)));
      } else if (Type === "Acknowledge") this.#sockets.get(id)?.send(ACKNOWLEDGE);
      else if (Type === "Resync") this.#do(this.#state.missed(id));
      else if (Type && Value) this.#listener.changed(Type, Value);
    }
  }

  #refused(watch: string, reason: string): void {
    const error = new RavenEdgeError("Server", reason, { status: 403 });
    this.#listener.failed(error);
    this.#reject(error, watch);
  }

  #resolve(): void {
    for (const waiter of this.#waiters) if (this.#isReady(waiter.watch)) waiter.resolve();
  }

  /** Rejects those who wait for this watch, or all. */
  #reject(error: Error, watch?: string): void {
    for (const waiter of this.#waiters)
      if (watch === undefined || watch === waiter.watch) waiter.reject(error);
  }
}

function now(): number {
  return performance.now();
}

function disposed(): RavenEdgeError {
  return new RavenEdgeError("Disposed", "changes() was disposed");
}

/** The query of the address; empty where headers can be sent, or need not be. */
export async function ticketOf(store: LiveStore): Promise<string> {
  const { options, runtime } = store;
  if (!options.headers || options.webSocket || runtime.connect) return "";
  try {
    const { text } = await ask(store, { method: "POST", route: "changes/ticket", safe: true });
    return `?ticket=${encodeURIComponent(JSON.parse(text).Ticket)}`;
  } catch (error) {
    // RavenDB itself, behind a proxy, knows no tickets.
    if (!/RouteNotFound/.test((error as RavenEdgeError).type ?? "")) throw error;
    return "";
  }
}
