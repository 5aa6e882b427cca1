// The connections to RavenDB that the core has asked for: one at a time, and perhaps one that is not closed yet.

import { quietly, socketOf, upgradeRequest, type WorkerSocket } from "../../common/worker-sockets.js";
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

/** `send` sends the request for a connection. */
export function ravenDbConnections(
  send: (request: Request) => Promise<Response>,
  listener: ConnectionListener,
) {
  const sockets = new Map<number, WorkerSocket>();

  async function open(socket: number, address: string): Promise<void> {
    const lost = () => {
      sockets.delete(socket);
      listener.lost(socket);
    };
    try {
      const opened = socketOf(await send(upgradeRequest(address)));
      opened.accept();
      sockets.set(socket, opened);
      opened.addEventListener("message", ({ data }) => receive(socket, String(data)));
      for (const type of ["close", "error"] as const) opened.addEventListener(type, lost);
    } catch (error) {
      log((error as Error).message);
      return lost();
    }
    listener.opened(socket);
  }

  function close(socket: number, code = NORMAL): void {
    quietly(() => sockets.get(socket)?.close(code));
    sockets.delete(socket);
  }

  /** Sends the command that begins or ends a watch. */
  function watch(socket: number, watch: number, begins: boolean, text: WatchedText | undefined): void {
    const Command = `${begins ? "" : "un"}watch-${text?.kind}`;
    // Nobody waits for the end of a watch: no watch has the number 0.
    const command = { CommandId: begins ? watch : 0, Command, Param: text?.param };
    quietly(() => sockets.get(socket)?.send(JSON.stringify(command)));
  }

  function receive(socket: number, text: string): void {
    const messages = read<Message[]>(text);
    if (!Array.isArray(messages)) {
      log("RavenDB sent something else than messages");
      close(socket, UNSUPPORTED);
      listener.lost(socket);
      return;
    }
    let changes: Message[] = [];
    for (const message of messages) {
      if (message.Type === "DocumentChange") changes.push(message);
      else if (message.Type === "Confirm") {
        if (changes.length > 0) listener.changed(socket, changes);
        changes = [];
        listener.confirmed(socket, message.CommandId ?? 0);
      } else if (message.Type === "Error") log(`RavenDB says ${message.Exception}`);
    }
    listener.changed(socket, changes);
  }

  return { open, close, watch };
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
