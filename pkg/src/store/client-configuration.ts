// The configuration that the administrators of a database set for its clients ("client configuration"). It is read when a response
// reports a newer one.

import { Background } from "../common/background-read.js";
import { ask } from "../wire/command-request.js";
import type { ConventionSettings } from "./convention-settings.js";
import type { StoreBase } from "./store.js";

type ReadBalanceBehavior = ConventionSettings["readBalanceBehavior"];

/** The settings as the server sends them. */
interface Settings {
  Disabled?: boolean;
  MaxNumberOfRequestsPerSession?: number | null;
  ReadBalanceBehavior?: ReadBalanceBehavior | null;
}

export function clientConfiguration(store: StoreBase) {
  let settings: Settings = {};
  const reading = new Background();
  return {
    /** Number of the version that was read last. Requests send it; the server compares. */
    etag: 0,

    /** The maximum for sessions that set none themselves. */
    get maxNumberOfRequestsPerSession(): number {
      return settings.MaxNumberOfRequestsPerSession ?? store.conventions.maxNumberOfRequestsPerSession;
    },

    get readBalanceBehavior(): ReadBalanceBehavior {
      return settings.ReadBalanceBehavior ?? store.conventions.readBalanceBehavior;
    },

    refresh(): void {
      // If the read fails, later responses report the newer configuration again.
      store.inBackground(reading, async () => {
        const { text } = await ask(store, { route: "configuration/client" });
        const { Etag, Configuration } = JSON.parse(text) as { Etag: number; Configuration: Settings | null };
        this.etag = Etag;
        settings = Configuration && !Configuration.Disabled ? Configuration : {};
      });
    },
  };
}
