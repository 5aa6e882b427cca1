// Compares leased ids with ids that the server generates for each document: measures both here.

import { at, busy, count, write } from "./dom.js";

const IDS = 100;

export class Compare {
  #client;
  #network;
  #problem;

  constructor(client, network, problem) {
    this.#client = client;
    this.#network = network;
    this.#problem = problem;
    at("compare").addEventListener("click", () => this.#run());
  }

  async #run() {
    if (at("compare").getAttribute("aria-busy") === "true") return;
    busy(at("compare"), true);
    write(at("compared"), "Measuring …");
    try {
      await this.#client.ready();
      const leased = await this.#measure("lease of comparisons", () => this.#client.leasedId());
      const asked = await this.#measure("identity", () => this.#client.askedId());
      this.#show(leased, asked);
    } catch (error) {
      write(at("compared"), "That could not be measured.");
      this.#problem.show(error);
    } finally {
      busy(at("compare"), false);
    }
  }

  /** Requests one id after the other, as an app would. */
  async #measure(kind, id) {
    const before = this.#network.sent(kind);
    const began = performance.now();
    for (let made = 0; made < IDS; made++) await id();
    return { ms: performance.now() - began, requests: this.#network.sent(kind) - before };
  }

  #show(leased, asked) {
    const slowest = Math.max(leased.ms, asked.ms);
    for (const [name, { ms, requests }] of Object.entries({ leased, asked })) {
      write(at(`${name}-ms`), `${ms.toFixed(1)} ms`);
      write(at(`${name}-requests`), count(requests));
      at(`${name}-bar`).style.inlineSize = `${Math.max(0.5, (100 * ms) / slowest)}%`;
    }
    at("comparison").hidden = false;
    const each = (asked.ms / IDS).toFixed(1);
    write(
      at("compared"),
      `Measured just now in this browser: ${IDS} ids each way, one after the other. A round trip to this server took ${each} ms here.`,
    );
  }
}
