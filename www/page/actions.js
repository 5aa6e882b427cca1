// The buttons. Each reports its result in one sentence.

import { at, busy, count, write } from "./dom.js";
import { size, words } from "./ranges.js";

const TRIP = 100;

const orders = (number) => `${number} ${number === 1 ? "order" : "orders"}`;

export class Actions {
  #page;
  #at = Promise.resolve();

  /** `page` is `{ client, known, network, problem, look, read }`. */
  constructor(page) {
    this.#page = page;
    const buttons = {
      create: () => this.#create(1),
      "create-ten": () => this.#create(10),
      reserve: () => this.#reserve(),
      offline: () => this.#toggle(),
      "give-back": () => this.#giveBack(),
      kill: () => this.#kill(),
    };
    for (const [name, action] of Object.entries(buttons))
      at(name).addEventListener("click", () => this.#run(at(name), action));
    this.#died();
  }

  /** Runs actions one after the other, in the order of the clicks. */
  #run(button, action) {
    this.#at = this.#at.then(async () => {
      busy(button, true);
      try {
        write(at("message"), await action());
      } catch (error) {
        this.#page.problem.show(error);
      } finally {
        busy(button, false);
        await this.#page.look();
      }
    });
  }

  /** Saves pending orders after the current action has completed. */
  save() {
    this.#at = this.#at.then(async () => {
      const { client, network, problem, look } = this.#page;
      if (!network.online) return;
      const waited = client.waiting.length;
      try {
        await client.save();
        if (waited > 0) write(at("message"), `${orders(waited)} that waited: saved in one request.`);
      } catch (error) {
        problem.show(error);
      }
      await look();
    });
  }

  /** Numbers that this tab can use without a lease. A refill moves numbers to the device at once, which the page sees only later. */
  get #left() {
    const { client, known } = this.#page;
    return size(client.held) + Math.max(known.parked, client.status.parked ?? 0);
  }

  async #create(wanted) {
    const { client, network } = this.#page;
    const leases = network.sent("lease of orders");
    const number = network.online ? wanted : Math.min(wanted, this.#left);
    await client.create(number);
    if (number < wanted && number === 0)
      return "No number is left on this device. Offline there are no more; reserve some before the next trip.";
    const asked = network.sent("lease of orders") - leases;
    const how = asked > 0 ? "after a lease" : "without asking";
    if (!network.online)
      return `${orders(number)}, with final ids ${how}; saved when this tab is online again.`;
    await this.#save();
    return `${orders(number)}, ${number === 1 ? "its id" : "their ids"} ${how}, saved in one request.`;
  }

  async #save() {
    const { client, read } = this.#page;
    try {
      await client.save();
    } finally {
      await read();
    }
  }

  async #reserve() {
    const { client, network, read } = this.#page;
    if (!network.online) return "Offline nothing can be reserved.";
    await client.reserve(TRIP);
    await read();
    return `At least ${TRIP} numbers are parked on this device, for a trip without network.`;
  }

  async #toggle() {
    const { network, client, read } = this.#page;
    network.online = !network.online;
    document.body.classList.toggle("offline", !network.online);
    write(at("offline"), network.online ? "Go offline" : "Go online");
    if (!network.online)
      return `Offline: this tab's requests are cut. ${count(this.#left)} numbers are left for it.`;
    const waited = client.waiting.length;
    await this.#save();
    await read();
    return waited ? `Online: ${orders(waited)} saved in one request, under the ids they had.` : "Online.";
  }

  async #giveBack() {
    const { client, known, network, read } = this.#page;
    if (!network.online) return "Offline nothing can go back; the numbers stay.";
    if (client.waiting.length > 0) await this.#save();
    const before = known.max;
    const unused = this.#left;
    await client.giveBack();
    await read();
    if (unused === 0) return "Nothing was left to give back.";
    if (known.max < before) return `What was unused went back: Max ${count(before)} → ${count(known.max)}.`;
    if (known.parked > 0) return "Another tab lives: what was unused is parked for it.";
    return "What was unused is burnt: somebody else has leased since.";
  }

  /** Simulates the end of the tab's process: nothing is returned, nothing responds. Then opens the tab again. */
  async #kill() {
    const { client, network } = this.#page;
    sessionStorage.setItem("died", JSON.stringify([client.held, client.waiting.length]));
    network.die();
    location.reload();
    return new Promise(() => {});
  }

  /** Reports what was lost when `#kill` ended the tab's previous life. */
  #died() {
    const text = sessionStorage.getItem("died");
    if (!text) return;
    sessionStorage.removeItem("died");
    const [held, unsaved] = JSON.parse(text);
    const lost = held.length > 0 ? `${words(held)} died with it and are burnt` : "nothing was in its memory";
    const drafts = unsaved > 0 ? `; ${orders(unsaved)} that waited are lost, too` : "";
    write(at("message"), `The tab died and is open again: ${lost}${drafts}. What is parked outlived it.`);
  }
}
