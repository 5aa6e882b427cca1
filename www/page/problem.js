// One place for what went wrong, in words; while nobody answers it looks every now and then whether somebody does.

import { at, write } from "./dom.js";
import { isOutage } from "./server.js";

const PAUSE = 1_500;

export class Problem {
  #back;
  #timer;

  /** `back` reads from the server; when it succeeds after an outage the message goes away. */
  constructor(back) {
    this.#back = back;
  }

  show(error) {
    const outage = isOutage(error);
    write(at("problem-title"), outage ? "The server does not answer." : "That did not work.");
    write(
      at("problem-detail"),
      outage
        ? "Ids at hand can still be taken; everything goes on when it is back."
        : `${error.name}: ${error.message}`,
    );
    write(at("problem-cause"), outage ? error.message : "");
    at("problem").hidden = false;
    if (outage) this.#watch();
  }

  clear() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    at("problem").hidden = true;
  }

  #watch() {
    this.#timer ??= setTimeout(async () => {
      this.#timer = undefined;
      await this.#back();
    }, PAUSE);
  }
}
