// The connections to RavenDB that the core has asked for: one at a time, and perhaps one that is not closed yet.

import { socketOf, upgradeRequest, type WorkerSocket } from "../../common/worker-sockets.js";
import type { WatchedText } from "./watched-texts.js";

/** Codes of RFC 6455. */
const NORMAL = 1000;
const UNSUPPORTED = 1003;

/** A change of a document, as RavenDB notifies it. */
export interface DocumentChange {
  Value?: { Id?: string; CollectionName?: string };
}

interface Message extends DocumentChange {
  Type?: string;
  CommandId?: number;
  Exception?: string;
}

/** Receives what happens to a connection, by its number. */
export interface ConnectionListener {
  opened(socket: number): void;
  lost(socket: number): void;
  confirmed(socket: number, command: number): void;
  changed(socket: number, changes: DocumentChange[]): void;
}

export class RavenDbConnections {
  #send: (request: Request) => Promise<Response>;
  #listener: ConnectionListener;
  #sockets = new Map<number, WorkerSocket>();

  constructor(send: (request: Request) => Promise<Response>, listener: ConnectionListener) {
    this.#send = send;
    this.#listener = listener;
  }

  async open(socket: number, address: string): Promise<void> {
    const lost = () => {
      this.#sockets.delete(socket);
      this.#listener.lost(socket);
    };
    try {
      const opened = socketOf(await this.#send(upgradeRequest(address)));
      opened.accept();
      this.#sockets.set(socket, opened);
      opened.addEventListener("message", ({ data }) => this.#receive(socket, String(data)));
      for (const type of ["close", "error"] as const) opened.addEventListener(type, lost);
    } catch (error) {
      log((error as Error).message);
      return lost();
    }
    this.#listener.opened(socket);
  }

  close(socket: number, code = NORMAL): void {
    quietly(() => this.#sockets.get(socket)?.close(code));
    this.#sockets.delete(socket);
  }

  /** Sends the command that begins or ends a watch. */
  watch(socket: number, watch: number, begins: boolean, text: WatchedText | undefined): void {
    const Command = `${begins ? "" : "un"}watch-${text?.kind}`;
    // Nobody waits for the end of a watch: no watch has the number 0.
    const command = { CommandId: begins ? watch : 0, Command, Param: text?.param };
    quietly(() => this.#sockets.get(socket)?.send(JSON.stringify(command)));
  }

  #receive(socket: number, text: string): void {
    const messages = read<Message[]>(text);
    if (!Array.isArray(messages)) {
      log("RavenDB sent something else than messages");
      this.close(socket, UNSUPPORTED);
      this.#listener.lost(socket);
      return;
    }
    let changes: Message[] = [];
    for (const message of messages) {
      if (message.Type === "DocumentChange") changes.push(message);
      else if (message.Type === "Confirm") {
        if (changes.length > 0) this.#listener.changed(socket, changes);
        changes = [];
        this.#listener.confirmed(socket, message.CommandId ?? 0);
      } else if (message.Type === "Error") log(`RavenDB says ${message.Exception}`);
    }
    this.#listener.changed(socket, changes);
  }
}

function log(text: string): void {
  const [message] = text.split(/\r|\n/, 1);
  console.error(JSON.stringify({ level: "error", source: "changesHub", event: "failed", message }));
}

/** JSON, or `undefined`. */
export function read<Value>(text: string): Value | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Does something with a socket that may be closed. */
export function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // It is closed already.
  }
}
