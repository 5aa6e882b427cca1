// What a database's administrators want of its clients ("client configuration"): read when an answer says that it is new.

import { Background } from "../common/background-read.js";
import { ask } from "../wire/command-request.js";

export class Settings {
  /** Of what was read last; the server compares. */
  etag = 0;
  #store;
  #said = {};
  #reading = new Background();

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
    // What fails is told of again with later answers.
    this.#store.inBackground(this.#reading, async () => {
      const { text } = await ask(this.#store, { route: "configuration/client" });
      this.#take(JSON.parse(text));
    });
  }

  #take({ Etag: etag, Configuration: said }) {
    this.etag = etag;
    this.#said = said && !said.Disabled ? said : {};
  }
}
