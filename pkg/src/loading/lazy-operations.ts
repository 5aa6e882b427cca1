// Lazy loads: they wait until one of them is needed, and are then sent as one request.

import { AnyThis } from "../common/any-this.js";
import { idsOf, isObject, optionsOf } from "../common/arguments.js";
import type { DocumentType, ObjectTypeDescriptor } from "../documents/entity-types.js";
import { loadPart, type Parts } from "../runtime/load-part.js";
import type { SessionLoadStartingWithOptions } from "../session/session-options.js";
import type { SessionState } from "../session/session-state.js";
import type { Fetched, FetchedEntities, PartialRequest } from "./track-documents.js";

/** What the app does with a value; a promise that it returns is awaited. */
type OnEval = ((value: never) => unknown) | null | undefined;

/** A value that is not loaded yet. */
export class Lazy<Value = unknown> extends AnyThis {
  #state;
  #value: Value | null = null;
  #error: unknown;
  #done = false;
  #load;
  #loaded: Load | undefined;
  /** The request that brings the value; `undefined`: none is under way. */
  sent: Promise<void> | undefined;
  #begun: ((lazy: Lazy) => void) | undefined;
  /** Resolves when the app's `onEval` has ended. */
  evaluated: Promise<void> | undefined;
  #onEval: OnEval;

  /** `load` is called when the value is requested. */
  constructor(state: SessionState, load: () => Promise<Load>, onEval?: OnEval, begun?: (lazy: Lazy) => void) {
    super();
    this.#state = state;
    this.#onEval = onEval;
    this.#load = load;
    this.#begun = begun;
    state.lazies.push(this);
  }

  /** The request that brings the value has begun; `undefined`: it has failed, and can begin again. */
  begin(sent: Promise<void> | undefined): void {
    this.sent = sent;
    if (sent) this.#begun?.(this);
  }

  /** Makes the request that it needs (see `fetchAll`); `undefined`: none. */
  async request(): Promise<PartialRequest | undefined> {
    this.#loaded = await this.#load();
    return this.#loaded.request;
  }

  isValueCreated(): boolean {
    return this.#done;
  }

  /** Takes the response to its request; `undefined` if it needed none. */
  accept(found: Fetched | undefined): void {
    this.#done = true;
    try {
      if (found?.error) throw found.error;
      this.#value = this.#loaded?.result(found as FetchedEntities) as Value;
    } catch (error) {
      this.#error = error;
    }
  }

  /** Calls the app's `onEval`. If it throws or rejects, callers that wait for the value get this error. */
  async evaluate(): Promise<void> {
    try {
      if (!this.#error) await this.#onEval?.(this.#value as never);
    } catch (error) {
      this.#error = error;
    }
  }

  /** The value; `null` after `clear`. */
  read(): Value {
    if (this.#error) throw this.#error;
    return this.#value as Value;
  }

  async getValue(): Promise<Value> {
    if (!this.#done) {
      await (this.sent ?? executeAll(this.#state));
      await this.evaluated;
    }
    return this.read();
  }
}

/** Sends all lazy values of a session as one request; resolves with them when they have their values. */
async function executeAll(state: SessionState): Promise<Lazy[]> {
  const lazies = state.lazies.splice(0);
  const sent = state
    .inOrder(async () => (await loadPart("session")).send(state, lazies), "getValue")
    .catch((error: unknown) => {
      // The values can be requested again; they wait in front of later ones.
      for (const lazy of lazies) lazy.begin(undefined);
      state.lazies = [...lazies, ...state.lazies];
      throw error;
    });
  for (const lazy of lazies) {
    lazy.begin(sent);
  }
  await sent;
  return lazies;
}

/** As {@link executeAll}; rejects with the error of the first lazy value that has one. */
export async function executeAllPending(state: SessionState): Promise<void> {
  for (const lazy of await executeAll(state)) {
    await lazy.evaluated;
    lazy.read();
  }
}

/** What a lazy value loads. */
export interface Load {
  /** One of several requests; `undefined` if the session has what is loaded. */
  request: PartialRequest | undefined;
  result(found: FetchedEntities | undefined): unknown;
}

/** `session.advanced.lazily`. The requests, and what becomes of responses, are in a part that is loaded later. */
export class Lazily extends AnyThis {
  #state;
  #includes;

  constructor(state: SessionState, includes: string[] = []) {
    super();
    this.#state = state;
    this.#includes = includes;
  }

  include(path: string): Lazily {
    return new Lazily(this.#state, [...this.#includes, path]);
  }

  load(
    ids: string | string[],
    type?: DocumentType | { documentType?: DocumentType } | null,
    onEval?: OnEval,
  ): Lazy {
    const documentType = this.#classOf(isObject(type) ? (type.documentType as DocumentType) : type);
    const [several, list] = [Array.isArray(ids), idsOf(ids)];
    return this.#add(
      ({ lazyByIds }) => lazyByIds(this.#state, several, list, documentType, this.#includes),
      onEval,
    );
  }

  conditionalLoad(...given: [id: string, changeVector: string, type?: DocumentType]): Lazy {
    return this.#add(({ conditional }) => conditional(this.#state, ...given));
  }

  loadStartingWith(prefix: string, given?: SessionLoadStartingWithOptions | null, onEval?: OnEval): Lazy {
    const options = optionsOf<SessionLoadStartingWithOptions>(given);
    const type = this.#classOf(options.documentType);
    return this.#add(({ lazyByPrefix }) => lazyByPrefix(this.#state, prefix, options, type), onEval);
  }

  #classOf(type: DocumentType | null | undefined): ObjectTypeDescriptor | undefined {
    return this.#state.conventions.classOf(type);
  }

  #add(load: (part: Parts["session"]) => Load, onEval?: OnEval): Lazy {
    return new Lazy(this.#state, async () => load(await loadPart("session")), onEval);
  }
}
