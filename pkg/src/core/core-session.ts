// A session of the core: it decides what a save sends, and determines its outcome.

import { PLANNED_BUSY, PLANNED_DONE, PLANNED_NO_ID, REPEAT_NEVER } from "../../gen/protocol.js";
import { fail } from "../common/error.js";
import type { GlueSession } from "../runtime/core.js";
import type { CoreStore } from "./core-store.js";
import type { CoreTask } from "./core-task.js";
import { readRequest } from "./exchange.js";

export class CoreSession {
  #store;
  #core;
  #turn;

  /** `turn`: for reads that go to the nodes in turn. */
  constructor(store: CoreStore, turn: number | undefined) {
    this.#store = store;
    this.#core = new store.glue.Session();
    this.#turn = turn;
  }

  free(): void {
    this.#core.free();
  }

  /** See `Session` in `wasm/src/session.rs`, here and below. */
  begin(forgotten: Uint32Array): number {
    return this.#core.begin(forgotten);
  }

  plan(strict: boolean, documents: Uint32Array): Uint32Array {
    const planned = this.#core.plan(strict, documents);
    assertPlanned(planned[0] as number);
    return planned.subarray(1);
  }

  /** Returns whether there is anything to send; if not, the save is done. */
  seal(deferred: Uint32Array): boolean {
    const outcome = this.#core.seal(deferred);
    assertPlanned(outcome);
    return outcome === PLANNED_DONE;
  }

  on(
    ...given: Parameters<GlueSession["on"]>
  ): [next: number, keep: number, version: number, ...pairs: number[]] {
    return Array.from(this.#core.on(...given)) as [number, number, number];
  }

  readable(): Uint32Array {
    return this.#core.readable();
  }

  /** The request that sends the sealed batch. `wait`: how long the server may wait after the save, in milliseconds. */
  save(query: string, body: unknown, wait: number): CoreTask {
    const path = `${this.#store.route("bulk_docs")}${query}`;
    const request = { method: "POST", path, body: body as string, repeat: REPEAT_NEVER, node: -1 };
    return this.#store.request(request, ({ status }) => status === 201, wait);
  }

  /**
   * The request that loads documents: a route with its query and, if the URL would be too long, a body. A 404 without a body is a result:
   * none of the ids exists. With a body it means a wrong address.
   */
  load(route: string, body: string | undefined, wait: number): CoreTask {
    return this.#store.request(
      readRequest(this.#store.route(route), body),
      ({ status, text }) => status === 200 || (status === 404 && !text),
      wait,
      this.#turn,
    );
  }
}

function assertPlanned(outcome: number): void {
  if (outcome === PLANNED_NO_ID)
    fail(
      "InvalidOperation",
      "a document cannot be deleted: the outcome of its save is unknown, so its id is unknown; look for it, then evict the entity",
    );
  if (outcome === PLANNED_BUSY) fail("InvalidOperation", "the session is saving");
}
