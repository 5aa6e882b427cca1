// Decides about the connection for changes: when to connect and to close, what to send, which watches are confirmed, and whether
// changes may have been missed. It has no clock and no socket: inputs carry the time, effects say what to do.

/** How long no message may arrive, in milliseconds. RavenDB sends an empty message after five seconds of silence. */
export const SILENCE = 15_000;
/** How long a connection stays open without listeners, so that an app that listens again soon can reuse it. */
export const LINGER = 5_000;
/** The pause before the first retry, and the longest one. */
export const FIRST_PAUSE = 500;
export const LAST_PAUSE = 30_000;

/** What the server is asked to notify. */
export interface WatchCommand {
  watch: string;
  unwatch: string;
  param: string | null;
  params?: string[];
}

interface Watch {
  command: WatchCommand;
  /** The number of the command that waits for its confirmation on this connection; 0: none. */
  sent: number;
  confirmed: boolean;
  /** Whether it was confirmed on an earlier connection, so that changes may have been missed since. */
  gap: boolean;
}

export type Effect =
  /** Open a connection. `failures`: attempts that failed in a row; 0 after a working connection was lost. */
  | { do: "connect"; socket: number; failures: number }
  /** `dead`: no message has arrived for too long. */
  | { do: "close"; socket: number; dead?: true }
  | { do: "send"; socket: number; text: string }
  /** `connected` has changed. */
  | { do: "status" }
  /** A watch is confirmed. `gap`: changes that concern it may have been missed. */
  | { do: "confirmed"; watch: string; gap: boolean }
  /** A gateway refuses a watch. */
  | { do: "refused"; watch: string; reason: string }
  /** There was a gap, and each watch is confirmed or refused on the new connection. */
  | { do: "resync" };

export class ConnectionState {
  #watches = new Map<string, Watch>();
  /** The number of the connection in use or being opened. Events of other connections come too late and are ignored. */
  #socket = 0;
  #phase: "idle" | "connecting" | "open" | "pausing" = "idle";
  /** When the next thing has to be done: the attempt or the connection is given up, or the pause ends. */
  #until = Number.POSITIVE_INFINITY;
  /** Since when the connection has no listeners. */
  #unused = Number.POSITIVE_INFINITY;
  #failures = 0;
  /** Whether a response to a request has ended a pause since the server has last proven to work. */
  #hasHurried = false;
  /** Whether the server has confirmed or refused every watch that was sent on this connection. */
  #isProven = false;
  #commands = 0;
  #suspended = false;
  /** How many callers wait for a connection. */
  #waiting = 0;
  /** Whether a watch is confirmed after a gap, and others still wait. */
  #gap = false;
  readonly #limit: number;
  readonly #random: () => number;

  /** `limit`: how long an attempt to connect may take, in milliseconds. `random`: from 0 to 1. */
  constructor(limit: number, random: () => number) {
    this.#limit = limit;
    this.#random = random;
  }

  get connected(): boolean {
    return this.#phase === "open";
  }

