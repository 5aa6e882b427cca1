// The figures about round trips: how many a server-generated id per order would need, and how many were made.

import { at, count, write } from "./dom.js";

export class Figures {
  #client;
  #network;

  constructor(client, network) {
    this.#client = client;
    this.#network = network;
  }

  draw() {
    const { issued } = this.#client;
    const leases = this.#network.sent("lease of orders");
    const saved = Math.max(0, issued - leases);
    for (const [name, value] of Object.entries({ issued, leases, saved })) write(at(name), count(value));
    write(at("leases-of"), leases === 1 ? "request for them" : "requests for them");
    const most = Math.max(issued, leases, 1);
    at("bar-issued").style.inlineSize = `${(100 * issued) / most}%`;
    at("bar-leases").style.inlineSize = `${(100 * leases) / most}%`;
  }
}
