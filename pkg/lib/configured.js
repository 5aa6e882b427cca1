// What a database's administrators want of its clients ("client configuration"): read when an answer says that it is new.

import { ask } from "./command.js";

export class Settings {
  /** Of what was read last; the server compares. */
  etag = 0;
  #store;
  #said = {};
  #reading = false;

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
    if (this.#reading) return;
    this.#reading = true;
    const read = ask(this.#store, { route: "configuration/client" });
    const over = () => {
      this.#reading = false;
    };
    // It is told of again with the next answer.
    this.#store.waitUntil(read.then(({ text }) => this.#take(JSON.parse(text))).then(over, over));
  }

  #take({ Etag: etag, Configuration: said }) {
    this.etag = etag;
    this.#said = said && !said.Disabled ? said : {};
  }
}