  /** When {@link tick} is to be called. */
  get deadline(): number {
    return Math.min(this.#until, this.#phase === "idle" ? Number.POSITIVE_INFINITY : this.#unused + LINGER);
  }

  /** Whether a watch is confirmed on this connection. */
  isConfirmed(name: string): boolean {
    return this.#watches.get(name)?.confirmed ?? false;
  }

  watch(now: number, name: string, command: WatchCommand): Effect[] {
    const watch = this.#watches.get(name) ?? { command, sent: 0, confirmed: false, gap: false };
    this.#watches.set(name, watch);
    // One that was refused is sent again.
    return this.connected && !watch.confirmed && !watch.sent
      ? this.#used(now, [this.#send(watch)])
      : this.#used(now);
  }

  unwatch(now: number, name: string): Effect[] {
    const watch = this.#watches.get(name);
    if (!watch) return [];
    this.#watches.delete(name);
    const { unwatch, param, params } = watch.command;
    const sent: Effect[] = this.connected ? [this.#command(unwatch, param, params)] : [];
    return this.#used(now, [...sent, ...this.#resync()]);
  }

  /** Callers begin (1) or cease (-1) to wait for a connection. */
  wait(now: number, callers: 1 | -1): Effect[] {
    this.#waiting += callers;
    return this.#used(now);
  }

  opened(now: number, socket: number): Effect[] {
    if (socket !== this.#socket || this.#phase !== "connecting") return [{ do: "close", socket }];
    this.#phase = "open";
    this.#until = now + SILENCE;
    const sent = [...this.#watches.values()].map((watch) => this.#send(watch));
    if (sent.length === 0) this.#prove();
    return [...sent, { do: "status" }];
  }

  /** A message has arrived, perhaps an empty one. */
  received(now: number, socket: number): void {
    if (socket === this.#socket && this.connected) this.#until = now + SILENCE;
  }

  confirmed(socket: number, command: number): Effect[] {
    const found = this.#find(socket, command);
    if (!found) return [];
    const [name, watch] = found;
    const { gap } = watch;
    this.#gap ||= gap;
    Object.assign(watch, { sent: 0, confirmed: true, gap: false });
    return [{ do: "confirmed", watch: name, gap }, ...this.#resync()];
  }

  /** A hub has missed changes. */
  missed(socket: number): Effect[] {
    if (socket !== this.#socket || !this.connected) return [];
    const confirmed = [...this.#watches].filter(([, watch]) => watch.confirmed);
    this.#gap ||= confirmed.length > 0;
    const effects = confirmed.map(([watch]): Effect => ({ do: "confirmed", watch, gap: true }));
    return [...effects, ...this.#resync()];
  }

  refused(socket: number, command: number, reason: string): Effect[] {
    const found = this.#find(socket, command);
    if (!found) return [];
    const [name, watch] = found;
    watch.sent = 0;
    return [{ do: "refused", watch: name, reason }, ...this.#resync()];
  }

  /** Whether a connection is the one in use or being opened. */
  expects(socket: number): boolean {
    return socket === this.#socket && (this.#phase === "connecting" || this.connected);
  }

  /** A connection was lost, or an attempt failed. `undefined`: an old one, whose result is ignored. */
  closed(now: number, socket: number): Effect[] | undefined {
    return this.expects(socket) ? this.#lost(now) : undefined;
  }

  tick(now: number): Effect[] {
    if (now >= this.#unused + LINGER) {
      this.#gap = false;
      return this.#stop();
    }
    if (now < this.#until) return [];
    if (this.#phase === "pausing") return this.#connect(now);
    const socket = this.#socket;
    return [{ do: "close", socket, dead: true }, ...this.#lost(now)];
  }

  /** The network is back, or the page is shown again: do not wait for the end of the pause. */
  hurry(now: number): Effect[] {
    this.#failures = 0;
    this.#hasHurried = false;
    return this.#phase === "pausing" ? this.#connect(now) : [];
  }

  /** The server has responded to a request. This ends one pause: a proxy may let requests pass and no WebSockets. */
  responded(now: number): Effect[] {
    if (this.#phase !== "pausing" || this.#hasHurried) return [];
    this.#hasHurried = true;
    return this.#connect(now);
  }

  /** The page is put away: no connection, or the browser would not keep the page. */
  suspend(): Effect[] {
    this.#suspended = true;
    return this.#stop();
  }

  resume(now: number): Effect[] {
    this.#suspended = false;
    return this.#used(now);
  }

  /** Closes the connection for good. */
  dispose(): Effect[] {
    this.#watches.clear();
    this.#waiting = 0;
    return this.suspend();
  }

  /** Connects if there are watches or waiting callers. If not, the time {@link LINGER} begins, after which the connection is closed. */
  #used(now: number, effects: Effect[] = []): Effect[] {
    const isUsed = this.#watches.size > 0 || this.#waiting > 0;
    if (!isUsed) this.#unused = Math.min(this.#unused, now);
    else this.#unused = Number.POSITIVE_INFINITY;
    return isUsed && this.#phase === "idle" && !this.#suspended
      ? [...effects, ...this.#connect(now)]
      : effects;
  }

  #connect(now: number): Effect[] {
    this.#phase = "connecting";
    this.#until = now + this.#limit;
    this.#commands = 0;
    this.#isProven = false;
    return [{ do: "connect", socket: ++this.#socket, failures: this.#failures }];
  }

  #lost(now: number): Effect[] {
    const status = this.#disconnect();
    this.#phase = "pausing";
    const pause = Math.min(LAST_PAUSE, FIRST_PAUSE * 2 ** Math.min(this.#failures, 10));
    if (!this.#isProven) this.#failures++;
    this.#until = now + pause * (0.5 + this.#random() / 2);
    return status;
  }

  #stop(): Effect[] {
    const socket = this.#socket;
    const isOpen = this.#phase === "connecting" || this.connected;
    const status = this.#disconnect();
    this.#phase = "idle";
    this.#until = Number.POSITIVE_INFINITY;
    return isOpen ? [{ do: "close", socket }, ...status] : status;
  }

  /** The connection is closed: the server has forgotten its watches. */
  #disconnect(): Effect[] {
    const status: Effect[] = this.connected ? [{ do: "status" }] : [];
    this.#socket++;
    for (const watch of this.#watches.values()) {
      watch.gap ||= watch.confirmed;
      Object.assign(watch, { sent: 0, confirmed: false });
    }
    return status;
  }

  #find(socket: number, command: number): [string, Watch] | undefined {
    if (socket !== this.#socket || !this.connected) return undefined;
    return [...this.#watches].find(([, { sent }]) => sent === command);
  }

  /** When nothing waits for a confirmation any more: the server works, and what was missed can be read. */
  #resync(): Effect[] {
    if (!this.connected || [...this.#watches.values()].some(({ sent }) => sent > 0)) return [];
    this.#prove();
    const gap = this.#gap;
    this.#gap = false;
    return gap ? [{ do: "resync" }] : [];
  }

  #prove(): void {
    this.#isProven = true;
    this.#failures = 0;
    this.#hasHurried = false;
  }

  #send(watch: Watch): Effect {
    const { watch: name, param, params } = watch.command;
    const effect = this.#command(name, param, params);
    watch.sent = this.#commands;
    return effect;
  }

  #command(Command: string, Param: string | null, Params?: string[]): Effect {
    const text = JSON.stringify({ CommandId: ++this.#commands, Command, Param, Params });
    return { do: "send", socket: this.#socket, text };
  }
}
