// A store without its core: what it was opened with, who listens to it, and what a store of more than ids overrides.

import { AnyThis } from "../common/any-this.js";
import type { Background } from "../common/background-read.js";
import { fail } from "../common/error.js";
import { Events, STORE } from "../common/event-listeners.js";
import { TIMEOUT } from "../common/time.js";
import type { Runtime } from "../runtime/runtime.js";
import { freezeMembers, guard, IdConventions } from "../store/id-conventions.js";
import type { TracedEvents } from "../store/store-event-types.js";
import type { StoreOptions } from "../store/store-options-types.js";
import type { TracedWork } from "../tracing/trace-types.js";
import type { Cache } from "../wire/response-cache.js";
import type { SendRequest } from "../wire/transport.js";

/** What a store reads of its conventions. Those of documents have more than those of ids. */
export type StoreConventions = IdConventions & {
  readonly requestTimeout?: number | undefined;
  readonly customFetch?: SendRequest | undefined;
};

type Listener<Name extends keyof TracedEvents> = (event: TracedEvents[Name]) => void;

export class ConfiguredStore<Conventions extends StoreConventions = StoreConventions> extends AnyThis {
  #identifier: string | undefined;
  declare runtime: Runtime;

  // Before `initialize()`, these can be replaced, as in npm `ravendb`.

  declare urls: string[];
  /** Empty or `undefined` if there is none. */
  declare database: string;
  declare conventions: Conventions;
  declare options: StoreOptions;

  /** The configuration that the server has for its clients; a store of ids asks for none. */
  declare readonly settings: { readonly etag: number; refresh(): void } | undefined;

  events = new Events<TracedEvents>(undefined, STORE);

  constructor(
    runtime: Runtime,
    urls: string | string[],
    database: string,
    options?: StoreOptions | null,
    conventions = guard(new IdConventions()) as StoreConventions as Conventions,
  ) {
    super();
    const addresses = (Array.isArray(urls) ? urls : [urls]).map(String);
    Object.assign(this, { runtime, urls: addresses, database, options: options ?? {}, conventions });
  }

  get identifier(): string {
    return this.#identifier ?? this.urls.join(", ") + (this.database ? ` DB: ${this.database}` : "");
  }

  set identifier(identifier: string) {
    this.#identifier = identifier;
  }

  /** The name of a node in this store: the server gives the whole address where a page gave only its path. */
  nodeAt(url: string): string {
    return this.urls.find((own) => url.endsWith(own)) ?? url;
  }

  /** From now on, the store keeps what it was made with, and its conventions keep their values. */
  freezeConfiguration(): void {
    this.conventions.freeze(this);
    freezeMembers(this, ["urls", "database", "options", "conventions"], (name) =>
      fail("InvalidOperation", `${name} cannot be replaced after initialize(): do it before`),
    );
  }

  /** Time limit in milliseconds. */
  get timeout(): number {
    return this.options.timeout ?? this.conventions.requestTimeout ?? TIMEOUT;
  }

  assertDatabase(): void {
    if (!this.database)
      fail(
        "InvalidOperation",
        "no database is named: name one for the store, openSession() or forDatabase()",
      );
  }

  on<Name extends keyof TracedEvents>(event: Name, listener: Listener<Name>): () => void {
    this.events.on(event, listener);
    return () => this.events.off(event, listener);
  }

  once<Name extends keyof TracedEvents>(event: Name, listener: Listener<Name>): this {
    this.events.once(event, listener);
    return this;
  }

  removeListener<Name extends keyof TracedEvents>(event: Name, listener: Listener<Name>): this {
    this.events.off(event, listener);
    return this;
  }

  /** All listeners of an event, which may be registered at other places than this store. */
  listenersOf(event: string): ((detail: never) => void)[] {
    return this.events.of(event as keyof TracedEvents);
  }

  /** Calls the listeners of an event in microtasks: their exceptions are the app's, and must not unwind through WebAssembly. */
  emitLater(event: string, detail: object): void {
    for (const listener of this.listenersOf(event)) queueMicrotask(() => listener(detail as never));
  }

  /** Runs work within a span, if the app traces the store. `tag`: see {@link Tracer}. */
  traced<Result>(name: string, run: (work?: TracedWork) => Promise<Result>, tag?: string): Promise<Result> {
    return this.events.tracer?.during(this, name, run, tag) ?? run();
  }

  /** Keeps a Worker's request alive for work that later requests profit from, if the app has said how. */
  waitUntil(promise: Promise<unknown>): void {
    const quiet = promise.catch(() => {});
    this.options.waitUntil?.(quiet);
  }

  /** Reads what later requests profit from, unless such a read is under way. */
  inBackground(background: Background, read: () => Promise<unknown>): void {
    const reading = background.start(this.timeout, read);
    if (reading) this.waitUntil(reading);
  }

  /** Responses that are kept; a store of ids keeps none. */
  get cache(): Cache | undefined {
    return undefined;
  }

  /** The ids of new documents that are not saved; a store of ids has none. */
  unsavedDocuments(): string[] {
    return [];
  }

  /** Does the same with the stores that belong to this one; a store of ids has none. */
  async others(_what: "end" | "release"): Promise<unknown> {
    return undefined;
  }
}
