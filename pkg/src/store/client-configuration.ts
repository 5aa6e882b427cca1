// The configuration that the administrators of a database set for its clients ("client configuration"). It is read when a response
// reports a newer one.

import { Background } from "../common/background-read.js";
import { ask, type CommandSender } from "../wire/command-request.js";
import type { ConventionSettings } from "./convention-settings.js";

type ReadBalanceBehavior = ConventionSettings["readBalanceBehavior"];

/** The store, as far as its client configuration needs it. */
interface ConfiguredStore extends CommandSender {
  readonly conventions: {
    readonly maxNumberOfRequestsPerSession: number;
    readonly readBalanceBehavior: ReadBalanceBehavior;
  };
  inBackground(background: Background, read: () => Promise<unknown>): void;
}

/** The settings as the server sends them. */
interface Settings {
  Disabled?: boolean;
  MaxNumberOfRequestsPerSession?: number | null;
  ReadBalanceBehavior?: ReadBalanceBehavior | null;
}

export class ClientConfiguration {
  /** Number of the version that was read last. Requests send it; the server compares. */
  etag = 0;
  #store: ConfiguredStore;
  #settings: Settings = {};
  #reading = new Background();

  constructor(store: ConfiguredStore) {
    this.#store = store;
  }

  /** The maximum for sessions that set none themselves. */
  get maxNumberOfRequestsPerSession(): number {
    return (
      this.#settings.MaxNumberOfRequestsPerSession ?? this.#store.conventions.maxNumberOfRequestsPerSession
    );
  }

  get readBalanceBehavior(): ReadBalanceBehavior {
    return this.#settings.ReadBalanceBehavior ?? this.#store.conventions.readBalanceBehavior;
  }

  refresh(): void {
    // If the read fails, later responses report the newer configuration again.
    this.#store.inBackground(this.#reading, async () => {
      const { text } = await ask(this.#store, { route: "configuration/client" });
      this.#take(JSON.parse(text));
    });
  }

  #take({ Etag, Configuration }: { Etag: number; Configuration: Settings | null }): void {
    this.etag = Etag;
    this.#settings = Configuration && !Configuration.Disabled ? Configuration : {};
  }
}
