// Notifies the app of what has become of its queue: the events `offline` and `needsAuth`.

import type { StoreBase } from "../store/store.js";
import type { OfflineStatus } from "./offline-types.js";

const NAMES = ["offline", "needsAuth"] as const;

export class StatusEvents {
  readonly #store;
  readonly #user;
  readonly #status;
  /** The status that the app was notified of last, as JSON. */
  #shown = "";
  /** Whether the app was notified that the user must sign in. */
  #isAsking = false;
  #isScheduled = false;
  #isOver = false;

  constructor(store: StoreBase, user: string, status: () => OfflineStatus) {
    this.#store = store;
    this.#user = user;
    this.#status = status;
  }

  /** Notifies the app in a later task if the status has changed. Calls until then share one notification. */
  tell(): void {
    if (this.#isScheduled || NAMES.every((name) => this.#store.listenersOf(name).length === 0)) return;
    this.#isScheduled = true;
    setTimeout(() => {
      this.#isScheduled = false;
      if (!this.#isOver) this.#emit();
    });
  }

  #emit(): void {
    const status = this.#status();
    const text = JSON.stringify(status);
    if (text !== this.#shown) this.#store.emitLater("offline", status);
    if (status.needsAuth && !this.#isAsking) this.#store.emitLater("needsAuth", { user: this.#user });
    this.#shown = text;
    this.#isAsking = status.needsAuth;
  }

  /** The user has signed in. If the status needs a sign-in even so, the app gets `needsAuth` again. */
  signedIn(): void {
    this.#isAsking = false;
  }

  stop(): void {
    this.#isOver = true;
  }
}
