// The hub for changes as a Durable Object: it holds one connection to RavenDB for all connections of a gateway that listen to changes
// of one database. The core decides who gets what; this file has the sockets and the texts.

import { ChangesFanOut } from "../../../gen/edge_changes.js";
import { quietly, socketPair, upgraded, type WorkerSocket } from "../../common/worker-sockets.js";
import { type DocumentChange, ravenDbConnections, read } from "./ravendb-connections.js";
import { KINDS, type Kind, type WatchedText, WatchedTexts } from "./watched-texts.js";

const TICK = 1_000;

/** Codes of RFC 6455. */
const NORMAL = 1000;
const UNSUPPORTED = 1003;
const RESTART = 1012;

const ACKNOWLEDGE = '{"Type":"Acknowledge"}';
const RESYNC = '{"Type":"Resync"}';

/** A command of a gateway. */
interface Command {
  CommandId?: number;
  Command?: string;
  Param?: string;
}

export class ChangesObject {
  #ctx: ObjectState;
  #ravendb;
  #core = new ChangesFanOut();
  #texts = new WatchedTexts();
  #address = "";
  #lastListener = 0;
  #listeners = new Map<number, KeptSocket>();
  /** Callers whose connection begins when there is one to RavenDB. */
  #waiting = new Map<number, (response: Response) => void>();
  #timer: ReturnType<typeof setInterval> | undefined;

  /** `send` sends the request for a connection to RavenDB. */
  constructor(ctx: ObjectState, send: (request: Request) => Promise<Response>) {
    this.#ctx = ctx;
    this.#ravendb = ravenDbConnections(send, {
      opened: (socket) => this.#run(() => this.#core.opened(socket)),
      lost: (socket) => this.#run(() => this.#core.lost(socket)),
      confirmed: (socket, command) => this.#run(() => this.#core.confirmed(socket, command)),
      changed: (socket, changes) => this.#changed(socket, changes),
    });
    for (const socket of ctx.getWebSockets()) this.#restore(socket);
  }

  /** Begins a connection; its URL is RavenDB's. */
  fetch(request: Request): Promise<Response> {
    this.#address = request.url;
    const listener = ++this.#lastListener;
    return new Promise((resolve) => {
      this.#waiting.set(listener, resolve);
      this.#run(() => this.#core.join(listener));
    });
  }

  webSocketMessage(socket: KeptSocket, data: unknown): void {
    const kept = socket.deserializeAttachment();
    const command = typeof data === "string" ? read<Command>(data) : undefined;
    if (!kept || !command || !this.#command(socket, kept, command))
      socket.close(UNSUPPORTED, "not a command");
  }

  webSocketClose(socket: KeptSocket): void {
    const kept = socket.deserializeAttachment();
    quietly(() => socket.close(NORMAL));
    if (!kept) return;
    this.#listeners.delete(kept.listener);
    this.#run(() => this.#core.leave(kept.listener));
  }

  #command(
    socket: KeptSocket,
    kept: Attachment,
    { CommandId: command = 0, Command, Param }: Command,
  ): boolean {
    const { listener, watches } = kept;
    if (Command === "acknowledge") {
      this.#run(() => this.#core.acknowledge(listener));
      return true;
    }
    const [, verb, kind] = /^(watch|unwatch)-(.*)$/.exec(Command ?? "") ?? [];
    if (!KINDS.includes(kind as Kind) || typeof Param !== "string") return false;
    const text = { kind: kind as Kind, param: Param };
    const others = watches?.filter(({ kind, param }) => kind !== text.kind || param !== text.param);
    if (verb === "watch") {
      keep(socket, { ...kept, watches: others && [...others, { ...text, command }] });
      this.#run(() => this.#core.watch(listener, command, this.#texts.give(text)));
    } else {
      keep(socket, { ...kept, watches: others });
      this.#run(() => this.#core.unwatch(listener, command, this.#texts.find(text)));
    }
    return true;
  }

  /** Goes on with a connection of an earlier instance. */
  #restore(socket: KeptSocket): void {
    const kept = socket.deserializeAttachment();
    if (!kept?.watches) {
      socket.close(RESTART, "the hub has restarted");
      return;
    }
    const { listener, address, watches } = kept;
    this.#address = address;
    this.#lastListener = Math.max(this.#lastListener, listener);
    this.#listeners.set(listener, socket);
    const pairs = watches.flatMap(({ command, ...text }) => [command, this.#texts.give(text)]);
    this.#run(() => this.#core.restore(listener, new Float64Array(pairs)));
  }

  /** Does what the core wants after something has happened. `changes`: the texts of those that it may deliver. */
  #run(happens: () => Float64Array, changes: string[] = []): void {
    let effects: Float64Array;
    try {
      effects = happens();
    } catch (error) {
      // A trap leaves WebAssembly in an unknown state: the platform makes a new object for the next request.
      this.#ctx.abort((error as Error).message);
      return;
    }
    // Most listeners get the same.
    const texts = new Map<string, string>();
    for (const effect of effectsOf(effects)) this.#perform(effect, changes, texts);
    const isTicking = this.#timer !== undefined;
    if (this.#core.needsTicks === isTicking) return;
    clearInterval(this.#timer);
    this.#timer = isTicking ? undefined : setInterval(() => this.#run(() => this.#core.tick()), TICK);
  }

  #perform({ kind, target, more }: Effect, changes: string[], texts: Map<string, string>): void {
    const [first = 0, second = 0] = more;
    switch (kind) {
      case "connect":
        this.#ravendb.open(target, this.#address);
        break;
      case "disconnect":
        this.#ravendb.close(target);
        break;
      case "watch":
        this.#ravendb.watch(target, first, second === 1, this.#texts.text(first));
        break;
      case "accept":
        this.#accept(target);
        break;
      case "refuse":
        this.#waiting.get(target)?.(new Response(null, { status: 503 }));
        this.#waiting.delete(target);
        break;
      case "drop": {
        const socket = this.#listeners.get(target);
        this.#listeners.delete(target);
        quietly(() => socket?.close(RESTART, "changes were missed: connect again"));
        break;
      }
      case "confirm":
        this.#tell(target, first, [`{"CommandId":${second},"Type":"Confirm"}`]);
        break;
      case "deliver":
        this.#deliver(target, more, changes, texts);
        break;
      case "resync":
        this.#tell(target, first, [RESYNC]);
        break;
      case "forget":
        this.#texts.forget(target);
    }
  }

  #accept(listener: number): void {
    const resolve = this.#waiting.get(listener);
    this.#waiting.delete(listener);
    const [theirs, ours] = socketPair();
    this.#ctx.acceptWebSocket(ours);
    // The platform's own: accepted, it can keep a value.
    const kept = ours as KeptSocket;
    keep(kept, { listener, address: this.#address, watches: [] });
    this.#listeners.set(listener, kept);
    resolve?.(upgraded(theirs));
  }

  /** A message of RavenDB, which may contain no change. */
  #changed(socket: number, changes: DocumentChange[]): void {
    const concerned = changes.flatMap(({ Value: { Id = "", CollectionName = "" } = {} }) => [
      ...this.#texts.concerned(Id, CollectionName),
      0,
    ]);
    const texts = changes.map((change) => JSON.stringify(change));
    this.#run(() => this.#core.notified(socket, new Uint32Array(concerned)), texts);
  }

  #deliver(listener: number, more: number[], changes: string[], texts: Map<string, string>): void {
    const key = more.join();
    const [asks = 0, ...places] = more;
    const text =
      texts.get(key) ??
      written(
        asks,
        changes.filter((_, place) => places.includes(place)),
      );
    texts.set(key, text);
    this.#tellText(listener, text);
  }

  #tell(listener: number, asks: number, messages: string[]): void {
    this.#tellText(listener, written(asks, messages));
  }

  #tellText(listener: number, text: string): void {
    // A connection that is closing is reported as closed soon.
    quietly(() => this.#listeners.get(listener)?.send(text));
  }
}

