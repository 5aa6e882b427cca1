// Shows errors, in words.

import { at, write } from "./dom.js";
import { isOutage } from "./server.js";

export class Problem {
  show(error) {
    const outage = isOutage(error);
    write(at("problem-title"), outage ? "The server does not respond." : "That did not work.");
    write(
      at("problem-detail"),
      outage
        ? "Ids at hand can still be taken; everything goes on when it is back."
        : `${error.name}: ${error.message}`,
    );
    write(at("problem-cause"), outage ? error.message : "");
    at("problem").hidden = false;
  }

  clear() {
    at("problem").hidden = true;
  }
}
