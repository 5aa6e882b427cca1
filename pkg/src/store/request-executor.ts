// The members of npm `ravendb`'s request executor that programs use.

import { AnyThis } from "../common/any-this.js";
import { Events, REQUESTS } from "../common/event-listeners.js";
import type { RavenCommand } from "../operations/operation-types.js";
import type { DocumentConventions } from "./conventions.js";
import type { RequestEvents } from "./store-event-types.js";
import type { HttpCache, RequestExecutor as PublicRequestExecutor } from "./store-types.js";

/** The store, as far as its request executor needs it. */
interface ExecutingStore {
  readonly conventions: DocumentConventions;
  readonly cache: HttpCache | undefined;
  readonly urls: string[];
  execute(command: RavenCommand<unknown>): Promise<void>;
}

type Listener<Name extends keyof RequestEvents> = (event: RequestEvents[Name]) => void;

export class RequestExecutor extends AnyThis implements PublicRequestExecutor {
  #store: ExecutingStore;
  events = new Events<RequestEvents>(undefined, REQUESTS);

  constructor(store: ExecutingStore) {
    super();
    this.#store = store;
  }

  get conventions(): DocumentConventions {
    return this.#store.conventions;
  }

  /** `undefined` if no responses are kept; the type is that of npm `ravendb`. */
  get cache(): HttpCache {
    return this.#store.cache as HttpCache;
  }

  getUrl(): string {
    return this.#store.urls[0] as string;
  }

  execute(command: RavenCommand<unknown>): Promise<void> {
    return this.#store.execute(command);
  }

  on<Name extends keyof RequestEvents>(name: Name, listener: Listener<Name>): this {
    this.events.on(name, listener);
    return this;
  }

  off<Name extends keyof RequestEvents>(name: Name, listener: Listener<Name>): this {
    this.events.off(name, listener);
    return this;
  }

  /** Does nothing: requests end with their store. */
  dispose(): void {}
}