/** A message for a listener, which is asked to acknowledge it. */
function written(asks: number, messages: string[]): string {
  return `[${(asks ? [...messages, ACKNOWLEDGE] : messages).join()}]`;
}

function keep(socket: KeptSocket, attachment: Attachment): void {
  try {
    socket.serializeAttachment(attachment);
  } catch {
    // Too long for the platform.
    const { watches: _, ...rest } = attachment;
    socket.serializeAttachment(rest);
  }
}

/** The kinds of effects, in the order of `written` in `edge/src/changes/wasm_class.rs`, which says what follows each of them. */
const EFFECTS = [
  "connect",
  "disconnect",
  "watch",
  "accept",
  "refuse",
  "drop",
  "confirm",
  "deliver",
  "resync",
  "forget",
] as const;

type Deed = (typeof EFFECTS)[number];

/** `target`: the number of a listener, of a connection to RavenDB, or of a watch. */
export type Effect = { kind: Deed; target: number; more: number[] };

export function* effectsOf(numbers: Float64Array): Generator<Effect> {
  for (let at = 0; at < numbers.length; ) {
    const [kind = 0, length = 0, target = 0] = numbers.subarray(at, at + 3);
    const more = [...numbers.subarray(at + 3, at + 2 + length)];
    yield { kind: EFFECTS[kind] as Deed, target, more };
    at += 2 + length;
  }
}

/** A WebSocket that survives when the object's memory is lost, together with a value. */
export interface KeptSocket extends WorkerSocket {
  serializeAttachment(value: Attachment): void;
  deserializeAttachment(): Attachment | null;
}

/** What is kept with a WebSocket. */
export interface Attachment {
  listener: number;
  /** Where RavenDB notifies changes. */
  address: string;
  /** With the number of the command that began each; absent if they are too long to be kept. */
  watches?: (WatchedText & { command: number })[] | undefined;
}

/** What the hub uses of the platform's state. */
export interface ObjectState {
  acceptWebSocket(socket: WorkerSocket): void;
  getWebSockets(): KeptSocket[];
  abort(reason: string): void;
}
