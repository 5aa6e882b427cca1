// What a database's administrators want of its clients ("client configuration"): read when an answer says that it is new.

import { ask } from "./command.js";

export class Settings {
  /** Of what was read last; the server compares. */
  etag = 0;
  #store;
  #said = {};
  #asked = Number.NEGATIVE_INFINITY;

  constructor(store) {
    this.#store = store;
  }

  /** Of a session, unless the app says something else. */
  get maxNumberOfRequestsPerSession() {
    return this.#said.MaxNumberOfRequestsPerSession ?? this.#store.conventions.maxNumberOfRequestsPerSession;
  }

  get readBalanceBehavior() {
    return this.#said.ReadBalanceBehavior ?? this.#store.conventions.readBalanceBehavior;
  }

  refresh() {
    const now = performance.now();
    // On workerd a read may end with its request: the mark is a time, not a flag.
    if (now - this.#asked < this.#store.timeout) return;
    this.#asked = now;
    const read = ask(this.#store, { route: "configuration/client" });
    // It is told of again with later answers.
    this.#store.waitUntil(read.then(({ text }) => this.#take(JSON.parse(text))));
  }

  #take({ Etag: etag, Configuration: said }) {
    this.etag = etag;
    this.#said = said && !said.Disabled ? said : {};
  }
}
