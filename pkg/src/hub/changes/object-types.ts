// What the hub for changes uses of a Durable Object: the platform's own types, which the package does not depend on.

import type { WorkerSocket } from "../../common/worker-sockets.js";
import type { WatchedText } from "./watched-texts.js";

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
