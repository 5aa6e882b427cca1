// The hub for changes: the class of its Durable Objects.

import { initSync } from "../../gen/edge_changes.js";
import wasm from "../../gen/edge_changes_bg.wasm";
import type { KeptSocket, ObjectState } from "../hub/changes/changes-object.js";
import { ChangesObject } from "../hub/changes/changes-object.js";

initSync({ module: wasm });

/**
 * The class to export for the binding that the gateway's option `live.hub` returns; its migration is one of `new_sqlite_classes`. An
 * object holds one connection to RavenDB for all listeners of a database. Only the gateway may call it: it does not ask who listens.
 */
export class ChangesHub<Env = unknown> {
  #object: ChangesObject;

  constructor(ctx: unknown, env: Env) {
    this.#object = new ChangesObject(ctx as ObjectState, (request) => this.connect(request, env));
  }

  /** Sends the request for a connection to RavenDB. Override it to use a certificate or service binding: `env.RAVEN.fetch(request)`. */
  connect(request: Request, _env: Env): Promise<Response> {
    return fetch(request);
  }

  fetch(request: Request): Promise<Response> {
    return this.#object.fetch(request);
  }

  /** Called by the platform. */
  webSocketMessage(socket: unknown, data: unknown): void {
    this.#object.webSocketMessage(socket as KeptSocket, data);
  }

  /** Called by the platform. */
  webSocketClose(socket: unknown): void {
    this.#object.webSocketClose(socket as KeptSocket);
  }

  /** Called by the platform. */
  webSocketError(socket: unknown): void {
    this.#object.webSocketClose(socket as KeptSocket);
  }
}
