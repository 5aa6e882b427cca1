// The card of the ids: taking one, the range behind it, giving the rest back.

import { at, busy, count, element, write } from "./dom.js";
import { Strip } from "./strip.js";

const EARLIER = 11;

export class Ids {
  #client;
  #problem;
  #read;
  #waiting = 0;
  #strip = new Strip(at("strip"));
  #max;

  /** `read` reads the server's side again. */
  constructor(client, problem, read) {
    this.#client = client;
    this.#problem = problem;
    this.#read = read;
    at("take").addEventListener("click", () => this.#take());
    at("give-back").addEventListener("click", () => this.#giveBack());
  }

  async #take() {
    const id = this.#client.take();
    if (id !== undefined) {
      this.show(id, "at once, without a request");
      return;
    }
    const began = performance.now();
    this.#wait(1);
    write(at("how"), "waiting for a new range …");
    try {
      const next = await this.#client.next();
      this.show(next, `with a new range, leased in ${Math.round(performance.now() - began)} ms`);
    } catch (error) {
      this.#problem.show(error);
      write(at("how"), "No id was at hand, and no range came in time.");
    } finally {
      this.#wait(-1);
    }
  }

  #wait(change) {
    this.#waiting += change;
    busy(at("take"), this.#waiting > 0);
    this.draw();
  }

  /** Shows an id that was issued; the one before it moves to the list. */
  show(id, how) {
    const before = at("latest").value;
    if (before.includes("/")) {
      at("earlier").prepend(element("li", "", before));
      at("earlier").hidden = false;
      while (at("earlier").children.length > EARLIER) at("earlier").lastChild.remove();
    }
    at("latest").value = id;
    write(at("how"), how);
  }

  set max(max) {
    this.#max = max;
    write(at("max"), count(max));
  }

  draw() {
    const { atHand, low, high, nodeTag } = this.#client.range;
    write(at("at-hand"), count(atHand));
    write(at("range-name"), low === undefined ? "none leased" : `${low} – ${high}, node ${nodeTag}`);
    const each = this.#strip.draw({ low, high, nodeTag, last: this.#client.last });
    write(at("each"), each > 1 ? `one cell is ${each} numbers` : "");
    at("give-back").disabled = atHand === 0 || this.#waiting > 0;
  }

  async #giveBack() {
    const before = this.#max;
    busy(at("give-back"), true);
    try {
      const ranges = await this.#client.giveBack();
      await this.#read();
      write(at("given"), this.#outcome(ranges, before));
    } catch (error) {
      this.#problem.show(error);
    } finally {
      busy(at("give-back"), false);
      // That button is disabled now, and a disabled button drops the focus.
      at("take").focus();
    }
  }

  #outcome(ranges, before) {
    if (ranges.length === 0) return "Nothing was left to give back.";
    const numbers = ranges.map(({ low, high }) => `${low} – ${high}`).join(", ");
    if (ranges.some(({ error }) => error)) {
      return `${numbers} could not be sent back. They stay unused: a gap, never a duplicate.`;
    }
    if (ranges.every(({ applied }) => applied)) return `${numbers} went back: Max ${before} → ${this.#max}.`;
    return `${numbers} stay unused: somebody else has leased since.`;
  }
}
