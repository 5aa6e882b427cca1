// What the core's stores and tasks ask of their host. Types alone.

import type { RavenEdgeError } from "../common/error.js";
import type { EnterTask, Reply } from "../runtime/core.js";
import type { Transport } from "../wire/transport.js";
import type { Failure } from "./exchange.js";
import type { KnownTexts } from "./known-texts.js";

export interface CoreHost {
  /** One attempt of a request, given up after `limit` milliseconds. */
  send(
    method: string,
    url: string,
    body: string | Uint8Array | Transport | undefined,
    ifMatch: string | undefined,
    topologyEtag: number,
    limit: number,
  ): Promise<Reply>;
  /** The reply to a request that has left before there was a core, within `limit` milliseconds; `undefined`: it has not. */
  takeEarly(key: string, limit: number): Promise<Reply> | undefined;
  /** Moves numbers between memory and the pool. The task decides about the record. */
  move(texts: KnownTexts, tag: number, strict: boolean): (enter: EnterTask) => Promise<Reply>;
  pause(millis: number): Promise<Reply>;
  /** Reads a topology and sets the nodes. */
  topology(text: string): void;
  leased(tag: string, low: number, high: number, nodeTag: string, fenced: boolean): void;
  returned(tag: string, low: number, high: number, applied: boolean, error?: RavenEdgeError): void;
  regression(tag: string, low: number, high: number, highest: number): void;
  /** The error of a task that has failed. */
  error(failure: Failure, cause?: unknown, request?: string, unsent?: boolean): RavenEdgeError;
}
